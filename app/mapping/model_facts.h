#pragma once

#include "app/mapping/mapping_study.h"
#include "app/plan/bpipe_memory.h"

#include <optional>

namespace app {

// A range of consecutive stages that all have the same sizes.
struct StageSizes
{
    int first = 0, last = 0, layers = 0;
    double parameters = 0;    // per stage, over all tensor-parallel ranks
    double forwardFlops = 0;  // per stage and micro-batch
    engine::StageBytes bytes; // per stage, on one tensor-parallel rank
};
std::vector<StageSizes> stageSizes(const engine::ModelOnHardware& on, int stages,
                                   engine::Rebuilt rebuilt);

// The memory that the devices need with one micro-batch size.
struct MemoryFit
{
    int microBatchSize = 1;
    bool recomputesAll = false;
    std::vector<DevicePeak> devices; // peak of one GPU of each device, in bytes
    double capacity = 0;

    int fullest() const; // device that needs the most memory
    double most() const { return devices[static_cast<std::size_t>(fullest())].sum(); }
    bool fits() const { return most() <= capacity; }
};

// For a model on hardware, the sizes of a schedule's stages and whether they fit in memory.
struct ModelFacts
{
    std::vector<StageSizes> stages;
    MemoryFit now;
    std::optional<MemoryFit> twice; // with micro-batches of twice the size
    // If `now` does not fit, the changes that make it fit: the largest micro-batch size that fits,
    // and full recomputation. If only `twice` does not fit, the changes that make `twice` fit.
    std::vector<MemoryFit> remedies;
};
// Simulates at most ⌈log2(b)⌉ + 2 times, where b is the micro-batch size. Fails only with
// Error::Code::Cancelled.
engine::Result<ModelFacts> modelFacts(const PredictionRequest& request, const MappingStudy& study,
                                      const std::function<bool()>& isCancelled = {});

} // namespace app
