#pragma once

#include <QString>

namespace app {

// What this machine can run on, as far as a file tells; the worker is asked for the rest.
struct DeviceFacts
{
    QString cpu;   // "AMD EPYC 7B13"
    int cores = 1; // that this process may use
    bool hasNvidiaDriver = false;
};

DeviceFacts deviceFacts();
QString
cpuName(const QString& cpuinfo); // from the text of /proc/cpuinfo; "CPU" when it is not said

} // namespace app
