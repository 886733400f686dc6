#pragma once

#include "profiler/import/classify.h"

#include <string_view>

namespace profiler {

// Whether a range is a frame of torch/utils/checkpoint.py that recomputes activations: the
// unpack_hook of a saved tensor, or the function that it calls.
bool isCheckpointFrame(std::string_view name);

// Activation checkpointing runs forward ops within a backward. Divides every such backward into a
// RECOMPUTE and the rest. The recomputation is the time, on the threads of the backward and within
// its range, in frames of torch/utils/checkpoint.py and in ops that only a forward calls
// (aten::linear, aten::layer_norm, ...). PyTorch recomputes layer by layer, so only the total time
// is exact: the RECOMPUTE is placed first, with its kernels. Only for traces that name their
// backwards; joint ops are left as they are.
void splitRecompute(const RankTrace& trace, ClassifiedRank& rank);

} // namespace profiler
