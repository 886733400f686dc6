#include "profiler/whatif/stage_times.h"

#include "engine/base/field.h"
#include "engine/base/median.h"
#include "engine/base/text.h"
#include "engine/cost/cost_model.h"
#include "engine/schedule/notation.h"
#include "engine/schedule/transfers.h"
#include "profiler/analysis/calibrate.h"
#include "profiler/analysis/data_flow.h"
#include "profiler/analysis/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

// Returns the name of a class of links, which is also its section in hardware files.
std::string_view linksName(LinkTier links)
{
    return links == LinkTier::InNode ? "node" : "network";
}

// Returns the fields by which an edit selects an op: all except peer and version.
auto nameOf(const Op& op)
{
    return std::tuple(op.kind, op.stage, op.microBatch, op.replica, op.slice);
}

std::optional<DeviceId> parseDevice(std::string_view text)
{
    const auto number = parseInteger<int>(text);
    return number && *number >= 0 ? std::optional(DeviceId{*number}) : std::nullopt;
}

// Parses the text in front of '=', which selects ops. Returns false if it is invalid.
bool parseSelection(std::string_view text, RunEdit& edit)
{
    for (const LinkTier links : {LinkTier::InNode, LinkTier::AcrossNodes})
        if (text == linksName(links)) {
            edit.links = links;
            return true;
        }
    const std::size_t colon = text.find(':'), dash = text.find('-');
    if (colon != std::string_view::npos) {
        edit.device = parseDevice(text.substr(0, colon));
        const auto kind = parseKind(text.substr(colon + 1));
        if (kind)
            edit.kind = *kind;
        return edit.device && edit.kind;
    }
    if (dash != std::string_view::npos) {
        edit.device = parseDevice(text.substr(0, dash));
        edit.peer = parseDevice(text.substr(dash + 1));
        return edit.device && edit.peer;
    }
    edit.device = parseDevice(text);
    if (edit.device)
        return true;
    if (const auto kind = parseKind(text)) {
        edit.kind = *kind;
        return true;
    }
    if (const auto op = parseOp(text)) {
        edit.op = *op;
        return true;
    }
    return false;
}

bool hasTransfer(const RunEdit& edit, const Schedule& schedule, std::span<const int> nodes)
{
    for (const DeviceId device : schedule.program.ids())
        for (const Op& op : schedule.program[device])
            if (isTransfer(op.kind) && edit.selects(op, device, otherDevice(schedule, op), nodes))
                return true;
    return false;
}

template<class Is>
bool hasOp(const Schedule& schedule, std::optional<DeviceId> device, Is is)
{
    for (const DeviceId d : schedule.program.ids())
        if ((!device || *device == d) && std::ranges::any_of(schedule.program[d], is))
            return true;
    return false;
}

} // namespace

bool RunEdit::selectsAs(const RunEdit& other) const
{
    if (op && other.op)
        return nameOf(*op) == nameOf(*other.op);
    if (peer && other.peer && device == other.peer && peer == other.device)
        return true;
    return op.has_value() == other.op.has_value() && kind == other.kind && device == other.device
        && peer == other.peer && links == other.links;
}

bool RunEdit::selects(const Op& one, DeviceId on, DeviceId to, std::span<const int> nodes) const
{
    if (op)
        return nameOf(*op) == nameOf(one);
    if (links) {
        const auto nodeOf = [&](DeviceId d) { return nodes[d.value]; };
        const auto known = static_cast<int>(nodes.size());
        return isTransfer(one.kind) && std::max(on.value, to.value) < known
            && (nodeOf(on) == nodeOf(to)) == (*links == LinkTier::InNode);
    }
    if (peer)
        return isTransfer(one.kind)
            && ((on == *device && to == *peer) || (on == *peer && to == *device));
    if (device && *device != on)
        return false;
    return kind ? *kind == one.kind : isCompute(one.kind);
}

std::string toString(const RunEdit& edit)
{
    std::string selection;
    if (edit.op)
        selection = toString(*edit.op);
    else if (edit.links)
        selection = linksName(*edit.links);
    else if (edit.peer)
        selection = fmt::format("{}-{}", edit.device->value, edit.peer->value);
    else if (edit.device && edit.kind)
        selection = fmt::format("{}:{}", edit.device->value, kindShortName(*edit.kind));
    else
        selection = edit.device ? std::to_string(edit.device->value)
                                : std::string(kindShortName(*edit.kind));
    return selection + '=' + numberText(edit.factor);
}

