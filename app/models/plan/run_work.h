#pragma once

#include <QStringList>

namespace app {

// FLOPs of all iterations of a run with these options of `bscope run`; its duration is proportional
// on one machine. 0: the model cannot be read.
double runWork(const QStringList& options);
// Runs of one kind have one FLOP rate: mode, backend and precision.
QString runKind(const QStringList& options);

} // namespace app
