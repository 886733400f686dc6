#pragma once

#include "app/ui/theme.h"
#include "app/window/device_report.h"

#include <QDialog>
#include <QProcess>

class QPushButton;
class QVBoxLayout;

namespace app {

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
