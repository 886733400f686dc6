#pragma once

#include "engine/base/id_vector.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// The kind of an op. The comments show the name in schedule text (notation.h).
enum class OpKind : std::uint8_t {
    Forward,        // F
    Backward,       // B  gradients of input and weights
    BackwardInput,  // I  gradient of the input only
    BackwardWeight, // W  gradient of the weights; may be delayed to fill a bubble
    SendActivation, // SEND_F  added by a pass, never by a scheme
    RecvActivation, // RECV_F
    SendGradient,   // SEND_B
    RecvGradient,   // RECV_B
    Evict,          // EVICT  moves a stash to the partner (BPipe) or to host memory
    Load,           // LOAD   moves a stash back
    Recompute,      // RECOMPUTE
    AllReduce,      // ALLREDUCE  sums the weight gradients of a stage over its replicas
    OptimizerStep,  // OPT
    // The copies of a stage each keep a share of its weights (FSDP, ZeRO-3):
    Unshard, // UNSHARD  gathers the whole weights; then ALLREDUCE only scatters the sums
    Reshard, // RESHARD  frees those of the other copies
};
constexpr int kOpKinds = 15;

enum class OpFlag : std::uint8_t { None = 0, JointWithNext = 1, Half = 2 };

// 16 bytes, because schedules have tens of millions of ops.
struct Op
{
    static constexpr std::uint16_t kWhole = 0xFFFF; // the whole micro-batch instead of a slice
    static constexpr std::uint16_t kNoPeer = 0xFFFF;

    OpKind kind = OpKind::Forward;
    OpFlag flags = OpFlag::None;
    std::uint8_t replica = 0; // pipeline direction: 0 down, 1 up
    // The weight version that the op uses or, for OPT, creates, modulo 256; 0 in synchronous
    // schemes.
    std::uint8_t version = 0;
    std::uint16_t slice = kWhole;
    // Device at the other end of a transfer, evict or load; an evict or load without a peer moves a
    // stash to or from host memory (usesHost()).
    std::uint16_t peer = kNoPeer;
    StageId stage;
    MicroBatchId microBatch; // see hasMicroBatch()

    friend auto operator<=>(const Op&, const Op&) = default; // NOLINT: as in id.h
};
static_assert(sizeof(Op) == 16);
inline bool usesHost(const Op& op)
{
    return (op.kind == OpKind::Evict || op.kind == OpKind::Load) && op.peer == Op::kNoPeer;
}
inline Op opOf(OpKind kind, StageId stage, int replica = 0, MicroBatchId microBatch = {},
               std::uint16_t slice = Op::kWhole)
{
    return {.kind = kind,
            .replica = static_cast<std::uint8_t>(replica),
            .slice = slice,
            .stage = stage,
            .microBatch = microBatch};
}

// Whether the op runs on the compute stream of its device: F B I W RECOMPUTE OPT. The other kinds
// have their own streams.
bool isCompute(OpKind kind);
bool isBackward(OpKind kind);     // B I W
bool isPass(OpKind kind);         // F B I W
bool runsMicroBatch(OpKind kind); // F B I W RECOMPUTE
// B W: it adds to the gradient of the weights, after which the stash is free.
bool finishesBackward(OpKind kind);
bool isTransfer(OpKind kind);    // SEND_F RECV_F SEND_B RECV_B
bool isCopy(OpKind kind);        // EVICT LOAD
bool isSharding(OpKind kind);    // UNSHARD RESHARD
bool hasMicroBatch(OpKind kind); // all kinds except ALLREDUCE, OPT, UNSHARD and RESHARD

// The mapping of devices to nodes, of every scheme, if none is chosen: schemes are comparable only
// if they are placed alike. engine/cost/mapping.h describes all mappings.
inline constexpr std::string_view kDefaultMapping = "replicas-together";

