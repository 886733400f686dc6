#pragma once

#include <QStringList>

namespace app {

// Returns the FLOPs of all iterations of a run with these options of `bscope run`; 0 if the model
// cannot be read. On one machine, the duration of a run is proportional to them.
double runWork(const QStringList& options);
// Returns a key that is equal for runs with the same FLOP rate: mode, backend and precision.
QString runKind(const QStringList& options);

} // namespace app
