#pragma once

#include "engine/backend/cuda/runtime/device.h"
#include "engine/backend/cuda/runtime/nccl.h"
#include "tests/conformance/lanes/probe_training.h"
#include "tests/support/cuda_on_cpu/machine.h"
#include "tests/support/cuda_on_cpu/nccl_on_cpu.h"

#include <atomic>

namespace lanes_test {

// A machine with so many GPUs and NCCL, as it was before when this goes.
struct Machine
{
    explicit Machine(int gpus, cuda_on_cpu::Turns turns = cuda_on_cpu::Turns::Random)
    {
        cuda_on_cpu::takeTurns(turns, 5);
        cuda_on_cpu::plugIn({.count = gpus});
        cuda_on_cpu::emulateNccl({});
        for (auto& made : engine::cuda::makeDevices(gpus))
            devices.push_back(std::move(made));
    }
    ~Machine()
    {
        devices.clear();
        cuda_on_cpu::takeTurns(cuda_on_cpu::Turns::Oldest);
        cuda_on_cpu::plugIn({});
        cuda_on_cpu::emulateNccl({});
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    Devices devices;
};

inline const std::atomic<bool> kGoesOn{false}; // never cancelled

inline engine::MakeCommunicators byNccl(std::chrono::milliseconds patience
                                        = std::chrono::seconds(10),
                                        const std::atomic<bool>& cancel = kGoesOn)
{
    return [patience,
            &cancel](const engine::IdVector<engine::DeviceId, const engine::Device*>& devices,
                     const std::vector<engine::CommunicatorPlan>& plans) {
        return engine::cuda::joinCommunicators(*engine::cuda::ncclFunctions(nullptr), devices,
                                               plans, cancel, patience);
    };
}

} // namespace lanes_test