struct Shape
{
    int devices = 0, stages = 0, microBatches = 0, replicas = 1, slices = 1, dataParallel = 1;
    // Micro-batches per optimizer step of an asynchronous scheme; 0: one step at the end.
    int updateEvery = 0;
    // The number of consecutive windows of `microBatches` micro-batches in the program of an
    // asynchronous scheme, which runs without a flush. 1: one iteration, or one window that drains.
    int windows = 1;

    int allMicroBatches() const { return microBatches * windows; } // micro-batches of the program
    // v, the stages per device and direction; 1 if there are fewer stages than devices.
    int chunks() const { return devices > 0 && stages > devices ? stages / devices : 1; }
    // Each (replica, stage) pair has a dense index from 0 to rows() - 1, called its row.
    std::size_t rows() const { return static_cast<std::size_t>(replicas) * stages; }
    std::uint32_t row(int replica, StageId stage) const { return replica * stages + stage.value; }
    friend bool operator==(const Shape&, const Shape&) = default;
};

// The ops of each device, in issue order and without times, for one iteration or, in an
// asynchronous scheme, for Shape::windows windows of N micro-batches. The micro-batches of a
// program are numbered from 0 to Shape::allMicroBatches() - 1.
struct Schedule
{
    std::string scheme;
    Shape shape;
    std::vector<IdVector<StageId, DeviceId>> deviceOf; // [replica]
    IdVector<DeviceId, std::vector<Op>> program;       // in issue order

    std::span<const Op> on(DeviceId device) const { return program[device]; }
    DeviceId device(int replica, StageId stage) const { return deviceOf[replica][stage]; }
    friend bool operator==(const Schedule&, const Schedule&) = default;
};

// Tied embeddings: the first and the last stage hold the same matrix, so their gradients are summed
// before either is updated (Megatron-LM: an all-reduce in the embedding group). If the stages are
// on two devices, both devices execute an ALLREDUCE. `peer` of the ALLREDUCE and of the OPT is the
// other device. Both ALLREDUCE ops produce the ReducedGradient of stage 0, for which both OPTs
// wait.
inline bool tiesEmbeddings(const Op& op)
{
    return (op.kind == OpKind::AllReduce || op.kind == OpKind::OptimizerStep)
        && op.peer != Op::kNoPeer;
}

// The stage that identifies the all-reduce that an ALLREDUCE calls or an OPT waits for. With tied
// embeddings it is stage 0 for both stages.
inline StageId allReduceStage(const Op& op)
{
    return tiesEmbeddings(op) ? StageId{0} : op.stage;
}

std::size_t opCount(const Schedule& schedule);
template<class Predicate>
bool anyOp(const Schedule& schedule, Predicate predicate)
{
    return std::ranges::any_of(schedule.program, [&predicate](const auto& ops) {
        return std::ranges::any_of(ops, predicate);
    });
}
// The schedule with only its ops of the kinds for which `keep` is true.
Schedule keepOps(Schedule schedule, bool (*keep)(OpKind));
// The end of the ops from `first` on that run as one (OpFlag::JointWithNext). `op` is the op of an
// element.
template<class Ops, class OpOf = std::identity>
std::size_t jointEnd(const Ops& ops, std::size_t first, OpOf op = {})
{
    std::size_t end = first + 1;
    while (end < ops.size() && std::invoke(op, ops[end - 1]).flags == OpFlag::JointWithNext)
        ++end;
    return end;
}
bool hasHalves(const Schedule& schedule); // whether ops process halves of micro-batches (Chimera)

// Numbers the ops of a schedule by device, then by position. Span::op is one of these numbers.
class OpIndex
{
public:
    explicit OpIndex(const Schedule& schedule);

    std::uint32_t of(DeviceId device, std::uint32_t position) const
    {
        return m_first[device] + position;
    }
    DeviceId deviceOf(std::uint32_t op) const;
    std::uint32_t positionOf(std::uint32_t op) const;
    std::uint32_t count() const { return m_first.back(); }

private:
    // [device] number of its first op; the last element is the number of all ops
    IdVector<DeviceId, std::uint32_t> m_first;
};

const Op& opAt(const Schedule& schedule, const OpIndex& index, std::uint32_t op);

} // namespace engine
