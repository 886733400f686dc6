#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <vector>

namespace app {

// A device or a library as the device check shows it.
struct DeviceEntry
{
    bool isUsable = true;
    QString title;     // "NVIDIA H200", "cuBLASLt 13.1.0"
    QStringList facts; // "141.0 GiB of memory, compute capability 9.0", or why it is not usable

    friend bool operator==(const DeviceEntry&, const DeviceEntry&) = default;
};

// The answer of `bscope devices --json`.
struct DeviceReport
{
    std::vector<DeviceEntry> devices, libraries;
    QString problem; // why there is no report; otherwise ""

    QString text() const; // for the clipboard
};

DeviceReport deviceReport(const QByteArray& json);

} // namespace app