Result<RunEdit> parseRunEdit(std::string_view text)
{
    const std::size_t equals = text.find('=');
    const auto factor
        = equals < text.size() ? parseNumber(text.substr(equals + 1)) : std::optional<double>();
    RunEdit edit;
    if (!factor || !parseSelection(text.substr(0, equals), edit))
        return invalid("give a device, a kind of op, both, an op, a link or all links, and a "
                       "factor: 1=1.5, F=1.5, 1:F=1.5, 2F3=1.5, 0-1=1.5, node=1.5 or network=1.5");
    edit.factor = *factor;
    return edit;
}

Result<void> checkEdit(const RunEdit& edit, const Schedule& schedule, std::span<const int> nodes)
{
    if (!(edit.factor >= RunEdit::kLeastFactor && edit.factor <= RunEdit::kMostFactor))
        return invalid("{} is not a slow-down factor; give one from {} to {}",
                       numberText(edit.factor), RunEdit::kLeastFactor, RunEdit::kMostFactor);
    for (const auto& device : {edit.device, edit.peer})
        if (device && !schedule.program.has(*device))
            return invalid("the run has no device {}; give a device from 0 to {}", device->value,
                           schedule.program.size() - 1);
    if (edit.op
        && !hasOp(schedule, {}, [&](const Op& op) { return nameOf(op) == nameOf(*edit.op); }))
        return invalid("the run has no op {}; give one of its ops, as in 2F3", toString(*edit.op));
    if (edit.links && nodes.empty())
        return invalid("the run does not name several nodes; slow a link between two devices, as "
                       "in 0-1=1.5");
    if (edit.links && !hasTransfer(edit, schedule, nodes))
        return invalid("no message is sent {} nodes; slow other links",
                       *edit.links == LinkTier::InNode ? "within" : "between");
    if (edit.peer && !hasTransfer(edit, schedule, nodes))
        return invalid("no message is sent between devices {} and {}; give two devices "
                       "with neighbouring stages",
                       edit.device->value, edit.peer->value);
    if (edit.kind
        && !hasOp(schedule, edit.device, [&](const Op& op) { return op.kind == *edit.kind; }))
        return invalid("{} has no {}; give a kind of op that it has",
                       edit.device ? fmt::format("device {}", edit.device->value) : "the run",
                       kindShortName(*edit.kind));
    return {};
}

double slowdownOf(std::span<const RunEdit> edits, std::span<const int> nodes,
                  const Schedule& schedule, const Op& op, DeviceId device)
{
    if (edits.empty())
        return 1;
    const DeviceId to = isTransfer(op.kind) ? otherDevice(schedule, op) : device;
    double factor = 1;
    for (const RunEdit& edit : edits)
        factor *= edit.selects(op, device, to, nodes) ? edit.factor : 1;
    return factor;
}

using namespace engine;

std::int64_t Samples::median() const
{
    std::vector<std::int64_t> copy = times;
    return medianOf(copy);
}

double Samples::spread() const
{
    const std::int64_t middle = median();
    std::vector<std::int64_t> distances;
    for (const std::int64_t time : times)
        distances.push_back(std::abs(time - middle));
    return middle > 0 ? ratio(medianOf(distances), middle) : 0;
}

namespace {

class Collector
{
public:
    explicit Collector(const Run& run)
        : m_run(run)
        , m_index(run.schedule)
        , m_flow(run.schedule)
    {
        m_times.stages.resize(static_cast<std::size_t>(run.schedule.shape.stages));
        countStages();
        for (const std::vector<Window>& windows : measuredWindows(run))
            add(windows);
    }

