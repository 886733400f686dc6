#include "app/cli/commands/simulated.h"

#include "app/cli/text/output.h"
#include "app/cli/text/timeline_text.h"
#include "engine/base/try.h"
#include "engine/experiment/experiment.h"
#include "engine/schedule/transfers.h"
#include "engine/schedules/scheme.h"
#include "engine/sim/memory_events.h"
#include "engine/sim/simulate.h"
#include "profiler/analysis/calibrate.h"
#include "profiler/report/run_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cli {

using namespace engine;
using namespace profiler;

namespace {
// The largest number of ops for which spans are kept. Spans, stored costs and transfers need 200
// bytes per op, that is, about 3 GB in total.
constexpr std::size_t kMostWithSpans = std::size_t{1} << 24;

// Returns the bytes per op if the spans of all iterations are kept. Every further iteration adds
// the spans of the op and of two transfers, and a memory event. A stream has the ops of all
// iterations.
int bytesWithSpans(const Schedule& schedule, int iterations)
{
    constexpr int kPerIteration = 3 * sizeof(Span) + sizeof(MemoryEvent);
    return kBytesPerOp + (schedule.shape.windows > 1 ? 0 : iterations - 1) * kPerIteration;
}

bool spansAreFew(const Schedule& schedule, int iterations)
{
    return opCount(schedule) * bytesWithSpans(schedule, iterations) <= kMostWithSpans * kBytesPerOp;
}

// The size of one iteration was checked when the schedule was built.
Result<void> checkIterationsFit(const Schedule& schedule, int iterations)
{
    const int bytes = bytesWithSpans(schedule, iterations);
    if (bytes == kBytesPerOp)
        return {};
    const SizeLimit limit = limitOfMachine(bytes);
    const auto ops = static_cast<std::int64_t>(opCount(schedule));
    if (ops <= limit.ops)
        return {};
    const auto gibi
        = [bytes](std::int64_t count) { return static_cast<double>(count) * bytes / (1 << 30); };
    return fail(Error::Code::InvalidArgument,
                fmt::format("{} iterations of {} ops need {:.1f} GiB, more than the {:.1f} GiB "
                            "available; use fewer --iterations, --micro-batches or --devices",
                            iterations, ops, gibi(ops), gibi(limit.ops)));
}

UnitCosts unitsOf(const SimulationRequest& request)
{
    UnitCosts units = request.costs.units;
    units.rules.blockingAllReduce = request.sync == SyncPolicy::EagerBlocking;
    return units;
}

Result<OpPrices> pricesOf(const Schedule& schedule, const SimulationRequest& request)
{
    const UnitCosts units = unitsOf(request);
    const auto& model = request.costs.model;
    auto mapping = TRY(Mapping::of(schedule, request.mapping,
                                   model ? nodeShape(model->hardware, model->setup.tensorParallel)
                                         : NodeShape{units.devicesPerNode}));
    if (!model)
        return unitPrices(schedule.shape, units, std::move(mapping));
    return modelPrices(schedule.shape, *model, std::move(mapping), units.rules,
                       holds(schedule, OpKind::Recompute) ? RecomputeIn::Ops
                                                          : RecomputeIn::Backward);
}

// Returns the mapping of the recorded run, which its experiment states.
Result<Mapping> mappingOfRun(const Run& run, const NodeShape& nodes)
{
    const auto experiment = experimentFromToml(run.info.experiment);
    return Mapping::of(
        run.schedule, experiment ? experiment->schedule.mapping : ScheduleRequest().mapping, nodes);
}

// Returns the costs of `lowered` from the recorded run. If there are nodes, the costs depend on the
// mappings of both schedules, and `mapping` is set to a description of the mapping of `lowered`.
Result<OpCosts> recordedCosts(const Schedule& lowered, const SimulationRequest& request,
                              std::string& mapping)
{
    const UnitCosts units = unitsOf(request);
    const Run& run = *request.costs.recorded->run;
    profiler::CalibrateOptions options{units.devicesPerNode};
    options.inputShare = request.costs.recorded->inputShare;
    options.rules = units.rules;
    if (units.devicesPerNode > 0) {
        const NodeShape nodes{units.devicesPerNode};
        options.ofRun = TRY(mappingOfRun(run, nodes));
        options.ofSchedule = TRY(Mapping::of(lowered, request.mapping, nodes));
        mapping = describe(*options.ofSchedule);
    }
    return calibratedCosts(run, lowered, options);
}

// Simulates a schedule and keeps the spans. `prices` is nullptr if the costs are those of a
// recorded run.
Result<Simulated> withSpans(const Schedule& schedule, const OpPrices* prices,
                            const SimulationRequest& request)
{
    TRY(checkIterationsFit(schedule, request.iterations));
    Simulated one;
    one.run.schedule = lower(schedule, request.sync);
    const auto costs = TRY(prices == nullptr ? recordedCosts(one.run.schedule, request, one.mapping)
                                             : resolved(one.run.schedule, *prices));
    one.run.timeline = TRY(simulate(one.run.schedule, costs, {.iterations = request.iterations}));
    if (request.costs.model)
        one.run.timeline.memory
            = simulatedMemory(one.run.schedule, one.run.timeline,
                              stageBytes(*request.costs.model, schedule.shape.stages,
                                         rebuiltBy(schedule, request.costs.model->setup)));
    one.run.info.ticksPerUnit = costs.ticksPerUnit;
    one.run.info.recomputeKeeps = request.costs.recomputeKeeps;
    one.metrics = TRY(metrics(one.run));
    return one;
}

// Adds all-reduces and optimizer steps, unless they take no time and block nothing.
Schedule withSteps(Schedule schedule, const OpPrices& prices, SyncPolicy sync)
{
    if (prices.isFree(OpKind::OptimizerStep) && prices.isFree(OpKind::AllReduce)
        && !prices.rules.blockingAllReduce)
        return schedule;
    return addOptimizer(addAllReduce(std::move(schedule), sync));
}

Result<Simulated> withoutSpans(Schedule schedule, const OpPrices& prices,
                               const SimulationRequest& request)
{
    Simulated one;
    one.hasSpans = false;
    one.run.schedule = withSteps(std::move(schedule), prices, request.sync);
    const auto summaries = TRY(
        summarize(one.run.schedule, prices, {request.iterations, request.costs.recomputeKeeps}));
    for (const IterationSummary& summary : summaries) {
        Iteration iteration;
        iteration.number = static_cast<int>(one.run.timeline.iterations.size());
        iteration.window = summary.window;
        one.run.timeline.iterations.push_back(std::move(iteration));
    }
    one.run.info.ticksPerUnit = prices.ticksPerUnit;
    one.run.info.recomputeKeeps = request.costs.recomputeKeeps;
    one.metrics = metrics(one.run.schedule, summaries.back());
    one.metrics.iteration = reportedIteration(one.run.timeline);
    return one;
}
} // namespace

