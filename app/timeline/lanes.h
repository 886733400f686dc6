#pragma once

#include <set>
#include <vector>

namespace app {

// The heights of visual-design.md, "Timeline lane". Logical pixels.
enum class LaneKind { Full, Compute, Dense };

struct Lane
{
    LaneKind kind = LaneKind::Full;
    double top = 0, height = 0; // within the lanes, before scrolling
    double compute = 42;        // height of the compute boxes

    double computeTop() const { return top + (kind == LaneKind::Dense ? 1 : 8); }
    double sendTop() const { return computeTop() + compute + 3; }
    double receiveTop() const { return sendTop() + kTransfer + 2; }
    double reduceTop() const { return receiveTop() + kTransfer + 3; }
    double memoryTop() const { return reduceTop() + kTransfer + 5; }
    double bottom() const { return top + height; }

    static constexpr double kTransfer = 11, kMemory = 34;
};

struct LaneWishes
{
    double available = 0;  // height there is
    double compute = 42;   // wished by Alt+wheel, 21..84
    std::set<int> toggled; // devices whose triangle was pressed
};

// Full lanes if they fit (compute shrinks to 28 first), else compute only, else dense 23, else
// dense 17; beyond that the caller scrolls.
std::vector<Lane> layoutLanes(int devices, const LaneWishes& wishes);
double heightOf(const std::vector<Lane>& lanes);
int laneAt(const std::vector<Lane>& lanes, double y); // -1: none

} // namespace app
