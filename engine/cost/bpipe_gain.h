#pragma once

#include "engine/cost/estimate.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// The question whether BPipe pays off by freeing memory for a larger micro-batch (arXiv
// 2401.02088).
struct BpipeQuestion
{
    EstimateInput input;    // its micro-batch size is not used
    std::vector<int> sizes; // micro-batch sizes in sequences; speed-ups are relative to the first
    // The measured MFU of one stage for each of `sizes`; empty: the roofline model is used.
    std::vector<double> stageMfu;
    double usableMemory = 0; // memory of a device that the training can use, in bytes
    Mapping mapping = {};    // decides the link between the partners of BPipe
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
    // Seconds of the transfer of one stash between partners, and of the forward op that hides it.
    double transfer = 0, forward = 0;
};

struct BpipeAnswer
{
    std::vector<BpipeRow> rows;
    bool isWorthIt = false;
    std::string verdict; // two sentences: the answer and the reason
};

// A speed-up that arXiv 2401.02088 measured with 8 pipeline stages of 4 tensor-parallel GPUs each.
struct PublishedGain
{
    std::string_view title, model; // "GPT-3 96B" for display; name of the preset
    AttentionMode attention;
    int from, to; // micro-batch sizes
    double speedUp;
    std::string_view grade; // where the speed-up is published: "table", "abstract"
    double tolerance;       // largest accepted difference from the speed-up of the roofline model
};
std::span<const PublishedGain> publishedGains();

// Fails with Error::Code::InvalidArgument if the global batch cannot be divided into micro-batches
// of one of the sizes, if there are fewer layers than stages, if the heads cannot be divided among
// the devices of a stage, or if the numbers of sizes and of measured MFUs differ.
Result<BpipeAnswer> bpipeGain(const BpipeQuestion& question);

} // namespace engine
