#pragma once

#include "engine/schedule/passes/passes.h"

namespace engine {

// Adds the two ALLREDUCE of tied embeddings to a lowered schedule of one direction: with Eager
// each after the last gradient of its stage, otherwise after all ops except OPT. Existing
// ALLREDUCE of these two stages (from a file, or of data-parallel copies) are replaced and then
// also sum over the copies. The schedule is returned unchanged if one device holds both stages,
// and if there are two directions, since each device then holds both ends and sums locally.
Schedule tieEmbeddings(Schedule lowered, SyncPolicy policy);

bool hasTiedEmbeddings(const Schedule& schedule);
// Removes these ALLREDUCE, so that addAllReduce() can add those of several copies.
Schedule withoutTiedEmbeddings(Schedule schedule);
// Marks the tied all-reduces of a schedule that was read from a file, since the formats do not:
// in one direction of one copy, all-reduces of only the first and the last stage. Not with two
// stages, where they could be those of all stages.
void recognizeTiedEmbeddings(Schedule& schedule);

} // namespace engine
