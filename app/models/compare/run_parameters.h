#pragma once

#include "app/models/tables/table_model.h"
#include "engine/timeline/run.h"

namespace app {

// A setting of the compared runs.
struct RunParameter
{
    QString name;       // "D", "Seed"
    QStringList values; // one per run; "–": the run does not state it

    bool isSame() const { return values.count(values.value(0)) == values.size(); }
    bool contradicts() const; // whether runs that state it have different values
};

// Returns every setting of the runs: the settings that are stored with a run and, if this program
// recorded the run, the settings of its experiment. `runs` must not have nullptr.
std::vector<RunParameter> parametersOf(const std::vector<std::shared_ptr<const engine::Run>>& runs);

// What is equal in all runs and what differs, for one line: "model tiny, D 4, N 8, seed 1" and
// "scheme, v". Names only the equal settings that a comparison depends on.
QString sameText(const std::vector<RunParameter>& parameters);
QString differsText(const std::vector<RunParameter>& parameters);

// All settings, those that differ first. A setting that differs lists its values and the number of
// runs that have each.
class ParametersModel : public TableModel<RunParameter>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    // `titles` has one title per run.
    void show(std::vector<RunParameter> parameters, const QStringList& titles);
};

} // namespace app
