#pragma once

#include "engine/schedule/passes/passes.h"

namespace engine {

// Adds the two ALLREDUCE of tied embeddings to a lowered schedule of one direction: with Eager each
// after the last gradient of its stage, otherwise after all ops except OPT. ALLREDUCE ops of these
// two stages that are already there (from a file, or of data-parallel copies) are replaced; the new
// ones also sum over the copies. Returns the schedule unchanged if one device holds both stages,
// and in two directions, where every device holds both stages and sums locally.
Schedule tieEmbeddings(Schedule lowered, SyncPolicy policy);

bool hasTiedEmbeddings(const Schedule& schedule);
// Removes the ALLREDUCE of tied embeddings, so that addAllReduce() can add those of several copies.
Schedule withoutTiedEmbeddings(Schedule schedule);
// Marks the tied all-reduces of a schedule that was read from a file, because file formats do not.
// Tied are the all-reduces of a schedule of one direction and one copy in which only the first and
// the last stage have one. With two stages they could be all-reduces of all stages and are not
// marked.
void recognizeTiedEmbeddings(Schedule& schedule);

} // namespace engine
