#include "app/timeline/view/kernel_view.h"

#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace app {

namespace {

// Returns the ranges of ops and of libraries, sorted so that outer ranges come before inner ones.
std::vector<HostRange> nested(const engine::Run& run, const engine::OpIndex& index,
                              const engine::GpuTrace& trace)
{
    std::vector<HostRange> ranges;
    ranges.reserve(trace.launches.size() + trace.ranges.size());
    // Skips unknown ops, because another program may have written the file.
    const std::size_t ops = engine::opCount(run.schedule);
    for (const engine::GpuOpLaunch& launch : trace.launches)
        if (launch.of.op < ops)
            ranges.push_back(
                {launch.window,
                 launch.of,
                 opName(run.info, engine::opAt(run.schedule, index, launch.of.op)).toStdString(),
                 {}});
    for (const engine::GpuRange& range : trace.ranges)
        ranges.push_back(
            {range.window, range.of, trace.strings[range.text], trace.strings[range.domain]});
    std::ranges::stable_sort(ranges, {}, [](const HostRange& range) {
        return std::tuple(range.window.begin, -range.window.end);
    });
    return ranges;
}

} // namespace

RangeView::RangeView(const engine::Run& run, const engine::GpuTrace& trace)
    : m_ranges(run.schedule.shape.devices)
{
    const engine::OpIndex index(run.schedule);
    const std::size_t ops = engine::opCount(run.schedule);
    for (HostRange& range : nested(run, index, trace)) {
        if (range.of.op >= ops) {
            ++m_leftOut;
            continue;
        }
        const engine::DeviceId device = index.deviceOf(range.of.op);
        add(device, std::move(range));
    }
    for (const auto& rows : m_ranges)
        m_rows.push_back(static_cast<int>(rows.size()));
}

// Places a range into the first free row. Omits it if all kMostRows rows are taken. Considers the
// whole run and not only its visible part, so that lanes do not jump while panning.
void RangeView::add(engine::DeviceId device, HostRange range)
{
    auto& rows = m_ranges[device];
    const auto free = std::ranges::find_if(rows, [&range](const std::vector<HostRange>& row) {
        return row.back().window.end <= range.window.begin;
    });
    if (free != rows.end())
        free->push_back(std::move(range));
    else if (rows.size() < kMostRows)
        rows.push_back({std::move(range)});
    else
        ++m_leftOut;
}

std::span<const HostRange> RangeView::around(engine::DeviceId device, int row,
                                             engine::Window window) const
{
    const auto all = on(device, row);
    const auto end = [](const HostRange& range) { return range.window.end; };
    const auto begin = [](const HostRange& range) { return range.window.begin; };
    const auto first = std::ranges::lower_bound(all, window.begin, {}, end);
    const auto last = std::ranges::upper_bound(all, window.end, {}, begin);
    return first < last ? std::span(first, last) : std::span<const HostRange>();
}

const HostRange* RangeView::at(engine::DeviceId device, engine::Window window) const
{
    for (const auto& row : m_ranges[device]) {
        const auto found = std::ranges::find(row, window, &HostRange::window);
        if (found != row.end())
            return &*found;
    }
    return nullptr;
}

using profiler::DeviceStream;
using profiler::GpuWork;

KernelView::KernelView(const engine::Run& run, profiler::GpuActivity activity)
    : m_activity(std::move(activity))
    , m_ranges(run, m_activity.trace())
{
    for (const GpuWork& work : m_activity.work()) {
        const profiler::KernelKind kind = m_activity.nameOf(work).kind;
        m_kinds.push_back(static_cast<std::uint8_t>(kind));
        m_occurs[static_cast<int>(kind)] = true;
    }
    const bool lacksRanks = run.info.import && !run.info.import->missingRanks.empty();
    if (occurs(profiler::KernelKind::Nccl) && !lacksRanks)
        findWaits(run.schedule);
    m_spans.reserve(m_kinds.size());
    m_place.resize(m_kinds.size());
    for (int d = 0; d < run.schedule.shape.devices; ++d)
        arrange(engine::DeviceId{d});
    indexRows();
}

void KernelView::findWaits(const engine::Schedule& schedule)
{
    const engine::GpuTrace& trace = m_activity.trace();
    // by row of the trace: the share of its time spent waiting
    std::unordered_map<std::size_t, double> shares;
    for (const profiler::NcclSplit& split : profiler::splitNccl(trace, schedule))
        if (split.by != profiler::NcclSplit::By::None)
            shares[split.kernel] = static_cast<double>(split.wait.duration())
                / static_cast<double>(std::max<std::int64_t>(
                    1, trace.kernels[split.kernel].window.duration()));
    for (std::uint32_t at = 0; at < m_activity.work().size(); ++at) {
        const GpuWork& work = m_activity.work()[at];
        const auto share = shares.find(work.row);
        if (work.source != GpuWork::Source::Kernel || share == shares.end())
            continue;
        const auto wait = std::llround(share->second * static_cast<double>(work.window.duration()));
        m_waits[at] = wait;
        m_hasWaits = m_hasWaits || wait > 0;
    }
}

