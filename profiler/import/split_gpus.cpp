#include "profiler/import/rank_trace.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

namespace profiler {

using namespace engine;

namespace {

// Moves the rows of the GPU from one list to another.
template<class Row>
void takeRows(std::vector<Row>& from, std::uint32_t gpu, std::vector<Row>& to)
{
    const auto rest = std::stable_partition(
        from.begin(), from.end(), [&](const Row& row) { return row.place.device != gpu; });
    to.assign(std::make_move_iterator(rest), std::make_move_iterator(from.end()));
    from.erase(rest, from.end());
}

// Moves the calls that launched the work of `to`.
void takeCalls(RankTrace& from, RankTrace& to)
{
    std::unordered_set<std::uint32_t> launched;
    forGpuWork(to.gpu, [&](const auto& rows) {
        for (const auto& row : rows)
            launched.insert(row.place.correlation);
    });
    std::erase_if(from.gpu.calls, [&](const GpuCall& call) {
        const bool isOwn = launched.contains(call.correlation);
        if (isOwn)
            to.gpu.calls.push_back(call);
        return isOwn;
    });
}

// Moves the work of one GPU and the calls that launched it out of the trace.
RankTrace takePart(RankTrace& all, std::uint32_t gpu)
{
    GpuTrace gpuTrace = std::exchange(all.gpu, {});
    auto arguments = std::exchange(all.nccl, {});
    RankTrace part = all;
    all.gpu = std::move(gpuTrace);
    all.nccl = std::move(arguments);
    std::uint32_t own = 0;
    std::multimap<std::uint32_t, NcclArguments> others;
    for (std::uint32_t i = 0, other = 0; i < all.gpu.kernels.size(); ++i) {
        const bool isOwn = all.gpu.kernels[i].place.device == gpu;
        const std::uint32_t number = isOwn ? own++ : other++;
        for (auto [each, end] = all.nccl.equal_range(i); each != end; ++each)
            (isOwn ? part.nccl : others).emplace(number, each->second);
    }
    all.nccl = std::move(others);
    takeRows(all.gpu.kernels, gpu, part.gpu.kernels);
    takeRows(all.gpu.copies, gpu, part.gpu.copies);
    takeRows(all.gpu.memsets, gpu, part.gpu.memsets);
    takeCalls(all, part);
    return part;
}

} // namespace

std::vector<RankTrace> splitGpus(RankTrace trace)
{
    std::map<std::uint32_t, std::int64_t> times, counts; // by GPU
    std::int64_t all = 0;
    for (const GpuKernel& kernel : trace.gpu.kernels) {
        times[kernel.place.device] += kernel.window.duration();
        ++counts[kernel.place.device];
        all += kernel.window.duration();
    }
    constexpr std::int64_t kPercent = 100, kRare = 10;
    const std::size_t gpus = times.size();
    const auto isIdle = [&](std::uint32_t gpu) { return times.at(gpu) < all / kPercent; };
    std::vector<GpuKernel> ofIdle;
    std::ranges::copy_if(trace.gpu.kernels, std::back_inserter(ofIdle),
                         [&](const GpuKernel& kernel) { return isIdle(kernel.place.device); });
    // A few kernels with much time have a wrong number: their ops lack them.
    std::erase_if(times, [&](const auto& each) {
        return each.second < all / kPercent
            || kRare * counts[each.first] < std::ssize(trace.gpu.kernels);
    });
    std::vector<RankTrace> parts;
    if (gpus < 2 || times.empty()) {
        const bool isKnown = !times.empty();
        const bool isOne = trace.memory.empty()
            || std::ranges::count(trace.memory, trace.memory.front().device, &MemoryEvent::device)
                == std::ssize(trace.memory);
        std::erase_if(trace.memory, [&](const MemoryEvent& event) {
            return isKnown ? !times.contains(event.device) : !isOne;
        });
        parts.push_back(std::move(trace));
        return parts;
    }
    for (const auto& [gpu, time] : times)
        parts.push_back(takePart(trace, gpu));
    RankTrace& first = parts.front();
    RankTrace others;
    others.gpu.kernels = std::move(ofIdle);
    takeCalls(trace, others);
    first.onOtherGpus = std::ssize(trace.gpu.kernels);
    first.gpu.calls.insert(first.gpu.calls.end(), trace.gpu.calls.begin(), trace.gpu.calls.end());
    for (std::size_t i = 0; i < parts.size() && parts.size() > 1; ++i) {
        parts[i].gpuOfProcess = static_cast<int>(i);
        parts[i].gpusOfProcess = static_cast<int>(parts.size());
        parts[i].unreadable = i == 0 ? trace.unreadable : 0;
        std::erase_if(parts[i].memory, [&](const MemoryEvent& event) {
            return event.device != parts[i].gpu.kernels.front().place.device;
        });
    }
    return parts;
}

} // namespace profiler
