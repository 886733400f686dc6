#include "profiler/analysis/gpu_activity.h"

#include "engine/base/id_vector.h"
#include "engine/schedule/schedule.h"
#include "engine/schedule/transfers.h"
#include "engine/timeline/kernel_name.h"
#include "profiler/analysis/lanes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

std::string copyName(std::uint8_t kind)
{
    constexpr std::array<std::string_view, 11> kNames{"copy",
                                                      "copy host to device",
                                                      "copy device to host",
                                                      "copy host to array",
                                                      "copy array to host",
                                                      "copy array to array",
                                                      "copy array to device",
                                                      "copy device to array",
                                                      "copy device to device",
                                                      "copy host to host",
                                                      "copy peer to peer"};
    return std::string(kNames[kind < kNames.size() ? kind : 0]);
}

// Finds the pipeline device that a CUDA context belongs to. A context that executed work of several
// devices belongs to none.
class ContextOwners
{
public:
    void note(std::uint32_t context, DeviceId device)
    {
        const auto [known, isNew] = m_owners.try_emplace(context, device);
        if (!isNew && known->second && *known->second != device)
            known->second.reset();
    }
    std::optional<DeviceId> of(std::uint32_t context) const
    {
        const auto found = m_owners.find(context);
        return found == m_owners.end() ? std::nullopt : found->second;
    }

private:
    std::unordered_map<std::uint32_t, std::optional<DeviceId>> m_owners;
};

// A stream with some NCCL kernels can still be a compute stream, because a program with one stream
// runs its NCCL kernels there, too. Therefore the majority of the kernels decides.
DeviceStream::Role roleOf(const std::array<std::ptrdiff_t, kKernelKinds>& counts)
{
    using enum DeviceStream::Role;
    const auto of = [&counts](KernelKind kind) { return counts[static_cast<std::size_t>(kind)]; };
    const std::ptrdiff_t nccl = of(KernelKind::Nccl);
    const std::ptrdiff_t moves = of(KernelKind::Copy) + of(KernelKind::Memset);
    const std::ptrdiff_t others
        = std::accumulate(counts.begin(), counts.end(), std::ptrdiff_t{0}) - nccl - moves;
    return nccl + others == 0 ? Copy : nccl >= others ? Nccl : Compute;
}

// Applies to `part` the linear map that takes the window `from` to the window `to`. `part` lies
// within `from`.
Window fitted(Window part, Window from, Window to)
{
    const double scale = from.duration() > 0 ? engine::ratio(to.duration(), from.duration()) : 1;
    const auto at
        = [&](std::int64_t time) { return to.begin + std::llround((time - from.begin) * scale); };
    return {at(part.begin), at(part.end)};
}

} // namespace

GpuActivity::GpuActivity(const Run& run, GpuTrace trace)
    : m_trace(std::move(trace))
{
    nameKernels();
    std::vector<Found> found = collect(run);
    addReplay(run, found);
    arrange(std::move(found));
    indexOps();
    for (std::size_t i = 0; i < m_trace.calls.size(); ++i)
        if (m_trace.calls[i].correlation != 0)
            m_calls.emplace(m_trace.calls[i].correlation, static_cast<std::uint32_t>(i));
}

void GpuActivity::nameKernels()
{
    for (const std::string& text : m_trace.strings) {
        const std::string full = demangled(text);
        m_names.push_back({full, kernelLabel(full), kernelKindOf(full)});
    }
}

