#include "app/timeline/view/compare_layout.h"

#include "profiler/analysis/differences.h"

#include <algorithm>

namespace app {
namespace {

constexpr double kLargest = 56, kUsual = 23;
constexpr double kSmaller[] = {17, 11, 7};

double rowHeight(const CompareRow& row, double pitch)
{
    return std::max(CompareLayout::kLeast,
                    CompareLayout::kTitle + row.view->devices() * pitch + CompareLayout::kPad);
}

double heightWith(const CompareLayout& layout, double pitch)
{
    double height = layout.groups.size() > 1 ? CompareLayout::kRuler : 0;
    for (const auto& row : layout.rows)
        height += rowHeight(row, pitch);
    return height;
}

double choosePitch(const CompareLayout& layout, double available)
{
    for (double pitch = kLargest; pitch >= kUsual; --pitch) {
        if (heightWith(layout, pitch) <= available)
            return pitch;
    }
    for (const double pitch : kSmaller) {
        if (heightWith(layout, pitch) <= available)
            return pitch;
    }
    return kSmaller[std::size(kSmaller) - 1];
}

void place(CompareLayout& layout, double pitch)
{
    double top = 0;
    int group = 0;
    for (auto& row : layout.rows) {
        if (row.group != group) {
            group = row.group;
            layout.groups[static_cast<std::size_t>(group)].rulerTop = top;
            top += CompareLayout::kRuler;
        }
        row.top = top;
        row.pitch = pitch;
        row.lanesTop = top + CompareLayout::kTitle;
        row.height = rowHeight(row, pitch);
        top += row.height;
    }
    layout.height = top;
}

} // namespace

engine::Window CompareRow::window() const
{
    if (iteration < 0)
        return {};
    return view->timeline().iterations[static_cast<std::size_t>(iteration)].window;
}

double greatestHeight(const CompareLayout& layout)
{
    return heightWith(layout, kLargest);
}

CompareLayout layoutComparison(const std::vector<RunViewPointer>& runs,
                               const std::vector<std::size_t>& order, std::size_t baseline,
                               double available)
{
    CompareLayout layout;
    if (runs.empty())
        return layout;
    std::vector<const engine::Run*> compared;
    for (const RunViewPointer& view : runs)
        compared.push_back(&view->run());
    const std::vector<std::string> names = profiler::distinctLabels(compared);
    const bool firstUnit = runs[std::min(baseline, runs.size() - 1)]->run().info.inUnits();
    for (const bool isInUnits : {firstUnit, !firstUnit}) {
        CompareGroup group{isInUnits, 0, 0};
        const int at = static_cast<int>(layout.groups.size());
        for (const std::size_t run : order) {
            const RunView* view = runs[run].get();
            if (view->run().info.inUnits() != isInUnits)
                continue;
            layout.rows.push_back(
                {run, view, names[run], at, engine::reportedIteration(view->timeline())});
            group.longest = std::max(group.longest, layout.rows.back().duration());
        }
        if (!layout.rows.empty() && layout.rows.back().group == at) {
            group.longest = group.longest > 0 ? group.longest : 1;
            layout.groups.push_back(group);
        }
    }
    place(layout, choosePitch(layout, available));
    return layout;
}

TimeAxis compareAxis(const CompareLayout& layout, const CompareRow& row, ViewWindow window,
                     const QRectF& area, double dpr)
{
    const double ticks = layout.groups[static_cast<std::size_t>(row.group)].longest
        * row.ticksPerUnit() / kCompareWhole;
    const auto origin = static_cast<double>(row.window().begin);
    return {origin + window.begin * ticks, origin + window.end * ticks, area.left(), area.width(),
            dpr};
}

} // namespace app
