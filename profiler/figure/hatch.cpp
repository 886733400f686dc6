#include "profiler/figure/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace profiler {
namespace {

using Corners = std::vector<std::pair<double, double>>;

// A family of parallel lines: nx * x + ny * y = c for every multiple c of the spacing.
struct Direction
{
    double nx = 1, ny = 1;
};

std::vector<Direction> directionsOf(HatchLines lines)
{
    switch (lines) {
    case HatchLines::None:
        return {};
    case HatchLines::Rising: // x + y = c rises to the right, because y points down
        return {{1, 1}};
    case HatchLines::Falling:
        return {{1, -1}};
    case HatchLines::Crossed:
        return {{1, 1}, {1, -1}};
    case HatchLines::Horizontal:
        return {{0, 1}};
    case HatchLines::Vertical:
        return {{1, 0}};
    }
    return {};
}

// The part of the line n.nx * x + n.ny * y = c within a convex polygon, whose corners are in
// clockwise order; nullopt if the line does not enter the polygon.
std::optional<Segment> clipped(Direction n, double c, const Corners& corners)
{
    const double length = n.nx * n.nx + n.ny * n.ny;
    const double x0 = c * n.nx / length, y0 = c * n.ny / length; // the point closest to the origin
    const double dx = n.ny, dy = -n.nx;
    double from = -std::numeric_limits<double>::infinity(), to = -from;
    for (std::size_t k = 0; k < corners.size(); ++k) {
        const auto& [ax, ay] = corners[k];
        const auto& [bx, by] = corners[(k + 1) % corners.size()];
        // A point is on the inner side of an edge if the cross product is not negative.
        const double at = (bx - ax) * (y0 - ay) - (by - ay) * (x0 - ax);
        const double slope = (bx - ax) * dy - (by - ay) * dx;
        if (slope == 0 && at < 0)
            return std::nullopt;
        if (slope > 0)
            from = std::max(from, -at / slope);
        if (slope < 0)
            to = std::min(to, -at / slope);
    }
    if (!(from < to))
        return std::nullopt;
    Segment segment{x0 + from * dx, y0 + from * dy, x0 + to * dx, y0 + to * dy};
    if (segment.x1 > segment.x2)
        segment = {segment.x2, segment.y2, segment.x1, segment.y1};
    return segment;
}

} // namespace

std::vector<Segment> hatchLines(const Hatch& hatch)
{
    std::vector<Segment> segments;
    if (hatch.spacing <= 0 || hatch.rect.width <= 0 || hatch.rect.height <= 0)
        return segments;
    const Corners corners = outline(hatch.rect, hatch.cut);
    for (const Direction n : directionsOf(hatch.lines)) {
        double first = std::numeric_limits<double>::infinity(), last = -first;
        for (const auto& [x, y] : corners) {
            first = std::min(first, n.nx * x + n.ny * y);
            last = std::max(last, n.nx * x + n.ny * y);
        }
        for (double c = std::ceil(first / hatch.spacing) * hatch.spacing; c < last;
             c += hatch.spacing)
            if (const auto segment = clipped(n, c, corners))
                segments.push_back(*segment);
    }
    return segments;
}

Corners outline(const Rect& rect, double cut)
{
    const auto [x, y, width, height] = rect;
    Corners corners{{x + width, y}, {x + width, y + height}, {x, y + height}};
    if (cut <= 0) {
        corners.insert(corners.begin(), {x, y});
    } else {
        corners.insert(corners.begin(), {x + cut, y});
        corners.emplace_back(x, y + cut);
    }
    return corners;
}

std::string trimmedNumber(double value, int decimals)
{
    std::string text = fmt::format("{:.{}f}", value, decimals);
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.')
            text.pop_back();
    }
    return text;
}

std::string pointText(double points)
{
    return trimmedNumber(std::round(points * 100) / 100 + 0.0, 2); // + 0.0: no "-0"
}

} // namespace profiler
