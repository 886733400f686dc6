#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "profiler/analysis/metrics.h"
#include "profiler/whatif/own_replay.h"
#include "profiler/whatif/stage_times.h"

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace profiler {

struct WhatIf
{
    engine::Schedule schedule;
    double linkSpeed = 1; // messages take their measured time / linkSpeed
    // Number of predictions with resampled medians (at most 40 of schedules of over 500,000 ops).
    // 0: the spread of the op times is not in the interval.
    int resamples = 100;
    unsigned seed = 1;
    std::function<bool()> isCancelled = {}; // may be empty; is called from several threads
};

// What predictions of recorded PyTorch runs missed (tests/bench/RESULTS.md, "Predictions compared
// with PyTorch"): iterations in another order took up to 5 % more or less than predicted, I and W
// together up to 1.2 times the B that they were predicted from, iterations with two directions up
// to 1.15 times as long if the run had no all-reduces, and iterations with sequence slices up
// to 1.7 times if the run had none: an op of half the tokens takes more than half of the time.
// Where devices with more stashes take longer for their ops, iterations with larger stashes took up
// to as much longer as the line through these devices says; emulated stashes leave the caches.
inline constexpr double kOrderError = 0.05, kMostSplitCost = 1.2, kMostAllReduce = 1.15,
                        kMostSlices = 1.7, kMostStash = 1.25;
inline constexpr std::string_view kIntervalCovers
    = "The interval covers the spread of the measured op times. If the predicted order is not the "
      "run's own, it also covers messages as short as the shortest of the run, times without the "
      "correction, and the errors of earlier predictions: 5 % either way, I and W that take 1.2 "
      "times as long as B where only B was measured, 1.15 times the iteration for two "
      "directions if the run has no all-reduces, 1.7 times for more sequence slices, and up to "
      "1.25 "
      "times for larger stashes if devices with more stashes take longer.";

// The predicted iteration. Times are ns.
struct Prediction
{
    std::int64_t iteration = 0;
    // The interval that contains 95 % of the predictions with resampled medians, widened as
    // kIntervalCovers says unless the run was simulated.
    std::int64_t least = 0, most = 0;
    double bubbleRatio = 0;
    double peakStash = 0; // largest peak stash of a device, in M_a
    // Largest peak memory of a device; nullopt if the run did not record its memory by category.
    std::optional<std::int64_t> peakBytes;
    // Peak of each device; empty if unknown.
    engine::IdVector<engine::DeviceId, std::int64_t> deviceBytes;
    // Of predictOwn(): how much the replay without edits differs from the recorded iteration. A
    // smaller difference of the prediction is not distinguishable.
    std::int64_t replayError = 0;
    engine::Run run; // the prediction as a run in mode Simulate; its iteration takes `iteration`
};

// Returns the relative difference of a prediction from the measured iteration; positive: the
// prediction takes longer. If the numbers of micro-batches differ, times per micro-batch are
// compared.
double changeOf(const Prediction& prediction, const engine::Run& run, std::int64_t measured);
bool doesEqualWork(const Prediction& prediction, const engine::Run& run);

// Predicts other schemes from the measured times of a run. A predicted stage takes the times of the
// part of the model that it holds: with S measured and T predicted stages, stage t corresponds to
// the share [t/T, (t+1)/T) of the measured stages, except that the embedding and the output layer
// (what the first and last stage take longer than the others) stay whole. With layers per stage
// (MeasuredTimes::layout, or of the run), shares of layers are used instead of shares of stages.
// Every prediction but MeasuredTimes::messageDelay is multiplied by correction().
class WhatIfPredictor
{
public:
    // `run` must outlive this object. Fails as measuredTimes() does.
    static engine::Result<WhatIfPredictor> create(const engine::Run& run);

    MeasuredTimes& times() { return m_times; } // edits apply to the next prediction
    const MeasuredTimes& times() const { return m_times; }
    const engine::Run& run() const { return *m_run; }
    // The measured iteration divided by the iteration that is predicted for the run's own schedule.
    // It is 1 if that schedule is not complete.
    double correction() const { return m_correction; }
    // The reported iteration of the run, in ns.
    std::int64_t measured() const { return m_measured; }

    // Replaces the data-parallel size of the schedule by that of the run. Fails if the schedule
    // deadlocks or has evicts and the run none, with engine::costsTooLarge(), and with
    // Error::Code::Cancelled if isCancelled() returned true.
    engine::Result<Prediction> predict(const WhatIf& whatIf) const;
    // Simulates the reported iteration in its own order (OwnReplay), with the edits of times().
    // Without edits, every op keeps its place. The prediction has no interval: least == most ==
    // iteration. Fails as OwnReplay::create() does.
    engine::Result<Prediction> predictOwn(double linkSpeed = 1) const;

private:
    WhatIfPredictor(const engine::Run& run, MeasuredTimes times);
    OwnReplay::Change ownChange(double linkSpeed, double correction) const;
    engine::Result<Prediction> withNumbers(Prediction prediction) const;
    engine::Result<std::int64_t> lengthOf(const MeasuredTimes& times,
                                          const engine::Schedule& lowered, double linkSpeed,
                                          std::optional<unsigned> seed = {}) const;
    engine::Result<std::vector<std::int64_t>> resampled(const WhatIf& whatIf,
                                                        const engine::Schedule& lowered) const;
    engine::Result<void> widenInterval(const WhatIf& whatIf, Prediction& prediction) const;

    const engine::Run* m_run;
    MeasuredTimes m_times;
    std::shared_ptr<const MeasuredTimes> m_unchanged;
    std::shared_ptr<const engine::Result<OwnReplay>> m_replay;
    double m_correction = 1;
    double m_stashSlope = 0; // share by which ops take longer per M_a of a device's peak stash
    double m_peakStash = 0;  // of the run, in M_a
    std::int64_t m_measured = 0;
};

// Predicts the peak memory in bytes of each device of a schedule. Converts the peak stash (in M_a)
// and the weights (in M_theta, with optimizer state) of `predicted` to bytes. The size of one M_a
// and one M_theta is taken from `measured`: from the same device if both schedules place their
// stages on the same devices, otherwise from the device where it is largest. Returns an empty
// vector if `measured` did not record its memory by category.
engine::IdVector<engine::DeviceId, std::int64_t> predictedBytes(const engine::Run& measured,
                                                                const engine::Schedule& schedule,
                                                                const RunMetrics& predicted);

// Runs with other op times, so that a comparison is only about their schedules.

using Runs = std::vector<std::shared_ptr<const engine::Run>>;

// Replays every run with the op times of the baseline. Fails if these cannot be measured.
engine::Result<Runs> withOpTimesOf(const Runs& runs, std::size_t baseline);

// Simulates the run with equal costs: every op takes the median duration that ops of its kind,
// stage and slice have (calibratedCosts()). The result has the time unit of the run, so the two can
// be compared. Fails with Error::Code::NotFound if the run has no measured iteration yet.
engine::Result<engine::Run> withEvenCosts(const engine::Run& run);

} // namespace profiler
