#include "engine/base/median.h"
#include "engine/base/try.h"
#include "engine/schedule/schedule.h"
#include "engine/schedules/schemes.h"
#include "engine/timeline/kernel_name.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/measure.h"
#include "profiler/analysis/run_measures.h"
#include "profiler/import/job.h"
#include "profiler/import/placement.h"
#include "profiler/store/check_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace profiler {

using namespace engine;

namespace {

struct RecognisedScheme
{
    std::string name = "imported", title; // `title` is "" if no scheme has this order
};

// No scheme orders transfers and optimizer steps, so they are left out.
std::vector<Op> orderedOps(const Schedule& schedule, DeviceId device)
{
    std::vector<Op> ops;
    for (Op op : schedule.on(device))
        if (isPass(op.kind) || isCopy(op.kind)) {
            op.flags = OpFlag::None;
            op.peer = Op::kNoPeer;
            op.version = 0;
            ops.push_back(op);
        }
    return ops;
}

bool hasOrderOf(const Schedule& schedule, const Schedule& scheme)
{
    if (schedule.deviceOf != scheme.deviceOf)
        return false;
    for (const DeviceId device : schedule.program.ids())
        if (orderedOps(schedule, device) != orderedOps(scheme, device))
            return false;
    return true;
}

// Finds the scheme whose order of compute ops on every device equals that of `schedule`.
RecognisedScheme recogniseScheme(const Schedule& schedule)
{
    constexpr int kMostDevices = 256, kMostMicroBatches = 4096;
    const Shape& shape = schedule.shape;
    if (shape.devices > kMostDevices || shape.microBatches > kMostMicroBatches)
        return {};
    for (const Scheme& scheme : schemes()) {
        ScheduleRequest request;
        request.scheme = scheme.name;
        request.devices = shape.devices;
        request.microBatches = shape.microBatches;
        request.chunks = scheme.chunksFixed ? 0 : shape.chunks();
        const auto built = buildSchedule(request);
        if (built && built->shape.stages == shape.stages && built->shape.replicas == shape.replicas
            && hasOrderOf(schedule, *built))
            return {std::string(scheme.name),
                    std::string(scheme.title.substr(0, scheme.title.find(" (")))};
    }
    return {};
}

std::string nameOf(const RankTrace& trace, const Match& match)
{
    switch (match.of) {
    case Match::Of::Kernel:
        return demangled(trace.text(match.name));
    case Match::Of::Copy:
        return "Memcpy";
    case Match::Of::Memset:
        return "Memset";
    case Match::Of::Range:
        return trace.text(match.name);
    case Match::Of::Recompute:
        break;
    }
    return "recomputation";
}

// Shortens a name to kMost bytes, because names of kernels have kilobytes of template arguments. A
// UTF-8 character is not cut.
std::string shortened(std::string name)
{
    constexpr std::size_t kMost = 1024; // bytes
    if (name.size() <= kMost)
        return name;
    std::size_t size = kMost;
    while (size > 0 && (static_cast<unsigned char>(name[size]) & 0xC0U) == 0x80U)
        --size;
    name.resize(size);
    return name;
}

std::optional<int> iterationAt(const Timeline& timeline, std::int64_t time)
{
    const auto found = std::ranges::find_if(
        timeline.iterations, [&](const Iteration& each) { return each.window.contains(time); });
    return found == timeline.iterations.end()
        ? std::nullopt
        : std::optional(static_cast<int>(found - timeline.iterations.begin()));
}

// The longest matches over all ranks, by rule; those of no rule come last. `run` already has its
// iterations and the rules of its import report. `origin` is the time in ns that is 0 on its
// timeline.
std::vector<ImportReport::Match> reportMatches(const Job& job, const Placement& placement,
                                               const OpsOfWorks& ops, const Run& run,
                                               std::int64_t origin)
{
    std::vector<ImportReport::Match> result;
    const auto addRule = [&](const std::string& rule) {
        LongestMatches longest;
        for (std::uint32_t rank = 0; rank < job.ranks.size(); ++rank)
            if (const auto known = job.ranks[rank].work.matches.find(rule);
                known != job.ranks[rank].work.matches.end())
                for (Match match : known->second) {
                    match.rank = rank;
                    longest.add(match);
                }
        for (const Match& match : longest.take()) {
            const JobRank& rank = job.ranks[match.rank];
            ImportReport::Match& added = result.emplace_back();
            added.rule = rule;
            added.name = shortened(nameOf(rank.trace, match));
            added.window = {match.window.begin - origin, match.window.end - origin};
            if (const DeviceId device = placement.deviceOfRank[match.rank]; device.isValid())
                added.device = device.value;
            const std::uint32_t work = rank.work.workOf(match);
            const OpOfIteration of
                = work < ops[match.rank].size() ? ops[match.rank][work] : OpOfIteration();
            if (of.isKnown()) {
                added.op = of.op;
                added.iteration = static_cast<int>(of.iteration);
            } else {
                added.iteration = iterationAt(run.timeline, added.window.begin);
            }
        }
    };
    for (const ImportReport::Rule& rule : run.info.import->rules)
        addRule(rule.name);
    addRule("");
    return result;
}

Op withoutJoint(Op op)
{
    if (op.flags == OpFlag::JointWithNext)
        op.flags = OpFlag::None;
    return op;
}

std::vector<Op> opsOf(const PlacedWork& work)
{
    std::vector<Op> ops{work.op};
    if (work.second) {
        ops.front().flags = OpFlag::JointWithNext;
        ops.push_back(*work.second);
    }
    return ops;
}

void addRules(const std::vector<ImportReport::Rule>& ofRank, std::vector<ImportReport::Rule>& rules)
{
    for (const ImportReport::Rule& rule : ofRank) {
        auto known = std::ranges::find(rules, rule.name, &ImportReport::Rule::name);
        if (known == rules.end())
            known = rules.insert(rules.end(), {rule.name, rule.title, rule.confidence, 0, 0});
        known->matches += rule.matches;
        addTime(known->time, rule.time);
    }
}

// The windows of the compute ops of a rank.
std::vector<std::pair<std::int64_t, std::int64_t>> computeTimes(const JobRank& rank)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> times;
    for (const Work& work : rank.work.works)
        if (runsMicroBatch(work.op.kind))
            times.emplace_back(work.window.begin, work.window.end);
    std::ranges::sort(times);
    return times;
}

