#pragma once

#include "app/models/run_document.h"
#include "app/models/thumbnail.h"
#include "profiler/analysis/compare.h"
#include "profiler/whatif/predict.h"

#include <QString>

#include <map>
#include <memory>
#include <optional>

namespace app {

// What the user changes about a measured run before other schemes are predicted.
struct WhatIfChanges
{
    struct Cell // of the table of measured times
    {
        int stage = 0;
        engine::OpKind kind = engine::OpKind::Forward;
        friend auto operator<=>(const Cell&, const Cell&) = default;
    };

    std::map<Cell, std::int64_t> times; // ns, in place of the measured medians
    std::optional<double> weightShare;  // of W in B, if only B was measured
    double linkSpeed = 1;               // relative to the measured one
    bool removesStragglers = false;
    int microBatches = 1; // per iteration

    bool hasEdits() const { return !times.empty() || weightShare; }
    std::size_t edits() const { return times.size() + (weightShare ? 1 : 0); }
    friend bool operator==(const WhatIfChanges&, const WhatIfChanges&) = default;
};

// Returns why other schemes cannot be predicted from the run: "" if they can, as far as this is
// known without reading its spans. nullptr: no run.
QString whyNoWhatIf(const engine::Run* run);

// The predictor of a run with the changes. Its times and schemes are values, so copies can be used
// in several threads. Fails if a changed time was not measured.
engine::Result<profiler::WhatIfPredictor> withChanges(const profiler::WhatIfPredictor& measured,
                                                      const engine::Run& run,
                                                      const WhatIfChanges& changes);

// The synchronous schemes, by name.
std::vector<QString> whatIfSchemes();
QString schemeLabel(const QString& scheme); // "ZB-V" for "zb-v"

// A scheme with the measured times.
struct WhatIfRow
{
    QString scheme;
    QString reason; // why there is no prediction; "": there is one, or it is not known yet
    bool isKnown = false, hasInterval = false;
    std::int64_t iteration = 0, least = 0, most = 0;              // ns; 95 % are in [least, most]
    double bubbleRatio = 0, peakStash = 0;                        // M_a
    engine::IdVector<engine::DeviceId, std::int64_t> deviceBytes; // peaks; empty: unknown
    std::shared_ptr<const Thumbnail> thumbnail;
};

struct WhatIfSettings
{
    int devices = 1, microBatches = 1;
    double linkSpeed = 1;
    int resamples = 0; // 0: no interval
    std::function<bool()> isCancelled = {};
};
// Predicts one scheme. The label of the predicted run is that of the scheme.
engine::Result<profiler::Prediction> predictScheme(const profiler::WhatIfPredictor& predictor,
                                                   const QString& scheme,
                                                   const WhatIfSettings& settings);
WhatIfRow whatIfRow(const QString& scheme, const engine::Result<profiler::Prediction>& prediction,
                    bool hasInterval);

// A prediction beside the measured run.
struct WhatIfDetails
{
    QString scheme;
    std::shared_ptr<const engine::Run> run; // predicted; null: see `reason`
    QString reason;
    profiler::Comparison comparison; // of the measured run and the prediction
    // The iteration with one assumption changed, in ns; nullopt: it is not changed, or not known.
    std::optional<std::int64_t> withoutEdits, withoutStragglers, withHalfLinks;
    double correction = 1;
    int measuredStages = 0;
    std::vector<std::string> assumptions;
};

// Predicts one scheme and compares it with the run. `measured` has no changes.
WhatIfDetails whatIfDetails(const profiler::WhatIfPredictor& measured, const engine::Run& run,
                            const WhatIfChanges& changes, const QString& scheme);

// The `bscope whatif` command with the changes, without -o.
QString whatIfCommand(const QString& file, const QString& scheme, const WhatIfChanges& changes,
                      const engine::Shape& measured);

// The device whose stages take longest, and its time relative to the mean of the others; -1: all
// devices take equally long within 1 %.
struct SlowestDevice
{
    int device = -1;
    double excess = 0; // 0.043: 4.3 % slower
};
SlowestDevice slowestDevice(const engine::Run& run, const profiler::MeasuredTimes& times);

} // namespace app
