#pragma once

#include "app/documents/run_document.h"
#include "app/run/run_actions.h"
#include "app/timeline/view/selection.h"
#include "app/ui/theme.h"

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace app {

class DetailsPanel;
class RunPanels;
class RunsDock;
class RunStateView;
class WhyPanel;

// The layout of a run's page, which hides parts if the window is small.
class RunFrame : public QWidget
{
    Q_OBJECT

public:
    struct Parts
    {
        RunsDock* runs;
        RunToolbar* toolbar;
        RunStateView* state;
        RunPanels* panels;
        DetailsPanel* details;
        WhyPanel* why; // in place of the details while RunActions::why is checked
    };

    // `bars` are between the toolbar and the timeline, from top to bottom.
    RunFrame(const ThemeController& theme, const RunActions& actions, const Parts& parts,
             const QList<QWidget*>& bars);

    // If the page is narrow, folds the details first, then the list of runs. If it is low, folds
    // the tables. A part that the user opened stays open until the size class of the page changes.
    void fold(QSize page);
    // Shows the actions for the selection, or for a running run, below the details.
    void showActions(Selection::Kind selected, const RunDocument& document);

private:
    QWidget* makeCentre(const QList<QWidget*>& bars);
    QWidget* makeDetails(const ThemeController& theme);
    void showWhy(bool isShown);
    QWidget* makeFooter();

    const RunActions& m_actions;
    Parts m_parts;
    QSplitter* m_rows;
    QStackedWidget* m_details; // pages: the details and "Why not faster?"
    QLabel* m_detailsTitle;
    bool m_wereDetailsShown = true; // whether the details were open before "Why not faster?"
    QWidget *m_footer = nullptr, *m_ofSelection = nullptr, *m_ofRunning = nullptr;
    QPushButton *m_save = nullptr, *m_stop = nullptr, *m_pause = nullptr;
    bool m_hasRoomForDetails = true, m_hasRoomForRuns = true, m_hasRoomForPanels = true;
};

} // namespace app