Result<Simulated> simulated(Schedule schedule, const SimulationRequest& request)
{
    if (request.costs.recorded)
        return withSpans(schedule, nullptr, request);
    const auto prices = TRY(pricesOf(schedule, request));
    const bool needsSpans = request.needsSpans || schedule.shape.windows > 1
        || (spansAreFew(schedule, request.iterations)
            && checkIterationsFit(schedule, request.iterations)
            && (!prices.isCommunicationFree() || hasTransfers(schedule)));
    auto one = needsSpans ? withSpans(schedule, &prices, request)
                          : withoutSpans(std::move(schedule), prices, request);
    if (one && !prices.mapping.isOneNode())
        one->mapping = describe(prices.mapping);
    if (!one || !one->hasSpans || !request.costs.model)
        return one;
    one->loads = TRY(linkLoads(one->run, prices.mapping,
                               transferBytes(*request.costs.model, one->run.schedule.shape.stages),
                               one->metrics.iteration));
    return one;
}

namespace {
// The device with the largest peak; nullptr if no memory was simulated.
const DeviceMetrics* fullestDevice(const RunMetrics& metrics)
{
    return metrics.peakBytes() ? metrics.fullest(&DeviceMetrics::peakBytes) : nullptr;
}

bool knowsFit(const Simulated& one)
{
    return one.deviceMemory && fullestDevice(one.metrics) != nullptr;
}

std::int64_t limitOf(const Simulated& one)
{
    return std::llround(*one.deviceMemory);
}

// Returns the free bytes of the device with the largest peak; negative if it does not fit.
std::int64_t leftOn(const Simulated& one)
{
    return limitOf(one) - fullestDevice(one.metrics)->peakBytes.value_or(0);
}

// Returns a line such as "memory: device 0 needs 63.4 GiB of 79.2 GiB: fits, 15.8 GiB free".
std::string memoryLine(const Simulated& one)
{
    if (!one.deviceMemory)
        return {};
    if (!knowsFit(one))
        return "memory: not computed for a schedule of this size";
    const DeviceMetrics& most = *fullestDevice(one.metrics);
    const std::string needs = fmt::format("memory: device {} needs {} of {}", most.device.value,
                                          bytesText(*most.peakBytes), bytesText(limitOf(one)));
    return needs
        + (leftOn(one) >= 0
               ? fmt::format(": fits, {} free", bytesText(leftOn(one)))
               : fmt::format(": does not fit, {} too much; the times assume that it fits",
                             bytesText(-leftOn(one))));
}

std::string ratesLine(const Simulated& one)
{
    if (!one.metrics.mfu)
        return {};
    return fmt::format("MFU: relative to {:.4g} TFLOP/s per device; counts full attention, even "
                       "if it is causal{}",
                       one.run.info.peakFlops / 1e12,
                       one.metrics.hfu != one.metrics.mfu ? "; HFU includes recomputation" : "");
}

// Returns a line on the link with the largest load: "links: largest load 1.6 GB, from node 0 to
// node 1 (32 messages and copies, 4 all-reduces)".
std::string linkLine(const Simulated& one)
{
    const LinkLoad* most = one.loads ? one.loads->largest() : nullptr;
    if (most == nullptr)
        return {};
    const int sums = most->count(LinkLoad::Of::AllReduces);
    return fmt::format(
        "links: largest load {:.3g} GB, {} ({} messages and copies, {} all-reduce{})",
        most->bytes() / 1e9,
        most->from == most->to ? fmt::format("in node {}", most->from)
                               : fmt::format("from node {} to node {}", most->from, most->to),
        most->count(LinkLoad::Of::Messages), sums, sums == 1 ? "" : "s");
}

std::string fitText(const Simulated& one)
{
    if (!knowsFit(one))
        return "-";
    return leftOn(one) >= 0 ? "fits" : bytesText(-leftOn(one)) + " too much";
}

// The assumptions of the costs, the link and the mappings.
void addAssumptions(const std::vector<Simulated>& all, Sheet& sheet)
{
    const RunInfo& info = all.front().run.info;
    const std::string notes = !info.timing.empty() ? "times: " + info.timing
        : info.inUnits() ? "one unit = a device's forward of one micro-batch"
                         : "times of a model on hardware, not measured";
    std::string link = info.link;
    if (const std::string& first = all.front().mapping; !first.empty() && link.ends_with(first))
        link.resize(link.size() - first.size() - 2); // also removes ", "
    sheet.sentence(notes + "; link " + link);
    for (const Simulated& one : all)
        if (!one.mapping.empty())
            sheet.sentence(fmt::format("mapping of {}: {}", one.run.info.scheme, one.mapping));
    sheet.sentence(ratesLine(all.front()));
}

using L = LinkLoad;
constexpr std::array kLink{
    Measure<L>({"from_node"}, Of<&L::from>()),
    Measure<L>({"to_node"}, Of<&L::to>()),
    Measure<L>({"bytes"}, [](const L& l) { return std::llround(l.bytes()); }),
    Measure<L>({"message_bytes"}, [](const L& l) { return std::llround(l.messages); }),
    Measure<L>({"copy_bytes"}, [](const L& l) { return std::llround(l.copies); }),
    Measure<L>({"all_reduce_bytes"}, [](const L& l) { return std::llround(l.allReduces); }),
    Measure<L>({"transfers"}, [](const L& l) { return l.count(L::Of::Messages); }),
    Measure<L>({"all_reduces"}, [](const L& l) { return l.count(L::Of::AllReduces); }),
    Measure<L>({"busy_ms"}, [](const L& l) { return static_cast<double>(l.busy) / 1e6; }),
};

Reading dataOf(const Simulated& one)
{
    Reading data = fields(runMeasures(), ReportedRun{one.run, one.metrics});
    auto& all = std::get<Reading::Fields>(data.data);
    all.emplace_back("mapping", textOrUnknown(one.mapping));
    all.emplace_back("device_memory_bytes", one.deviceMemory ? Reading(limitOf(one)) : Reading());
    all.emplace_back("fits", knowsFit(one) ? Reading(leftOn(one) >= 0) : Reading());
    all.emplace_back("links", one.loads ? Table(kLink, one.loads->links).json() : Reading());
    return data;
}
} // namespace

