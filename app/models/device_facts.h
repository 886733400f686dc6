#pragma once

#include <QString>

namespace app {

// The hardware of this machine as described by the file system. The worker reports GPUs and
// libraries.
struct DeviceFacts
{
    QString cpu;   // "AMD EPYC 7B13"
    int cores = 1; // available to this process
    bool hasNvidiaDriver = false;
};

DeviceFacts deviceFacts();
// Parses the text of /proc/cpuinfo; "CPU" if it states no name.
QString cpuName(const QString& cpuinfo);

} // namespace app
