#pragma once

#include "engine/schedule/check/validate.h"

#include <vector>

namespace engine {

// Asynchronous schemes update the weights while the pipeline runs: PipeDream after every
// micro-batch, PipeDream-2BW after every m. Op::version is the weight version of its stage that
// an op uses or an OPT creates. The first is 0, update k (from 1) creates version k; modulo 256.

// Whether the schedule is asynchronous: it has updates between ops, or uses versions.
bool isAsynchronous(const Schedule& schedule);

// Derives Shape::updateEvery from the versions of the ops: the backwards of a stage before its
// first OPT. Without OPTs: the micro-batches between the first uses of versions 1 and 2 on the
// last stage; if only version 1 exists, by the rule of PipeDream-2BW (micro-batch 2m uses it
// first); otherwise N.
int guessUpdateEvery(const Schedule& schedule);

// Empty for synchronous schedules. A backward must use the version of its forward, a version
// must be created before it is used, and an OPT must create the next version from at least one
// backward.
std::vector<Violation> checkVersions(const Schedule& schedule);

// The largest number of versions of one stage that each device keeps at once: 1 in a synchronous
// schedule, D-d with PipeDream, 2 with PipeDream-2BW. A version is kept from its update to its
// last use, the newest one always.
IdVector<DeviceId, int> versionsKept(const Schedule& schedule);

} // namespace engine
