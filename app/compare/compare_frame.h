#pragma once

#include "app/compare/compare_actions.h"
#include "app/timeline/view/selection.h"
#include "app/ui/theme.h"

#include <QWidget>

class QComboBox;
class QSplitter;
class QStackedWidget;

namespace app {

class Band;
class CompareSummary;
class CompareWidget;
class ComparisonPanels;
class DetailsPanel;
class EmptyState;
class RunsDock;
class RunsModel;
class SegmentControl;

// The layout of the comparison page: the runs, the toolbar, the differences, the lanes above the
// tables, and the details. It hides parts if the window is small. The page creates the content of
// the parts.
class CompareFrame : public QWidget
{
    Q_OBJECT

public:
    CompareFrame(const ThemeController& theme, const CompareActions& actions, RunsModel& runs);

    enum Part { Empty, Rows };
    void showPart(Part part);
    // Divides the height between lanes and tables unless the user moved the splitter. The tables
    // get their content's height, more if the lanes leave it unused, and at most half.
    void distributeHeight();
    // Shows the controls for a ranking of many runs (true) or for a few runs (false).
    void setCompact(bool isCompact);
    void fold(int width); // hides docks that do not fit beside the lanes
    void openDetails();   // opens the dock of details if it has enough space
    void showUnfinished(int complete, int unfinished); // numbers of ticked runs
    void showNotes(const profiler::Comparison& comparison);

    RunsDock* dock;
    CompareSummary* summary;
    Band *band, *refused; // refused: names the files that are not runs
    QComboBox* baseline;
    SegmentControl *sort, *lane, *align;
    CompareWidget* compare;
    ComparisonPanels* tables;
    DetailsPanel* details;
    EmptyState* empty;
    QWidget* single; // shown if one run is compared

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeToolbar();
    QWidget* makeCentre();
    QWidget* makeSingle();
    QWidget* makeDetails(const ThemeController& theme);
    void updateToolbar();

    CompareActions m_actions;
    QStackedWidget* m_stack;
    QSplitter* m_rows;
    QWidget* m_detailsDock;
    QWidget* m_bar = nullptr; // the toolbar
    // The parts of the toolbar that updateToolbar() shows or hides. m_icons replace m_buttons. The
    // first elements of m_labels and m_icons are hidden first.
    QList<QWidget*> m_tallOnly, m_compactOnly, m_labels, m_buttons, m_icons;
    bool m_hasRoomForRuns = true, m_areRowsChosen = false; // m_areRowsChosen: the user moved m_rows
    bool m_isCompact = false;
};

} // namespace app
