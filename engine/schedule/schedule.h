#pragma once

#include "engine/base/id.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace engine {

// One instruction of one device. The letters are its spelling in schedule text (notation.h).
enum class OpKind : std::uint8_t {
    Forward,        // F
    Backward,       // B  input and weight gradients together
    BackwardInput,  // I  gradient of the stage's input only
    BackwardWeight, // W  the rest of B, may be postponed to fill a bubble
    SendActivation, // SEND_F: P2P is never written by a scheme, a pass adds it
    RecvActivation, // RECV_F
    SendGradient,   // SEND_B
    RecvGradient,   // RECV_B
    Evict,          // EVICT  a stash moves to the partner (BPipe)
    Load,           // LOAD   and comes back
    Recompute,      // RECOMPUTE
    AllReduce,      // ALLREDUCE  sums a stage's weight gradients over its replicas
    OptimizerStep,  // OPT
};
constexpr int kOpKinds = 13;

enum class OpFlag : std::uint8_t { None = 0, JointWithNext = 1, Half = 2 };

// 16 bytes: schedules of tens of millions of ops are ordinary.
struct Op
{
    static constexpr std::uint16_t kWhole = 0xFFFF; // not a slice: the whole micro-batch
    static constexpr std::uint16_t kNoPeer = 0xFFFF;

    OpKind kind = OpKind::Forward;
    OpFlag flags = OpFlag::None;
    std::uint8_t replica = 0; // pipeline direction: 0 down, 1 up
    std::uint8_t version
        = 0; // weight version it uses, OPT: makes; modulo 256; 0 in synchronous schemes
    std::uint16_t slice = kWhole;
    std::uint16_t peer = kNoPeer; // device of the other end: send, receive, evict, load
    StageId stage;
    MicroBatchId microBatch; // none for AllReduce and OptimizerStep

    friend auto operator<=>(const Op&, const Op&) = default; // NOLINT: false alarm
};
static_assert(sizeof(Op) == 16);

// Runs on the compute lane of its device: F B I W RECOMPUTE OPT. The others run on lanes of their
// own.
bool isCompute(OpKind kind);
bool isBackward(OpKind kind); // B I W
bool isTransfer(OpKind kind); // SEND_F RECV_F SEND_B RECV_B
bool isCopy(OpKind kind);     // EVICT LOAD

struct Shape
{
    int devices = 0, stages = 0, microBatches = 0, replicas = 1, slices = 1, dataParallel = 1;
    // Micro-batches per update of an asynchronous scheme, which updates the weights while the
    // pipeline runs; 0: one update, at the end.
    int updateEvery = 0;

    int chunks() const { return devices > 0 ? stages / devices : 0; } // v, per device and direction
    friend bool operator==(const Shape&, const Shape&) = default;
};

// One iteration: what each device does, in which order; when is for the simulator or the clock
// to say. (Asynchronous schemes: one window of iterations, micro-batches numbered through.)
struct Schedule
{
    std::string scheme;
    Shape shape;
    std::vector<std::vector<DeviceId>> deviceOf; // [replica][stage]
    std::vector<std::vector<Op>> program;        // [device], in issue order

    std::span<const Op> on(DeviceId device) const
    {
        return program[static_cast<std::size_t>(device.value)];
    }
    DeviceId device(int replica, StageId stage) const
    {
        return deviceOf[static_cast<std::size_t>(replica)][static_cast<std::size_t>(stage.value)];
    }
    friend bool operator==(const Schedule&, const Schedule&) = default;
};

// A model may hold one tensor twice, in its first and in its last stage: the embedding and a head
// that is tied to it. Their gradients are summed before either is updated (Megatron-LM: an
// all-reduce within the embedding group). Where the two stages are on two devices both call an
// ALLREDUCE, whose `peer`, like that of the OPT behind it, is the other device. The two meet under
// the first stage's number, and its ReducedGradient is what both OPTs wait for.
inline bool tiesEnds(const Op& op)
{
    return (op.kind == OpKind::AllReduce || op.kind == OpKind::OptimizerStep)
        && op.peer != Op::kNoPeer;
}

// The stage under whose number the all-reduces of a gradient meet, of AllReduce and OptimizerStep.
inline StageId meetingOf(const Op& op)
{
    return tiesEnds(op) ? StageId{0} : op.stage;
}

std::size_t opCount(const Schedule& schedule);

// The ops of a schedule numbered through, by device, then position: what a Span's `op` means.
class OpIndex
{
public:
    explicit OpIndex(const Schedule& schedule);

    std::uint32_t of(DeviceId device, std::size_t position) const
    {
        return m_first[static_cast<std::size_t>(device.value)]
            + static_cast<std::uint32_t>(position);
    }
    DeviceId deviceOf(std::uint32_t op) const;
    std::uint32_t positionOf(std::uint32_t op) const;
    std::uint32_t count() const { return m_first.back(); }

private:
    std::vector<std::uint32_t> m_first; // [device], then the total
};

const Op& opAt(const Schedule& schedule, const OpIndex& index, std::uint32_t op);

} // namespace engine
