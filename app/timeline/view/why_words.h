#pragma once

#include "app/timeline/view/path_marks.h"
#include "app/ui/numbers.h"
#include "engine/base/result.h"
#include "engine/timeline/run.h"
#include "profiler/why/why_text.h"

#include <QColor>
#include <QString>

#include <optional>
#include <vector>

namespace app {

// Explains an iteration. Fails like profiler::whyNotFaster(). May be called on any thread.
engine::Result<PathMarksPointer> makePathMarks(const engine::Run& run, int iteration);

// Returns the reason with the most time among the reasons that contain this op; -1: none.
int reasonOf(const PathMarks& marks, std::uint32_t op);

// The simulated effect of the change that a reason suggests.
struct WhyEffect
{
    enum class State { Unknown, Computing, Known, Failed };
    State state = State::Unknown; // Unknown: there is no change to simulate
    std::int64_t difference = 0;  // ticks
};

QString plainSentence(const profiler::Sentence& sentence, const Scale& scale);
// Rich text, in which times are bold and ops are links ("#17" for OpIndex 17) in `ink`.
QString richSentence(const profiler::Sentence& sentence, const Scale& scale, const QColor& ink);

// "with 2 chunks: −1.3 ms", "computing…"; "" if there is no notable effect.
QString effectText(const engine::Run& run, const profiler::Why& why, std::size_t reason,
                   const WhyEffect& effect, const Scale& scale);
// The text of a reason's plate on the ruler: "5 drain 5.2 ms".
QString reasonPlate(const profiler::Why& why, std::size_t reason, const Scale& scale);

// A line of "Where the time goes": name and times.
struct WhyLine
{
    QString name, value;
};
std::vector<WhyLine> whyLines(const profiler::PathShares& shares, const Scale& scale);

// The whole explanation as plain text, for the clipboard.
QString whyClipboardText(const engine::Run& run, const profiler::Why& why,
                         const std::vector<WhyEffect>& effects);

} // namespace app
