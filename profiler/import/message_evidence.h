#pragma once

#include "profiler/import/iterations.h"

namespace profiler {

// Whether the messages of the ranks show that every pipeline of the job has one stage per rank, in
// the order of the ranks. A rank that receives no activations is a first stage, and one that sends
// none is a last stage. If other ranks than the first and the last one are such, the ranks form
// several pipelines whose members are unknown, as with tensor parallelism. Without process groups,
// the ranks of all stages but one need a trace.
bool messagesShowPipelines(const Job& job);

// Whether the first rank of a pipeline receives activations and sends gradients. Both are messages
// of the next chunk of the model, so ranks have several stages.
bool messagesShowChunks(const Job& job);

// Whether a rank sends gradients before its first backward of an iteration. They are activations
// of a V-shaped or a bidirectional schedule, so ranks have several stages.
bool messagesShowDirections(const Job& job, const FoundIterations& iterations);

} // namespace profiler