void KernelView::arrange(engine::DeviceId device)
{
    m_first.push_back(m_allRows.size());
    auto rest = m_activity.streams(device); // sorted by role
    while (!rest.empty()) {
        const DeviceStream::Role role = rest.front().role;
        const bool sharesRows = role != DeviceStream::Role::Compute;
        const auto same = static_cast<std::size_t>(
            std::ranges::find_if(rest, [role](const DeviceStream& one) { return one.role != role; })
            - rest.begin());
        const auto together = rest.first(sharesRows ? same : 1);
        for (const auto& works : packed(together))
            addRow({device, role}, works);
        rest = rest.subspan(together.size());
    }
    m_rows.push_back(static_cast<int>(m_allRows.size() - m_first.back()));
}

// The row of each piece of work. A single stream is one row. With several streams, each piece of
// work goes into the first row that is free when it begins.
KernelView::Rows KernelView::packed(std::span<const DeviceStream> streams) const
{
    std::vector<std::uint32_t> works;
    for (const DeviceStream& stream : streams)
        for (std::size_t k = 0; k < stream.count; ++k)
            works.push_back(static_cast<std::uint32_t>(stream.first + k));
    if (streams.size() == 1)
        return {works};
    const auto window = [this](std::uint32_t work) { return m_activity.work()[work].window; };
    std::ranges::stable_sort(works, {}, [&](std::uint32_t work) { return window(work).begin; });
    Rows rows;
    for (const std::uint32_t work : works) {
        const auto free = std::ranges::find_if(
            rows, [&](const auto& row) { return window(row.back()).end <= window(work).begin; });
        if (free != rows.end())
            free->push_back(work);
        else
            rows.push_back({work});
    }
    return rows;
}

void KernelView::addRow(Row row, const std::vector<std::uint32_t>& works)
{
    row.first = m_spans.size();
    row.count = works.size();
    for (const std::uint32_t at : works) {
        const GpuWork& work = m_activity.work()[at];
        m_place[at] = static_cast<std::uint32_t>(m_spans.size());
        m_spans.push_back({work.window.begin, work.window.end, at, work.of.iteration});
    }
    m_allRows.push_back(row);
}

void KernelView::addParts(const engine::Span& span)
{
    const auto wait = waitOf(span.op).value_or(engine::Window{span.begin, span.begin});
    if (wait.duration() > 0) {
        m_parts.push_back(
            {wait.begin, wait.end, static_cast<std::uint32_t>(m_kinds.size()), span.iteration});
        m_kinds.push_back(kWaitShare);
    }
    if (wait.end < span.end)
        m_parts.push_back({wait.end, span.end, span.op, span.iteration});
}

// Busy sums count the wait of an NCCL kernel separately from its transfer.
void KernelView::indexRows()
{
    std::vector<std::size_t> parts{0}; // index of the first part of each row
    for (const Row& row : m_allRows) {
        const auto spans = std::span(m_spans).subspan(row.first, row.count);
        m_found.emplace_back(spans);
        const auto hasWait = [this](const engine::Span& span) { return m_waits.contains(span.op); };
        if (m_hasWaits && std::ranges::any_of(spans, hasWait))
            for (const engine::Span& span : spans)
                addParts(span);
        parts.push_back(m_parts.size());
    }
    for (std::size_t k = 0; k < m_allRows.size(); ++k) {
        const auto own = std::span(m_parts).subspan(parts[k], parts[k + 1] - parts[k]);
        m_busy.emplace_back(
            own.empty() ? std::span(m_spans).subspan(m_allRows[k].first, m_allRows[k].count) : own,
            m_kinds);
    }
}

std::optional<engine::Window> KernelView::waitOf(std::uint32_t work) const
{
    const auto wait = m_waits.find(work);
    if (wait == m_waits.end())
        return std::nullopt;
    const std::int64_t begin = m_activity.work()[work].window.begin;
    return engine::Window{begin, begin + wait->second};
}

std::size_t KernelView::rowOf(std::uint32_t work) const
{
    const auto after
        = std::ranges::upper_bound(m_allRows, std::size_t{m_place[work]}, {}, &Row::first);
    return static_cast<std::size_t>(after - m_allRows.begin()) - 1;
}

std::optional<std::uint32_t> KernelView::neighbour(std::uint32_t work, int by) const
{
    const Row& row = m_allRows[rowOf(work)];
    const auto to = std::int64_t{m_place[work]} + by;
    if (to < static_cast<std::int64_t>(row.first)
        || to >= static_cast<std::int64_t>(row.first + row.count))
        return std::nullopt;
    return m_spans[static_cast<std::size_t>(to)].op;
}

Selection KernelView::select(std::uint32_t work) const
{
    const GpuWork& one = m_activity.work()[work];
    const std::size_t row = rowOf(work);
    const engine::DeviceId device = m_allRows[row].device;
    return {.kind = Selection::Kind::Kernel,
            .iteration = one.of.isKnown() ? static_cast<int>(one.of.iteration) : -1,
            .device = device,
            .op = one.of.op,
            .window = one.window,
            .work = work,
            .row = static_cast<int>(row - m_first[device])};
}

} // namespace app