// Two processes never do their work at the same nanoseconds, or in equally long ops. Fails if a
// measured trace, or a part of it, would be two devices. Plans have few different durations.
Result<void> checkCopies(Job& job, const Placement& placement)
{
    struct Times
    {
        std::vector<std::pair<std::int64_t, std::int64_t>> all;
        std::vector<std::int64_t> durations;
        bool areMeasured;
    };
    std::vector<Times> times;
    for (const JobRank& rank : job.ranks) {
        Times& own = times.emplace_back(Times{computeTimes(rank), {}, false});
        for (const auto& [begin, end] : own.all)
            own.durations.push_back(end - begin);
        constexpr std::size_t kMany = 10;
        own.areMeasured = std::set(own.durations.begin(), own.durations.end()).size() >= kMany;
    }
    for (std::size_t i = 0; i < times.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const RankTrace &one = job.ranks[j].trace, &other = job.ranks[i].trace;
            const bool areRanks = one.rank && other.rank;
            const DeviceId device = placement.deviceOfRank[i];
            if (times[i].all.empty() || times[j].all.empty()
                || (areRanks && (!device.isValid() || !placement.deviceOfRank[j].isValid()))
                || (one.file == other.file && other.program != kKineto))
                continue;
            const auto& [less, more]
                = std::minmax(times[j], times[i], [](const Times& a, const Times& b) {
                      return a.all.size() < b.all.size();
                  });
            if (less.areMeasured
                && (less.durations == more.durations || std::ranges::includes(more.all, less.all)))
                return fail(Error::Code::InvalidArgument,
                            fmt::format("{} and {} have the same events; import the trace of every "
                                        "rank once",
                                        one.file, other.file));
            if (!areRanks && less.all == more.all) {
                job.lacksClock(fmt::format("{} and {} have the same events, as if a trace was "
                                           "given twice",
                                           one.file, other.file));
                job.workKnown = false;
            }
        }
    return {};
}

class RunBuilder
{
public:
    explicit RunBuilder(Job job)
        : m_job(std::move(job))
        , m_iterations(mergeMessages(m_job, findIterations(m_job)))
        , m_placement(place(m_job, m_iterations))
    { }

