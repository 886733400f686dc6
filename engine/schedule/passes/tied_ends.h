#pragma once

#include "engine/schedule/passes/passes.h"

namespace engine {

// A pass over a lowered schedule of one direction: adds the two ALLREDUCE, with Eager each behind
// the last gradient of its stage, otherwise behind everything but the OPTs. The ends' own ones,
// which a file may hold and several copies of the pipeline have, become these two: then they sum
// over the copies, too. Comes back as it is where one device holds both ends, and where there are
// two directions: whoever holds the first stage of one then holds the last stage of the other, and
// sums at home.
Schedule tieEnds(Schedule lowered, SyncPolicy policy);

bool hasTiedEnds(const Schedule& schedule);
// Without these ALLREDUCE, so that addAllReduce() can make those of several copies.
Schedule withoutTies(Schedule schedule);
// In a schedule that was read and whose text has no word for it: in one direction of one copy, an
// all-reduce of the first and of the last stage alone can only tie them. With two stages it could
// be one of all stages, and is left to be that.
void recognizeTiedEnds(Schedule& schedule);

} // namespace engine
