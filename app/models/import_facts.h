#pragma once

#include "app/models/theme.h"
#include "engine/timeline/run.h"

#include <QString>

#include <optional>
#include <vector>

namespace app {

// The texts of an import report. All functions require a run with RunInfo::import.

struct ImportFact
{
    QString title, value, note;
};
// Source, program, hosts and iterations.
std::vector<ImportFact> importFacts(const engine::Run& run);

struct RankFact
{
    QString title, note, toolTip;
    bool isMissing = false;
};
std::vector<RankFact> rankFacts(const engine::ImportReport& report); // by rank
QString rankSummary(const engine::ImportReport& report);             // "3 of 4 present"

// A part of the time that a rule classified; the last part may be unclassified.
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
// The colour of the coverage part at `position`; later parts are lighter. `position` < 0:
// unclassified.
QColor coverageColour(const Theme& theme, int position);

// The iteration simulated from the median times of the trace, compared with the measured one.
struct ReplayFact
{
    enum class Level : int { Unknown, Good, Fair, Poor };
    Level level = Level::Unknown;
    QString verdict, sentence;
};
ReplayFact replayFact(const engine::Run& run);
// Stages, micro-batches, order of ops.
std::vector<ImportFact> structureFacts(const engine::Run& run);

} // namespace app
