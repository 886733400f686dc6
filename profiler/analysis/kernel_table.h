#pragma once

#include "profiler/analysis/gpu_activity.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace profiler {

// Which executions of ops a table is of.
struct KernelFilter
{
    std::optional<engine::OpKind> op;
    std::optional<engine::DeviceId> device;
    int iteration = -1;                  // index; -1: all that happened, the replay left out
    std::optional<engine::Window> begun; // only ops that begin within it
    std::optional<engine::OpOfIteration> execution; // this one alone
};

// All launches of one kernel by ops of one kind. Nanoseconds.
struct KernelRow
{
    engine::OpKind op = engine::OpKind::Forward;
    std::uint32_t name = 0; // GpuActivity::names()
    std::int64_t count = 0, total = 0, shortest = 0, longest = 0;
    double share = 0; // of the time of all ops of that kind, gaps included; what a kernel of NCCL
                      // waits before its op begins is no part of it

    double mean() const { return static_cast<double>(total) / static_cast<double>(count); }
};

// The ops of one kind that have work on a GPU. Nanoseconds.
struct OpKindWork
{
    engine::OpKind op = engine::OpKind::Forward;
    std::int64_t executions = 0, works = 0;
    std::int64_t time = 0; // sum of their spans
    std::int64_t busy = 0; // of it something ran for the op; the rest is gaps
    double gapShare() const;
};

struct KernelTable
{
    std::vector<OpKindWork> ops; // by kind
    std::vector<KernelRow> rows; // by kind of op, then the longest total first
};
KernelTable kernelTable(const engine::Run& run, const GpuActivity& activity,
                        const KernelFilter& filter = {});

// One execution of one op.
struct OpWork
{
    std::int64_t time = 0, busy = 0, longestGap = 0;
    std::int64_t works = 0;
    std::array<std::int64_t, kKernelKinds> byKind{}; // sums of what lies within the op
    double gapShare() const;
    // So much of it passes between kernels, and those are so short, that launching them is what
    // takes the time.
    bool isLaunchBound() const;
};
// `span`: where the op stands. Nothing where no work of it was recorded.
std::optional<OpWork> opWork(const GpuActivity& activity, engine::OpOfIteration op,
                             engine::Window span);

// Why a run has no work on a GPU to show, as a sentence, and what to do.
std::string whyNoKernels(const engine::RunInfo& info);

} // namespace profiler
