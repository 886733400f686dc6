#pragma once

#include "profiler/study/study.h"

#include <QStringList>

namespace app {

// The options that an axis of a study may set, from the tables of fields of simulations and runs.

QString studyOptionLabel(const std::string& key); // "Micro-batches N"
QString studyOptionHelp(const std::string& key);  // "" if there is no such option
// The accepted names of an option: the values of a choice, or the presets of a model or hardware.
// Empty for other options.
QStringList studyOptionNames(const std::string& key);
// The options that the study does not set yet, sorted.
QStringList otherStudyOptions(const profiler::Study& study);

// A problem of a study's definition. `key` is the option that causes it; "" if no option does.
struct StudyProblem
{
    std::string key;
    QString text;
};
// Checks everything that can be known before a simulation; nullopt if the study may be run.
std::optional<StudyProblem> studyProblem(const profiler::Study& study);

// Returns the reason why `bscope run` cannot run the points: an option that only `bscope simulate`
// has. Returns "" if it can run them.
QString notRunnable(const profiler::Study& study);

// The study of a new page.
profiler::Study defaultStudy();
QStringList studyPresets();
// Reads a preset or a file.
engine::Result<profiler::Study> openStudy(const QString& nameOrFile);

} // namespace app
