#include "profiler/study/chart_pareto.h"

#include <algorithm>

namespace profiler {
namespace {

void drawFront(ChartCanvas& canvas, const std::vector<ParetoPoint>& points, const ChartScale& x,
               const ChartScale& y, FrontEnds ends)
{
    const auto line = [&](ChartCanvas::Point from, ChartCanvas::Point to) {
        canvas.line(from, to, 1, canvas.style().text);
        canvas.keepFree(from, to);
    };
    const bool isOpen = ends == FrontEnds::AtEdges;
    const ParetoPoint* before = nullptr;
    for (const ParetoPoint& point : points) {
        if (!point.isOnFront)
            continue;
        const double top = before == nullptr ? kPlotTop + 10 : y(before->y);
        if (before != nullptr)
            line({x(before->x), top}, {x(point.x), top});
        if (before != nullptr || isOpen)
            line({x(point.x), top}, {x(point.x), y(point.y)});
        before = &point;
    }
    if (before != nullptr && isOpen)
        line({x(before->x), y(before->y)}, {canvas.right(), y(before->y)});
}

} // namespace

std::vector<SceneMark> drawPareto(ChartCanvas& canvas, std::vector<ParetoPoint> points,
                                  const ChartScale& x, const ChartScale& y, FrontEnds ends)
{
    const ChartStyle& style = canvas.style();
    const auto height = [&](double value) { return y(std::min(value, y.most)); };
    const auto ink = [&](const ParetoPoint& of) { return of.isOnFront ? style.ink : style.text; };
    std::vector<SceneMark> marks;
    drawFront(canvas, points, x, y, ends);
    for (const ParetoPoint& point : points) {
        const double left = x(point.x), top = height(point.y);
        const Colour edge = ink(point);
        if (point.most > point.least)
            canvas.line({left, height(point.least)}, {left, height(point.most)}, 1, style.text);
        if (point.isSquare) {
            canvas.box({left - 4, top - 4, 8, 8}, edge);
            canvas.box({left - 3, top - 3, 6, 6}, style.ground);
        } else {
            canvas.dot(left, top, edge, point.isOnFront ? edge : style.ground);
        }
        if (point.y > y.most)
            canvas.marker({.colour = edge, .text = edge, .marker = 2}, left, top - 10);
        canvas.keepFree(Rect{left - 6, top - 6, 12, 12});
        marks.push_back({point.point, {left - 7, top - 7, 14, 14}, point.row});
    }
    std::ranges::stable_partition(points, &ParetoPoint::isOnFront);
    std::ranges::stable_partition(points, &ParetoPoint::isBold);
    for (const ParetoPoint& point : points)
        if (!point.label.empty())
            canvas.label(x(point.x), height(point.y), point.label, {ink(point), point.isBold});
    return marks;
}

} // namespace profiler
