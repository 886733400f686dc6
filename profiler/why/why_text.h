#pragma once

#include "profiler/why/why.h"

#include <string>
#include <vector>

namespace profiler {

// A piece of a sentence. The command line and the window format times and link ops by their own
// rules.
struct Phrase
{
    enum class Kind : std::uint8_t { Text, Time, Op };

    Kind kind = Kind::Text;
    std::string text;       // Text; for an Op its name
    std::int64_t ticks = 0; // Time
    std::uint32_t op = 0;   // OpIndex of an Op

    friend bool operator==(const Phrase&, const Phrase&) = default;
};
using Sentence = std::vector<Phrase>;

Sentence boundSentence(const LowerBound& bound);
Sentence reasonSentence(const engine::Run& run, const Why& why, const WhyReason& reason);
// The condition of an effect: "with 2 chunks", "0B1 before 0F4".
std::string changeText(const engine::Run& run, const WhyChange& change);
// The fault of a path, as one sentence.
std::string faultText(const engine::Run& run, const CriticalPath& path);

std::string plainText(const Sentence& sentence, std::int64_t ticksPerUnit);

// Whether a difference deserves a line: at least 1/600 of the iteration.
bool isNotable(std::int64_t difference, std::int64_t iteration);

} // namespace profiler
