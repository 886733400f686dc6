#pragma once

#include "engine/cost/model_prices.h"
#include "engine/model/model_spec.h"
#include "engine/schedules/scheme.h"
#include "engine/timeline/run.h"

#include <QString>
#include <QStringList>

#include <memory>

namespace app {

// Where the costs of a prediction are from: units that are assumed, a model on hardware by closed
// forms, or what a recorded run measured. `bscope simulate` has options for the same.
struct CostSource
{
    enum class Kind : int { Units, Hardware, Recorded };

    Kind kind = Kind::Units;
    QString model = QStringLiteral("gpt3-96b"), hardware = QStringLiteral("a100-sxm-80");
    engine::TrainingSetup setup; // of Kind::Hardware
    QString file;                // of the recorded run
    std::shared_ptr<const engine::Run> run;
    int inputShare = 0; // hundredths of B that I takes where the run did not split it; 0: not asked

    bool isUnits() const { return kind == Kind::Units; }
    friend bool operator==(const CostSource&, const CostSource&) = default;
};

// What of the costs in units still counts beside `source`: how ops hinder one another.
engine::UnitCosts countingBeside(const CostSource& source, const engine::UnitCosts& costs);

// The model with what the schedule recomputes and with its data-parallel width. InvalidArgument and
// NotFound name the preset.
engine::Result<engine::ModelOnHardware>
modelOnHardware(const CostSource& source, engine::Recompute recompute, int dataParallel);
// What the ops of `lowered` take by a recorded run. InvalidArgument says what the run lacks.
engine::Result<engine::OpCosts> recordedCosts(const engine::Schedule& lowered,
                                              const CostSource& source,
                                              const engine::UnitCosts& rules);

// `request` with as many stages as the run of `source` has, where its scheme can have them.
engine::ScheduleRequest alike(const CostSource& source, engine::ScheduleRequest request);

QString sourceText(const CostSource& source);        // "gpt3-96b on a100-sxm-80": beside a picture
QStringList sourceOptions(const CostSource& source); // of `bscope simulate`

} // namespace app
