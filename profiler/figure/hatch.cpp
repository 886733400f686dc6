#include "profiler/figure/hatch.h"

#include <algorithm>
#include <cmath>

namespace profiler {

std::vector<Segment> hatchLines(const Hatch& hatch)
{
    std::vector<Segment> segments;
    const Rect& r = hatch.rect;
    if (hatch.spacing <= 0)
        return segments;
    // A line is x + y = c: it rises to the right.
    const double first = std::ceil((r.x + r.y) / hatch.spacing) * hatch.spacing;
    for (double c = first; c < r.x + r.width + r.y + r.height; c += hatch.spacing) {
        const double x1 = std::max(r.x, c - (r.y + r.height));
        const double x2 = std::min(r.x + r.width, c - r.y);
        if (x2 > x1)
            segments.push_back({x1, c - x1, x2, c - x2});
    }
    return segments;
}

std::vector<std::pair<double, double>> outline(const Box& box)
{
    const auto [x, y, width, height] = box.rect;
    std::vector<std::pair<double, double>> corners{
        {x + width, y}, {x + width, y + height}, {x, y + height}};
    if (box.cut <= 0) {
        corners.insert(corners.begin(), {x, y});
    } else {
        corners.insert(corners.begin(), {x + box.cut, y});
        corners.emplace_back(x, y + box.cut);
    }
    return corners;
}

} // namespace profiler
