#pragma once

#include "engine/schedule/check/validate.h"

#include <vector>

namespace engine {

// Asynchronous schemes update the weights while the pipeline runs: PipeDream after every
// micro-batch, PipeDream-2BW after every m. Op::version says which version of its stage's weights
// an op uses and which an OPT makes; the first is 0, and update number k (from 1) makes version k.
// Versions are counted modulo 256.

// Whether the schedule is one window of an asynchronous scheme: it updates, or uses versions.
bool isAsynchronous(const Schedule& schedule);

// Shape::updateEvery of a schedule whose ops say their versions: the backwards of a stage before
// its first OPT or, where the schedule has none, the micro-batches between two first uses on the
// last stage; where only one version is made, the rule of PipeDream-2BW (version 1 is first used by
// micro-batch 2m), and where none is, N.
int guessUpdateEvery(const Schedule& schedule);

// Nothing for a synchronous schedule. A backward must use the version of its forward; a version
// must be made before it is used; an OPT must make the next one, and not from nothing.
std::vector<Violation> checkVersions(const Schedule& schedule);

// How many versions of a stage's weights the device must keep at once, the most over its stages: 1
// in a synchronous schedule, D-d with PipeDream, 2 with PipeDream-2BW. A version is kept from its
// update to its last use, the newest always. [device]
std::vector<int> versionsKept(const Schedule& schedule);

} // namespace engine
