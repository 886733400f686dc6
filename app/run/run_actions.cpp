#include "app/run/run_actions.h"

#include "app/ui/controls.h"

#include <QAction>

#include <optional>

namespace app {
namespace {

enum class Toggle { None, Off, On };

struct ActionEntry
{
    QAction* RunActions::*action;
    Menu menu;
    const char *name, *text, *key;
    Toggle toggle = Toggle::None;
    std::optional<Icon> icon = {};
    const char *status = "", *tip = ""; // "": the text
};

using A = RunActions;

constexpr std::optional<Icon> kNoIcon;
// In the order of the menus.
constexpr ActionEntry kRunActions[] = {
    {&A::pause, Menu::Run, "pauseRun", "Pause", "", Toggle::Off, Icon::Pause},
    {&A::stop, Menu::Run, "stopRun", "Stop", "", Toggle::None, Icon::Stop, "",
     "Stops the worker and keeps complete iterations"},
    {&A::follow, Menu::Run, "followRun", "Follow", "", Toggle::Off, kNoIcon, "",
     "Keeps the newest iteration in view"},
    {&A::copyCommand, Menu::Run, "copyCommand", "Copy as command", ""},
    {&A::back, Menu::View, "zoomBack", "Zoom back", "Alt+Left", Toggle::None, Icon::ChevronLeft},
    {&A::forward, Menu::View, "zoomForward", "Zoom forward", "Alt+Right", Toggle::None,
     Icon::ChevronRight},
    {&A::fit, Menu::View, "fitIteration", "Fit the iteration", "", Toggle::None, Icon::Fit},
    {&A::fitAll, Menu::View, "fitAll", "Fit the whole run", "0"},
    {&A::fitSelection, Menu::View, "fitSelection", "Zoom to the selection", "F"},
    {&A::flow, Menu::View, "flow", "Flow arrows: off, selected, all", "L"},
    {&A::colourBy, Menu::View, "colourByNext", "Next colouring", "C"},
    {&A::kernels, Menu::View, "showKernels", "Kernels under their ops", "G", Toggle::Off, kNoIcon,
     "show or hide the kernels under their ops"},
    {&A::plan, Menu::View, "showPlan", "Planned ops", "", Toggle::On},
    {&A::showRuns, Menu::View, "showRuns", "Runs", "", Toggle::On, Icon::Compare},
    {&A::showDetails, Menu::View, "showDetails", "Details", "", Toggle::On, Icon::Info},
    {&A::foldPanels, Menu::View, "foldTables", "Collapse or expand the tables", "T"},
    {&A::expandLane, Menu::View, "expandLane", "Expand or collapse the lane", ""},
    {&A::groupLanes, Menu::View, "groupLanes", "Collapse the group of lanes", "Shift+G",
     Toggle::None, kNoIcon, "show the devices of a host or a node as one lane"},
    {&A::groupAllLanes, Menu::View, "groupAllLanes", "Collapse all groups of lanes", ""},
    {&A::compare, Menu::Compare, "compareWithPrediction", "Compare this run", ""},
    {&A::exportFigure, Menu::Export, "exportFigure", "Export figure…", "Ctrl+E", Toggle::None,
     Icon::Export},
    {&A::exportReport, Menu::Export, "exportReport", "Export report…", "Ctrl+Shift+E", Toggle::None,
     kNoIcon, "write the results as one HTML page"},
    {&A::exportTrace, Menu::Export, "exportTrace", "Export trace…", "", Toggle::None, kNoIcon,
     "write the ops as a Chrome trace for Perfetto, or as CSV"},
    {&A::importReport, Menu::Analyze, "importReport", "Import report", "I", Toggle::None,
     Icon::Chart, "", "Shows what the import recognised and what it left out (I)"},
    {&A::why, Menu::Analyze, "whyNotFaster", "Why not faster?", "Y", Toggle::Off, kNoIcon,
     "show the critical path, its parts and what would shorten it",
     "Shows the critical path and what would shorten it (Y)"},
    {&A::whatIf, Menu::Analyze, "whatIf", "What if…", "P", Toggle::None, kNoIcon,
     "predict other schemes with the measured times"},
    {&A::memory, Menu::Analyze, "memoryPage", "Memory page", "Shift+M", Toggle::None, kNoIcon,
     "show what occupies device memory at any time"},
    {&A::query, Menu::Analyze, "querySql", "SQL console", "Q", Toggle::None, kNoIcon,
     "query the file of the run with SQL"},
    {&A::find, Menu::Analyze, "find", "Find", "Ctrl+F", Toggle::None, Icon::Search,
     "find ops by kind, micro-batch, stage or duration",
     "Finds ops by kind, micro-batch, stage or duration (Ctrl+F)"},
    {&A::findNext, Menu::Analyze, "findNextHit", "Next hit", "F3"},
    {&A::findPrevious, Menu::Analyze, "findPreviousHit", "Previous hit", "Shift+F3"},
    {&A::markRange, Menu::Analyze, "markRange", "Mark a range…", "R", Toggle::None, kNoIcon,
     "type a range of time: 102-172.4 ms"},
    {&A::note, Menu::Analyze, "noteSelection", "Note on the selection", "N", Toggle::None, kNoIcon,
     "add a note on the selection"},
    {&A::bookmark, Menu::Analyze, "bookmarkSelection", "Bookmark the selection", "M", Toggle::None,
     kNoIcon, "bookmark the selection"},
    {&A::undo, Menu::Analyze, "undoNote", "Undo", "Ctrl+Z"},
    {&A::redo, Menu::Analyze, "redoNote", "Redo", "Ctrl+Shift+Z"},
    {&A::saveCopy, Menu::File, "saveCopy", "Save a copy of the run…", "Ctrl+Shift+S"},
    {&A::savePart, Menu::File, "savePart", "Save the selection as a new run…", "", Toggle::None,
     kNoIcon, "write the ops of the selected time range to a new file"},
};

} // namespace

RunActions::RunActions(const ThemeController& theme, Page& page)
{
    for (const ActionEntry& entry : kRunActions) {
        QAction* action = page.makeAction(entry.name, tr(entry.text),
                                          QKeySequence(QString::fromLatin1(entry.key)));
        if (*entry.status != 0)
            action->setStatusTip(tr(entry.status));
        if (*entry.tip != 0)
            action->setToolTip(tr(entry.tip));
        action->setCheckable(entry.toggle != Toggle::None);
        action->setChecked(entry.toggle == Toggle::On);
        if (entry.icon)
            followTheme(action, *entry.icon, theme);
        this->*entry.action = action;
    }
    savePart->setEnabled(false);
    importReport->setVisible(false); // until the run is known to be imported
    for (QAction* action : {exportTrace, memory, query})
        action->setEnabled(!page.file().isEmpty()); // a prediction has no file
    for (const auto& [action, kind] :
         {std::pair(memory, "memory"), std::pair(query, "query"), std::pair(importReport, "import"),
          std::pair(whatIf, "whatif")})
        QObject::connect(action, &QAction::triggered, &page, [&page, kind = kind] {
            Q_EMIT page.pageRequested({kind, {page.file()}});
        });
}

QList<QAction*> RunActions::of(Menu menu) const
{
    QList<QAction*> actions;
    for (const ActionEntry& entry : kRunActions)
        if (entry.menu == menu)
            actions.append(this->*entry.action);
    return actions;
}

} // namespace app
