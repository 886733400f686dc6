#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/path_marks.h"
#include "engine/base/result.h"
#include "profiler/why/why.h"

#include <QString>
#include <QStringList>

#include <atomic>
#include <optional>
#include <vector>

namespace app {

// The work of "Why not faster?", for background threads.

// Explains an iteration. Fails like profiler::whyNotFaster().
engine::Result<PathMarksPointer> makePathMarks(const engine::Run& run, int iteration);

// The simulated effect of the change that a reason suggests.
struct WhyEffect
{
    std::optional<profiler::ChangeEffect> change; // nullopt: not known
    QString problem;                              // why it is not known; "" if there is no change
};
struct WhyEffectsAnswer
{
    std::vector<WhyEffect> effects;        // of each reason
    engine::Result<double> accuracy = 1.0; // see profiler::WhyEffects
    QStringList stragglers;                // a sentence for each slow device or rank
};
WhyEffectsAnswer simulateChanges(const engine::Run& run, const profiler::Why& why,
                                 const std::atomic<bool>& isDropped);

// The schemes that are faster with the measured times of a run.
struct FasterSchemesAnswer
{
    std::vector<profiler::FasterScheme> schemes; // see profiler::fasterSchemes()
    QString reason;                              // why they are not known; "" if they are
};
FasterSchemesAnswer findFasterSchemes(const engine::Run& run, const std::atomic<bool>& isDropped);

} // namespace app
