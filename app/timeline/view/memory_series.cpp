#include "app/timeline/view/memory_series.h"

#include "engine/timeline/span_index.h"
#include "engine/timeline/stash_ledger.h"
#include "profiler/analysis/alive.h"

#include <algorithm>

namespace app {
namespace {

MemorySeries::Level higher(MemorySeries::Level a, MemorySeries::Level b)
{
    return {std::max(a.base, b.base), std::max(a.own, b.own), std::max(a.total, b.total)};
}

} // namespace

void MemorySeries::add(std::int64_t time, Change change)
{
    Level level = m_levels.empty() ? Level{} : m_levels.back();
    level.base += change.base;
    level.own += change.base + change.stash;
    level.total += change.base + change.stash + change.guest;
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

std::size_t MemorySeries::countUpTo(double time, std::size_t from) const
{
    return engine::gallop(from, m_times.size(),
                          [&](std::size_t k) { return static_cast<double>(m_times[k]) <= time; });
}

MemorySeries::Level MemorySeries::at(double time) const
{
    const std::size_t count = countUpTo(time);
    return count == 0 ? Level{} : m_levels[count - 1];
}

MemorySeries::Level MemorySeries::Sweep::highest(double begin, double end)
{
    const MemorySeries& series = *m_series;
    if (m_ended > m_begun && static_cast<double>(series.m_times[m_ended - 1]) <= begin)
        m_begun = m_ended; // columns are usually adjacent
    m_begun = series.countUpTo(begin, m_begun);
    m_ended = series.countUpTo(end, m_ended);
    Level level = m_begun == 0 ? Level{} : series.m_levels[m_begun - 1];
    for (std::size_t i = m_begun; i < m_ended;) {
        if (i % kBlock == 0 && i + kBlock <= m_ended) {
            level = higher(level, series.m_blocks[i / kBlock]);
            i += kBlock;
        } else {
            level = higher(level, series.m_levels[i++]);
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

RecordedCategories recordedCategories(const engine::Run& run)
{
    RecordedCategories recorded{};
    for (const engine::MemoryEvent& event : run.timeline.memory)
        recorded[event.category] = recorded[event.category] || event.bytes > 0;
    return recorded;
}

engine::IdVector<engine::DeviceId, MemorySeries> recordedMemory(const engine::Run& run)
{
    engine::IdVector<engine::DeviceId, MemorySeries> series(run.schedule.shape.devices);
    const engine::OpIndex index(run.schedule);
    for (const auto& event : run.timeline.memory) {
        const engine::DeviceId device{event.device};
        if (!series.has(device))
            continue;
        const auto bytes = static_cast<double>(event.bytes);
        const profiler::MemoryKind kind = profiler::kindOf(run, index, event);
        const bool isStash = kind == profiler::MemoryKind::Stash;
        const bool isGuest = kind == profiler::MemoryKind::Guest;
        series[device].add(
            event.time, {isStash || isGuest ? 0 : bytes, isStash ? bytes : 0, isGuest ? bytes : 0});
    }
    for (auto& one : series)
        one.close();
    return series;
}

engine::IdVector<engine::DeviceId, MemorySeries> stashFromSpans(const engine::Run& run)
{
    const auto& shape = run.schedule.shape;
    const engine::OpIndex index(run.schedule);
    engine::StashLedger ledger(run.schedule, run.info.recomputeKeeps);
    for (const auto& track : run.timeline.tracks)
        if (track.kind == engine::Track::Kind::Compute || track.kind == engine::Track::Kind::Copy)
            for (const auto& span : track.spans)
                ledger.add(track.device, opAt(run.schedule, index, span.op), span.window());
    const auto perActivation = static_cast<double>(stashPartsPerActivation(shape));
    engine::IdVector<engine::DeviceId, MemorySeries> series(shape.devices);
    for (const engine::DeviceId d : series.ids()) {
        for (const auto& [time, change] : ledger.events(d))
            series[d].add(time, {0, ledger.partsOf(change) / perActivation, 0});
        series[d].close();
    }
    return series;
}

} // namespace app
