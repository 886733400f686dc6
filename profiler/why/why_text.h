#pragma once

#include "profiler/analysis/ranking.h"
#include "profiler/why/why.h"

#include <string>
#include <vector>

namespace profiler {

// A piece of a sentence. Times and ops are separate pieces, because the command line and the window
// format times and link ops in different ways.
struct Phrase
{
    enum class Kind : std::uint8_t { Text, Time, Op };

    Kind kind = Kind::Text;
    std::string text;       // the text; for an Op, the name of the op
    std::int64_t ticks = 0; // for a Time
    std::uint32_t op = 0;   // OpIndex, for an Op

    friend bool operator==(const Phrase&, const Phrase&) = default;
};
using Sentence = std::vector<Phrase>;

std::string opName(const engine::Run& run, std::uint32_t op); // "3F4"

Sentence boundSentence(const LowerBound& bound);
Sentence shortBoundSentence(const LowerBound& bound); // names only the largest of the bounds
const char* reasonName(WhyReason::Kind kind);         // "slow stage"
// "drain", "other devices", "not attributed": the name of a part of a Breakdown.
const char* stepName(Breakdown::Step::Kind kind);
std::string nameKey(std::string name); // "slow_stage": the name of a reason or a step in JSON
// Describes why the breakdown of an iteration is not known, as a clause.
std::string whyNoBreakdown(const engine::Run& run, const Why& why);
Sentence reasonSentence(const engine::Run& run, const Why& why, const WhyReason& reason);
// Describes a change as a condition: "with 2 chunks", "0B1 before 0F4".
std::string changeText(const engine::Run& run, const WhyChange& change);
// Describes the fault of a path in one sentence.
std::string faultText(const engine::Run& run, const CriticalPath& path);

// The whole report as lines of text.
std::string whyText(const engine::Run& run, const WhyReport& report);

// The reasons and the fastest other scheme that fits in memory. The time of a reason is that on the
// critical path.
std::vector<Finding> whyFindings(const engine::Run& run, const WhyReport& report);
// Everything found in a run: its stragglers and whyFindings(), as far as they are known.
std::vector<Finding> runFindings(const engine::Run& run, const engine::Result<WhyReport>& report);

std::string plainText(const Sentence& sentence, std::int64_t ticksPerUnit);

// Whether a difference deserves to be stated: at least 1/600 of the iteration.
bool isNotable(std::int64_t difference, std::int64_t iteration);

} // namespace profiler