std::vector<GpuActivity::Found> GpuActivity::collect(const Run& run)
{
    const OpIndex index(run.schedule);
    ContextOwners owners;
    std::vector<Found> found;
    found.reserve(m_trace.kernels.size() + m_trace.copies.size() + m_trace.memsets.size());
    const auto add = [&](const auto& row, std::size_t at, GpuWork::Source source,
                         std::uint32_t name) {
        Found one{{row.window, row.of, static_cast<std::uint32_t>(at), name, 0, source},
                  row.place,
                  DeviceId{-1}};
        // The reader of run files does not check ops and iterations.
        if (row.of.op >= index.count() || row.of.iteration >= run.timeline.iterations.size()) {
            one.work.of = {};
        } else {
            one.device = index.deviceOf(row.of.op);
            owners.note(row.place.context, one.device);
        }
        if (row.window.duration() > 0) // otherwise the time stamp is missing
            found.push_back(one);
        else
            ++m_withoutPlace;
    };
    for (std::size_t i = 0; i < m_trace.kernels.size(); ++i)
        add(m_trace.kernels[i], i, GpuWork::Source::Kernel, m_trace.kernels[i].name);
    std::array<std::uint32_t, 256> copyNames{};
    for (std::size_t i = 0; i < m_trace.copies.size(); ++i) {
        std::uint32_t& name = copyNames[m_trace.copies[i].kind];
        if (name == 0) {
            name = m_names.size();
            const std::string text = copyName(m_trace.copies[i].kind);
            m_names.push_back({text, text, KernelKind::Copy});
        }
        add(m_trace.copies[i], i, GpuWork::Source::Copy, name);
    }
    const std::uint32_t memset = m_names.size();
    m_names.push_back({"memset", "memset", KernelKind::Memset});
    for (std::size_t i = 0; i < m_trace.memsets.size(); ++i)
        add(m_trace.memsets[i], i, GpuWork::Source::Memset, memset);
    if (run.info.mode == Mode::Imported) // imported traces state the device of each context
        for (const GpuContext& context : m_trace.contexts)
            if (const DeviceId device{static_cast<int>(context.device)};
                run.schedule.program.has(device))
                owners.note(context.context, device);
    for (Found& one : found)
        if (!one.device.isValid())
            one.device = owners.of(one.place.context).value_or(DeviceId{-1});
    m_withoutPlace += static_cast<std::int64_t>(
        std::erase_if(found, [](const Found& one) { return !one.device.isValid(); }));
    return found;
}

// The spans of ops in the Replay and in iterations that have GPU work.
std::unordered_map<std::uint64_t, Window> GpuActivity::spansOf(const Timeline& timeline,
                                                               std::uint32_t replay,
                                                               const std::vector<Found>& found)
{
    std::vector<bool> isSelected(timeline.iterations.size(), false);
    isSelected[replay] = true;
    for (const Found& one : found)
        if (one.work.of.isKnown() && one.work.of.iteration < replay)
            isSelected[one.work.of.iteration] = true;
    std::unordered_map<std::uint64_t, Window> spans;
    for (const Track& track : timeline.tracks)
        for (const Span& span : track.spans)
            if (isSelected[span.iteration])
                spans.emplace(key({span.op, span.iteration}), span.window());
    return spans;
}

void GpuActivity::addReplay(const Run& run, std::vector<Found>& found)
{
    const auto& iterations = run.timeline.iterations;
    if (found.empty() || iterations.empty() || iterations.back().kind != Iteration::Kind::Replay)
        return;
    const std::uint32_t replay = iterations.size() - 1;
    const auto spans = spansOf(run.timeline, replay, found);
    // Maps each op to the smallest difference found so far between the duration of a measured
    // execution and the duration in the Replay.
    std::unordered_map<std::uint32_t, std::int64_t> nearest;
    for (const Found& one : found) {
        const OpOfIteration of = one.work.of, there{of.op, replay};
        const auto target = spans.find(key(there)), own = spans.find(key(of));
        if (!of.isKnown() || of.iteration >= replay || target == spans.end() || own == spans.end()
            || iterations[of.iteration].kind != Iteration::Kind::Measured)
            continue;
        const auto off = std::abs(own->second.duration() - target->second.duration());
        const auto [best, isNew] = nearest.try_emplace(of.op, off);
        if (isNew || off < best->second) {
            best->second = off;
            m_sources[key(there)] = of.iteration;
        }
    }
    const std::size_t recorded = found.size();
    for (std::size_t i = 0; i < recorded; ++i) {
        Found one = found[i];
        const OpOfIteration there{one.work.of.op, replay};
        const auto source = m_sources.find(key(there));
        if (source == m_sources.end() || source->second != one.work.of.iteration)
            continue;
        one.work.window = fitted(one.work.window, spans.at(key(one.work.of)), spans.at(key(there)));
        one.work.of = there;
        found.push_back(one);
    }
}

