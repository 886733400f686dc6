#pragma once

#include <QString>

namespace app {

// The hardware of this machine, from files of the operating system. (The worker reports GPUs and
// libraries.)
struct DeviceFacts
{
    QString cpu;   // "AMD EPYC 7B13"
    int cores = 1; // cores that this process may use
    bool hasNvidiaDriver = false;
};

DeviceFacts deviceFacts();
// Returns the name of the CPU from the text of /proc/cpuinfo; "CPU" if the text has none.
QString cpuName(const QString& cpuinfo);

} // namespace app
