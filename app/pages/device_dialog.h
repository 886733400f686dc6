#pragma once

#include <QDialog>
#include <QProcess>

class QPlainTextEdit;

namespace app {

// The output of `bscope devices`. Asks the worker, so that a driver that hangs does not hang the
// window.
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
