#pragma once

#include "engine/schedule/schedule.h"
#include "engine/timeline/gpu_trace.h"
#include "engine/timeline/run.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace profiler {

// The purpose of a kernel, derived from its name, for colours and tables.
enum class KernelKind : std::uint8_t {
    Matmul,
    Attention, // includes the softmax of the scores
    Norm,
    Elementwise,
    Other,
    Copy,
    Memset,
    Nccl,
};
constexpr int kKernelKinds = 8;
std::string_view kernelKindName(KernelKind kind); // "matmul", "element-wise", "NCCL"

// Classifies the kernels of this program, cuBLASLt, cuDNN, CUTLASS, NCCL and PyTorch by their
// demangled names.
KernelKind kernelKindOf(std::string_view demangledName);

// A kernel, copy or memset that belongs to an op.
struct GpuWork
{
    enum class Source : std::uint8_t { Kernel, Copy, Memset };

    engine::Window window; // in ns of the timeline
    engine::OpOfIteration of;
    std::uint32_t row = 0;    // index of the record in the table of `source`
    std::uint32_t name = 0;   // index into GpuActivity::names()
    std::uint32_t stream = 0; // index into GpuActivity::streams()
    Source source = Source::Kernel;
};

struct KernelName
{
    std::string full, label; // `full` is the demangled name; `label` is shortened but unique
    KernelKind kind = KernelKind::Other;
};

// A stream of a device. At least half of the kernels of an NCCL stream are NCCL kernels; a copy
// stream has no kernels.
struct DeviceStream
{
    enum class Role : std::uint8_t { Compute, Copy, Nccl };

    engine::DeviceId device;
    std::uint32_t context = 0, stream = 0;
    Role role = Role::Compute;
    std::size_t first = 0, count = 0; // range of GpuActivity::work()
};

// GPU activity of a run, sorted for timeline rows, tables and details. The Replay was not
// executed: each of its ops shows the work of the execution whose duration is closest, moved and
// scaled to the op's span. Work without an op belongs to the device of its context. If that device
// is unknown, the work is left out and counted (withoutPlace()). Immutable; thread-safe.
class GpuActivity
{
public:
    GpuActivity(const engine::Run& run, engine::GpuTrace trace);

    const engine::GpuTrace& trace() const { return m_trace; }
    bool isEmpty() const { return m_work.empty(); }
    std::span<const GpuWork> work() const { return m_work; } // sorted by stream, then start
    std::span<const DeviceStream> streams() const { return m_streams; }
    // Sorted by role.
    std::span<const DeviceStream> streams(engine::DeviceId device) const;
    std::span<const GpuWork> on(const DeviceStream& stream) const
    {
        return work().subspan(stream.first, stream.count);
    }
    const KernelName& nameOf(const GpuWork& work) const { return m_names[work.name]; }
    std::span<const KernelName> names() const { return m_names; }
    // Indices into work(), sorted by start; empty if no work was recorded.
    std::span<const std::uint32_t> of(engine::OpOfIteration op) const;
    // The iteration from which the GPU work of an op is taken. For an op of the Replay it
    // is a measured iteration; otherwise it is the op's own iteration.
    std::uint32_t takenFrom(engine::OpOfIteration op) const;
    // Number of kernels, copies and memsets that were left out, because their device or their time
    // is unknown.
    std::int64_t withoutPlace() const { return m_withoutPlace; }

    // The API call that launched the work; nullptr if it was not recorded.
    const engine::GpuCall* callOf(const GpuWork& work) const;
    const engine::GpuPlace& placeOf(const GpuWork& work) const;
    std::uint64_t bytesOf(const GpuWork& work) const; // bytes of a copy or memset; otherwise 0

private:
    struct Found // A piece of work whose stream has no number yet
    {
        GpuWork work;
        engine::GpuPlace place;
        engine::DeviceId device;
    };
    struct Range
    {
        std::size_t first = 0, count = 0;
    };

    void nameKernels();
    std::vector<Found> collect(const engine::Run& run);
    static std::unordered_map<std::uint64_t, engine::Window>
    spansOf(const engine::Timeline& timeline, std::uint32_t replay,
            const std::vector<Found>& found);
    void addReplay(const engine::Run& run, std::vector<Found>& found);
    void arrange(std::vector<Found> found);
    void indexOps();

