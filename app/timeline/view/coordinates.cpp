#include "app/timeline/view/coordinates.h"

#include "engine/base/median.h"
#include "engine/experiment/run_nodes.h"

#include <fmt/format.h>

namespace app {
namespace {

// A full lane consists of boxes, memory over time and everything else (`rest`).
struct FullLane
{
    double rest = 62, compute = LaneOptions::kUsual, memory = 34, smallestCompute = 28;
};
FullLane fullLane(const LaneOptions& options)
{
    return options.hasOneStrip ? FullLane{34, 66, 32, 38} : FullLane{};
}

constexpr double kLeastMemory = 18; // height of the memory if space is short
constexpr double kComputeRest = 16;
constexpr double kSmallestCompute = 28;
constexpr double kMostMemory = 104;
constexpr double kDense = 23, kDensest = 17;
constexpr double kTolerated = 12; // lanes do not grow if less height than this is left for each

struct Choice
{
    LaneKind kind = LaneKind::Full;
    double compute = LaneOptions::kUsual, memory = FullLane().memory;
};

// `spare` is the unused height of each lane.
Choice grown(Choice choice, double spare)
{
    if (choice.kind == LaneKind::Full) {
        const double memory = std::min(std::floor(0.6 * spare), kMostMemory - choice.memory);
        choice.memory += memory;
        spare -= memory;
    }
    choice.compute = std::min(choice.compute + std::floor(spare), LaneOptions::kMost);
    return choice;
}

int rowsOf(const std::vector<int>& rows, std::size_t device)
{
    return device < rows.size() ? rows[device] : 0;
}

double kernelsHeight(const LaneOptions& options)
{
    double sum = 0;
    for (std::size_t d = 0; d < std::max(options.kernels.size(), options.ranges.size()); ++d)
        sum += Lane{.kernels = rowsOf(options.kernels, d), .ranges = rowsOf(options.ranges, d)}
                   .kernelsHeight();
    return sum;
}

constexpr double kHostRange = 18; // height of the ranges on the host if kernels decide

// The height of a row of kernels: if they decide, the rows of a lane share its height.
double kernelHeight(int devices, const LaneOptions& options)
{
    constexpr double kMost = 90;
    int kernels = 0, ranges = 0; // most rows of a lane
    for (const int rows : options.kernels)
        kernels = std::max(kernels, rows);
    for (const int rows : options.ranges)
        ranges = std::max(ranges, rows);
    if (!options.kernelsDecide || kernels == 0)
        return Lane::kKernel;
    const double each = options.available / std::max(1, devices) - kHostRange - kComputeRest
        - ranges * Lane::kKernelStep - 1;
    return std::clamp(std::floor(each / kernels) - 2, Lane::kKernel, kMost);
}

Choice choose(int devices, const LaneOptions& options)
{
    if (options.kernelsDecide && !options.compute)
        return {LaneKind::Compute, kHostRange};
    const double each
        = std::max(0.0, options.available - kernelsHeight(options)) / std::max(1, devices);
    const FullLane full = fullLane(options);
    const double compute = options.compute.value_or(full.compute);
    const double fits = std::floor(each - full.rest - full.memory);
    const double fitsLower = fits + full.memory - kLeastMemory;
    Choice choice;
    if (fits >= std::min(full.smallestCompute, compute))
        choice = {LaneKind::Full, std::min(compute, fits), full.memory};
    else if (!options.compute && fitsLower >= full.smallestCompute)
        return {LaneKind::Full, full.smallestCompute, full.memory - (full.smallestCompute - fits)};
    else if (each >= compute + kComputeRest)
        choice = {LaneKind::Compute, compute};
    else if (each >= kSmallestCompute + kComputeRest)
        return {LaneKind::Compute, std::floor(each - kComputeRest)};
    else if (options.available >= devices * (kSmallestCompute + kComputeRest))
        // Only the kernels make the lanes too high. The user enabled them, so the view scrolls.
        return {LaneKind::Compute, kSmallestCompute};
    else
        return {LaneKind::Dense, (each >= kDense ? kDense : kDensest) - 2};
    const double rest = choice.kind == LaneKind::Full ? full.rest + full.memory : kComputeRest;
    const double spare = std::floor(each) - choice.compute - rest;
    return options.compute || spare <= kTolerated ? choice : grown(choice, spare);
}

LaneKind toggled(LaneKind kind)
{
    return kind == LaneKind::Full ? LaneKind::Compute : LaneKind::Full;
}

double heightOf(LaneKind kind, const Choice& choice, const LaneOptions& options)
{
    const double rest = kind == LaneKind::Full ? fullLane(options).rest + choice.memory
        : kind == LaneKind::Compute            ? kComputeRest
                                               : 2;
    return choice.compute + rest;
}

Lane laneOf(int device, const Choice& choice, const LaneOptions& options, double top, double kernel)
{
    const bool isToggled = options.toggled.contains(device);
    const LaneKind kind = isToggled ? toggled(choice.kind) : choice.kind;
    Choice own = choice;
    if (isToggled && choice.kind == LaneKind::Dense)
        own.compute = options.compute.value_or(LaneOptions::kUsual);
    Lane lane{kind, top, heightOf(kind, own, options), own.compute, own.memory};
    lane.hasOneStrip = options.hasOneStrip;
    if (kind != LaneKind::Dense) {
        lane.kernels = rowsOf(options.kernels, static_cast<std::size_t>(device));
        lane.ranges = rowsOf(options.ranges, static_cast<std::size_t>(device));
        lane.kernel = kernel;
        lane.height += lane.kernelsHeight();
    }
    return lane;
}

// The lane of a collapsed group, at its first device. Has no transfers, memory or kernels.
Lane groupLane(const LaneGroup& group, const Choice& choice, const LaneOptions& options, double top)
{
    const LaneKind kind = choice.kind == LaneKind::Dense ? LaneKind::Dense : LaneKind::Compute;
    Lane lane{kind, top, heightOf(kind, choice, options), choice.compute};
    lane.group = group;
    return lane;
}

constexpr int kBlock = 8; // GPUs of a usual node

LaneGroup& groupNamed(std::vector<LaneGroup>& groups, const std::string& name)
{
    const auto found = std::ranges::find(groups, name, &LaneGroup::name);
    return found == groups.end() ? groups.emplace_back(LaneGroup{name, {}}) : *found;
}

} // namespace

std::vector<LaneGroup> laneGroups(const engine::Run& run)
{
    const int devices = run.schedule.shape.devices;
    const std::vector<int> nodes = engine::nodesOfDevices(run);
    std::vector<LaneGroup> groups;
    for (int device = 0; device < devices && (!nodes.empty() || devices > kBlock); ++device) {
        const int first = device / kBlock * kBlock;
        const std::string name = nodes.empty()
            ? fmt::format("devices {}-{}", first, std::min(first + kBlock, devices) - 1)
            : run.info.import ? "host " + run.info.import->rankOf(device)->host
                              : fmt::format("node {}", nodes[static_cast<std::size_t>(device)]);
        groupNamed(groups, name).devices.push_back(device);
    }
    return groups;
}

const LaneGroup* groupOf(const std::vector<LaneGroup>& groups, int device)
{
    const auto found = std::ranges::find_if(groups, [device](const LaneGroup& group) {
        return std::ranges::find(group.devices, device) != group.devices.end();
    });
    return found == groups.end() ? nullptr : &*found;
}

std::vector<Lane> layoutLanes(int devices, const LaneOptions& options)
{
    std::vector<int> shown;
    for (int device = 0; device < devices; ++device)
        if (const LaneGroup* group = groupOf(options.collapsed, device);
            group == nullptr || group->devices.front() == device)
            shown.push_back(device);
    const Choice choice = choose(static_cast<int>(shown.size()), options);
    const double kernel = kernelHeight(static_cast<int>(shown.size()), options);
    std::vector<Lane> lanes(static_cast<std::size_t>(devices));
    double top = 0;
    for (const int device : shown) {
        Lane& lane = lanes[static_cast<std::size_t>(device)];
        const LaneGroup* group = groupOf(options.collapsed, device);
        lane = group != nullptr ? groupLane(*group, choice, options, top)
                                : laneOf(device, choice, options, top, kernel);
        // The group may be from another run and name devices that this run does not have. The other
        // devices of the group get the position of the lane, because the critical path is drawn
        // over it.
        std::erase_if(lane.group.devices, [&](int each) { return each >= devices; });
        for (const int each : lane.group.devices)
            if (each != device)
                lanes[static_cast<std::size_t>(each)] = {.kind = LaneKind::Dense,
                                                         .top = top,
                                                         .compute = lane.compute,
                                                         .memory = 0,
                                                         .isHidden = true};
        top += lane.height;
    }
    return lanes;
}

double heightOf(const std::vector<Lane>& lanes)
{
    double height = 0;
    for (const Lane& lane : lanes)
        height += lane.height;
    return height;
}

std::vector<engine::DeviceId> devicesInSight(const std::vector<Lane>& lanes, double top,
                                             double bottom)
{
    std::vector<engine::DeviceId> devices;
    for (std::size_t d = 0; d < lanes.size(); ++d)
        if (!lanes[d].isHidden && lanes[d].bottom() >= top && lanes[d].top <= bottom)
            devices.emplace_back(static_cast<int>(d));
    return devices;
}

int laneAt(const std::vector<Lane>& lanes, double y)
{
    const auto found = std::ranges::find_if(
        lanes, [y](const Lane& lane) { return y >= lane.top && y < lane.bottom(); });
    return found == lanes.end() ? -1 : static_cast<int>(found - lanes.begin());
}

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