static Sheet simulatedSheet(const Simulated& one)
{
    Sheet sheet;
    sheet.sentence(runHeading(one.run));
    addSummary(one.run, one.metrics, sheet);
    sheet.sentence(memoryLine(one));
    sheet.sentence(linkLine(one));
    sheet.sentence(ratesLine(one));
    if (one.hasSpans)
        sheet.lines(timelineText(one.run, one.metrics.iteration, outputColumns(),
                                 outputHasColours() ? Ink::Colours : Ink::Plain));
    addDevices(one.run, one.metrics, sheet);
    return sheet;
}

std::string simulatedText(const std::vector<Simulated>& all)
{
    if (all.size() == 1)
        return simulatedSheet(all.front()).text();
    std::vector<ReportedRun> runs;
    std::vector<std::string> schemes, fits;
    for (const Simulated& one : all) {
        runs.push_back({one.run, one.metrics});
        schemes.push_back(one.run.info.scheme);
        fits.push_back(fitText(one));
    }
    Table table(runMeasures(), runs, kColumn | kSimulated);
    table.insert(0, "scheme", schemes);
    if (all.front().deviceMemory)
        table.insert(table.columns.size(), "memory", fits);
    Sheet sheet;
    sheet.table(std::move(table));
    addAssumptions(all, sheet);
    return sheet.text();
}

std::string simulatedJson(const std::vector<Simulated>& all)
{
    Reading::List rows;
    for (const Simulated& one : all)
        rows.push_back(dataOf(one));
    return jsonText(toJson(all.size() == 1 ? rows.front() : Reading(rows)));
}

} // namespace cli
