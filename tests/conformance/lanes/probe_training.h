#pragma once

#include "engine/backend/device.h"
#include "engine/exec/live.h"
#include "engine/model/probe_model.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

// Live training of the integer probe, whose sums have no rounding: on GPUs that are emulated on the
// CPU (tests/support/cuda_on_cpu), or emulated on the CPU itself.
namespace lanes_test {

using Devices = std::vector<std::shared_ptr<const engine::Device>>;

// [update] of each stage of a replica
using GradientsOfStages
    = std::map<std::pair<int, engine::StageId>, std::vector<std::vector<float>>>;

struct Trained
{
    engine::Result<void> result;
    bool devicesWereLost = false;
    GradientsOfStages gradients;
    engine::Run run;
};

// `lower()`ed; of so many copies of the pipeline.
engine::Schedule scheduleOf(const std::string& scheme, int devices, int microBatches,
                            int copies = 1);

// Every scheme of so many devices and micro-batches, under its name in a failing check.
void forEachScheme(int devices, int microBatches,
                   const std::function<void(const engine::Schedule& lowered)>& check);

using Wrapper
    = std::function<std::unique_ptr<engine::Transport>(std::unique_ptr<engine::Transport>)>;
struct LiveOptions
{
    int iterations = 2, warmup = 0;
    engine::Graphs graphs = engine::Graphs::Off;
    Wrapper wrapper = {}; // between the devices and what moves their tensors
    std::chrono::milliseconds patience{5000};
    engine::LaunchHooks hooks = {};
    const std::atomic<bool>* cancel = nullptr;
    std::function<void(int iteration)> begun = {}; // its tokens have been loaded
    // When it has been made, and when it has trained.
    std::function<void(const engine::ExecutionPlan&)> made = {}, ended = {}; // or failed
    engine::MakeCommunicators communicators = {};                            // none: by copies
    // Whether gradients are looked at: then the thread of a device waits for it in every OPT.
    bool observes = true;
};
// One device of `devices` each, those of one copy after the other.
Trained trainLive(const engine::Schedule& lowered, const Devices& devices,
                  const LiveOptions& options = {});
// On the CPU, or on a GPU that emulates all devices.
Trained emulate(const engine::Schedule& lowered, const engine::Device* gpu = nullptr,
                const LiveOptions& options = {});

} // namespace lanes_test