void GpuActivity::arrange(std::vector<Found> found)
{
    using StreamKey = std::tuple<std::int32_t, std::uint32_t, std::uint32_t>;
    const auto streamKey = [](const Found& one) {
        return StreamKey{one.device.value, one.place.context, one.place.stream};
    };
    std::ranges::sort(found, [&](const Found& a, const Found& b) {
        return std::tuple(streamKey(a), a.work.window.begin, a.work.window.end, a.work.row)
            < std::tuple(streamKey(b), b.work.window.begin, b.work.window.end, b.work.row);
    });
    std::vector<DeviceStream> streams;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const Found& one = found[i];
        if (i == 0 || streamKey(one) != streamKey(found[i - 1]))
            streams.push_back({one.device, one.place.context, one.place.stream, {}, i, 0});
        ++streams.back().count;
    }
    for (DeviceStream& stream : streams) {
        const auto works = std::span(found).subspan(stream.first, stream.count);
        std::array<std::ptrdiff_t, kKernelKinds> counts{};
        for (const Found& one : works)
            ++counts[static_cast<std::size_t>(m_names[one.work.name].kind)];
        stream.role = roleOf(counts);
    }
    std::ranges::stable_sort(streams, {}, [](const DeviceStream& stream) {
        return std::pair(stream.device, stream.role);
    });
    for (DeviceStream& stream : streams) {
        const std::size_t from = std::exchange(stream.first, m_work.size());
        for (std::size_t i = from; i < from + stream.count; ++i) {
            m_work.push_back(found[i].work);
            m_work.back().stream = m_streams.size();
        }
        m_streams.push_back(stream);
    }
}

void GpuActivity::indexOps()
{
    m_byOp.reserve(m_work.size());
    for (std::uint32_t i = 0; i < m_work.size(); ++i)
        if (m_work[i].of.isKnown())
            m_byOp.push_back(i);
    std::ranges::sort(m_byOp, {}, [this](std::uint32_t i) {
        return std::tuple(key(m_work[i].of), m_work[i].window.begin, i);
    });
    for (std::size_t i = 0; i < m_byOp.size(); ++i)
        ++m_ofOp.try_emplace(key(m_work[m_byOp[i]].of), Range{i, 0}).first->second.count;
}

std::span<const DeviceStream> GpuActivity::streams(DeviceId device) const
{
    // clang 14 cannot compile std::ranges::equal_range() of libstdc++ 12.
    return {std::ranges::lower_bound(m_streams, device, {}, &DeviceStream::device),
            std::ranges::upper_bound(m_streams, device, {}, &DeviceStream::device)};
}

std::span<const std::uint32_t> GpuActivity::of(OpOfIteration op) const
{
    const auto found = m_ofOp.find(key(op));
    if (found == m_ofOp.end())
        return {};
    return std::span(m_byOp).subspan(found->second.first, found->second.count);
}

std::uint32_t GpuActivity::takenFrom(OpOfIteration op) const
{
    const auto source = m_sources.find(key(op));
    return source == m_sources.end() ? op.iteration : source->second;
}

const GpuPlace& GpuActivity::placeOf(const GpuWork& work) const
{
    return work.source == GpuWork::Source::Copy  ? m_trace.copies[work.row].place
        : work.source == GpuWork::Source::Memset ? m_trace.memsets[work.row].place
                                                 : m_trace.kernels[work.row].place;
}

std::uint64_t GpuActivity::bytesOf(const GpuWork& work) const
{
    return work.source == GpuWork::Source::Copy  ? m_trace.copies[work.row].bytes
        : work.source == GpuWork::Source::Memset ? m_trace.memsets[work.row].bytes
                                                 : 0;
}

const GpuCall* GpuActivity::callOf(const GpuWork& work) const
{
    const auto call = m_calls.find(placeOf(work).correlation);
    return call == m_calls.end() ? nullptr : &m_trace.calls[call->second];
}

