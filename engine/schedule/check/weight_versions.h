#pragma once

#include "engine/schedule/check/validate.h"

#include <vector>

namespace engine {

// Asynchronous schemes update the weights while the pipeline runs: PipeDream after every
// micro-batch, PipeDream-2BW after every m. Op::version is the version of the stage's weights that
// an op uses or an OPT creates, modulo 256. The first version is 0; update k, counted from 1,
// creates version k.

// Whether the schedule updates weights between ops, or uses weight versions.
bool isAsynchronous(const Schedule& schedule);

// Derives Shape::updateEvery from the ops: the number of backwards of a stage before its first OPT.
// Without OPTs it is the number of micro-batches between the first uses of versions 1 and 2 on the
// last stage. If only version 1 exists, the rule of PipeDream-2BW applies: micro-batch 2m is the
// first to use version 1. Without versions it is N.
int guessUpdateEvery(const Schedule& schedule);

// Checks that a backward uses the version of its forward, that a version is created before it is
// used, and that an OPT creates the next version from at least one backward. Returns no violations
// for synchronous schedules.
std::vector<Violation> checkVersions(const Schedule& schedule);

// Returns for each device the largest number of versions of one stage that are kept at once: 1 in a
// synchronous schedule, D-d with PipeDream, 2 with PipeDream-2BW. A version is kept from the OPT
// that creates it to its last use; the newest version is always kept.
IdVector<DeviceId, int> versionsKept(const Schedule& schedule);

} // namespace engine
