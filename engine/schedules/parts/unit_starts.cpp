#include "engine/schedules/parts/unit_starts.h"

#include "engine/base/check.h"

#include <algorithm>

namespace engine::parts {
namespace {

constexpr std::int64_t kUnknown = -1;
constexpr std::int64_t kForward = 1, kBackward = 2; // ticks

} // namespace

UnitStarts::UnitStarts(const Schedule& schedule)
    : m_stages(schedule.shape.stages)
    , m_forward(schedule.shape.stages * static_cast<std::size_t>(schedule.shape.microBatches),
                kUnknown)
    , m_backward(m_forward)
{
    IdVector<DeviceId, std::size_t> next(schedule.program.size());
    IdVector<DeviceId, std::int64_t> free(schedule.program.size());
    std::size_t left = opCount(schedule);
    while (left > 0) {
        const std::size_t before = left;
        for (const DeviceId d : next.ids()) {
            const std::size_t done = run(schedule.program[d], next[d], free[d]);
            next[d] += done;
            left -= done;
        }
        CHECK(left < before);
    }
}

// Returns the time at which the op's input from another stage is complete. kUnknown: the op that
// produces it has not been placed. 0: there is no such input.
std::int64_t UnitStarts::inputOf(const Op& op) const
{
    const int stage = op.stage.value;
    if (op.kind == OpKind::Forward) {
        if (stage == 0)
            return 0;
        const std::int64_t start = forward(stage - 1, op.microBatch.value);
        return start == kUnknown ? kUnknown : start + kForward;
    }
    if (stage == m_stages - 1)
        return 0;
    const std::int64_t start = backward(stage + 1, op.microBatch.value);
    return start == kUnknown ? kUnknown : start + kBackward;
}

// Places the ops of one device from `next` up to the first one whose input is unknown. Returns the
// number of placed ops.
std::size_t UnitStarts::run(const std::vector<Op>& ops, std::size_t next, std::int64_t& free)
{
    std::size_t done = 0;
    for (; next + done < ops.size(); ++done) {
        const Op& op = ops[next + done];
        const std::int64_t input = inputOf(op);
        if (input == kUnknown)
            break;
        const bool isForward = op.kind == OpKind::Forward;
        const std::int64_t start = std::max(free, input);
        (isForward ? m_forward : m_backward)[at(op.stage.value, op.microBatch.value)] = start;
        free = start + (isForward ? kForward : kBackward);
    }
    return done;
}

} // namespace engine::parts
