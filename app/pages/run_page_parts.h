#pragma once

#include "app/pages/run_page.h"
#include "app/timeline/view/find.h"
#include "app/widgets/run/run_toolbar.h"

class QLabel;
class QPushButton;

namespace app {

class EmptyState;
class FindBar;
class NoteBar;
class SelectionPopover;

// What a RunPage is made of; Qt's parents own it.
struct RunPage::Parts
{
    RunToolbar::Actions actions;
    QAction *compare = nullptr, *copyCommand = nullptr, *fitAll = nullptr, *fitSelection = nullptr;
    QAction *foldPanels = nullptr, *flow = nullptr, *colourBy = nullptr, *kernels = nullptr;
    QAction *findNext = nullptr, *findPrevious = nullptr;
    QAction *note = nullptr, *bookmark = nullptr, *undoNote = nullptr, *redoNote = nullptr;
    QAction* saveCopy = nullptr;

    QSplitter *columns = nullptr, *rows = nullptr;
    RunsDock* runs = nullptr;
    RunToolbar* toolbar = nullptr;
    FindBar* findBar = nullptr;
    FoundPointer found; // what is looked for; null: nothing
    std::size_t hit = 0;
    SelectionPopover* popover = nullptr;
    NoteBar* noteBar = nullptr;
    engine::Note draft; // what the bar writes the words of
    Band *band = nullptr, *noteBand = nullptr;
    QPushButton* noteCopy = nullptr;
    QPushButton *bandRunAgain = nullptr, *bandDismiss = nullptr;
    QStackedWidget* centre = nullptr; // waiting, failed, timeline
    QLabel* waiting = nullptr;
    EmptyState* failed = nullptr;
    TimelineWidget* timeline = nullptr;
    RunPanels* panels = nullptr;
    QWidget* detailsDock = nullptr;
    DetailsPanel* details = nullptr;
    bool hasRoomForDetails = true, hasRoomForRuns = true, hasRoomForPanels = true;
};

} // namespace app