    Result<MeasuredTimes> done()
    {
        for (const StageId stage : m_times.stages.ids()) {
            StageTimes& of = m_times.stages[stage];
            of.parts = {{stage, 1}};
            const bool hasBackward
                = !of.backward.isEmpty() || (!of.input.isEmpty() && !of.weight.isEmpty());
            if (of.forward.isEmpty() || !hasBackward)
                return invalid("stage {} has no measured {} of a whole micro-batch; import or "
                               "record a run with all stages{}",
                               stage.value, of.forward.isEmpty() ? "forward" : "backward",
                               m_run.schedule.shape.slices > 1 ? " and without slices" : "");
        }
        splitBackward();
        assumeLayers();
        if (m_times.message.isEmpty())
            m_times.message.times = m_messages;
        if (m_times.message.isEmpty())
            assumeMessages();
        // If there is only one copy of each stage, no all-reduce sums anything. PyTorch still
        // records REDUCE_GRAD, which then only divides the gradients, so these times are dropped.
        const Shape& shape = m_run.schedule.shape;
        if (shape.replicas * shape.dataParallel == 1)
            m_times.allReduce.times.clear();
        if (m_times.allReduce.isEmpty())
            m_times.assumptions.emplace_back("All-reduces of schemes with two directions are free: "
                                             "the run has none.");
        return std::move(m_times);
    }

private:
    static bool ran(Window window) { return window.begin <= window.end; }

    // Counts the stages of each optimizer step. An imported run may have one step for all stages of
    // a device.
    void countStages()
    {
        const Schedule& schedule = m_run.schedule;
        m_stagesPerStep.resize(schedule.program.size(), 0);
        for (const auto& stages : schedule.deviceOf)
            for (const DeviceId device : stages)
                if (device.isValid())
                    ++m_stagesPerStep[device];
        for (const DeviceId device : schedule.program.ids()) {
            std::set<std::pair<int, StageId>> steps;
            for (const Op& op : schedule.program[device])
                if (op.kind == OpKind::OptimizerStep)
                    steps.emplace(op.replica, op.stage);
            m_stagesPerStep[device] /= std::max(1, static_cast<int>(steps.size()));
        }
    }

    Samples* samplesOf(const Op& op)
    {
        if (op.kind == OpKind::AllReduce)
            return &m_times.allReduce;
        if (isCopy(op.kind))
            return &m_times.copies;
        Samples StageTimes::*const samples = profiler::samplesOf(op.kind);
        return samples == nullptr ? nullptr : &(m_times.stages[op.stage].*samples);
    }

    // Whether the op processes a whole micro-batch (no slice or half) and is not joint with the
    // next op.
    static bool isWhole(const Op& op) { return op.slice == Op::kWhole && op.flags == OpFlag::None; }

    void add(const std::vector<Window>& windows)
    {
        bool afterJoint = false;
        std::map<std::pair<StageId, MicroBatchId>, std::int64_t> recomputed;
        for (std::uint32_t number = 0; number < m_index.count(); ++number) {
            const Op& op = m_flow.op(number);
            const bool isPart
                = std::exchange(afterJoint, op.flags == OpFlag::JointWithNext) || !isWhole(op);
            if (!ran(windows[number]) || isPart)
                continue;
            if (isSend(op.kind))
                addMessage(number, windows);
            else if (op.kind == OpKind::Recompute) // a part of the backward that follows
                recomputed[{op.stage, op.microBatch}] += windows[number].duration();
            else if (op.kind == OpKind::OptimizerStep)
                m_times.optimizer.times.push_back(
                    windows[number].duration()
                    / std::max(1, m_stagesPerStep[m_index.deviceOf(number)]));
            else if (Samples* const samples = samplesOf(op))
                samples->times.push_back(
                    windows[number].duration()
                    + (isBackward(op.kind) ? std::exchange(recomputed[{op.stage, op.microBatch}], 0)
                                           : 0));
        }
    }

    // Adds the time of a message to the samples if its consumer started when the message arrived.
    // Otherwise the time may include a wait of the message for its receiver. m_messages keeps the
    // times of all messages, as a substitute if there are no such samples.
    void addMessage(std::uint32_t send, const std::vector<Window>& windows)
    {
        const Value value = transferredValue(m_flow.op(send), m_run.schedule.shape);
        const auto producer = m_flow.producer(value, send);
        const auto receive = m_flow.receiveOf(send);
        if (!producer || !receive || !ran(windows[*producer]) || !ran(windows[*receive]))
            return;
        const std::int64_t arrived = windows[*receive].end;
        const std::int64_t time = std::max<std::int64_t>(0, arrived - windows[*producer].end);
        m_messages.push_back(time);
        for (const std::uint32_t consumer : m_flow.consumers(value))
            if (m_flow.deviceOf(consumer) == m_flow.deviceOf(*receive)
                && windows[consumer].begin == arrived) {
                m_times.message.times.push_back(time);
                return;
            }
    }

