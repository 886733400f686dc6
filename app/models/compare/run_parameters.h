#pragma once

#include "app/models/tables/table_model.h"
#include "engine/timeline/run.h"

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
// recorded the run, the settings of its experiment. `runs` must not have nullptr.
std::vector<RunParameter> parametersOf(const std::vector<std::shared_ptr<const engine::Run>>& runs);

// Two texts for one line. sameText() names settings that are equal in all runs, as far as a
// comparison depends on them: "model tiny, D 4, N 8, seed 1". differsText() names those that
// differ: "scheme, v".
QString sameText(const std::vector<RunParameter>& parameters);
QString differsText(const std::vector<RunParameter>& parameters);

// Table of all settings, those that differ first. For a setting that differs, it lists the values
// with the number of runs that have each.
class ParametersModel : public TableModel<RunParameter>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    // `titles` has one title per run.
    void show(std::vector<RunParameter> parameters, const QStringList& titles);
};

} // namespace app
