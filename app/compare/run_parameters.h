#pragma once

#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "engine/timeline/run.h"

#include <QStringList>

class QDialog;
class QWidget;

namespace app {

// A setting of the compared runs.
struct RunParameter
{
    QString name;       // "D", "Seed"
    QStringList values; // one per run; "–" if the run does not state the setting

    bool isSame() const { return values.count(values.value(0)) == values.size(); }
    bool contradicts() const; // whether two runs state different values
};

// Every setting of the runs, those that differ first: the settings that are stored with a run and,
// if this program recorded it, those of its experiment. `runs` must not contain nullptr.
std::vector<RunParameter> parametersOf(const std::vector<std::shared_ptr<const engine::Run>>& runs);

// Texts that fit in one line. sameText() names the settings that matter for a comparison and are
// equal in all runs: "model tiny, D 4, N 8, seed". differsText() names the settings for which the
// runs state different values: "scheme, v".
QString sameText(const std::vector<RunParameter>& parameters);
QString differsText(const std::vector<RunParameter>& parameters);

// A table row shows the value that all runs have, or each value with the number of runs that have
// it.
std::vector<TableColumn<RunParameter>> parameterColumns(const QStringList& titles);

// The table of all settings. Deletes itself when it is closed. `titles` has one title per run.
QDialog* makeParametersDialog(const ThemeController& theme, std::vector<RunParameter> parameters,
                              const QStringList& titles, QWidget* parent);

} // namespace app
