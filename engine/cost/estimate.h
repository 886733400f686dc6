#pragma once

#include "engine/cost/model_prices.h"

namespace engine {

// Input of the closed forms: a pipeline of `stages` stages, each of which is tensor- and
// data-parallel.
struct EstimateInput
{
    ModelOnHardware on; // its micro-batch size is that of one row of results
    int stages = 8;
    double globalBatch = 128; // sequences per iteration, over all data-parallel copies
};

// Bytes of the first stage, which needs the most.
struct MemoryEstimate
{
    double state = 0, stash = 0;    // weights, gradients, optimizer; one micro-batch of one stage
    double oneFOneB = 0, bpipe = 0; // total for min(N, D) and for ceil((D+2)/2) stashes
};
MemoryEstimate estimateMemory(const EstimateInput& input);

double microBatchesOf(const EstimateInput& input); // n = B / (d b)
// MFU of one stage: its model FLOPs relative to the peak of its devices during F and B, which the
// roofline model predicts.
double rooflineStageMfu(const EstimateInput& input);
// MFU of the pipeline: `stageMfu` times n / (n + p - 1). An upper bound that assumes free
// transfers, no optimizer step and equal stages (arXiv 2401.02088).
double pipelineMfu(const EstimateInput& input, double stageMfu);
// The factor by which the stage's MFU must grow from micro-batch size x to y to keep the MFU of
// the pipeline: (B + d y (p-1)) / (B + d x (p-1)).
double breakEven(const EstimateInput& input, int from, int to);

// Utilization in a measured iteration. Executed FLOPs (hfu) include recomputation, in the published
// form (12 B L s^2 h for attention) and in the exact form (4 B L s^2 h).
struct UtilisationEstimate
{
    double mfu = 0, hfu = 0, strictHfu = 0;
};
UtilisationEstimate utilisation(const EstimateInput& input, double iterationSeconds);

} // namespace engine
