#pragma once

#include "tests/support/gpu_run.h"

#include <map>

// The same machine with its messages and sums carried by NCCL: a kernel at each end, on a stream of
// its own, that runs from when its rank comes. The receiver comes first, as it mostly does.
namespace tests {

constexpr std::int64_t kNcclWait = 180'000; // ns that a receiver waits, where its stream is free

class NcclTraceMaker
{
public:
    explicit NcclTraceMaker(GpuRun& made)
        : m_made(made)
        , m_index(made.run.schedule)
    { }

    void replaceCopies()
    {
        m_made.run.info.transport = "nccl";
        m_made.gpu.copies.clear();
        m_message = text("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)");
        m_sum = text("ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
        for (const engine::Track& track : m_made.run.timeline.tracks)
            for (const engine::Span& span : track.spans)
                add(track.device, span);
        std::ranges::stable_sort(m_made.gpu.kernels, {}, [](const engine::GpuKernel& kernel) {
            return kernel.window.begin;
        });
    }

private:
    void add(engine::DeviceId device, const engine::Span& span)
    {
        using enum engine::OpKind;
        const engine::Op& op = engine::opAt(m_made.run.schedule, m_index, span.op);
        const bool isSum = op.kind == AllReduce;
        if ((!engine::isTransfer(op.kind) && !isSum) || span.begin == span.end)
            return;
        const bool isReceive = op.kind == RecvActivation || op.kind == RecvGradient;
        const std::uint32_t stream = isSum
            ? 60U + static_cast<std::uint32_t>(op.stage.value)
            : 20U + 4U * op.peer + static_cast<std::uint32_t>(op.kind) % 4U;
        std::int64_t& free = m_free[{device.value, stream}];
        const std::int64_t wait = isReceive ? kNcclWait : isSum ? 30'000 * device.value : 0;
        engine::GpuKernel kernel;
        kernel.window = {std::max({free, span.begin - wait, std::int64_t{0}}), span.end};
        kernel.name = isSum ? m_sum : m_message;
        kernel.of = {span.op, span.iteration};
        kernel.grid = {isSum ? 16 : 2, 1, 1};
        kernel.block = {544, 1, 1};
        kernel.registers = 96;
        const auto number = static_cast<std::uint32_t>(device.value);
        kernel.place = {number, number + 1, stream, ++m_correlation};
        free = span.end;
        m_made.gpu.kernels.push_back(kernel);
    }

    std::uint32_t text(const char* value)
    {
        m_made.gpu.strings.emplace_back(value);
        return static_cast<std::uint32_t>(m_made.gpu.strings.size() - 1);
    }

    GpuRun& m_made;
    engine::OpIndex m_index;
    std::map<std::pair<int, std::uint32_t>, std::int64_t> m_free; // [device, stream]
    std::uint32_t m_message = 0, m_sum = 0, m_correlation = 1'000'000;
};

inline GpuRun ncclRun(const std::string& scheme = "1f1b", int iterations = 2)
{
    GpuRun made = gpuRun(scheme, iterations);
    NcclTraceMaker(made).replaceCopies();
    return made;
}

} // namespace tests
