#pragma once

#include "app/ui/theme.h"

#include <QByteArray>
#include <QDialog>
#include <QProcess>
#include <QString>
#include <QStringList>

#include <vector>

class QPushButton;
class QVBoxLayout;

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

// Shows a card for each device of this machine, and the CUDA libraries. The worker queries the
// driver, so a driver that hangs does not block the window.
class DeviceDialog : public QDialog
{
    Q_OBJECT

public:
    explicit DeviceDialog(const ThemeController& theme, QWidget* parent = nullptr);
    ~DeviceDialog() override;

    void show(const DeviceReport& report);
    using QDialog::show;

private:
    void finished();
    void addSection(const QString& title, const std::vector<DeviceEntry>& entries);

    const ThemeController& m_theme;
    QProcess m_process;
    DeviceReport m_report;
    QVBoxLayout* m_cards;
    QPushButton* m_copy;
};

} // namespace app