namespace {

struct Clue
{
    KernelKind kind;
    std::vector<std::string_view> parts; // that are searched for in the lower-case name
};

// The first match applies: "flash_fwd_gemm" is attention, "splitKreduce" belongs to a matmul.
// Cijk_ is of hipBLASLt and rocBLAS: "Cijk_Ailk_Bljk_BBS_BH_MT128x128".
const std::vector<Clue>& clues()
{
    static const std::vector<Clue> kClues{
        {KernelKind::Copy, {"memcpy"}},
        {KernelKind::Memset, {"memset"}},
        {KernelKind::Attention,
         {"flash", "fmha", "attention", "softmax", "querygradients", "keygradients",
          "rowproducts"}},
        {KernelKind::Elementwise, {"rope", "rotary"}},
        {KernelKind::Matmul,
         {"gemm", "nvjet", "cijk_", "xmma", "gemv", "splitk", "matmul", "cublas"}},
        {KernelKind::Other, {"loss", "crossentropy"}},
        {KernelKind::Norm, {"norm", "rmsforward", "rmsbackward"}},
        {KernelKind::Elementwise, {"eachpack", "elementwise", "gelu", "swiglu", "adam"}},
    };
    return kClues;
}

} // namespace

std::string_view kernelKindName(KernelKind kind)
{
    constexpr engine::EnumArray<KernelKind, std::string_view, kKernelKinds> kNames{
        "matmul", "attention", "norm", "element-wise", "other", "copy", "memset", "NCCL"};
    return kNames[kind];
}

KernelKind kernelKindOf(std::string_view demangledName)
{
    if (communicates(demangledName))
        return KernelKind::Nccl;
    std::string name(demangledName);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const Clue& clue : clues())
        for (const std::string_view part : clue.parts)
            if (name.find(part) != std::string::npos)
                return clue.kind;
    return KernelKind::Other;
}

namespace {

// An op is launch-bound if gaps take at least a fifth of its time and its kernels are short: on
// average less than four times the 5 us that a launch takes on the host.
constexpr double kLaunchBoundGaps = 0.2;
constexpr double kShortKernel = 20'000; // ns

double gapShareOf(std::int64_t time, std::int64_t busy)
{
    return time > 0 ? engine::ratio(time - busy, time) : 0;
}

Windows windowsOf(const GpuActivity& activity, OpOfIteration op, Window span)
{
    std::vector<Window> windows;
    for (const std::uint32_t at : activity.of(op))
        windows.push_back(activity.work()[at].window);
    return clip(unite(std::move(windows)), span);
}

bool passes(const KernelFilter& filter, const Run& run, const Span& span)
{
    const auto& iteration = run.timeline.iterations[span.iteration];
    const bool isSelected = filter.iteration < 0
        ? iteration.kind != Iteration::Kind::Replay
        : static_cast<std::uint32_t>(filter.iteration) == span.iteration;
    if (filter.execution && *filter.execution != OpOfIteration{span.op, span.iteration})
        return false;
    return isSelected && (!filter.begun || filter.begun->contains(span.begin));
}

std::int64_t within(Window part, Window whole)
{
    return std::max<std::int64_t>(
        0, std::min(part.end, whole.end) - std::max(part.begin, whole.begin));
}

using RowKey = std::tuple<OpKind, std::uint32_t>;
struct Sums
{
    std::map<OpKind, OpKindWork> ops;
    std::map<RowKey, KernelRow> rows;
    // For each row, the part of its time that is within the spans of its ops.
    std::map<RowKey, std::int64_t> within;
    std::set<std::pair<std::uint32_t, std::uint32_t>> counted; // pairs of iteration and op
};

// An op can have several spans: in an imported run, an all-reduce has one per call. The work of the
// op is counted only once, with the first of its spans.
void addWork(const GpuActivity& activity, const Span& span, OpKind kind, Sums& sums)
{
    const OpOfIteration op{span.op, span.iteration};
    const bool isFirst = sums.counted.emplace(span.iteration, span.op).second;
    for (const std::uint32_t at : activity.of(op)) {
        const GpuWork& work = activity.work()[at];
        const std::int64_t time = work.window.duration();
        sums.within[{kind, work.name}] += within(work.window, span.window());
        if (!isFirst)
            continue;
        KernelRow& row
            = sums.rows.try_emplace({kind, work.name}, KernelRow{kind, work.name, 0, 0, time, time})
                  .first->second;
        ++sums.ops.at(kind).works;
        ++row.count;
        row.total += time;
        row.shortest = std::min(row.shortest, time);
        row.longest = std::max(row.longest, time);
    }
}

} // namespace

double OpKindWork::gapShare() const
{
    return gapShareOf(time, busy);
}

double OpWork::gapShare() const
{
    return gapShareOf(time, busy);
}

bool OpWork::isLaunchBound() const
{
    return works > 1 && gapShare() >= kLaunchBoundGaps && engine::ratio(busy, works) < kShortKernel;
}

