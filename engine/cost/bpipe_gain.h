#pragma once

#include "engine/cost/estimate.h"

#include <string>
#include <vector>

namespace engine {

// Is a larger micro-batch worth BPipe, which frees the memory for it? (arXiv 2401.02088)
struct BpipeQuestion
{
    EstimateInput input;    // its micro-batch size is not used
    std::vector<int> sizes; // of micro-batches, in sequences; the first is the baseline of rows
    std::vector<double> stageMfu; // measured, [size]; empty: from the roofline
    double usableMemory = 0;      // bytes of a device
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
    // Seconds of one stash over the link in a node, and of the forward that hides it.
    double transfer = 0, forward = 0;
};

struct BpipeAnswer
{
    std::vector<BpipeRow> rows;
    bool isWorthIt = false;
    std::string verdict; // two sentences: the answer and its reason
};

// Fails with Error::Code::InvalidArgument if a size does not divide the batch, if there are fewer
// layers than stages, or if the numbers of sizes and of measured MFUs differ.
Result<BpipeAnswer> bpipeGain(const BpipeQuestion& question);

} // namespace engine
