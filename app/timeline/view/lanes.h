#pragma once

#include "engine/timeline/run.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace app {

// Devices whose lanes can collapse into one, in ascending order.
struct LaneGroup
{
    std::string name; // "node 0", "host gpu-17", "devices 0-7"
    std::vector<int> devices;

    friend bool operator==(const LaneGroup&, const LaneGroup&) = default;
};

enum class LaneKind { Full, Compute, Dense };

// Positions and heights are in logical pixels.
struct Lane
{
    LaneKind kind = LaneKind::Full;
    double top = 0, height = 0; // y before scrolling
    double compute = 42;        // height of the compute boxes
    double memory = 34;         // height of the memory over time, in a full lane
    int kernels = 0;            // rows of kernels, one per stream
    double kernel = kKernel;    // height of a row of kernels
    int ranges = 0;             // rows of NVTX ranges, above the kernels
    bool isHidden = false;      // nothing is drawn: the device is in the lane of its group
    bool hasOneStrip = false;   // messages of all kinds share one row, because they are thin
    LaneGroup group = {};       // without devices: the lane of one device

    bool hasBoxes() const { return !isHidden && group.devices.empty(); }

    double computeTop() const { return top + (kind == LaneKind::Dense ? 1 : 8); }
    double rangeTop(int row) const { return computeTop() + compute + 3 + row * kKernelStep; }
    double kernelTop(int row) const { return rangeTop(ranges) + row * (kernel + 2); }
    double kernelsHeight() const // includes the ranges
    {
        return ranges + kernels > 0 ? ranges * kKernelStep + kernels * (kernel + 2) + 1 : 0;
    }
    double sendTop() const { return computeTop() + compute + 3 + kernelsHeight(); }
    double receiveTop() const { return hasOneStrip ? sendTop() : sendTop() + kTransfer + 2; }
    double reduceTop() const { return hasOneStrip ? sendTop() : receiveTop() + kTransfer + 3; }
    double memoryTop() const { return reduceTop() + kTransfer + (hasOneStrip ? 4 : 5); }
    // The evicts and loads of BPipe: in the row of the all-reduces, or below the boxes.
    double movesTop() const
    {
        return kind == LaneKind::Full ? reduceTop() : computeTop() + compute + 2;
    }
    double movesHeight() const
    {
        return kind == LaneKind::Full ? kTransfer : kind == LaneKind::Compute ? kMoves : 0;
    }
    double bottom() const { return top + height; }
    friend bool operator==(const Lane&, const Lane&) = default;

    static constexpr double kTransfer = 11, kMoves = 5;
    static constexpr double kKernel = 12, kKernelStep = kKernel + 2;
};

// Groups the devices by host or node, or in blocks of eight if the run names neither. Returns no
// groups if there would be only one.
std::vector<LaneGroup> laneGroups(const engine::Run& run);

// The group that has the device; nullptr: none.
const LaneGroup* groupOf(const std::vector<LaneGroup>& groups, int device);

struct LaneOptions
{
    static constexpr double kUsual = 42, kLeast = 21, kMost = 84;

    double available = 0; // height of the whole area
    // Height of compute boxes that the user chose with Alt+wheel. nullopt: kUsual, or less if that
    // does not fit.
    std::optional<double> compute;
    std::set<int> toggled; // devices whose lanes the user expanded or collapsed
    // Rows of kernels; empty: kernels are hidden.
    engine::IdVector<engine::DeviceId, int> kernels = {};
    // Rows of NVTX ranges; empty: ranges are hidden.
    engine::IdVector<engine::DeviceId, int> ranges = {};
    // The groups with one lane each, that of their first device.
    std::vector<LaneGroup> collapsed = {};
    // Whether the run has no pipeline, so that its kernels show what a device does: their rows are
    // high, and the ranges on the host are low.
    bool kernelsDecide = false;
    // Whether all messages are so narrow that they share a row. Boxes are then higher.
    bool hasOneStrip = false;
};

// Returns the lane of every device.
// * If full lanes fit, all lanes are full. To fit, compute boxes shrink to 28 pixels and then
//   memory to 18.
// * Otherwise lanes have only compute boxes, or are dense with 23 or 17 pixels. If dense lanes do
//   not fit either, the caller scrolls.
// * Lanes that would be dense only because of their kernels keep the kernels and scroll.
// * Unless the user chose a height, boxes and memory grow into the remaining height, each up to a
//   limit.
std::vector<Lane> layoutLanes(int devices, const LaneOptions& options);
double heightOf(const std::vector<Lane>& lanes);      // sum of all heights
int laneAt(const std::vector<Lane>& lanes, double y); // -1: no lane
// The devices whose lanes are not hidden and touch the height from `top` to `bottom`.
std::vector<engine::DeviceId> devicesInSight(const std::vector<Lane>& lanes, double top,
                                             double bottom);

} // namespace app
