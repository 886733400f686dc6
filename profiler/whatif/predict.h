#pragma once

#include "profiler/analysis/metrics.h"
#include "profiler/whatif/stage_times.h"

#include <functional>

namespace profiler {

struct WhatIf
{
    engine::Schedule schedule;
    double linkSpeed = 1; // messages take 1/linkSpeed of their measured time
    // Every op takes 1/tensorParallel of its measured time, on as many times the GPUs.
    double tensorParallel = 1;
    int resamples = 100; // predictions of the interval, with resampled medians
    unsigned seed = 1;
    std::function<bool()> isCancelled = {}; // asked before every prediction; may be empty
};

// The predicted iteration. Times are ns.
struct Prediction
{
    std::int64_t iteration = 0;
    std::int64_t least = 0, most = 0; // 95 % of the predictions with resampled medians
    double bubbleRatio = 0;
    double peakStash = 0;                  // M_a, of the device with the most
    std::optional<std::int64_t> peakBytes; // of that device, if the run recorded its stashes
    engine::IdVector<engine::DeviceId, std::int64_t> deviceBytes; // peaks; empty if unknown
    engine::Run run; // the predicted run, mode Simulate; lasts `iteration`
};

// The measured times of a run under other schemes. A stage of the prediction takes the times of the
// part of the model that it holds: with S measured and T predicted stages, stage t holds the share
// [t/T, (t+1)/T) of the measured stages. Every prediction is multiplied by correction().
class WhatIfPredictor
{
public:
    // `run` must outlive this object. Fails as measuredTimes() does.
    static engine::Result<WhatIfPredictor> create(const engine::Run& run);

    MeasuredTimes& times() { return m_times; } // edits apply to the next prediction
    const MeasuredTimes& times() const { return m_times; }
    // The measured iteration relative to the prediction of the run's own order; 1 if that order is
    // not complete.
    double correction() const { return m_correction; }
    std::int64_t measured() const { return m_measured; } // reported iteration

    // Fails if the schedule deadlocks, and with Error::Code::Cancelled.
    engine::Result<Prediction> predict(const WhatIf& whatIf) const;

private:
    WhatIfPredictor(const engine::Run& run, MeasuredTimes times);
    void addBytes(const RunMetrics& predicted, Prediction& prediction) const;

    const engine::Run* m_run;
    MeasuredTimes m_times;
    double m_correction = 1;
    std::int64_t m_measured = 0;
};

} // namespace profiler
