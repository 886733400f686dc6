#include "engine/verify/verify_requests.h"

#include "engine/experiment/check_runnable.h"

#include <algorithm>

namespace engine {
namespace {

constexpr int kLayers = 16;

struct Size
{
    int devices = 0, microBatches = 0;
};

std::vector<Size> sizes(const VerifyOptions& options)
{
    if (options.full)
        return {{2, 2}, {2, 4}, {2, 6}, {4, 4}, {4, 8}, {4, 12}, {8, 8}, {8, 16}};
    if (options.backend == Backend::Cuda)
        return {{2, 4}, {4, 8}};
    return {{4, 8}};
}

// Whether the request is valid and can be trained at this size.
bool isTrainable(const ScheduleRequest& request)
{
    const auto schedule = buildSchedule(request);
    return schedule && schedule->shape.stages <= kLayers && checkRunnable(lower(*schedule));
}

} // namespace

ModelSpec verifyModel()
{
    ModelSpec model;
    model.name = "miniature";
    model.layers = kLayers;
    model.width = 16;
    model.heads = 2;
    model.sequence = 16;
    return model;
}

std::vector<ScheduleRequest> verifyRequests(const VerifyOptions& options)
{
    std::vector<ScheduleRequest> all;
    const auto add = [&](const ScheduleRequest& request) {
        if (isTrainable(request))
            all.push_back(request);
    };
    for (const Scheme& scheme : schemes())
        for (const Size& size : sizes(options)) {
            if (!options.schemes.empty()
                && std::ranges::find(options.schemes, scheme.name) == options.schemes.end())
                continue;
            ScheduleRequest request;
            request.scheme = scheme.name;
            request.devices = size.devices;
            request.microBatches = size.microBatches;
            add(request);
            for (const SchemeOption& option : scheme.options)
                for (std::size_t i = 1; i < option.values.size() && options.full; ++i) {
                    request.options = {{std::string(option.key), std::string(option.values[i])}};
                    add(request);
                }
        }
    return all;
}

std::vector<std::pair<std::string, ModelSpec>> verifyVariants()
{
    std::vector<std::pair<std::string, ModelSpec>> all;
    const auto add = [&all](const char* words) -> ModelSpec& {
        return all.emplace_back(words, verifyModel()).second;
    };
    add("attention=recompute").attention = AttentionKind::Recompute;
    add("attention=flash").attention = AttentionKind::Flash;
    add("recompute=attention").recompute = Recompute::Attention;
    add("recompute=full").recompute = Recompute::Full;
    add("tied=true").tied = true;
    ModelSpec& bert = add("family=bert");
    bert.family = Family::Bert;
    bert.vocabulary = 257; // bytes and the mask token
    add("family=llama").family = Family::Llama;
    return all;
}

} // namespace engine
