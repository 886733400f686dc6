#pragma once

#include "engine/cost/model_prices.h"

#include <optional>

namespace engine {

// Input of the closed forms: a pipeline of `stages` stages, each of which is tensor- and
// data-parallel.
struct EstimateInput
{
    ModelOnHardware on;       // includes the micro-batch size
    int stages = 8;           // devices of the pipeline
    int chunks = 1;           // stages per device (interleaved 1F1B)
    double globalBatch = 128; // sequences per iteration, over all data-parallel pipelines
};

// Memory of the first device in bytes. No other device needs more. Working memory, as that of a
// layer that is being rebuilt, is not included.
struct MemoryEstimate
{
    // `state` is the size of weights, gradients and optimizer state, `stash` that of one
    // micro-batch on all chunks of the device.
    double state = 0, stash = 0;
    // Total memory with the peak number of stashes: min(N, D) for 1F1B, at most D + (D-1)/v with v
    // chunks (Megatron-LM), and ceil((D+2)/2) for BPipe, which has one chunk.
    double oneFOneB = 0;
    std::optional<double> bpipe;
};
MemoryEstimate estimateMemory(const EstimateInput& input);

double microBatchesOf(const EstimateInput& input); // micro-batches of one pipeline, n = B / (d b)
// MFU of one stage: its model FLOPs / (peak FLOP/s of its devices x time of F and B). The roofline
// model predicts the time, which includes recomputation.
double rooflineStageMfu(const EstimateInput& input);
// MFU of the pipeline: `stageMfu` times n / (n + (p - 1) / v). An upper bound that assumes free
// transfers, no optimizer step and equal stages (arXiv 2401.02088).
double pipelineMfu(const EstimateInput& input, double stageMfu);
// The factor by which the MFU of a stage must grow to keep the MFU of the pipeline if the
// micro-batch size changes from `from` (x) to `to` (y): (B + d y (p-1)) / (B + d x (p-1)).
double breakEven(const EstimateInput& input, int from, int to);

// Utilization in a measured iteration. `hfu` and `strictHfu` count all executed FLOPs, including
// recomputation. `hfu` uses the published 12 B L s^2 h for attention, `strictHfu` the exact 4 B L
// s^2 h.
struct UtilisationEstimate
{
    double mfu = 0, hfu = 0, strictHfu = 0;
};
UtilisationEstimate utilisation(const EstimateInput& input, double iterationSeconds);

} // namespace engine
