#pragma once

#include "profiler/study/study.h"

#include <QStringList>

namespace app {

// The options that an axis of a study may set, from the tables of fields of simulations and runs.

QString studyOptionLabel(const std::string& key); // "Micro-batches N"
QString studyOptionHelp(const std::string& key);  // "" if no table has it
// The accepted values of a choice, and the presets of models and hardware; empty for others.
QStringList studyOptionNames(const std::string& key);
// The options that the study does not set yet, sorted.
QStringList otherStudyOptions(const profiler::Study& study);

// What is wrong with a study: a sentence, and the option at fault ("" if it is none of them).
struct StudyProblem
{
    std::string key;
    QString text;
};
// Checks everything that can be known before a simulation; nullopt if the study may be run.
std::optional<StudyProblem> studyProblem(const profiler::Study& study);

// Why `bscope run` cannot run the points: an option that only simulations have; "" if it can.
QString notRunnable(const profiler::Study& study);

// The study of a new page.
profiler::Study defaultStudy();
QStringList studyPresets();
// Reads a preset or a file.
engine::Result<profiler::Study> openStudy(const QString& nameOrFile);

} // namespace app
