#pragma once

#include "engine/cost/model_prices.h"

namespace engine {

// Closed-form questions to one pipeline of `stages` devices (x tensor- and data-parallel ones).
struct EstimateInput
{
    ModelOnHardware on; // micro-batch size of setup: of the row asked for
    int stages = 8;
    double globalBatch = 128; // sequences of an iteration, over all copies of the pipeline
};

// Bytes of the first device, the fullest one.
struct MemoryEstimate
{
    double state = 0, stash = 0;    // weights, gradients, optimizer; one micro-batch of one stage
    double oneFOneB = 0, bpipe = 0; // in all: min(N, D) stashes, at most ceil((D+2)/2)
};
MemoryEstimate estimateMemory(const EstimateInput& input);

double microBatchesOf(const EstimateInput& input); // n = B / (d b)
// Model FLOPs of one stage over what its devices could do in the time of its F and B: of the
// roofline.
double rooflineStageMfu(const EstimateInput& input);
// MFU of the pipeline from the MFU of a stage alone: times n / (n + p - 1). An upper bound: no
// transfers, no optimizer step, equal stages (arXiv 2401.02088).
double pipelineMfu(const EstimateInput& input, double stageMfu);
// By which factor the stage's MFU must grow from micro-batch size x to y, so that the pipeline's
// does not fall: (B + d y (p-1)) / (B + d x (p-1)).
double breakEven(const EstimateInput& input, int from, int to);

// Of a measured iteration. Executed FLOPs count what is recomputed, once by the published form
// (12 B L s^2 h for attention) and once strictly (4 B L s^2 h).
struct UtilisationEstimate
{
    double mfu = 0, hfu = 0, strictHfu = 0;
};
UtilisationEstimate utilisation(const EstimateInput& input, double iterationSeconds);

} // namespace engine
