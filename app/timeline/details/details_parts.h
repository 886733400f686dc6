#pragma once

#include "app/timeline/details/details.h"
#include "app/timeline/view/labels.h"
#include "engine/model/model_spec.h"

namespace app {

// The origin and the unit of all times in a panel.
struct DetailsClock
{
    Scale scale;
    double origin = 0;

    QString at(std::int64_t time) const { return scale.text(static_cast<double>(time) - origin); }
    QString atWithUnit(std::int64_t time) const
    {
        return scale.withUnit(static_cast<double>(time) - origin);
    }
    QString length(std::int64_t ticks) const { return scale.text(ticks); }
    QString range(engine::Window window) const // "103.6 – 107.5 ms"
    {
        return rangeText(window, origin, scale) + QLatin1Char(' ') + scale.unit();
    }
    QString lengthWithUnit(std::int64_t ticks) const { return scale.withUnit(ticks); }
};
DetailsClock detailsClock(const RunView& view, int iteration);
// Returns a clock with enough digits to show `length`, even if the iteration is much longer.
DetailsClock detailsClock(const RunView& view, int iteration, std::int64_t length);
// Shows the length in the head of the panel, in the clock's unit or, below 0.1 of that unit, in a
// finer one.
void sayLength(Details& details, const RunView& view, const DetailsClock& clock,
               std::int64_t ticks);

Swatch swatchOf(const RunView& view, std::uint32_t op);
DetailsLink linkTo(const RunView& view, const profiler::CauseLink& cause, int iteration,
                   const DetailsClock& clock);
// A link to an op, a kernel or an idle stretch, with its duration; `kernels` may be nullptr.
DetailsLink linkTo(const RunView& view, const KernelView* kernels, const Selection& target,
                   const Scale& time);
// The devices of a send or receive on `device`: "device 1 to 0".
QString routeText(const engine::Op& op, engine::DeviceId device);
// Describes an op: "B of micro-batch 5 on stage 1".
QString describeOp(const engine::RunInfo& info, const engine::Op& op);
// Adds a strip over time with the ops of the selection's micro-batch in all stages.
void addStrip(Details& details, const RunView& view, const Selection& selection,
              const DetailsClock& clock);
// Returns the shares of forward, backward, W, optimizer, exposed communication and bubble in a
// window.
std::vector<DetailsBar::Part> shareParts(const Busy& busy, double duration);

// Returns the model that a run trained, from the run's experiment. Returns nullopt if the
// experiment cannot be read, or if the run has none because it was simulated in cost units or
// imported.
std::optional<engine::ModelSpec> modelOf(const engine::RunInfo& info);

// Returns the first and the last layer of a stage; nullopt if the stage has no layer.
std::optional<std::pair<int, int>> layersOf(const engine::ModelSpec& model,
                                            const engine::Shape& shape, engine::StageId stage);

// Returns the model FLOPs of an op, with full attention; 0 for an op that does not count as work of
// the model, such as a recompute. The ops of an iteration add up to engine::flopsPerIteration().
double modelFlopsOf(const engine::ModelSpec& model, const engine::Shape& shape,
                    const engine::Op& op);

// The model FLOPs, the rate and the MFU of an op; nullopt if the model of the run is unknown.
DetailsSection computeSection(const RunView& view, const Selection& selection);
// The section "Memory and trace" of an op: how long its stash is kept, the memory of its device,
// its NVTX range, kernels and timing method.
DetailsSection memoryAndTrace(const RunView& view, const Selection& selection,
                              const DetailsClock& clock, const KernelView* kernels);
Details opDetails(const RunView& view, const Selection& selection, const DetailsContext& context);
Details bubbleDetails(const RunView& view, const Selection& selection);
Details rangeDetails(const RunView& view, const Selection& selection,
                     const DetailsContext& context);
Details hitsDetails(const RunView& view, const DetailsContext& context); // requires context.hits
// Describes the run, and the longest boxes of a selected category of time.
Details runDetails(const RunView& view, const Selection& selection, const QString& file = {});
Details runningDetails(const RunView& view, const DetailsContext& context); // requires progress
Details deviceDetails(const RunView& view, const Selection& selection, const KernelView* kernels);

} // namespace app
