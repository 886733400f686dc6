#pragma once

#include "engine/cost/model_prices.h"
#include "engine/model/model_spec.h"
#include "engine/schedules/scheme.h"
#include "engine/timeline/run.h"

#include <QString>
#include <QStringList>

#include <memory>

namespace app {

// The source of a prediction's costs: assumed costs in cost units, a model on hardware (closed
// forms), or the measured times of a recorded run. `bscope simulate` has the same options.
struct CostSource
{
    enum class Kind : int { Units, Hardware, Recorded };

    Kind kind = Kind::Units;
    QString model = QStringLiteral("gpt3-96b"), hardware = QStringLiteral("a100-sxm-80");
    engine::TrainingSetup setup; // for Kind::Hardware
    QString file;                // recorded run
    std::shared_ptr<const engine::Run> run;
    int inputShare = 0; // share of I in B in hundredths, for a run that has only B; 0: not set

    bool isUnits() const { return kind == Kind::Units; }
    friend bool operator==(const CostSource&, const CostSource&) = default;
};

// Returns the part of `costs` that applies with `source`. For costs in units this is all of
// `costs`, otherwise only its timing rules. For a recorded run it also has the nodes, and joint ops
// have no further interference.
engine::UnitCosts applicableCosts(const CostSource& source, const engine::UnitCosts& costs);

// The model, with the recomputation and data-parallel width of the schedule. Fails with
// Error::Code::InvalidArgument or NotFound; the message names the preset.
engine::Result<engine::ModelOnHardware>
modelOnHardware(const CostSource& source, engine::Recompute recompute, int dataParallel);
// Returns the costs of `lowered` from the times of a recorded run. Fails with
// Error::Code::InvalidArgument if the run lacks times; the message lists them.
engine::Result<engine::OpCosts> recordedCosts(const engine::Schedule& lowered,
                                              const CostSource& source,
                                              const engine::UnitCosts& rules);

// Returns `request` with as many stages as the run in `source`, if the requested scheme supports
// that number.
engine::ScheduleRequest withStagesOf(const CostSource& source, engine::ScheduleRequest request);

QString sourceText(const CostSource& source);        // "gpt3-96b on a100-sxm-80"
QStringList sourceOptions(const CostSource& source); // options of `bscope simulate`

} // namespace app