    engine::GpuTrace m_trace;
    // One name for each string of trace().strings, followed by the names "copy ..." and "memset".
    // GpuWork::name is an index into it.
    std::vector<KernelName> m_names;
    std::vector<GpuWork> m_work;
    std::vector<DeviceStream> m_streams;
    std::vector<std::uint32_t> m_byOp;
    // Maps the key of an OpOfIteration to its range in m_byOp.
    std::unordered_map<std::uint64_t, Range> m_ofOp;
    // Maps an op of the Replay to the iteration from which its GPU work is taken.
    std::unordered_map<std::uint64_t, std::uint32_t> m_sources;
    // Maps a correlation id to an index into trace().calls.
    std::unordered_map<std::uint32_t, std::uint32_t> m_calls;
    std::int64_t m_withoutPlace = 0;
};

// Selects the executions of ops that a table includes.
struct KernelFilter
{
    std::optional<engine::OpKind> op;
    std::optional<engine::DeviceId> device;
    int iteration = -1;                             // -1: all except the Replay
    std::optional<engine::Window> begun;            // only ops that begin within this window
    std::optional<engine::OpOfIteration> execution; // if set, only this execution
};

// All launches of one kernel by ops of one kind. Times in ns.
struct KernelRow
{
    engine::OpKind op = engine::OpKind::Forward;
    std::uint32_t name = 0; // index into GpuActivity::names()
    std::int64_t count = 0, total = 0, shortest = 0, longest = 0;
    // Share of OpKindWork::time in which the kernel runs. Excludes time outside the spans of the
    // ops, such as the wait of an NCCL kernel before its op begins.
    double share = 0;

    double mean() const { return engine::ratio(total, count); }
};

// All ops of one kind that have GPU work. Times in ns.
struct OpKindWork
{
    engine::OpKind op = engine::OpKind::Forward;
    std::int64_t executions = 0, works = 0;
    std::int64_t time = 0; // sum of the spans of the ops
    std::int64_t busy = 0; // time in which work of the op ran; the rest of `time` is gaps
    double gapShare() const;
};

struct KernelTable
{
    std::vector<OpKindWork> ops; // sorted by kind
    std::vector<KernelRow> rows; // sorted by kind of op, then by total time, longest first
};
KernelTable kernelTable(const engine::Run& run, const GpuActivity& activity,
                        const KernelFilter& filter = {});

// One execution of one op.
struct OpWork
{
    std::int64_t time = 0, busy = 0, longestGap = 0;
    std::int64_t works = 0;
    engine::EnumArray<KernelKind, std::int64_t, kKernelKinds> byKind{};
    double gapShare() const;
    // Whether launch overhead dominates: kernels are short and gaps between them are long.
    bool isLaunchBound() const;
};
// `span` is the span of the op. Returns nullopt if no work of the op was recorded.
std::optional<OpWork> opWork(const GpuActivity& activity, engine::OpOfIteration op,
                             engine::Window span);

// Returns the reason why a run has no GPU work, and how to record it, as one sentence.
std::string whyNoKernels(const engine::RunInfo& info);

// Returns for each device the mean number of kernels that its ops launch per iteration, over the
// measured iterations that have kernels. Includes NCCL's kernels, but no copies. Empty if no kernel
// belongs to an op.
engine::IdVector<engine::DeviceId, double> kernelsPerIteration(const engine::Run& run,
                                                               const engine::GpuTrace& trace);

// The two parts of an NCCL kernel's window: the wait for other ranks, and the transfer. The kernel
// starts when its own rank is ready and ends when the data has arrived.
struct NcclSplit
{
    enum class By : std::uint8_t {
        // The kernels of all ranks are known. The transfer begins when the last of them has
        // started.
        Ranks,
        // The kernel of another rank is unknown. The transfer is assumed to take as long as
        // LinkTime says and to end with the kernel.
        Link,
        None, // neither the kernels nor the time is known; the whole window counts as transfer
    };

    std::size_t kernel = 0;        // index into GpuTrace::kernels
    engine::Window wait, transfer; // consecutive parts of the window
    By by = By::None;

    friend bool operator==(const NcclSplit&, const NcclSplit&) = default;
};

// Returns the time of a message or an all-reduce on its link, without waiting, in ns; 0: unknown.
using LinkTime = std::function<std::int64_t(const engine::Op&)>;

// Splits every NCCL kernel whose op is known, in the order of the trace. The ranks of a message are
// its sender and its receiver. The ranks of an all-reduce are all devices with ops of the same
// stage and iteration, in every data-parallel copy of the pipeline. The clocks of GPUs agree within
// microseconds, which limits the accuracy.
std::vector<NcclSplit> splitNccl(const engine::GpuTrace& trace, const engine::Schedule& schedule,
                                 const LinkTime& linkTime = {});

} // namespace profiler