    void assumeMessages()
    {
        const std::int64_t time = messageTimeFromWaits(m_run, measuredWindows(m_run));
        if (time > 0)
            m_times.message.times = {time};
        m_times.assumptions.emplace_back(
            time == 0 ? "Messages are free: the run has none."
                      : "The run has no messages. Each is assumed to take the median time from the "
                        "end of an op to the start of the op on an idle device that needs its "
                        "output.");
    }

    void splitBackward()
    {
        double input = 0, weight = 0;
        for (const StageTimes& stage : m_times.stages) {
            m_times.backwardIsSplit = m_times.backwardIsSplit || !stage.weight.isEmpty();
            input += static_cast<double>(stage.input.median());
            weight += static_cast<double>(stage.weight.median());
        }
        if (input + weight > 0)
            m_times.inputShare = input / (input + weight);
        else
            m_times.assumptions.emplace_back(kHalvesAssumed);
    }

    void assumeLayers()
    {
        if (m_times.stages.size() > 2)
            m_times.assumptions.emplace_back(
                "With other numbers of stages, an op takes the time of its share of the layers. "
                "The "
                "time by which the first and the last stage are longer than the others is that of "
                "the embedding and the output layer, which stay whole. Time of an op that does not "
                "depend on its layers is unknown, so schemes with more stages may take longer.");
    }

    const Run& m_run;
    OpIndex m_index;
    DataFlow m_flow;
    MeasuredTimes m_times;
    IdVector<DeviceId, int> m_stagesPerStep; // stages that each optimizer step updates
    std::vector<std::int64_t> m_messages;    // times of all messages
};
} // namespace

Result<MeasuredTimes> measuredTimes(const Run& run)
{
    if (!knowsStages(run.info))
        return invalid("the stages of this run are unknown, so other schemes cannot be predicted; "
                       "import traces that name stages");
    if (!whyUnknown(run.info).empty())
        return invalid("other schemes cannot be predicted from this run: "
                       + whyUnknownAndRemedy(run.info));
    if (run.info.inUnits())
        return invalid(
            "the run is simulated in abstract cost units; compare schemes with bscope simulate");
    return Collector(run).done();
}

Result<void> moveLayers(MeasuredTimes& times, StageId from, StageId to, int count, int layers)
{
    if (!times.stages.has(from) || !times.stages.has(to) || from == to)
        return invalid("layers cannot be moved from stage {} to stage {}; give two "
                       "stages from 0 to {}",
                       from.value, to.value, times.stages.size() - 1);
    const double share = static_cast<double>(count) / layers;
    double& own = times.stages[from].parts[from];
    if (count < 1 || share >= own)
        return invalid("{} layers cannot leave stage {}, which has {:.4g} of its own; "
                       "at least one must stay",
                       count, from.value, own * layers);
    own -= share;
    times.stages[to].parts[from] += share;
    times.assumptions.push_back(
        fmt::format("Every layer of stage {} is assumed to take the same time; {} of its {} layers "
                    "were moved.",
                    from.value, count, layers));
    return {};
}

IdVector<DeviceId, double> deviceWork(const Run& run, const MeasuredTimes& times)
{
    IdVector<DeviceId, double> work(static_cast<std::size_t>(run.schedule.shape.devices), 0);
    for (const StageId stage : times.stages.ids()) {
        const StageTimes& of = times.stages[stage];
        for (const Samples* samples : {&of.forward, &of.backward, &of.input, &of.weight})
            work[run.schedule.device(0, stage)] += static_cast<double>(samples->median());
    }
    return work;
}

void removeStragglers(const Run& run, MeasuredTimes& times)
{
    const auto work = deviceWork(run, times);
    std::vector<double> sorted(work.begin(), work.end());
    std::ranges::sort(sorted);
    const double middle = sorted[(sorted.size() - 1) / 2];
    for (const StageId stage : times.stages.ids()) {
        const double own = work[run.schedule.device(0, stage)];
        times.stages[stage].factor *= own > middle ? middle / own : 1;
    }
}