    Result<ImportedRun> build()
    {
        if (!m_iterations.apart.empty())
            return fail(Error::Code::NotFound,
                        m_iterations.apart + "; record the same steps on every rank");
        if (m_iterations.count == 0 || m_placement.works.empty())
            return fail(Error::Code::NotFound,
                        "the traces have no complete iteration with forward or backward ops ("
                            + found() + "); "
                            + (haveUnknownLaunches()
                                   ? "no kernel says which call launched it, so the ops of the "
                                     "kernels are unknown; keep \"correlation\" among the args of "
                                     "calls and kernels"
                                   : "record with annotations of the pipeline, or add rules with "
                                     "--rules. In PyTorch, profile with with_stack=True, or put "
                                     "the forward and the backward of micro-batch k into "
                                     "torch.profiler.record_function(f\"Forward {k}\") and "
                                     "record_function(f\"Backward {k}\")"));
        TRY(checkCopies(m_job, m_placement));
        m_job.lacks(m_placement.lack);
        if (!m_placement.cut.empty())
            m_job.lacksClock(m_placement.cut);
        leaveOutHostTimes();
        checkLastStage();
        compareUnits();
        compareKernels();
        checkKernelsOutsideOps();
        checkDurations();
        m_clocks = alignClocks(m_job, m_placement);
        alignMessages(m_job, m_placement);
        alignAllReduces(m_job, m_placement);
        addIterations();
        if (m_placement.works.empty())
            return fail(
                Error::Code::NotFound,
                "the traces have no forward, backward or optimizer op (" + found()
                    + "); record with annotations of the pipeline, or add rules with --rules");
        buildSchedule();
        TRY(checkSchedule(m_result.run.schedule));
        addSpans();
        addMemory();
        report();
        m_result.gpu = mergeGpu(m_job, m_placement, m_ops, m_origin);
        addKernelTimes();
        describe();
        return std::move(m_result);
    }

private:
    // What the traces have: "12 kernels, 12 of them of NCCL".
    std::string found() const
    {
        std::size_t kernels = 0, nccl = 0, ranges = 0;
        for (const JobRank& rank : m_job.ranks) {
            kernels += rank.trace.gpu.kernels.size();
            ranges += rank.trace.ranges.size();
            nccl += static_cast<std::size_t>(
                std::ranges::count_if(rank.trace.gpu.kernels, [&](const GpuKernel& kernel) {
                    return communicates(rank.trace.text(kernel.name));
                }));
        }
        return fmt::format("found: {} kernels, {} of them of NCCL, and {} ranges", kernels, nccl,
                           ranges);
    }
    // Whether there are kernels and none has a correlation.
    bool haveUnknownLaunches() const
    {
        const auto isUnknown
            = [](const GpuKernel& kernel) { return kernel.place.correlation == 0; };
        return m_job.onGpu() && std::ranges::all_of(m_job.ranks, [&](const JobRank& rank) {
                   return std::ranges::all_of(rank.trace.gpu.kernels, isUnknown);
               });
    }
    // Times of the host and of GPUs are not mixed: the ops of a rank without kernels are left out
    // if other ranks have kernels.
    void leaveOutHostTimes()
    {
        const bool onGpu = m_job.onGpu();
        for (std::uint32_t i = 0; i < m_job.ranks.size(); ++i) {
            const JobRank& rank = m_job.ranks[i];
            if (!m_placement.deviceOfRank[i].isValid())
                continue;
            const std::int64_t launches = rank.work.launches, lost = rank.work.lostLaunches;
            const bool hasKernels = !rank.trace.gpu.kernels.empty();
            constexpr std::int64_t kFew = 20; // one of 20 is 5 %
            if (!hasKernels && launches > 0)
                m_job.lacks(fmt::format("rank {} has {} calls that launch kernels but no kernels",
                                        rank.rank, launches));
            else if (!hasKernels && !rank.trace.deviceName.empty())
                m_job.lacks(fmt::format("rank {} used a GPU ({}) but has no kernels; record with "
                                        "ProfilerActivity.CUDA",
                                        rank.rank, rank.trace.deviceName));
            else if (!hasKernels && onGpu)
                m_job.lacks(fmt::format("rank {} has no kernels", rank.rank));
            // An op that lost kernels costs its iteration alone, see damagedOf().
            else if (kFew * rank.work.lostOutsideOps > launches) {
                m_job.lacks(fmt::format("rank {} has only {} kernels of {} calls that launch one",
                                        rank.rank, launches - lost, launches));
                m_job.workKnown = false;
            }
            if (lost > 0)
                m_job.warnings.push_back(fmt::format(
                    "Rank {}: {} of {} calls that launch kernels have no kernel; record fewer "
                    "steps, or check that CUPTI could record.",
                    rank.rank, lost, launches));
            if (onGpu && !hasKernels) {
                m_job.warnings.push_back(
                    fmt::format("Rank {} has no kernels, so its ops are left out: their times "
                                "would be those of the host.",
                                rank.rank));
                std::erase_if(m_placement.works,
                              [&](const PlacedWork& work) { return work.rank == i; });
                m_placement.complete = false;
            }
        }
    }
    // The ops of all ranks last about equally long: the iterations.
    void compareUnits()
    {
        std::map<std::uint32_t, Window> extents; // by rank
        for (const PlacedWork& placed : m_placement.works)
            extend(extents, placed.rank, workOf(placed).window);
        constexpr std::int64_t kMostTimes = 100;
        const auto duration = [](const auto& each) { return each.second.duration(); };
        if (extents.empty())
            return;
        const auto [least, most] = std::ranges::minmax_element(extents, {}, duration);
        if (duration(*most) / kMostTimes > duration(*least))
            m_job.lacksClock(
                fmt::format("the ops of rank {} last {} in all and those of rank {} {}, as "
                            "if their times had different units",
                            m_job.ranks[least->first].rank, timeText(duration(*least), 1),
                            m_job.ranks[most->first].rank, timeText(duration(*most), 1)));
    }
    // Begins of kernels may have another unit than their durations. A GPU that waits for launches
    // is idle for most of an iteration, but not for 399 parts of 400.
    void compareKernels()
    {
        constexpr std::int64_t kLeastShare = 400;
        for (std::size_t i = 0; i < m_job.ranks.size(); ++i) {
            const JobRank& rank = m_job.ranks[i];
            std::map<int, Window> extents; // by iteration
            std::int64_t time = 0, extent = 0;
            for (std::size_t k = 0; k < rank.trace.gpu.kernels.size(); ++k) {
                const std::uint32_t work = rank.work.ofKernel[k];
                const Window& window = rank.trace.gpu.kernels[k].window;
                if (work == ClassifiedRank::kNoWork || m_iterations.ofWork[i][work] < 0)
                    continue;
                extend(extents, m_iterations.ofWork[i][work], window);
                addTime(time, window.duration());
            }
            for (const auto& [iteration, window] : extents)
                addTime(extent, window.duration());
            const bool areShort = !extents.empty() && time < extent / kLeastShare;
            const std::ptrdiff_t shortened = std::ssize(rank.trace.shortened),
                                 kernels = std::ssize(rank.trace.gpu.kernels);
            constexpr std::ptrdiff_t kFew = 10, kLeastShareOfLong = 8;
            const bool areLong = 2 * shortened > kernels
                || (shortened >= kFew && kLeastShareOfLong * shortened > kernels);
            if (!m_placement.deviceOfRank[i].isValid() || (!areShort && !areLong))
                continue;
            m_job.lacksClock(areShort
                                 ? fmt::format("the kernels of rank {} last {} in all in {} of "
                                               "iterations, as if their durations were in ms or s",
                                               rank.rank, timeText(time, 1), timeText(extent, 1))
                                 : fmt::format("{} of {} kernels of rank {} last until after "
                                               "later work of their stream, as if their durations "
                                               "were in another unit",
                                               shortened, kernels, rank.rank));
            m_job.workKnown = false;
        }
    }
    // An op whose range encloses only some of its launches seems to be shorter than it is, so
    // predictions from it would be too short. Kernels before and after the ops of an iteration may
    // be those of the optimizer.
    void checkKernelsOutsideOps()
    {
        std::map<std::uint32_t, std::map<int, Window>> extents; // by rank and iteration
        for (const PlacedWork& placed : m_placement.works)
            if (runsMicroBatch(placed.op.kind))
                extend(extents[placed.rank], placed.iteration, workOf(placed).window);
        for (const auto& [rank, iterations] : extents) {
            const JobRank& of = m_job.ranks[rank];
            const auto& kernels = of.trace.gpu.kernels;
            std::vector<Window> sorted;
            for (const auto& [iteration, window] : iterations)
                sorted.push_back(window);
            std::ranges::sort(sorted, {}, &Window::begin);
            PerText isMessage(
                [&](std::uint32_t name) { return communicates(of.trace.text(name)); });
            std::int64_t inside = 0, outside = 0;
            for (std::size_t k = 0; k < kernels.size(); ++k) {
                const Window& window = kernels[k].window;
                const auto after
                    = std::ranges::upper_bound(sorted, window.begin, {}, &Window::begin);
                if (!isMessage(kernels[k].name) && after != sorted.begin()
                    && window.end <= std::prev(after)->end)
                    addTime(of.work.ofKernel[k] == ClassifiedRank::kNoWork ? outside : inside,
                            window.duration());
            }
            constexpr std::int64_t kFew = 10; // the loss may be outside
            if (outside > (inside + outside) / kFew)
                m_job.lacks(fmt::format("of {1} of kernels between the first and the last op of "
                                        "rank {2}, {0} belong to no op, so its ops seem shorter "
                                        "than they are",
                                        timeText(outside, 1), timeText(inside + outside, 1),
                                        of.rank));
        }
    }
    // If no trace states the number of ranks, only a wait shows that a later stage has no trace:
    // the backward of the last stage needs no other device.
    void checkLastStage()
    {
        const auto isSized = [](const JobRank& rank) { return rank.trace.worldSize.has_value(); };
        if (!m_placement.stagesKnown || std::ranges::any_of(m_job.ranks, isSized))
            return;
        std::vector<const PlacedWork*> works;
        for (const PlacedWork& placed : m_placement.works)
            if (runsMicroBatch(placed.op.kind))
                works.push_back(&placed);
        const auto windowOf = [this](const PlacedWork* placed) { return workOf(*placed).window; };
        std::ranges::stable_sort(works, {}, [&](auto* placed) { return windowOf(placed).begin; });
        std::map<std::pair<int, std::uint32_t>, std::int64_t> ends; // by iteration and rank
        std::set<int> begun;                                        // iterations
        std::vector<std::int64_t> forwards, waits;
        for (const PlacedWork* placed : works) {
            const Window own = windowOf(placed);
            const bool isLast = placed->op.stage.value + 1 == m_placement.shape.stages;
            auto& end
                = ends.try_emplace({placed->iteration, placed->rank}, own.begin).first->second;
            if (isLast && placed->op.kind == OpKind::Forward)
                forwards.push_back(own.duration());
            else if (isLast && begun.insert(placed->iteration).second)
                waits.push_back(own.begin - end);
            end = std::max(end, own.end);
        }
        if (const std::int64_t wait = medianOf(waits); wait > medianOf(forwards))
            m_job.lacks(fmt::format("the last stage waits {} for its first backward, as if a later "
                                    "stage had no trace",
                                    timeText(wait, 1)));
    }
    // The times of JSON are microseconds. Only the duration of the ops shows another unit.
    void checkDurations()
    {
        std::vector<std::int64_t> durations;
        for (const PlacedWork& placed : m_placement.works) // an I of stage 0 may do nothing
            if (runsMicroBatch(placed.op.kind) && placed.op.kind != OpKind::BackwardInput)
                durations.push_back(workOf(placed).window.duration());
        constexpr std::int64_t kFew = 20;
        const auto none = std::ranges::count(durations, 0);
        if (kFew * none > std::ssize(durations)) {
            m_job.lacks(fmt::format("{} of {} ops last 0 ns", none, durations.size()));
            m_job.workKnown = false;
        }
        const std::int64_t usual = durations.empty() ? 0 : medianOf(durations);
        constexpr std::int64_t kResolved = 100, kLong = 500'000'000; // ns
        if (usual > 0 && usual < kResolved)
            m_job.lacksClock(
                fmt::format("ops last {} ns at the median, which a resolution of 1 ns does "
                            "not show; write their times in {}",
                            usual, m_job.ranks.front().trace.unit));
        const std::string_view unit = m_job.ranks.front().trace.unit;
        for (const JobRank& rank : m_job.ranks)
            if (const std::int64_t op = rank.trace.usualOp; op > 0 && op < kShortest
                && rank.trace.gpu.calls.empty() && rank.trace.deviceName.empty())
                m_job.lacksClock(fmt::format("half of the ops of rank {} last {} ns or less, as if "
                                             "times were in {}; convert them to {}",
                                             rank.rank, op,
                                             unit == "µs" ? "ms or s" : "another unit", unit));
        constexpr std::int64_t kShort = 1'000'000, kEndless = 10'000'000'000; // ns
        if (unit == "ms" && usual > 0 && (usual < kShort || usual > kEndless))
            m_job.warnings.push_back(fmt::format(
                "Ops last {} at the median. If the times of the files are in {} and not in ms, {} "
                "them by 1000.",
                timeText(usual, 1), usual < kShort ? "s" : "µs",
                usual < kShort ? "multiply" : "divide"));
        if (usual > kLong && unit == "µs" && !m_job.onGpu())
            m_job.warnings.push_back(
                fmt::format("Ops last {} at the median. If the times of the traces are in ns and "
                            "not in µs, divide them by 1000.",
                            timeText(usual, 1)));
    }

