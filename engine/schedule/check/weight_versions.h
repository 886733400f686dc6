#pragma once

#include "engine/schedule/check/validate.h"

#include <cstdint>
#include <span>
#include <vector>

namespace engine {

// Asynchronous schemes update the weights while the pipeline runs: PipeDream after every
// micro-batch, PipeDream-2BW after every m. Op::version is the version of the stage's weights that
// an op uses or an OPT creates, modulo 256. The first version is 0; update k, counted from 1,
// creates version k.

// Whether Shape::updateEvery is set or an op uses or creates a weight version above 0.
bool isAsynchronous(const Schedule& schedule);

// Derives Shape::updateEvery from the ops: the number of backwards of a stage before its first OPT,
// in all directions. Without OPTs, it is the number of micro-batches between the first uses of
// versions 1 and 2 on the last stage. If only version 1 exists, it is half the number of
// micro-batches before the first use (2m in PipeDream-2BW). Without versions it is N.
int guessUpdateEvery(const Schedule& schedule);

// The weight versions that a device keeps besides the newest one of each stage, which every OPT
// updates in place. If unfinished micro-batches still need a version, the OPT that creates the next
// one first copies the weights (PipeDream's weight stashing; PipeDream-2BW's second buffer).
struct KeptVersions
{
    static constexpr std::uint32_t kNone = 0xFFFFFFFF;
    struct Copy
    {
        StageId stage;
        // Positions of the OPT that makes the copy, and of the last op that uses the copy.
        std::uint32_t update = 0, lastUse = 0;
    };
    std::vector<Copy> copies;
    // [position] Index in `copies` of the copy that an op uses or an OPT makes; or kNone.
    std::vector<std::uint32_t> of;
};
// Requires OPTs and valid versions (checkVersions()) in an asynchronous program. The result is
// empty for a synchronous schedule.
KeptVersions keptVersions(std::span<const Op> program);

// The number of windows at the end of a stream (Shape::windows) in which the pipeline drains. When
// the first device has run its last forward, the last device must still begin D-1 micro-batches
// (2D-1 in two directions).
int windowsToDrain(const Shape& shape);

// Checks that a backward uses the version of its forward, that a version is created before it is
// used, and that an OPT creates the next version from at least one backward and, if gradients are
// summed, after its own all-reduce. Returns no violations for synchronous schedules.
std::vector<Violation> checkVersions(const Schedule& schedule);

// By device: the largest number of versions of one stage that are kept at once: 1 in a synchronous
// schedule and, once the pipeline is full (Shape::windows), D-d with PipeDream and 2 with
// PipeDream-2BW. A version is kept from the OPT that creates it to its last use; the newest version
// is always kept.
IdVector<DeviceId, int> versionsKept(const Schedule& schedule);

} // namespace engine
