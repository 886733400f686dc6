#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/theme.h"

#include <QDialog>
#include <QStackedWidget>

#include <functional>

class QLabel;
class QPushButton;

namespace app {

class Band;
class EmptyState;
class SchedulePreview;

// Shows the timeline of a run or an empty state, and a band with the run's notice.
class RunStateView : public QStackedWidget
{
    Q_OBJECT

public:
    // Facts that the document does not have.
    struct Facts
    {
        bool hasTimeline = false, isPreparing = false;
        bool isOfWorker = false; // whether the run was started in this window
    };

    RunStateView(const ThemeController& theme, QWidget* timeline);

    Band* band() const { return m_band; } // a child of this view until it is added to a layout
    void showState(const RunDocument& document, const Facts& facts);
    void showNotice(const RunDocument& document, const Facts& facts);
    // Outlines an iteration predicted from assumed costs while the first iteration runs.
    void showAssumed(const RunViewPointer& iteration);
    void setAssumedShown(bool shown);
    bool isFailed() const; // whether there is no timeline and none will follow

Q_SIGNALS:
    void reportRequested(); // of the import
    void runAgainRequested();
    void openRequested(); // the user wants to open another run

private:
    QString waitingFor(const RunDocument& document, const Facts& facts) const;

    QWidget* m_timeline;
    QLabel *m_waiting, *m_assumed;
    SchedulePreview* m_preview;
    EmptyState* m_failed;
    Band* m_band;
    QPushButton *m_report, *m_runAgain;
    Notice m_notice;            // last notice of the document
    bool m_isDismissed = false; // the user closed the band with m_notice
};

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

    const RunDocument& m_document;
    QLabel* m_text;
    QPushButton *m_stop, *m_keep;
};

// If the run is in progress, asks whether to stop it, and waits until it has ended. Returns false
// if the user keeps it running. Other events are processed meanwhile.
bool mayStop(const RunDocument& document, std::function<void()> stop, QWidget* parent);

} // namespace app
