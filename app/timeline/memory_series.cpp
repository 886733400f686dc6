#include "app/timeline/memory_series.h"

#include <algorithm>

namespace app {
namespace {

using engine::OpKind;

MemorySeries::Level higher(MemorySeries::Level a, MemorySeries::Level b)
{
    return {std::max(a.base, b.base), std::max(a.total, b.total)};
}

struct StashChange
{
    std::int64_t time = 0;
    int change = 0; // in shares of M_a

    friend auto operator<=>(const StashChange&, const StashChange&) = default;
};

bool splitsBackward(const engine::Schedule& schedule)
{
    for (const auto& program : schedule.program) {
        for (const auto& op : program) {
            if (op.kind == OpKind::BackwardWeight)
                return true;
        }
    }
    return false;
}

std::vector<StashChange> stashChanges(const engine::Run& run, const engine::Track& track,
                                      bool isSplit)
{
    const engine::OpIndex index(run.schedule);
    const OpKind last = isSplit ? OpKind::BackwardWeight : OpKind::Backward;
    std::vector<StashChange> changes;
    for (const auto& span : track.spans) {
        const engine::Op& op = opAt(run.schedule, index, span.op);
        const int shares = op.slice == engine::Op::kWhole ? run.schedule.shape.slices : 1;
        if (op.kind == OpKind::Forward)
            changes.push_back({span.begin, shares});
        else if (op.kind == last || op.kind == OpKind::Backward)
            changes.push_back({span.end, -shares});
    }
    std::sort(changes.begin(), changes.end());
    return changes;
}

} // namespace

void MemorySeries::add(std::int64_t time, double base, double stash)
{
    Level level = m_levels.empty() ? Level{} : m_levels.back();
    level.base += base;
    level.total += base + stash;
    if (!m_times.empty() && m_times.back() == time) {
        m_levels.back() = level;
        return;
    }
    m_times.push_back(time);
    m_levels.push_back(level);
}

void MemorySeries::close()
{
    m_peak = 0;
    m_blocks.assign((m_levels.size() + kBlock - 1) / kBlock, {});
    for (std::size_t i = 0; i < m_levels.size(); ++i) {
        m_blocks[i / kBlock] = higher(m_blocks[i / kBlock], m_levels[i]);
        m_peak = std::max(m_peak, m_levels[i].total);
    }
}

std::size_t MemorySeries::countUpTo(double time) const
{
    const auto after = [](double t, std::int64_t at) { return t < static_cast<double>(at); };
    return static_cast<std::size_t>(std::upper_bound(m_times.begin(), m_times.end(), time, after)
                                    - m_times.begin());
}

MemorySeries::Level MemorySeries::at(double time) const
{
    const std::size_t count = countUpTo(time);
    return count == 0 ? Level{} : m_levels[count - 1];
}

MemorySeries::Level MemorySeries::highest(double begin, double end) const
{
    std::size_t i = countUpTo(begin);
    const std::size_t last = countUpTo(end);
    Level level = i == 0 ? Level{} : m_levels[i - 1];
    while (i < last) {
        if (i % kBlock == 0 && i + kBlock <= last) {
            level = higher(level, m_blocks[i / kBlock]);
            i += kBlock;
        } else {
            level = higher(level, m_levels[i++]);
        }
    }
    return level;
}

std::int64_t MemorySeries::timeOfPeak(engine::Window window) const
{
    const auto end = static_cast<double>(window.end);
    const double peak = highest(static_cast<double>(window.begin), end).total;
    if (at(static_cast<double>(window.begin)).total >= peak)
        return window.begin;
    for (std::size_t i = countUpTo(static_cast<double>(window.begin)); i < countUpTo(end); ++i) {
        if (m_levels[i].total >= peak)
            return m_times[i];
    }
    return window.begin;
}

std::vector<MemorySeries> recordedMemory(const engine::Run& run)
{
    std::vector<MemorySeries> series(static_cast<std::size_t>(run.schedule.shape.devices));
    for (const auto& event : run.timeline.memory) {
        if (event.device >= series.size())
            continue;
        const bool isStash = event.category == engine::MemoryCategory::Stash;
        const auto bytes = static_cast<double>(event.bytes);
        series[event.device].add(event.time, isStash ? 0 : bytes, isStash ? bytes : 0);
    }
    for (auto& one : series)
        one.close();
    return series;
}

std::vector<MemorySeries> stashFromSpans(const engine::Run& run)
{
    const auto& shape = run.schedule.shape;
    const double share = 1.0 / (std::max(1, shape.chunks()) * std::max(1, shape.slices));
    const bool isSplit = splitsBackward(run.schedule);
    std::vector<MemorySeries> series(static_cast<std::size_t>(shape.devices));
    for (const auto& track : run.timeline.tracks) {
        if (track.kind != engine::Track::Kind::Compute)
            continue;
        auto& one = series[static_cast<std::size_t>(track.device.value)];
        for (const auto& [time, change] : stashChanges(run, track, isSplit))
            one.add(time, 0, change * share);
    }
    for (auto& one : series)
        one.close();
    return series;
}

} // namespace app
