#pragma once

#include "app/whatif/what_if_actions.h"
#include "app/whatif/what_if_text.h"

#include <QWidget>

class QComboBox;
class QScrollArea;
class QStackedWidget;

namespace app {

class Band;
class CompareWidget;
class EmptyState;
class RunsDock;
class RunsModel;
class WhatIfForm;
class WhatIfTable;

// The layout of the what-if page: the runs, the measured times, both timelines above the ranking,
// and the details. It hides parts if the window is small. The page creates the content of the
// parts.
class WhatIfFrame : public QWidget
{
    Q_OBJECT

public:
    // `actions` must outlive the frame.
    WhatIfFrame(const ThemeController& theme, const WhatIfActions& actions, RunsModel& runs);

    // `excess` states the memory of the fullest device if it is over the limit; "" if it is not.
    void showVerdict(const WhatIfVerdict& verdict, const QString& excess);
    // Shows why there are no predictions. A button opens the report of an imported run, or a new
    // run with the settings of `run`. The button is hidden if neither is possible or if `run` is
    // nullptr (not read yet).
    void refuse(const QString& reason, const engine::Run* run);
    void showFailure(const QString& bold, const engine::Error& error); // shows why an action failed
    // Folds the details first, then the list of runs. A part that the user opened stays open until
    // the size class of the page changes.
    void fold(int width);

    RunsDock* runs;
    WhatIfForm* form;
    CompareWidget* compare;
    WhatIfTable* table;
    Band *sentence, *notice;
    QComboBox* schemes;
    QScrollArea* details;
    EmptyState* refused; // replaces all other parts; see refuse()
    QStackedWidget* stack;

private:
    QWidget* makeForm();
    QWidget* makeCentre(const ThemeController& theme);
    QWidget* makeToolbar(const ThemeController& theme);
    QWidget* makeDetails(const ThemeController& theme);

    const WhatIfActions& m_actions;
    bool m_hasRoomForRuns = true, m_hasRoomForDetails = true;
};

} // namespace app
