#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/why_words.h"
#include "app/ui/latest.h"

#include <QObject>

#include <atomic>
#include <memory>
#include <optional>

namespace app {

// The fastest other scheme for a run, or why it is unknown.
struct NextSchemeAnswer
{
    std::shared_ptr<const profiler::NextScheme> next; // nullptr: see `reason`
    QString reason; // why the scheme is unknown; "" if no scheme is faster
};

// Explains an iteration in the background. The critical path is computed first, then the effect of
// each change, then the next scheme of the run, which is searched once. A new request cancels the
// previous one. GUI thread only; never waits for its threads.
class WhyAnalysis : public QObject
{
    Q_OBJECT

public:
    explicit WhyAnalysis(QObject* parent = nullptr);
    ~WhyAnalysis() override; // cancels

    void ask(const RunPointer& run, int iteration);
    // Searches the next scheme. Emits nextKnown() again if it is known already.
    void askNext(const RunPointer& run);
    void cancel();           // emits nothing more for the last ask()
    void cancelNextScheme(); // stops the search for the next scheme; emits nextKnown()

Q_SIGNALS:
    // `marks` is nullptr if the iteration cannot be explained; `reason` says why.
    void explained(const app::PathMarksPointer& marks, const QString& reason);
    void effectKnown(int reason, const app::WhyEffect& effect);
    // `accuracy` is the simulated duration without a change, divided by the recorded duration. It
    // is 0 if no change can be simulated, and `problem` says why.
    void accuracyKnown(double accuracy, const QString& problem);
    void nextKnown(const app::NextSchemeAnswer& answer);

private:
    using Flag = std::shared_ptr<std::atomic<bool>>;
    void askEffects(const PathMarksPointer& marks);

    RunPointer m_run, m_nextOf;             // the runs of the last ask() and askNext()
    std::optional<NextSchemeAnswer> m_next; // nullopt: not known yet
    Flag m_isDropped;                       // set to cancel the last ask(); the threads read it
    Flag m_isNextDropped;                   // set to cancel the search for the next scheme
    Background m_background;
};

} // namespace app