KernelTable kernelTable(const Run& run, const GpuActivity& activity, const KernelFilter& filter)
{
    const OpIndex index(run.schedule);
    Sums sums;
    for (const Track& track : run.timeline.tracks) {
        if (filter.device && track.device != *filter.device)
            continue;
        for (const Span& span : track.spans) {
            const OpOfIteration op{span.op, span.iteration};
            const OpKind kind = opAt(run.schedule, index, span.op).kind;
            if ((filter.op && kind != *filter.op) || !passes(filter, run, span)
                || activity.of(op).empty())
                continue;
            OpKindWork& ofKind = sums.ops.try_emplace(kind, OpKindWork{kind}).first->second;
            ++ofKind.executions;
            ofKind.time += span.window().duration();
            ofKind.busy += length(windowsOf(activity, op, span.window()));
            addWork(activity, span, kind, sums);
        }
    }
    KernelTable table;
    for (const auto& [kind, one] : sums.ops)
        table.ops.push_back(one);
    for (auto& [at, row] : sums.rows) {
        const std::int64_t time = sums.ops.at(row.op).time;
        row.share = time > 0 ? engine::ratio(sums.within.at(at), time) : 0;
        table.rows.push_back(row);
    }
    std::ranges::stable_sort(table.rows, [](const KernelRow& a, const KernelRow& b) {
        return a.op != b.op ? a.op < b.op : a.total > b.total;
    });
    return table;
}

std::optional<OpWork> opWork(const GpuActivity& activity, OpOfIteration op, Window span)
{
    if (activity.of(op).empty())
        return std::nullopt;
    OpWork sum;
    sum.time = span.duration();
    const Windows busy = windowsOf(activity, op, span);
    sum.busy = length(busy);
    for (const Window gap : subtract({span}, busy))
        sum.longestGap = std::max(sum.longestGap, gap.duration());
    for (const std::uint32_t at : activity.of(op)) {
        const GpuWork& work = activity.work()[at];
        const std::int64_t time = within(work.window, span);
        sum.works += time > 0 ? 1 : 0;
        sum.byKind[activity.nameOf(work).kind] += time;
    }
    return sum;
}

std::string whyNoKernels(const RunInfo& info)
{
    if (info.mode == Mode::Simulate)
        return "This run was simulated, so no GPU was used.";
    if (info.mode == Mode::Imported)
        return "The imported file has no kernels.";
    if (info.experiment.find("\"cuda\"") == std::string::npos)
        return "This run used the CPU; use --backend cuda to run on a GPU.";
    if (info.timing.find("kernels by") != std::string::npos)
        return "Kernels were requested, but none was recorded.";
    return "This run was recorded with --trace ops, or CUPTI was not available; record with "
           "--trace kernels.";
}

IdVector<DeviceId, double> kernelsPerIteration(const Run& run, const GpuTrace& trace)
{
    const OpIndex index(run.schedule);
    const auto& iterations = run.timeline.iterations;
    IdVector<DeviceId, double> launches(run.schedule.shape.devices);
    std::set<std::uint32_t> seen;
    for (const GpuKernel& kernel : trace.kernels) {
        const auto [op, iteration] = kernel.of;
        if (op >= index.count() || iteration >= iterations.size()
            || iterations[iteration].kind != Iteration::Kind::Measured)
            continue;
        seen.insert(iteration);
        ++launches[index.deviceOf(op)];
    }
    if (seen.empty())
        return {};
    for (double& each : launches)
        each /= seen.size();
    return launches;
}

namespace {

// Identifies the kernels that communicate with each other: those of one message (identified by its
// value) or of one all-reduce (identified by its stage). An op can launch several kernels; `order`
// is the position of a kernel among them.
struct NcclExchange
{
    std::uint32_t iteration = 0;
    bool sums = false, ties = false;
    std::uint32_t what = 0;
    std::size_t order = 0;

