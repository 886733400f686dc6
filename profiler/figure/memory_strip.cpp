#include "profiler/analysis/measure.h"
#include "profiler/figure/figure_parts.h"

#include <algorithm>
#include <functional>

namespace profiler {
namespace {

struct Level
{
    // The memory in bytes from `time` until the next level. `resident` is everything except the
    // stash.
    std::int64_t time = 0, resident = 0, stash = 0;

    std::int64_t total() const { return resident + stash; }
};

// The first one is the level at the start of the drawn window.
std::vector<Level> levels(const FigureRun& run, engine::DeviceId device)
{
    std::vector<Level> result{{run.window.begin, 0, 0}};
    for (const auto& event : run.run->timeline.memory) {
        if (event.device != device.value)
            continue;
        if (event.time >= run.window.end)
            break;
        Level next = result.back();
        if (event.category == engine::MemoryCategory::Stash)
            next.stash += event.bytes;
        else
            next.resident += event.bytes;
        if (event.time > next.time) {
            next.time = event.time;
            result.push_back(next);
        } else {
            result.back() = next;
        }
    }
    return result;
}

std::int64_t peak(const FigureRun& run, engine::DeviceId device)
{
    return std::ranges::max(levels(run, device), {}, &Level::total).total();
}

class StripLayout
{
public:
    StripLayout(const std::vector<Level>& steps, std::int64_t end, double bytesHeight,
                const MemoryStripPlace& place)
        : m_steps(steps)
        , m_end(end)
        , m_bytesHeight(bytesHeight)
        , m_place(place)
    { }

    // `lower` and `upper` return the height of two step functions over time for a Level, in bytes.
    template<class Lower, class Upper>
    Polygon area(Lower lower, Upper upper, Colour fill, const char* cls) const
    {
        Polygon polygon{{}, fill, cls};
        for (std::size_t s = 0; s < m_steps.size(); ++s)
            addStep(polygon, s, std::invoke(upper, m_steps[s]));
        const std::size_t half = polygon.points.size();
        for (std::size_t s = 0; s < m_steps.size(); ++s)
            addStep(polygon, s, std::invoke(lower, m_steps[s]));
        std::reverse(polygon.points.begin() + half, polygon.points.end());
        return polygon;
    }

private:
    void addStep(Polygon& polygon, std::size_t s, std::int64_t bytes) const
    {
        const std::int64_t until = s + 1 < m_steps.size() ? m_steps[s + 1].time : m_end;
        const double bottom = m_place.top + memoryStripHeight(m_place.style);
        const double y = bottom - bytes * m_bytesHeight;
        polygon.points.emplace_back(m_place.scale.x(m_steps[s].time), y);
        polygon.points.emplace_back(m_place.scale.x(until), y);
    }

    const std::vector<Level>& m_steps;
    std::int64_t m_end;
    double m_bytesHeight;
    const MemoryStripPlace& m_place;
};

} // namespace

double memoryStripHeight(const FigureStyle& style)
{
    return 0.8 * style.rowHeight();
}

std::int64_t highestPeak(const std::vector<FigureRun>& runs)
{
    std::int64_t highest = 1;
    for (const FigureRun& run : runs)
        for (const FigureRow& row : run.rows)
            highest = std::max(highest, peak(run, row.device));
    return highest;
}

std::string peakText(const FigureRun& run, engine::DeviceId device)
{
    return hasTrace(*run.run, device) ? bytesText(peak(run, device)) : std::string();
}

void addMemoryStrip(Group& group, const FigureRun& run, engine::DeviceId device,
                    const MemoryStripPlace& place)
{
    const FigureStyle& style = place.style;
    const double height = memoryStripHeight(style);
    const auto steps = levels(run, device);
    const StripLayout strip(steps, run.window.end, height / place.highest, place);
    const auto none = [](const Level&) { return std::int64_t{0}; };
    group.shapes.emplace_back(
        strip.area(none, &Level::resident, style.palette.optimizerState, "memory resident"));
    group.shapes.emplace_back(strip.area(
        &Level::resident, [](const Level& level) { return level.total(); }, style.palette.stash,
        "memory stash"));
    group.shapes.emplace_back(Text{.x = place.right,
                                   .baseline = style.baseline(place.top + height / 2, style.size),
                                   .size = style.size,
                                   .text = peakText(run, device),
                                   .colour = style.palette.ink,
                                   .anchor = Text::Anchor::End,
                                   .cls = "memory-peak"});
}

} // namespace profiler
