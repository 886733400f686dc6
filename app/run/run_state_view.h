#pragma once

#include "app/documents/run_document.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/theme.h"

#include <QStackedWidget>

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
    void runAgainRequested();
    void openRequested(); // the user wants to open another run

private:
    QString waitingFor(const RunDocument& document, const Facts& facts) const;

    QWidget* m_timeline;
    QLabel *m_waiting, *m_assumed;
    SchedulePreview* m_preview;
    EmptyState* m_failed;
    Band* m_band;
    QPushButton* m_runAgain;
    Notice m_notice;            // last notice of the document
    bool m_isDismissed = false; // the user closed the band with m_notice
};

} // namespace app
