#pragma once

#include "engine/base/field.h"

#include <QJsonObject>

namespace app {

struct RunPlan;

// The state of a page about a plan, and the plan that it stands for; see Page::state().
QJsonObject planState(const RunPlan& plan);
RunPlan restoredPlan(const QJsonObject& state);

// Returns the parts of a plan that the TOML of its experiment does not contain: the source of the
// costs, the costs in units and the policy of evicts.
QJsonObject costState(const RunPlan& plan);

// Sets the costs of a plan. Ignores missing and invalid parts of `state`. For a recorded run, sets
// only the name of the file, which CostSourceForm reads later.
void restoreCosts(RunPlan& plan, const QJsonObject& state);

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
