#pragma once

#include "app/plan/prediction.h"
#include "app/ui/device_facts.h"
#include "engine/base/field.h"
#include "engine/experiment/experiment.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace app {

// The settings of the set-up page, for the experiment and for its prediction.
struct RunPlan
{
    engine::Experiment experiment;
    engine::UnitCosts costs;
    CostSource source;
    std::optional<engine::EvictPolicy> evict;

    PredictionRequest request() const;
    friend bool operator==(const RunPlan&, const RunPlan&) = default;
};

QStringList modelPresets(); // only the built-in presets
// Changes the model of a plan. Model settings that differ from the old preset are kept, except the
// micro-batch size, sequence length and recomputation, which come from the new preset.
void chooseModel(RunPlan& plan, const QString& model);

// Returns the plan with another scheme. D, N and the model are kept; chunks and options become the
// defaults of the new scheme.
RunPlan withScheme(RunPlan plan, std::string_view scheme);

QStringList runOptions(const RunPlan& plan); // options of `bscope run`
// The whole command, quoted for a shell: "bscope run --scheme bitpipe --devices 4 ...".
QString commandText(const RunPlan& plan);

// Returns the plan of an experiment (RunInfo::experiment); the default plan if it cannot be parsed.
RunPlan planFromExperiment(const QString& toml);

// The scheme files that the user kept, which New run lists: *.csv of the folder `schemes` of the
// data folder.
QStringList ownSchemes();
// Keeps a schedule of compute ops under a name that no file has. Returns the file.
engine::Result<QString> keepScheme(const QString& name, const engine::Schedule& order);

// Returns the reason why the plan cannot run although its schedule is valid; "" if it can.
QString planProblem(const RunPlan& plan, const engine::Schedule& lowered);
// Returns the reason why this machine cannot run the plan although another could; "" if it can.
QString machineProblem(const RunPlan& plan, const DeviceFacts& here);

// The state of a page about a plan, and the plan that it stands for; see Page::state(). Missing and
// invalid parts are ignored. Of a recorded run with the costs, only the name of the file is set,
// which CostForm reads later.
QJsonObject planState(const RunPlan& plan);
RunPlan restoredPlan(const QJsonObject& state);

// The texts of all fields of an object, by their options, and the object that they stand for. Also
// includes default values: restoring B overwrites I and W, which must then be restored, too.
template<class Object>
QJsonObject fieldTexts(engine::Fields<Object> fields, const Object& object)
{
    QJsonObject texts;
    for (const auto& field : fields)
        texts.insert(QString::fromStdString(field.flag), QString::fromStdString(field.get(object)));
    return texts;
}
// Ignores missing and invalid texts.
template<class Object>
void setFields(engine::Fields<Object> fields, Object& object, const QJsonObject& texts)
{
    for (const auto& field : fields)
        if (const QJsonValue text = texts.value(QString::fromStdString(field.flag));
            text.isString())
            static_cast<void>(engine::setChecked(field, object, text.toString().toStdString()));
}

} // namespace app
