#pragma once

#include <QDialog>
#include <QProcess>

class QPlainTextEdit;

namespace app {

// Shows the output of `bscope devices`. The worker queries the driver, so that a driver that hangs
// does not block the window.
class DeviceDialog : public QDialog
{
    Q_OBJECT

public:
    explicit DeviceDialog(QWidget* parent = nullptr);
    ~DeviceDialog() override;

private:
    void finished();

    QProcess m_process;
    QPlainTextEdit* m_text;
};

} // namespace app
