#pragma once

#include "profiler/study/study.h"

#include <QStringList>

namespace app {

// The options that an axis of a study may set. They come from the field tables of simulations and
// runs.

QString studyOptionLabel(const std::string& key); // "Micro-batches N"
QString studyOptionHelp(const std::string& key);  // "" if there is no such option
// Returns the names that an option accepts: the values of a choice, or the presets of a model or
// hardware. Empty for other options.
QStringList studyOptionNames(const std::string& key);
// The options that the study does not set yet, sorted.
QStringList otherStudyOptions(const profiler::Study& study);

// A problem of a study's definition. `key` is the option that causes it; "" if no option does.
struct StudyProblem
{
    std::string key;
    QString text;
};
// Returns the first problem that can be found without a simulation; nullopt if there is none.
std::optional<StudyProblem> studyProblem(const profiler::Study& study);

// Returns the reason why `bscope run` cannot run the points, such as an option that only `bscope
// simulate` has; "" if it can run them.
QString notRunnable(const profiler::Study& study);

// The study of a new page.
profiler::Study defaultStudy();
QStringList studyPresets();
// Reads a preset or a file.
engine::Result<profiler::Study> openStudy(const QString& nameOrFile);

} // namespace app
