#pragma once

#include <QDialog>
#include <QProcess>

class QPlainTextEdit;

namespace app {

// What `bscope devices` says about this machine: asked of the worker, so that a driver that hangs
// hangs the worker only.
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
