#pragma once

#include "engine/cost/model_prices.h"
#include "engine/model/model_spec.h"
#include "engine/schedules/scheme.h"
#include "engine/timeline/run.h"

#include <QString>
#include <QStringList>

#include <memory>

namespace app {

// The source of the costs of a prediction: assumed costs in cost units, a model on hardware (closed
// forms), or the measured times of a recorded run. `bscope simulate` offers the same sources.
struct CostSource
{
    enum class Kind : int { Units, Hardware, Recorded };

    Kind kind = Kind::Units;
    QString model = QStringLiteral("gpt3-96b"), hardware = QStringLiteral("a100-sxm-80");
    engine::TrainingSetup setup; // used for Kind::Hardware
    QString file;                // file of the recorded run
    std::shared_ptr<const engine::Run> run;
    // Share of the input gradient (I) in the time of B, in per cent, for a run that has only B; 0:
    // not set.
    int inputShare = 0;

    bool isUnits() const { return kind == Kind::Units; }
    friend bool operator==(const CostSource&, const CostSource&) = default;
};

// Returns the part of `costs` that has an effect with `source`. Costs in units use all of `costs`;
// the other sources use only the timing rules. A recorded run also uses the devices per node, but
// no interference of joint ops, because the recorded times already include it.
engine::UnitCosts applicableCosts(const CostSource& source, const engine::UnitCosts& costs);

// Loads the model and the hardware of `source`, and sets recomputation and data-parallel width as
// in the schedule. Fails with Error::Code::InvalidArgument or NotFound; the message names the
// preset.
engine::Result<engine::ModelOnHardware>
modelOnHardware(const CostSource& source, engine::Recompute recompute, int dataParallel);
// Returns the costs of `lowered` from the times of a recorded run. Fails with
// Error::Code::InvalidArgument if the run lacks times; the message lists the missing ones.
engine::Result<engine::OpCosts> recordedCosts(const engine::Schedule& lowered,
                                              const CostSource& source,
                                              const engine::UnitCosts& rules);

// Returns `request` with the number of stages of the run in `source`. If the requested scheme does
// not support that number, returns `request` unchanged.
engine::ScheduleRequest withStagesOf(const CostSource& source, engine::ScheduleRequest request);

QString sourceText(const CostSource& source);        // "gpt3-96b on a100-sxm-80"
QStringList sourceOptions(const CostSource& source); // options of `bscope simulate`

} // namespace app
