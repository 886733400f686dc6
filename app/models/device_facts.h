#pragma once

#include <QString>

namespace app {

// The hardware of this machine, as the files of the operating system describe it. (GPUs and
// libraries are reported by the worker.)
struct DeviceFacts
{
    QString cpu;   // "AMD EPYC 7B13"
    int cores = 1; // number of cores that this process may use
    bool hasNvidiaDriver = false;
};

DeviceFacts deviceFacts();
// Returns the name of the CPU from the text of /proc/cpuinfo; "CPU" if the text has none.
QString cpuName(const QString& cpuinfo);

} // namespace app
