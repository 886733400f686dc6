#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/details/details.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/background.h"
#include "app/ui/thumbnail.h"
#include "engine/base/id.h"
#include "profiler/analysis/compare.h"
#include "profiler/whatif/changes.h"
#include "profiler/whatif/predict.h"

#include <QObject>
#include <QString>
#include <QThreadPool>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace app {

using profiler::WhatIfChanges;
using profiler::withChanges;

// Returns the reason why other schemes cannot be predicted from the run; "" if no reason is known.
// Does not read the spans, so a prediction may still fail. `run` may be nullptr.
QString whyNoWhatIf(const engine::Run* run);

// The pseudo-scheme that keeps the order of the measured run.
inline const QString kOwnOrder = QStringLiteral("own-order");
// Returns kOwnOrder and the synchronous schemes, sorted by name.
std::vector<QString> whatIfSchemes();
QString schemeLabel(const QString& scheme); // "ZB-V" for "zb-v"

// The changes that the user makes to one run, with undo. We keep them here and nowhere else: every
// control of the page shows these changes and writes to them.
class WhatIfEdits : public QObject
{
    Q_OBJECT

public:
    explicit WhatIfEdits(const engine::Run& run, QObject* parent = nullptr);

    const WhatIfChanges& changes() const { return m_steps[m_step]; }
    // Successive changes by the same `control` are undone together; "": separately.
    void take(WhatIfChanges next, const QString& control = {});
    template<class Change> // a function of WhatIfChanges&
    void change(const QString& control, Change change)
    {
        WhatIfChanges next = changes();
        change(next);
        take(std::move(next), control);
    }
    void endStep() { m_control.clear(); } // the next change is undone separately
    bool canUndo() const { return m_step > 0; }
    bool canRedo() const { return m_step + 1 < m_steps.size(); }
    void undo() { canUndo() ? go(m_step - 1) : void(); }
    void redo() { canRedo() ? go(m_step + 1) : void(); }
    void reset() { take(m_steps.front()); } // can be undone

Q_SIGNALS:
    void changed();

private:
    void go(std::size_t step);

    std::vector<WhatIfChanges> m_steps; // without changes first
    std::size_t m_step = 0;
    QString m_control; // of the last change
};

// A scheme predicted with the measured times; the predicted run itself is not kept.
struct WhatIfRow : profiler::Prediction
{
    QString scheme;
    QString reason; // why there is no prediction; "" if there is one or it is still pending
    bool isKnown = false, hasInterval = false;
    std::shared_ptr<const Thumbnail> thumbnail;

    std::int64_t mostBytes() const; // largest peak of any device; 0: unknown
};

// Predicts one scheme with the micro-batches and the link speed of `changes`, which `changed` has.
// Labels the predicted run with the scheme. `resamples`: number of predictions for the interval; 0:
// no interval. Fails for kOwnOrder if the number of micro-batches differs from that of the run.
engine::Result<profiler::Prediction> predictScheme(const profiler::WhatIfPredictor& changed,
                                                   const QString& scheme,
                                                   const WhatIfChanges& changes, int resamples = 0,
                                                   const std::function<bool()>& isCancelled = {});
// A prediction together with the measured run.
struct WhatIfDetails
{
    WhatIfChanges changes;
    WhatIfRow row;                          // without interval
    std::shared_ptr<const engine::Run> run; // the predicted run; null if row.reason is set
    bool isPreview = false;                 // the other members are not computed
    profiler::Comparison comparison;        // compares the measured run and the prediction
    // Iteration times in ns, each with one assumption changed: {"With links half as fast", ...}.
    std::vector<std::pair<QString, std::int64_t>> alternatives;
    // WhatIfPredictor::correction(); nullopt if the prediction keeps the run's own order.
    std::optional<double> correction;
    std::vector<std::string> assumptions;
};

// Predicts one scheme and compares it with the run. `measured` has no changes. A preview is fast
// enough to follow the pointer.
enum class WhatIfDepth : bool { Preview, Full };
WhatIfDetails whatIfDetails(const profiler::WhatIfPredictor& measured, const engine::Run& run,
                            const WhatIfChanges& changes, const QString& scheme,
                            WhatIfDepth depth = WhatIfDepth::Full);

// Returns the `bscope whatif` command with the changes, without -o.
QString whatIfCommand(const QString& file, const QString& scheme, const WhatIfChanges& changes,
                      const engine::Shape& measured);

// The device whose stages take longest, and by how much they exceed the mean of the other devices.
// `device` is -1 if the excess is less than 1 %.
struct SlowestDevice
{
    int device = -1;
    double excess = 0; // 0.043: 4.3 % slower
};
SlowestDevice slowestDevice(const engine::Run& run, const profiler::MeasuredTimes& times);

struct WhatIfEdit
{
    QString text; // "F on device 3 × 1.5"
    WhatIfChanges without;
};
std::vector<WhatIfEdit> editsOf(const WhatIfChanges& changes, const engine::Run& run);

