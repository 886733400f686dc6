#pragma once

#include "profiler/import/classify/classify.h"

#include <string_view>

namespace profiler {

// Whether a range is a frame of torch/utils/checkpoint.py that recomputes activations: the
// unpack_hook of a saved tensor, or the function that it calls.
bool isCheckpointFrame(std::string_view name);

// Activation checkpointing runs forward ops within a backward. Divides every such backward into a
// RECOMPUTE and the rest. The recomputation is the time that a backward spends in frames of
// torch/utils/checkpoint.py and in ops that only a forward calls (aten::linear, aten::layer_norm,
// ...). PyTorch recomputes layer by layer, so only the total time is exact: the RECOMPUTE is placed
// first, with its kernels. Does not change joint ops, or traces that do not name their backwards.
void splitRecompute(const RankTrace& trace, ClassifiedRank& rank);

} // namespace profiler
