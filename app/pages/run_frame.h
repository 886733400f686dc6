#pragma once

#include "app/models/theme.h"
#include "app/pages/run_actions.h"

class QSplitter;

namespace app {

class DetailsPanel;
class RunPanels;
class RunsDock;
class RunStateView;

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
    };

    // `bars` are between the toolbar and the timeline, from top to bottom.
    RunFrame(const ThemeController& theme, const RunActions& actions, const Parts& parts,
             const QList<QWidget*>& bars);

    // Folds the details first, then the list of runs, then the tables. A part that the user opened
    // stays open until the size class of the page changes.
    void fold(QSize page);

private:
    QWidget* makeCentre(const QList<QWidget*>& bars);
    QWidget* makeDetails(const ThemeController& theme);
    QWidget* makeFooter();

    const RunActions& m_actions;
    Parts m_parts;
    QSplitter* m_rows;
    bool m_hasRoomForDetails = true, m_hasRoomForRuns = true, m_hasRoomForPanels = true;
};

} // namespace app