Samples StageTimes::*samplesOf(OpKind kind)
{
    switch (kind) {
    case OpKind::Forward:
        return &StageTimes::forward;
    case OpKind::Backward:
        return &StageTimes::backward;
    case OpKind::BackwardInput:
        return &StageTimes::input;
    case OpKind::BackwardWeight:
        return &StageTimes::weight;
    default:
        return nullptr;
    }
}

Result<void> setMedian(MeasuredTimes& times, StageId stage, OpKind kind, std::int64_t median)
{
    if (!times.stages.has(stage))
        return invalid("the run has no stage {}; give a stage from 0 to {}", stage.value,
                       times.stages.size() - 1);
    Samples StageTimes::*const samples = samplesOf(kind);
    const std::int64_t measured = samples == nullptr ? 0 : (times.stages[stage].*samples).median();
    if (measured <= 0)
        return invalid("the run has no measured {} of stage {}", kindName(kind), stage.value);
    if (median <= 0)
        return invalid("{} ns is not a duration of {}; give a positive one", median,
                       kindName(kind));
    for (std::int64_t& time : (times.stages[stage].*samples).times)
        time = roundedTicks(static_cast<double>(time) * static_cast<double>(median)
                            / static_cast<double>(measured));
    return {};
}

Result<void> setWeightShare(MeasuredTimes& times, double share)
{
    if (times.backwardIsSplit)
        return invalid("the share of W was measured; change the times of I and W instead");
    if (!(share >= 0 && share <= 1))
        return invalid("{} is not a share of W in B; give one from 0 to 1", share);
    times.inputShare = 1 - share;
    for (std::string& assumption : times.assumptions)
        if (assumption == kHalvesAssumed)
            assumption = fmt::format("The run has only B; W is assumed to be {:.1f} % of it.",
                                     100 * share);
    return {};
}

void setTensorParallel(MeasuredTimes& times, double factor)
{
    if (factor == times.tensorParallel)
        return;
    times.tensorParallel = factor;
    times.assumptions.push_back(fmt::format(
        "Ops take {:.4g} of their time on {:.4g} times the GPUs; the communication of tensor "
        "parallelism and the smaller memory per GPU are not predicted.",
        1 / factor, factor));
}

IterationTimes::IterationTimes(const Run& run, int iteration)
    : m_schedule(run.schedule)
    , m_flow(run.schedule)
    , m_windows(m_flow.index().count(), kNotRun)
    , m_before(m_flow.index().count(), kNone)
{
    const Lanes lanes(run, iteration);
    m_iteration = lanes.window();
    for (const DeviceId d : Ids<DeviceId>(lanes.devices())) {
        for (int kind = 0; kind < kLaneKinds; ++kind)
            for (const Span& span : lanes.spans(d, static_cast<Track::Kind>(kind)))
                m_windows[span.op] = withSpan(m_windows[span.op], span);
        // `same` is the previous op of this loop. `earlier` is the last op before the group of
        // joint ops that have the window `joint`.
        std::uint32_t earlier = kNone, same = kNone;
        Window joint = kNotRun;
        for (const Span& span : lanes.spans(d, Track::Kind::Compute)) {
            if (span.window() != joint || span.window().duration() == 0)
                earlier = same;
            m_before[span.op] = earlier;
            same = span.op;
            joint = span.window();
        }
    }
}

bool IterationTimes::isComplete() const
{
    for (std::uint32_t op = 0; op < m_windows.size(); ++op)
        if (isCompute(m_flow.op(op).kind) && !ran(op))
            return false;
    return true;
}

std::optional<std::int64_t> IterationTimes::arrival(std::uint32_t op) const
{
    std::optional<std::int64_t> last;
    for (const Value& value : consumes(m_flow.op(op), m_schedule.shape)) {
        const auto receive = m_flow.receive(value, m_flow.deviceOf(op));
        const auto producer = receive && ran(*receive) ? receive : m_flow.producer(value, op);
        if (producer && ran(*producer))
            last = std::max(last.value_or(of(*producer).end), of(*producer).end);
    }
    return last;
}

} // namespace profiler
