#pragma once

#include "engine/schedule/passes/passes.h"

namespace engine {

// Adds the two ALLREDUCE of tied embeddings to a lowered schedule of one direction. With Eager each
// follows the last gradient of its stage; otherwise it follows all ops except OPT. The new
// ALLREDUCE ops also sum over the data-parallel pipelines. They replace ALLREDUCE ops that the
// schedule already has for these two stages (from a file, or for data parallelism).
//
// Returns the schedule unchanged if one device holds both stages, because that device sums locally.
// With two directions this is always the case.
Schedule tieEmbeddings(Schedule lowered, SyncPolicy policy);

bool hasTiedEmbeddings(const Schedule& schedule);
// Removes the ALLREDUCE of tied embeddings, so that addAllReduce() can add those for data
// parallelism.
Schedule withoutTiedEmbeddings(Schedule schedule);
// Marks the all-reduces of tied embeddings in a schedule that was read from a file, because file
// formats do not mark them. In a schedule of one direction without data parallelism, an all-reduce
// of only the first and the last stage is taken as that of tied embeddings. With two stages it
// could be an all-reduce of all stages and is not marked.
void recognizeTiedEmbeddings(Schedule& schedule);

} // namespace engine
