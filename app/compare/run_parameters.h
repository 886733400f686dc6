#pragma once

#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "engine/timeline/run.h"

#include <QDialog>

namespace app {

// A setting of the compared runs.
struct RunParameter
{
    QString name;       // "D", "Seed"
    QStringList values; // one per run; "–" if the run does not state the setting

    bool isSame() const { return values.count(values.value(0)) == values.size(); }
    bool contradicts() const; // whether two runs state different values
};

// Returns every setting of the runs: the settings that are stored with a run and, if this program
// recorded the run, the settings of its experiment. `runs` must not contain nullptr.
std::vector<RunParameter> parametersOf(const std::vector<std::shared_ptr<const engine::Run>>& runs);

// Texts that fit in one line. sameText() names the settings that matter for a comparison and are
// equal in all runs: "model tiny, D 4, N 8, seed". differsText() names the settings for which the
// runs state different values: "scheme, v".
QString sameText(const std::vector<RunParameter>& parameters);
QString differsText(const std::vector<RunParameter>& parameters);

// Table of all settings. Those that differ come first and show each value with the number of runs
// that have it.
class ParametersModel : public TableModel<RunParameter>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    // `titles` has one title per run.
    void show(std::vector<RunParameter> parameters, const QStringList& titles);
};

// The table of all settings of the compared runs. Deletes itself when it is closed.
class ParametersDialog : public QDialog
{
    Q_OBJECT

public:
    // `titles` has one title per run.
    ParametersDialog(const ThemeController& theme, std::vector<RunParameter> parameters,
                     const QStringList& titles, QWidget* parent);
};

} // namespace app
