#include "app/timeline/view/coordinates.h"

#include "engine/base/median.h"

namespace app {
namespace {

constexpr double kClosest = 2; // visible ticks
constexpr double kFitLeft = 10, kFitRight = 16;
constexpr std::size_t kRemembered = 100;

constexpr double kEdgesFrom = 24; // pixels per iteration

// Returns the left edge of the device pixel that contains a time. Clamps times far outside of the
// view, as snappedX() does.
double columnX(const TimeAxis& axis, std::int64_t time)
{
    const double x = std::clamp(axis.x(time), axis.left - 64.0, axis.right() + 64.0);
    return std::floor(x * axis.dpr) / axis.dpr;
}

void finish(IterationColumn& column, std::span<const engine::Iteration> inSight)
{
    std::vector<std::int64_t> durations;
    for (const auto& one : inSight.subspan(column.first, column.count))
        durations.push_back(one.window.duration());
    const auto [least, greatest] = std::ranges::minmax(durations);
    column.least = least;
    column.median = engine::medianOf(durations);
    column.greatest = greatest;
}

} // namespace

ViewWindow limited(ViewWindow window, engine::Window extent)
{
    const auto whole = static_cast<double>(std::max<std::int64_t>(1, extent.duration()));
    const double wanted = window.duration();
    const double duration = std::clamp(wanted, std::min(kClosest, whole), 2 * whole);
    if (duration != wanted)
        window = window.zoomed(duration / wanted, window.centre());
    const auto first = static_cast<double>(extent.begin), last = static_cast<double>(extent.end);
    if (window.centre() < first)
        window = window.moved(first - window.centre());
    if (window.centre() > last)
        window = window.moved(last - window.centre());
    return window;
}

ViewWindow fitted(engine::Window window, double widthInPixels)
{
    const double inner = std::max(1.0, widthInPixels - kFitLeft - kFitRight);
    const double pixel = static_cast<double>(std::max<std::int64_t>(1, window.duration())) / inner;
    return {static_cast<double>(window.begin) - kFitLeft * pixel,
            static_cast<double>(window.end) + kFitRight * pixel};
}

std::optional<ViewWindow> bringIn(engine::Window window, ViewWindow inSight)
{
    const ViewWindow box = viewOf(window);
    if (box.duration() > inSight.duration())
        return box.zoomed(1.25, box.centre());
    if (box.begin < inSight.begin || box.end > inSight.end)
        return inSight.moved(box.centre() - inSight.centre());
    return std::nullopt;
}

void ZoomHistory::push(ViewWindow current)
{
    if (!m_back.empty() && m_back.back() == current)
        return;
    m_back.push_back(current);
    if (m_back.size() > kRemembered)
        m_back.erase(m_back.begin());
    m_forward.clear();
}

bool ZoomHistory::back(ViewWindow& current)
{
    if (m_back.empty())
        return false;
    m_forward.push_back(current);
    current = m_back.back();
    m_back.pop_back();
    return true;
}

bool ZoomHistory::forward(ViewWindow& current)
{
    if (m_forward.empty())
        return false;
    m_back.push_back(current);
    current = m_forward.back();
    m_forward.pop_back();
    return true;
}

void ZoomHistory::clear()
{
    m_back.clear();
    m_forward.clear();
}

std::span<const engine::Iteration> iterationsInSight(std::span<const engine::Iteration> iterations,
                                                     const TimeAxis& axis)
{
    const auto first
        = std::partition_point(iterations.begin(), iterations.end(), [&](const auto& one) {
              return static_cast<double>(one.window.end) < axis.begin;
          });
    const auto last = std::partition_point(first, iterations.end(), [&](const auto& one) {
        return static_cast<double>(one.window.begin) <= axis.end;
    });
    return {first, last};
}

bool areEdgesDrawn(std::span<const engine::Iteration> inSight, const TimeAxis& axis)
{
    if (inSight.empty())
        return false;
    const auto time = static_cast<double>(inSight.back().window.end - inSight.front().window.begin);
    return inSight.size() == 1
        || axis.pixels(time) >= kEdgesFrom * static_cast<double>(inSight.size());
}

std::vector<engine::Window> drawnWindows(std::span<const engine::Iteration> iterations,
                                         const TimeAxis& axis)
{
    const auto inSight = iterationsInSight(iterations, axis);
    if (!inSight.empty() && !areEdgesDrawn(inSight, axis))
        return {{inSight.front().window.begin, inSight.back().window.end}};
    std::vector<engine::Window> windows;
    for (const engine::Iteration& one : inSight)
        windows.push_back(one.window);
    return windows;
}

std::vector<IterationColumn> iterationColumns(std::span<const engine::Iteration> inSight,
                                              const TimeAxis& axis)
{
    std::vector<IterationColumn> columns;
    for (std::size_t k = 0; k < inSight.size(); ++k) {
        const double left = columnX(axis, inSight[k].window.begin);
        if (columns.empty() || columns.back().left != left) {
            if (!columns.empty())
                columns.back().right = left;
            columns.push_back({left, left, k, 0, 0, 0, 0});
        }
        ++columns.back().count;
    }
    if (!columns.empty())
        columns.back().right = std::max(columns.back().left + axis.devicePixel(),
                                        axis.snappedX(inSight.back().window.end));
    for (IterationColumn& column : columns)
        finish(column, inSight);
    return columns;
}

IterationColumn columnAt(const IterationStrip& strip, QPointF at)
{
    if (!strip.area.contains(at))
        return {};
    const auto inSight = iterationsInSight(strip.iterations, strip.axis);
    for (IterationColumn column : iterationColumns(inSight, strip.axis)) {
        if (column.left <= at.x() && at.x() < column.right) {
            column.first += static_cast<std::size_t>(inSight.data() - strip.iterations.data());
            return column;
        }
    }
    return {};
}

int labelStep(double pixelsPerIteration, double room)
{
    for (int step = 1; step < 100'000'000; step *= 10)
        for (const int times : {1, 2, 5})
            if (step * times * pixelsPerIteration >= room)
                return step * times;
    return 1'000'000'000;
}

} // namespace app
