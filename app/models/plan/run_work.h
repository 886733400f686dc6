#pragma once

#include <QStringList>

namespace app {

// The FLOPs of all iterations of a run with these options of `bscope run`, to which its duration on
// a machine is proportional; 0 if the model cannot be read.
double runWork(const QStringList& options);
// Identifies runs with the same FLOP rate: mode, backend and precision.
QString runKind(const QStringList& options);

} // namespace app