// "2F3", "F on device 1", "F", "Device 1", "Link 0–1", "All links within nodes".
QString selectionText(const profiler::RunEdit& edit);

// Returns the slow-down factor of the ops or links that `edit` selects; 1 if none is set.
double slowdown(const WhatIfChanges& changes, const profiler::RunEdit& edit);
// Sets the slow-down factor of the ops or links that `edit` selects, clamped to the limits of
// factors. A factor of 1 removes the slow-down.
void setSlowdown(WhatIfChanges& changes, profiler::RunEdit edit);

// The links between devices over which messages pass, as edits with a factor of 1. If the run names
// several hosts, edits for all links within nodes and for all links between nodes come first.
std::vector<profiler::RunEdit> linksOf(const engine::Run& run);

// The result of a prediction, in one sentence.
struct WhatIfVerdict
{
    enum class Kind : std::uint8_t { Shorter, Unclear, Longer, AlmostFull };

    Kind kind = Kind::Unclear;
    QString bold, rest; // "ZB-V would take 412 ms instead of 488 ms" "(−15.6 %, ...)"
};

// The input of a verdict. `measuredBytes` is the peak of each device; empty: unknown.
struct WhatIfNumbers
{
    std::int64_t measured = 0; // in ns
    engine::IdVector<engine::DeviceId, std::int64_t> measuredBytes;
    engine::MemoryCapacity memory; // of a device; unknown: no limit
    // The numbers of micro-batches of the measured and of the predicted iteration. If they differ,
    // the times per micro-batch are compared.
    int measuredBatches = 1, batches = 1;

    // The measured iteration time, scaled to the number of micro-batches of the prediction.
    std::int64_t atPace() const { return measured * batches / std::max(1, measuredBatches); }
};
WhatIfVerdict verdictOf(const WhatIfRow& row, const WhatIfNumbers& numbers);

// Returns the peak of each device of a compared run; empty if the peak of any device is unknown.
engine::IdVector<engine::DeviceId, std::int64_t> peaksOf(const profiler::ComparedRun& run);

// Describes a prediction: the causes of its difference from the measured run, the memory of its
// devices, and its assumptions. `row` has the interval and the memory; nullptr: not known yet.
// If `memory` is known, its usable part is the limit.
Details describeWhatIf(const WhatIfDetails& prediction, const WhatIfRow* row,
                       const engine::MemoryCapacity& memory);

// Predicts all schemes from the measured times of one run, on its own threads. The durations of all
// schemes come first, then their confidence intervals. Each scheme is a job of its own, so that no
// long job remains after the page is closed. A new request cancels the previous one. GUI thread
// only; never waits for its threads.
class WhatIfPredictions : public QObject
{
    Q_OBJECT

public:
    using Predictor = std::shared_ptr<const profiler::WhatIfPredictor>;

    // Starts to collect the times of the run; emits measured() or failed() once.
    explicit WhatIfPredictions(RunPointer run, QObject* parent = nullptr);
    ~WhatIfPredictions() override; // cancels

    // Predicts all schemes. If `scheme` is not "", also explains its prediction. Call it after
    // measured().
    void ask(const WhatIfChanges& changes, const QString& scheme);
    void explain(const QString& scheme); // uses the changes of the last ask()
    // Predicts one scheme without its interval, for use while the user drags an edit. One preview
    // runs at a time. Of the previews that are requested meanwhile, only the last one is computed.
    void preview(const WhatIfChanges& changes, const QString& scheme);

Q_SIGNALS:
    void measured(const app::WhatIfPredictions::Predictor& predictor);
    void failed(const QString& reason);
    // Each scheme of the last request comes twice: first without its interval, then with it.
    void predicted(const app::WhatIfRow& row);
    void schemeExplained(const app::WhatIfDetails& details, const app::RunViewPointer& view);
    void progressed(int intervals, int all); // number of schemes whose interval is known

private:
    using Flag = std::shared_ptr<std::atomic<bool>>;
    using Changed = std::shared_ptr<const engine::Result<profiler::WhatIfPredictor>>;
    struct Chosen // a scheme, and what its prediction depends on
    {
        Predictor measured;
        RunPointer run;
        WhatIfChanges changes;
        QString scheme;
        WhatIfDepth depth;
    };
    struct Explained
    {
        WhatIfDetails details;
        RunViewPointer view; // null: not predicted
    };
    static Explained explained(const Chosen& chosen);
    void predict(const QString& scheme, const Changed& changed, int resamples);

    RunPointer m_run;
    Predictor m_measured;
    WhatIfChanges m_changes;
    Flag m_isDropped; // set to cancel the last ask(); the threads read it
    int m_intervals = 0;
    Background m_background;
    Latest<Chosen, Explained> m_explaining, m_previewing;
};

} // namespace app