    const Work& workOf(const PlacedWork& placed) const
    {
        return m_job.ranks[placed.rank].work.works[placed.work];
    }
    DeviceId deviceOf(const PlacedWork& placed) const
    {
        return m_placement.deviceOfRank[placed.rank];
    }
    // Uses the order of the iteration with the most ops, then appends ops found only in other
    // iterations.
    void buildSchedule()
    {
        Schedule& schedule = m_result.run.schedule;
        schedule.shape = m_placement.shape;
        schedule.deviceOf = m_placement.deviceOf;
        schedule.program.resize(static_cast<std::size_t>(schedule.shape.devices));
        std::map<int, int> sizes;
        for (const PlacedWork& placed : m_placement.works)
            ++sizes[placed.iteration];
        const auto fullest = std::ranges::max_element(
            sizes, {}, [](const std::pair<const int, int>& each) { return each.second; });
        std::vector<const PlacedWork*> order;
        for (const PlacedWork& placed : m_placement.works)
            order.push_back(&placed);
        std::ranges::stable_sort(order, {}, [&](const PlacedWork* placed) {
            return std::tuple(placed->iteration != fullest->first, placed->iteration,
                              workOf(*placed).host.begin);
        });
        std::set<std::pair<DeviceId, Op>> seen;
        for (const PlacedWork* placed : order) {
            const DeviceId device = deviceOf(*placed);
            auto ops = opsOf(*placed);
            std::erase_if(
                ops, [&](const Op& op) { return !seen.emplace(device, withoutJoint(op)).second; });
            if (ops.size() == 1) // the other of two joint ops is in the program already
                ops.front() = withoutJoint(ops.front());
            schedule.program[device].insert(schedule.program[device].end(), ops.begin(), ops.end());
        }
        const OpIndex index(schedule);
        for (const DeviceId device : schedule.program.ids())
            for (std::uint32_t i = 0; i < schedule.program[device].size(); ++i) {
                const Op op = withoutJoint(schedule.program[device][i]);
                m_number.emplace(std::pair(device, op), index.of(device, i));
            }
    }
    void addSpans()
    {
        Timeline& timeline = m_result.run.timeline;
        std::map<std::pair<DeviceId, Track::Kind>, std::vector<Span>> tracks;
        m_ops.resize(m_job.ranks.size());
        for (std::size_t rank = 0; rank < m_job.ranks.size(); ++rank)
            m_ops[rank].resize(m_job.ranks[rank].work.works.size());
        for (const PlacedWork& placed : m_placement.works) {
            const DeviceId device = deviceOf(placed);
            const Window window = workOf(placed).window;
            for (const Op& op : opsOf(placed)) {
                const std::uint32_t number = m_number.at({device, withoutJoint(op)});
                const auto iteration = static_cast<std::uint32_t>(placed.iteration);
                m_ops[placed.rank][placed.work] = {number, iteration};
                tracks[{device, laneOf(op.kind)}].push_back(
                    {window.begin - m_origin, window.end - m_origin, number, iteration});
            }
        }
        for (auto& [of, spans] : tracks) {
            std::ranges::stable_sort(
                spans, {}, [](const Span& span) { return std::pair(span.iteration, span.begin); });
            if (of.second == Track::Kind::Compute)
                endBeforeNext(spans);
            timeline.tracks.push_back({of.first, of.second, std::move(spans)});
        }
    }
    // A device computes one op after another. Begins and durations of traces are rounded, so that
    // an op may seem to overlap the next one.
    static void endBeforeNext(std::vector<Span>& spans)
    {
        constexpr std::int64_t kRounding = 1000; // ns
        for (std::size_t i = 1; i < spans.size(); ++i) {
            Span& span = spans[i - 1];
            const std::int64_t next = spans[i].begin;
            if (span.end > next && span.end - next <= kRounding && span.begin < next)
                span.end = next;
        }
    }
    // An iteration lasts from the start of its first compute op to the end of its last one. Drops
    // iterations whose compute ops were all left out.
    void addIterations()
    {
        std::map<int, Window> windows;
        for (const PlacedWork& placed : m_placement.works)
            if (isCompute(placed.op.kind))
                extend(windows, placed.iteration, workOf(placed).window);
        std::erase_if(m_placement.works, [&](const PlacedWork& placed) {
            return !windows.contains(placed.iteration);
        });
        if (windows.empty())
            return;
        m_origin = windows.begin()->second.begin;
        std::map<int, int> numbers; // iteration in m_iterations -> iteration of the run
        const std::set<int> damaged = damagedOf(windows);
        const bool hasIntact = damaged.size() < windows.size();
        std::map<Iteration::Kind, int> counts;
        for (const auto& [found, window] : windows) {
            Iteration iteration;
            if (hasIntact && damaged.contains(found))
                iteration.kind = Iteration::Kind::Warmup;
            iteration.number = counts[iteration.kind]++;
            iteration.window = {window.begin - m_origin, window.end - m_origin};
            iteration.loss = lossOf(found);
            m_result.run.timeline.iterations.push_back(iteration);
            numbers.emplace(found, static_cast<int>(numbers.size()));
        }
        for (PlacedWork& placed : m_placement.works)
            placed.iteration = numbers.at(placed.iteration);
    }
    // The iterations with an op that lacks kernels or lasts 0 ns, or with work whose duration was
    // corrected.
    std::set<int> damagedOf(const std::map<int, Window>& windows)
    {
        std::set<int> damaged = m_placement.damaged;
        for (std::size_t i = 0; i < m_job.ranks.size(); ++i)
            if (m_placement.deviceOfRank[i].isValid()) {
                std::vector<std::int64_t> begins = m_job.ranks[i].trace.shortened;
                std::ranges::sort(begins);
                for (const auto& [found, window] : windows)
                    if (const auto first = std::ranges::lower_bound(begins, window.begin);
                        first != begins.end() && *first < window.end)
                        damaged.insert(found);
            }
        if (std::ranges::all_of(windows, [&](const auto& each) {
                return m_placement.damaged.contains(each.first);
            })) {
            m_job.lacks("every iteration has ops whose kernels are missing");
            m_job.workKnown = false;
            m_job.clocksKnown = m_job.clocksKnown && m_placement.endsKnown;
        }
        for (const PlacedWork& placed : m_placement.works) // an I of stage 0 may do nothing
            if (runsMicroBatch(placed.op.kind) && placed.op.kind != OpKind::BackwardInput
                && workOf(placed).window.duration() == 0)
                damaged.insert(placed.iteration);
        std::erase_if(damaged, [&](int each) { return !windows.contains(each); });
        if (!damaged.empty() && damaged.size() < windows.size())
            m_job.warnings.push_back(
                fmt::format("{} of {} iterations have damaged events; they count as warm-up.",
                            damaged.size(), windows.size()));
        return damaged;
    }
    // Only ranks of a kit (scripts of resources/kit that run a schedule in PyTorch) record losses.
    std::optional<double> lossOf(int iteration) const
    {
        const int number = m_iterations.numbers[static_cast<std::size_t>(iteration)];
        for (const JobRank& rank : m_job.ranks)
            if (const auto found = rank.trace.losses.find(number); found != rank.trace.losses.end())
                return found->second;
        return std::nullopt;
    }
    void addMemory()
    {
        auto& memory = m_result.run.timeline.memory;
        for (std::size_t rank = 0; rank < m_job.ranks.size(); ++rank) {
            const DeviceId device = m_placement.deviceOfRank[rank];
            if (!device.isValid())
                continue;
            for (MemoryEvent event : m_job.ranks[rank].trace.memory) {
                event.time -= m_origin;
                event.device = static_cast<std::uint16_t>(device.value);
                memory.push_back(event);
            }
        }
        std::ranges::stable_sort(memory, [](const MemoryEvent& a, const MemoryEvent& b) {
            return std::pair(a.time, a.bytes) < std::pair(b.time, b.bytes);
        });
    }
    void addKernelTimes()
    {
        const GpuTrace& gpu = m_result.gpu;
        if (gpu.kernels.empty())
            return;
        PerText isMessage([&](std::uint32_t name) { return communicates(gpu.strings[name]); });
        std::vector<KernelTimes> times(
            static_cast<std::size_t>(m_result.run.schedule.shape.devices));
        for (const GpuKernel& kernel : gpu.kernels)
            times[kernel.place.device].add(isMessage(kernel.name), kernel.window);
        m_result.run.timeline.kernels = unite(std::move(times));
    }
    void describe()
    {
        RunInfo& info = m_result.run.info;
        const RecognisedScheme scheme
            = m_placement.complete ? recogniseScheme(m_result.run.schedule) : RecognisedScheme();
        m_result.run.schedule.scheme = scheme.name;
        info.scheme = scheme.name;
        const RankTrace& first = m_job.ranks.front().trace;
        info.model = first.modelName;
        info.label = scheme.title;
        if (info.label.empty())
            info.label = first.schemeName.empty() ? first.program : first.schemeName;
        info.mode = Mode::Imported;
        info.outcome = Outcome::Finished;
        info.plannedIterations = static_cast<int>(m_result.run.timeline.iterations.size());
        for (const JobRank& rank : m_job.ranks)
            if (!rank.trace.deviceName.empty())
                info.deviceName = rank.trace.deviceName;
        const bool onGpu = !m_result.gpu.kernels.empty();
        info.timing = onGpu ? "GPU time stamps" : "host time stamps";
        info.link = "as recorded";
    }
    void noteMessages(std::vector<std::string>& warnings) const
    {
        std::int64_t sent = 0, received = 0;
        for (const PlacedWork& placed : m_placement.works) {
            const OpKind kind = placed.op.kind;
            sent += kind == OpKind::SendActivation || kind == OpKind::SendGradient ? 1 : 0;
            received += kind == OpKind::RecvActivation || kind == OpKind::RecvGradient ? 1 : 0;
        }
        if (sent != received && sent > 0 && received > 0)
            warnings.push_back(fmt::format(
                "{} messages are sent and {} received: the work of the others was not found.", sent,
                received));
    }
    std::int64_t workOf(std::size_t rank) const
    {
        std::map<int, std::int64_t> times; // by iteration
        const std::vector<Work>& works = m_job.ranks[rank].work.works;
        for (std::size_t i = 0; i < works.size(); ++i)
            if (const int iteration = m_iterations.ofWork[rank][i];
                iteration >= 0 && isCompute(works[i].op.kind))
                addTime(times[iteration], works[i].window.duration());
        std::vector<std::int64_t> each;
        for (const auto& [iteration, time] : times)
            each.push_back(time);
        return each.empty() ? 0 : medianOf(each);
    }
    void report()
    {
        ImportReport report;
        report.program = m_job.ranks.front().trace.program;
        report.missingRanks = m_job.missing;
        report.iterationsFrom = m_iterations.from;
        report.stagesKnown = m_placement.stagesKnown;
        report.microBatchesKnown = m_placement.microBatchesKnown;
        report.tensorParallel = m_job.tensorParallel.value_or(0);
        report.contextParallel = m_job.contextParallel.value_or(0);
        report.clocks = m_clocks;
        report.lack = m_job.lack;
        report.clocksKnown = m_job.clocksKnown;
        report.workKnown = m_job.workKnown;
        report.warnings = m_job.warnings;
        report.warnings.insert(report.warnings.end(), m_placement.warnings.begin(),
                               m_placement.warnings.end());
        addRanks(report);
        report.onGpu = report.kernels > 0;
        addWarnings(report.warnings);
        std::ranges::stable_sort(report.rules, std::ranges::greater(), &ImportReport::Rule::time);
        Run& run = m_result.run;
        run.info.import = std::move(report);
        run.info.import->matches = reportMatches(m_job, m_placement, m_ops, run, m_origin);
    }
    // Their sums, too, and what was left out.
    void addRanks(ImportReport& report) const
    {
        std::map<std::string, ImportReport::LeftOut> leftOut;
        std::int64_t unreadable = 0, incomplete = 0, shortened = 0, onOtherGpus = 0;
        for (std::size_t i = 0; i < m_job.ranks.size(); ++i) {
            const JobRank& rank = m_job.ranks[i];
            report.ranks.push_back(
                {rank.rank, rank.trace.file, rank.trace.host, rank.trace.deviceName});
            report.ranks.back().place = rank.position;
            report.ranks.back().work = workOf(i);
            if (const DeviceId device = m_placement.deviceOfRank[i]; device.isValid())
                report.ranks.back().device = device.value;
            report.kernels += static_cast<std::int64_t>(rank.trace.gpu.kernels.size());
            addTime(report.time, rank.work.time);
            unreadable += rank.trace.unreadable;
            shortened += std::ssize(rank.trace.shortened);
            onOtherGpus += rank.trace.onOtherGpus;
            incomplete += m_iterations.incomplete[i];
            addRules(rank.work.rules, report.rules);
            for (const ImportReport::LeftOut& one : rank.work.leftOut) {
                ImportReport::LeftOut& all = leftOut[one.what];
                all.what = one.what;
                all.count += one.count;
                addTime(all.time, one.time);
            }
        }
        for (const auto& [what, all] : leftOut)
            report.leftOut.push_back(all);
        const auto add = [&](const char* what, std::int64_t count) {
            if (count > 0)
                report.leftOut.push_back({what, count, 0});
        };
        add("Events that cannot be read", unreadable);
        add(kCorrectedDurations, shortened);
        add("Kernels on another GPU of their process", onOtherGpus);
        add("Ops whose kernels are missing", m_placement.lost);
        add("Ops outside complete iterations", incomplete);
        add("Messages whose other rank is unknown", m_placement.withoutPeer);
        add("Ops that occur twice in an iteration", m_placement.twice);
        add("Ops whose stage is unknown", m_placement.withoutStage);
        if (shortened > 0)
            report.warnings.push_back(
                fmt::format("{} kernels or copies last until after the end of later work of their "
                            "stream; they are ended where the next one begins.",
                            shortened));
    }
    void addWarnings(std::vector<std::string>& warnings) const
    {
        const bool hasBackward = std::ranges::any_of(m_placement.works, [](const PlacedWork& work) {
            return isBackward(work.op.kind) || (work.second && isBackward(work.second->kind));
        });
        if (!hasBackward)
            warnings.emplace_back("No backward op was found: the traces are of inference, or no "
                                  "rule names their backward ops.");
        if (const int copies = m_placement.shape.dataParallel;
            copies > 1 && (!m_job.tensorParallel || !m_job.contextParallel))
            warnings.push_back(fmt::format(
                "The traces name no tensor-parallel or context-parallel groups. If such groups "
                "exist, "
                "some of the {} copies of the pipeline are ranks that compute a stage together.",
                copies));
        if (!m_job.missing.empty())
            warnings.push_back(fmt::format(
                "{} of {} ranks have no trace, so their messages contain the wait for them.",
                m_job.missing.size(), m_job.missing.size() + m_job.ranks.size()));
        noteMessages(warnings);
    }

    Job m_job;
    FoundIterations m_iterations;
    Placement m_placement;
    ImportedRun m_result;
    // The OpIndex of each op of a device in the schedule.
    std::map<std::pair<DeviceId, Op>, std::uint32_t> m_number;
    OpsOfWorks m_ops;
    std::vector<ImportReport::Clock> m_clocks;
    std::int64_t m_origin = 0; // ns; time 0 of the timeline
};

} // namespace

Result<ImportedRun> buildRun(Job job)
{
    return RunBuilder(std::move(job)).build();
}

} // namespace profiler
