#pragma once

#include "app/ui/theme.h"
#include "engine/timeline/run.h"

#include <QString>

#include <optional>
#include <vector>

namespace app {

// Texts that describe an import report. A run that is passed in must have RunInfo::import.

struct ImportFact
{
    QString title, value, note;
};
// Returns the facts about source, program, hosts and iterations.
std::vector<ImportFact> importFacts(const engine::Run& run);

struct RankFact
{
    QString title, note, toolTip;
    bool isMissing = false;
};
std::vector<RankFact> rankFacts(const engine::ImportReport& report); // sorted by rank
QString rankSummary(const engine::ImportReport& report);             // "3 of 4 present"

// The part of the GPU time that one rule classified. The last part may be the unclassified time.
struct CoveragePart
{
    QString name;
    double share = 0;
    bool isClassified = true;
};
std::vector<CoveragePart> coverageParts(const engine::ImportReport& report);
QString coverageTitle(const engine::ImportReport& report);   // "97.4 % of GPU time classified"
QString coverageNumbers(const engine::ImportReport& report); // "5 261 of 5 402 ms, ..."
constexpr double kGoodCoverage = 0.9;
// How well a simulation with the median op times of the trace reproduces the measured iteration.
struct ReplayFact
{
    enum class Level : int { Unknown, Good, Fair, Poor };
    Level level = Level::Unknown;
    QString verdict, sentence;
};
ReplayFact replayFact(const engine::Run& run);
// Returns the facts about stages, micro-batches and the order of ops.
std::vector<ImportFact> structureFacts(const engine::Run& run);

} // namespace app
