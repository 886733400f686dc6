#pragma once

#include <QStringList>

namespace app {

// What decides how long a run takes, beside the machine: the FLOPs of all its iterations, of
// options of `bscope run`. 0: the model cannot be read.
double runWork(const QStringList& options);
// Runs of one kind take their time at one rate: mode, what they compute on, and in which precision.
QString runKind(const QStringList& options);

} // namespace app
