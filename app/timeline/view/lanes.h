#pragma once

#include "engine/base/id_vector.h"

#include <optional>
#include <set>
#include <vector>

namespace app {

// Heights are in logical pixels.
enum class LaneKind { Full, Compute, Dense };

struct Lane
{
    LaneKind kind = LaneKind::Full;
    double top = 0, height = 0; // y before scrolling
    double compute = 42;        // height of the compute boxes
    double memory = 34;         // height of the memory over time, in a full lane
    int kernels = 0;            // rows of kernels, one per stream
    int ranges = 0;             // rows of NVTX ranges, above the kernels

    double computeTop() const { return top + (kind == LaneKind::Dense ? 1 : 8); }
    double rangeTop(int row) const { return computeTop() + compute + 3 + row * kKernelStep; }
    double kernelTop(int row) const { return rangeTop(ranges + row); }
    double kernelsHeight() const // includes the ranges
    {
        return ranges + kernels > 0 ? (ranges + kernels) * kKernelStep + 1 : 0;
    }
    double sendTop() const { return computeTop() + compute + 3 + kernelsHeight(); }
    double receiveTop() const { return sendTop() + kTransfer + 2; }
    double reduceTop() const { return receiveTop() + kTransfer + 3; }
    double memoryTop() const { return reduceTop() + kTransfer + 5; }
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
};

// Lays out full lanes if they fit; to fit, compute boxes shrink to 28 pixels and then memory to 18.
// Otherwise lanes have only compute boxes, or are dense with 23 or 17 pixels. If dense lanes do not
// fit either, the caller scrolls. Lanes that would be dense only because of their kernels keep the
// kernels and scroll. Without a chosen height, boxes and memory grow into the remaining height,
// each up to a limit.
std::vector<Lane> layoutLanes(int devices, const LaneOptions& options);
double heightOf(const std::vector<Lane>& lanes);
int laneAt(const std::vector<Lane>& lanes, double y); // -1: no lane

} // namespace app
