#include "profiler/import/readers/kineto_messages.h"

#include "profiler/import/readers/kineto_event.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace profiler {

namespace {
struct Launch
{
    std::uint32_t thread;
    std::int64_t begin; // ns
    std::uint32_t kernel;
};

// Returns the launches of NCCL kernels by thread, in order of time.
std::vector<Launch> launchesOf(const RankTrace& trace)
{
    std::unordered_map<std::uint32_t, const engine::GpuCall*> calls; // by correlation
    for (const engine::GpuCall& call : trace.gpu.calls)
        calls.emplace(call.correlation, &call);
    std::vector<Launch> launches;
    for (std::uint32_t i = 0; i < trace.gpu.kernels.size(); ++i) {
        const engine::GpuKernel& kernel = trace.gpu.kernels[i];
        const auto call = calls.find(kernel.place.correlation);
        if (call != calls.end() && trace.text(kernel.name).find("nccl") != std::string::npos)
            launches.push_back({call->second->thread, call->second->window.begin, i});
    }
    std::ranges::sort(launches, {}, [](const Launch& launch) {
        return std::tuple(launch.thread, launch.begin, launch.kernel);
    });
    return launches;
}

bool statesMessage(const RankTrace& trace, std::uint32_t kernel)
{
    const auto [first, end] = trace.nccl.equal_range(kernel);
    return std::any_of(first, end, [](const auto& each) {
        return each.second.source >= 0 || each.second.target >= 0;
    });
}
} // namespace

void addBatchedMessages(RankTrace& trace, std::vector<StatedMessage> messages)
{
    if (messages.empty())
        return;
    const auto when = [](const auto& each) { return std::pair(each.thread, each.begin); };
    std::ranges::stable_sort(messages, {}, when);
    auto next = messages.begin();
    for (const Launch& launch : launchesOf(trace)) {
        const bool isStated = statesMessage(trace, launch.kernel);
        for (; next != messages.end() && when(*next) <= when(launch); ++next)
            if (!isStated && next->thread == launch.thread)
                trace.nccl.emplace(launch.kernel, next->arguments);
    }
}

void setRanksOfMessages(RankTrace& trace)
{
    for (auto& [kernel, nccl] : trace.nccl) {
        const std::string& name = trace.text(nccl.collective);
        nccl.mayBePipeline = mayBePipelineGroup(trace.text(nccl.description));
        if (!nccl.mayBePipeline)
            nccl.source = nccl.target = -1;
        else if (name == "send" && nccl.source < 0)
            nccl.source = trace.rank.value_or(-1);
        else if (name == "recv" && nccl.target < 0)
            nccl.target = trace.rank.value_or(-1);
    }
}

} // namespace profiler
