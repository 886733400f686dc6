#pragma once

#include <optional>
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
    double memory = 34;         // of the memory over time, in a full lane
    int kernels = 0;            // rows of kernels, one a stream
    int ranges = 0;             // rows of NVTX ranges, above them

    double computeTop() const { return top + (kind == LaneKind::Dense ? 1 : 8); }
    double rangeTop(int row) const { return computeTop() + compute + 3 + row * kKernelStep; }
    double kernelTop(int row) const { return rangeTop(ranges + row); }
    double kernelsHeight() const // with the ranges
    {
        return ranges + kernels > 0 ? (ranges + kernels) * kKernelStep + 1 : 0;
    }
    double sendTop() const { return computeTop() + compute + 3 + kernelsHeight(); }
    double receiveTop() const { return sendTop() + kTransfer + 2; }
    double reduceTop() const { return receiveTop() + kTransfer + 3; }
    double memoryTop() const { return reduceTop() + kTransfer + 5; }
    double bottom() const { return top + height; }

    static constexpr double kTransfer = 11;
    static constexpr double kKernel = 12, kKernelStep = kKernel + 2;
};

struct LaneWishes
{
    static constexpr double kUsual = 42, kLeast = 21, kMost = 84;

    double available = 0;          // height there is
    std::optional<double> compute; // wished by Alt+wheel; none: kUsual, and what room there is
    std::set<int> toggled;         // devices whose triangle was pressed
    std::vector<int> kernels = {}; // [device] rows of kernels; empty: they are not shown
    std::vector<int> ranges = {};  // [device] the same of NVTX ranges
};

// Full lanes if they fit (compute shrinks to 28 first, then memory to 18), else compute only, else
// dense 23, else dense 17; beyond that the caller scrolls. Lanes that would be dense for their
// kernels' sake alone keep these, and are scrolled, too. Where nobody chose a height, boxes and
// memory grow into the room that is left, each up to a measure at which it still reads as a lane.
std::vector<Lane> layoutLanes(int devices, const LaneWishes& wishes);
double heightOf(const std::vector<Lane>& lanes);
int laneAt(const std::vector<Lane>& lanes, double y); // -1: none

} // namespace app