    friend auto operator<=>(const NcclExchange&, const NcclExchange&) = default;
};

struct Ranks
{
    std::int64_t lastBegin = 0;
    std::size_t kernels = 0; // number of ops that have such a kernel
};

class Splitter
{
public:
    Splitter(const GpuTrace& trace, const Schedule& schedule)
        : m_trace(trace)
        , m_schedule(schedule)
        , m_index(schedule)
        , m_order(trace.kernels.size(), 0)
    {
        for (const auto& program : schedule.program)
            for (const Op& op : program)
                if (op.kind == OpKind::AllReduce)
                    ++m_members[{0, true, tiesEmbeddings(op), numberOf(op)}];
        for (std::size_t i = 0; i < trace.kernels.size(); ++i)
            if (isSplit(trace.kernels[i])) // the trace is in time order
                m_ofOp[{trace.kernels[i].of.op, trace.kernels[i].of.iteration}].push_back(i);
        for (const auto& [op, kernels] : m_ofOp)
            for (std::size_t order = 0; order < kernels.size(); ++order) {
                m_order[kernels[order]] = order;
                meet(kernels[order], order);
            }
    }

    std::vector<NcclSplit> split(const LinkTime& linkTime) const
    {
        std::vector<NcclSplit> all;
        for (std::size_t i = 0; i < m_trace.kernels.size(); ++i)
            if (isSplit(m_trace.kernels[i]))
                all.push_back(splitOf(i, linkTime));
        return all;
    }

private:
    bool isSplit(const GpuKernel& kernel) const
    {
        return kernel.of.op < m_index.count()
            && (isTransfer(opOf(kernel).kind) || opOf(kernel).kind == OpKind::AllReduce)
            && communicates(m_trace.strings.at(kernel.name));
    }
    const Op& opOf(const GpuKernel& kernel) const
    {
        return opAt(m_schedule, m_index, kernel.of.op);
    }
    std::uint32_t numberOf(const Op& op) const
    {
        return op.kind == OpKind::AllReduce
            ? static_cast<std::uint32_t>(allReduceStage(op).value)
            : valueIndex(transferredValue(op, m_schedule.shape), m_schedule.shape);
    }
    NcclExchange exchangeOf(const GpuKernel& kernel, std::size_t order) const
    {
        const Op& op = opOf(kernel);
        return {kernel.of.iteration, op.kind == OpKind::AllReduce, tiesEmbeddings(op), numberOf(op),
                order};
    }

    void meet(std::size_t i, std::size_t order)
    {
        const GpuKernel& kernel = m_trace.kernels[i];
        Ranks& ranks = m_ranks[exchangeOf(kernel, order)];
        ranks.lastBegin = std::max(ranks.lastBegin, kernel.window.begin);
        ++ranks.kernels;
    }

    std::size_t membersOf(const NcclExchange& exchange) const
    {
        if (!exchange.sums)
            return 2;
        return m_members.at({0, true, exchange.ties, exchange.what})
            * static_cast<std::size_t>(m_schedule.shape.dataParallel);
    }

    NcclSplit splitOf(std::size_t i, const LinkTime& linkTime) const
    {
        const GpuKernel& kernel = m_trace.kernels[i];
        const NcclExchange exchange = exchangeOf(kernel, m_order[i]);
        const Ranks& ranks = m_ranks.at(exchange);
        const std::int64_t onLink = linkTime ? linkTime(opOf(kernel)) : 0;
        std::int64_t begin = kernel.window.begin; // start of the transfer
        NcclSplit::By by = NcclSplit::By::None;
        if (ranks.kernels == membersOf(exchange)) {
            begin = ranks.lastBegin;
            by = NcclSplit::By::Ranks;
        } else if (onLink > 0) {
            begin = kernel.window.end - onLink;
            by = NcclSplit::By::Link;
        }
        begin = std::clamp(begin, kernel.window.begin, kernel.window.end);
        return {i, {kernel.window.begin, begin}, {begin, kernel.window.end}, by};
    }

    const GpuTrace& m_trace;
    const Schedule& m_schedule;
    OpIndex m_index;
    std::vector<std::size_t> m_order; // position of each kernel among the kernels of its op
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> m_ofOp;
    std::map<NcclExchange, Ranks> m_ranks;
    // Number of ops of the first data-parallel copy that take part in each all-reduce.
    std::map<NcclExchange, std::size_t> m_members;
};

} // namespace

std::vector<NcclSplit> splitNccl(const GpuTrace& trace, const Schedule& schedule,
                                 const LinkTime& linkTime)
{
    return Splitter(trace, schedule).split(linkTime);
}

} // namespace profiler
