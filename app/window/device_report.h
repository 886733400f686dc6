#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <vector>

namespace app {

// A device or a library, as the device check lists it.
struct DeviceEntry
{
    bool isUsable = true;
    QString title; // "NVIDIA H200", "cuBLASLt 13.1.0"
    // "141.0 GiB of memory, compute capability 9.0", or why the device is not usable.
    QStringList facts;

    friend bool operator==(const DeviceEntry&, const DeviceEntry&) = default;
};

// The parsed output of `bscope devices --json`.
struct DeviceReport
{
    std::vector<DeviceEntry> devices, libraries;
    QString problem; // why there is no report; "" if there is one

    QString text() const; // text to copy to the clipboard
};

DeviceReport deviceReport(const QByteArray& json);

} // namespace app
