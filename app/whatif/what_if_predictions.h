#pragma once

#include "app/timeline/view/run_view.h"
#include "app/ui/latest.h"
#include "app/whatif/what_if.h"

#include <QObject>
#include <QThreadPool>

#include <atomic>
#include <memory>

namespace app {

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
    static Explained explained(const Chosen& chosen, const std::atomic<bool>& isDropped);
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
