#pragma once

#include "app/documents/run_document.h"

#include <QDialog>

#include <functional>

class QLabel;
class QPushButton;

namespace app {

// Asks before the page of a run in progress is closed. Shows what is kept, and stops the run if the
// user agrees. The dialog is accepted when the run has ended. It is modal but does not block, so
// that the page still follows the run.
class StopRunDialog : public QDialog
{
    Q_OBJECT

public:
    StopRunDialog(const RunDocument& document, std::function<void()> stop,
                  QWidget* parent = nullptr);

private:
    void showProgress();
    void stopNow();
    void runChanged();

    const RunDocument& m_document;
    std::function<void()> m_stop;
    QLabel* m_text;
    QPushButton *m_stopButton, *m_keepButton;
};

// If the run is in progress, asks whether to stop it, and waits until it has ended. Returns false
// if the user keeps it running. Other events are processed meanwhile.
bool mayStop(const RunDocument& document, std::function<void()> stop, QWidget* parent);

} // namespace app
