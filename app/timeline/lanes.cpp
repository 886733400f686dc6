#include "app/timeline/lanes.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr double kFullRest = 96, kComputeRest = 16; // beside the compute boxes
constexpr double kSmallestCompute = 28;
constexpr double kDense = 23, kDensest = 17;

struct Choice
{
    LaneKind kind = LaneKind::Full;
    double compute = 42;
};

Choice choose(int devices, const LaneWishes& wishes)
{
    const double each = wishes.available / std::max(1, devices);
    const double fits = std::floor(each - kFullRest);
    if (fits >= std::min(kSmallestCompute, wishes.compute))
        return {LaneKind::Full, std::min(wishes.compute, fits)};
    if (each >= wishes.compute + kComputeRest)
        return {LaneKind::Compute, wishes.compute};
    if (each >= kSmallestCompute + kComputeRest)
        return {LaneKind::Compute, std::floor(each - kComputeRest)};
    return {LaneKind::Dense, (each >= kDense ? kDense : kDensest) - 2};
}

LaneKind toggled(LaneKind kind)
{
    return kind == LaneKind::Full ? LaneKind::Compute : LaneKind::Full;
}

double heightOf(LaneKind kind, double compute)
{
    const double rest = kind == LaneKind::Full ? kFullRest
        : kind == LaneKind::Compute            ? kComputeRest
                                               : 2;
    return compute + rest;
}

} // namespace

std::vector<Lane> layoutLanes(int devices, const LaneWishes& wishes)
{
    const Choice choice = choose(devices, wishes);
    std::vector<Lane> lanes;
    double top = 0;
    for (int device = 0; device < devices; ++device) {
        const bool isToggled = wishes.toggled.contains(device);
        const LaneKind kind = isToggled ? toggled(choice.kind) : choice.kind;
        const double compute
            = isToggled && choice.kind == LaneKind::Dense ? wishes.compute : choice.compute;
        lanes.push_back({kind, top, heightOf(kind, compute), compute});
        top += lanes.back().height;
    }
    return lanes;
}

double heightOf(const std::vector<Lane>& lanes)
{
    return lanes.empty() ? 0 : lanes.back().bottom();
}

int laneAt(const std::vector<Lane>& lanes, double y)
{
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        if (y >= lanes[i].top && y < lanes[i].bottom())
            return static_cast<int>(i);
    }
    return -1;
}

} // namespace app
