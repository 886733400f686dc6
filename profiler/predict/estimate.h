#pragma once

#include "engine/cost/bpipe_gain.h"
#include "engine/timeline/run.h"
#include "profiler/predict/predict.h"

#include <vector>

namespace profiler {

// The set-up of an estimate in closed form: a model on hardware, and the micro-batch sizes that are
// compared with the first. `bscope estimate` and the estimator page share its fields.
struct EstimateRequest
{
    EstimateRequest() { source.kind = CostSource::Kind::Hardware; }

    CostSource source;
    int devices = 8, chunks = 1;
    int globalBatch = 128; // sequences per iteration, in all data-parallel copies
    std::vector<int> sizes{1, 2, 4};
    bool hasStageMfu = false;     // false: the roofline predicts the stage MFU
    std::vector<double> stageMfu; // in percent, one value per size; kept without `hasStageMfu`
    double iterationSeconds = 0;  // of a measured iteration; 0: none
    engine::ScheduleRequest schedule = {}; // only its mapping is used

    friend bool operator==(const EstimateRequest&, const EstimateRequest&) = default;
};

engine::Fields<EstimateRequest> estimateFields();

// Loads the presets and maps BPipe's devices to the nodes of the hardware.
engine::Result<engine::BpipeQuestion> questionOf(const EstimateRequest& request);

// The paper's estimate, made from a recorded run instead of a single stage (arXiv 2401.02088). The
// closed form has no transfers, no optimizer step and equal stages.
struct MeasuredEstimate
{
    int microBatchSize = 1, microBatches = 1;
    double stageMfu = 0; // of the device whose F and B take the longest
    double mfu = 0, measuredMfu = 0;
    double predicted = 0, measured = 0; // seconds of an iteration
    double error() const { return predicted / measured - 1; }
};
// Fails with Error::Code::InvalidArgument if the scheme has another closed form, or if the run
// lacks its experiment or the peak of its devices.
engine::Result<MeasuredEstimate> estimateFrom(const engine::Run& run);

} // namespace profiler
