#pragma once

#include <QStringList>

namespace app {

// How much a run computes. On one machine, runs of the same `kind` take a time proportional to
// their FLOPs.
struct RunWork
{
    double flops = 0; // total of all iterations; 0 if the model cannot be read
    QString kind;     // mode, backend and precision
};
RunWork runWork(const QStringList& options); // `options` are options of `bscope run`

} // namespace app
