#pragma once

#include "engine/cost/estimate.h"

#include <string>
#include <vector>

namespace engine {

// The question whether BPipe pays off: it frees memory, which allows a larger micro-batch (arXiv
// 2401.02088).
struct BpipeQuestion
{
    EstimateInput input;    // its micro-batch size is not used
    std::vector<int> sizes; // micro-batch sizes in sequences; speed-ups are relative to the first
    // [size] measured MFU of one stage; empty: use the roofline model.
    std::vector<double> stageMfu;
    double usableMemory = 0; // memory of a device that the training can use, in bytes
};

struct BpipeRow
{
    int microBatchSize = 1;
    double microBatches = 0, stageMfu = 0, mfu = 0;
    double speedUp = 1, breakEven = 1; // relative to the first row
    MemoryEstimate memory;
    bool fitsWithout = false, fitsWith = false;
    AttentionKernels kernels;
    double headsPerRank = 0;
    // Seconds of the transfer of one stash within a node, and of the forward that hides it.
    double transfer = 0, forward = 0;
};

struct BpipeAnswer
{
    std::vector<BpipeRow> rows;
    bool isWorthIt = false;
    std::string verdict; // two sentences: the answer and the reason
};

// Fails with Error::Code::InvalidArgument if a size does not divide the batch, if there are fewer
// layers than stages, or if the numbers of sizes and of measured MFUs differ.
Result<BpipeAnswer> bpipeGain(const BpipeQuestion& question);

} // namespace engine
