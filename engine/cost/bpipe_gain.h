#pragma once

#include "engine/cost/model_prices.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// Input of the closed forms: a pipeline of `stages` stages, each of which is tensor- and
// data-parallel.
struct EstimateInput
{
    ModelOnHardware on;       // also has the micro-batch size
    int stages = 8;           // number of pipeline devices
    int chunks = 1;           // number of stages per device (interleaved 1F1B)
    double globalBatch = 128; // sequences per iteration, summed over all data-parallel pipelines
};

// Memory of the fullest device in bytes. Excludes working memory, for example for a layer that is
// being recomputed.
struct MemoryEstimate
{
    int device = 0; // the fullest device with 1F1B: 0, unless later stages have more layers
    // Bytes of that device: `state` for weights, gradients and optimizer state, `stash` for one
    // micro-batch in the layers of all its chunks.
    double state = 0, stash = 0;
    // Total memory at the peak number of stashes, which on device d is:
    //   1F1B: min(N, D-d); with v chunks at most D + (D-1)/v (Megatron-LM).
    //   BPipe: ceil((D+2)/2); BPipe requires one chunk.
    double oneFOneB = 0;
    std::optional<double> bpipe; // of the fullest device with BPipe
};
MemoryEstimate estimateMemory(const EstimateInput& input);

// Number of micro-batches of one pipeline, n = B / (d b), with global batch B, data-parallel size d
// and micro-batch size b.
double microBatchesOf(const EstimateInput& input);
// MFU of the pipeline: `stageMfu` times n / (n + (p - 1) / v), with p pipeline devices and v
// chunks. It is an upper bound, because it assumes free transfers and no optimizer step (arXiv
// 2401.02088). If the devices have unequal layers, the busiest one determines the time: p - 1 is
// the number of its loads that the other devices have in sum, and idle devices lower the MFU.
double pipelineMfu(const EstimateInput& input, double stageMfu);
// If the micro-batch size changes from `from` (x) to `to` (y), returns the factor by which the MFU
// of a stage must grow to keep the MFU of the pipeline: (B + d y (p-1)) / (B + d x (p-1)).
double breakEven(const EstimateInput& input, int from, int to);

// Utilization in a measured iteration. `hfu` and `strictHfu` count all executed FLOPs, including
// recomputation. For attention, `hfu` uses the published 12 B L s^2 h, `strictHfu` the exact 4 B L
// s^2 h.
struct UtilisationEstimate
{
    double mfu = 0, hfu = 0, strictHfu = 0;
};
UtilisationEstimate utilisation(const EstimateInput& input, double iterationSeconds);

// The question whether BPipe pays off by freeing memory for a larger micro-batch (arXiv
// 2401.02088).
struct BpipeQuestion
{
    EstimateInput input;    // its micro-batch size is not used
    std::vector<int> sizes; // micro-batch sizes in sequences; speed-ups are relative to the first
    // The measured MFU of one stage for each of `sizes`; empty: the roofline model is used.
    std::vector<double> stageMfu;
    MemoryCapacity memory; // of a device; unknown: every size fits
    Mapping mapping = {};  // decides the link between the partners of BPipe
};
// The slowest link between the two devices of any BPipe pair.
LinkSpec partnerLink(const BpipeQuestion& question);

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

// The reserves in percent for which an answer is the same: above `above` and at most `upTo`.
struct ReserveRange
{
    double above = -1, upTo = 100; // -1 and 100: not bounded

    std::string text() const; // "a reserve above 1.1 %", "a reserve up to 1.1 %", "every reserve"
};

struct BpipeAnswer
{
    std::vector<BpipeRow> rows;
    bool isWorthIt = false;
    ReserveRange holdsFor;
    std::string verdict; // the answer, the reason, and the memory for which it holds
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
