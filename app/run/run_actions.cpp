#include "app/run/run_actions.h"

#include "app/range/range_text.h"
#include "app/run/find_bar.h"
#include "app/run/run_page.h"
#include "app/shell/command_palette.h"
#include "app/timeline/details/details_panel.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "engine/schedule/notation.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QRegularExpression>

#include <algorithm>
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

constexpr int kMostOps = 6; // in the palette

// The op that the user searches for; `stage` is nullopt for any stage.
struct WantedOp
{
    engine::OpKind kind = engine::OpKind::Forward;
    int microBatch = -1;
    std::optional<int> stage;
};

// Parses the name of an op, in upper or lower case: "2B3", "F5", "F5 stage 1".
std::optional<WantedOp> wantedOp(const QString& text)
{
    static const QRegularExpression kName(
        QStringLiteral(R"(^(?<stage>\d*)(?<kind>F|B|I|W|RC)(?<mb>\d+)(?: stage (?<of>\d+))?$)"),
        QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = kName.match(text.simplified());
    if (!match.hasMatch())
        return std::nullopt;
    WantedOp wanted;
    wanted.microBatch = match.captured(u"mb").toInt();
    const std::string kind = match.captured(u"kind").toUpper().toStdString();
    while (engine::kindShortName(wanted.kind) != kind)
        wanted.kind = static_cast<engine::OpKind>(static_cast<int>(wanted.kind) + 1);
    for (const QString& number : {match.captured(u"stage"), match.captured(u"of")})
        if (!number.isEmpty())
            wanted.stage = number.toInt();
    return wanted;
}

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

void RunPage::connectLanes()
{
    connect(m_actions.expandLane, &QAction::triggered, this, [this] {
        if (selectedLane() >= 0)
            m_timeline->toggleLane(selectedLane());
    });
    connect(m_actions.groupLanes, &QAction::triggered, this,
            [this] { m_timeline->toggleGroup(selectedLane()); });
    connect(m_actions.groupAllLanes, &QAction::triggered, this, [this] {
        m_timeline->setCollapsed(areAllCollapsed() ? std::vector<LaneGroup>()
                                                   : m_timeline->laneGroups());
    });
    connect(m_timeline, &TimelineWidget::collapsedChanged, this, [this] {
        showLanes();
        Q_EMIT statusChanged();
    });
    showLanes();
}

int RunPage::selectedLane() const
{
    const Selection& selection = m_timeline->selection();
    const bool isOnLane = selection.kind != Selection::Kind::None && selection.device.isValid();
    return isOnLane && selection.device.value < m_timeline->devices() ? selection.device.value : -1;
}

bool RunPage::areAllCollapsed() const
{
    return m_timeline->collapsed().size() == m_timeline->laneGroups().size();
}

void RunPage::showLanes()
{
    const RunActions& a = m_actions;
    const int lane = selectedLane();
    const std::vector<LaneGroup> groups = m_timeline->laneGroups();
    a.expandLane->setEnabled(lane >= 0);
    a.groupLanes->setEnabled(groupOf(groups, lane) != nullptr);
    a.groupLanes->setText(groupOf(m_timeline->collapsed(), lane) != nullptr
                              ? tr("Expand the group of lanes")
                              : tr("Collapse the group of lanes"));
    a.groupAllLanes->setEnabled(!groups.empty());
    a.groupAllLanes->setText(areAllCollapsed() ? tr("Expand all groups of lanes")
                                               : tr("Collapse all groups of lanes"));
}

void RunPage::showMenu(const QPoint& at)
{
    auto* menu = named(new QMenu(this), "timelineMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const RunActions& a = m_actions;
    const Selection& selection = m_timeline->selection();
    if (selection.kind == Selection::Kind::None || selection.kind == Selection::Kind::Category)
        menu->addActions({a.fit, a.fitAll, a.markRange});
    else
        addSelectionTo(*menu, selection);
    if (selection.kind != Selection::Kind::None && selection.device.isValid()) {
        menu->addSeparator();
        menu->addActions({a.expandLane, a.groupLanes, a.groupAllLanes});
    }
    menu->popup(at);
}

void RunPage::addSelectionTo(QMenu& menu, const Selection& selection)
{
    using enum Selection::Kind;
    if (selection.kind != Device)
        menu.addActions({m_actions.fitSelection, m_actions.note, m_actions.bookmark});
    if (selection.kind == Range)
        menu.addAction(m_actions.savePart);
    if (selection.kind == Op || selection.kind == Bubble)
        addOpTo(menu, selection);
    connect(named(menu.addAction(tr("Copy the details as text")), "copyDetails"),
            &QAction::triggered, this,
            [this] { QGuiApplication::clipboard()->setText(m_details->text()); });
}

void RunPage::addOpTo(QMenu& menu, const Selection& selection)
{
    const RunView& view = *this->view();
    if (const auto cause = toCause(view, selection)) {
        QAction* go = menu.addAction(
            tr("Select the op it waited for: %1").arg(opName(view.run().info, view.op(cause->op))));
        connect(named(go, "selectCause"), &QAction::triggered, this,
                [this, to = *cause] { m_timeline->select(to); });
    }
    if (selection.kind != Selection::Kind::Op)
        return;
    const engine::Op& op = view.op(selection.op);
    const QString kind = fromUtf8(engine::kindShortName(op.kind));
    if (!engine::isCompute(op.kind) || !op.microBatch.isValid())
        return;
    const auto addFind = [&](const char* name, const QString& text, const QString& facets) {
        connect(named(menu.addAction(text), name), &QAction::triggered, this,
                [this, facets] { m_findBar->openWith(facets); });
    };
    addFind("findKind", tr("Find all %1 of stage %2").arg(kind).arg(op.stage.value),
            QStringLiteral("op:%1 stage:%2").arg(kind).arg(op.stage.value));
    addFind("findMicroBatch", tr("Find micro-batch %1").arg(op.microBatch.value),
            QStringLiteral("mb:%1").arg(op.microBatch.value));
}

// Finds ops by name ("2B3", "F5 stage 1"), a range of time ("102-172.4 ms"), and settings of the
// timeline ("colour by stage").
QList<QAction*> RunPage::foundActions(const QString& text)
{
    m_foundActions = std::make_unique<QObject>();
    if (!view() || view()->isEmpty() || text.trimmed().isEmpty())
        return {};
    QList<QAction*> found = foundOps(text);
    const engine::Run& run = view()->run();
    if (const auto range = parseRange(text, run, m_timeline->iteration()))
        found.append(foundAction(tr("Mark the range %1").arg(rangeName(run, *range)),
                                 [this, range = *range] { markRange(range); }));
    return found + foundSettings(text);
}

QAction* RunPage::foundAction(const QString& text, const std::function<void()>& trigger)
{
    auto* action = new QAction(text, m_foundActions.get());
    connect(action, &QAction::triggered, this, trigger);
    return action;
}

// The ops of the shown iteration.
QList<QAction*> RunPage::foundOps(const QString& text)
{
    QList<QAction*> found;
    const auto wanted = wantedOp(text);
    if (!wanted)
        return found;
    std::uint32_t next = 0;
    for (const auto& program : view()->run().schedule.program) {
        for (const engine::Op& op : program) {
            const std::uint32_t number = next++;
            if (op.kind != wanted->kind || op.microBatch.value != wanted->microBatch
                || (wanted->stage && op.stage.value != *wanted->stage) || found.size() >= kMostOps)
                continue;
            if (const auto to = selectOp(*view(), number, m_timeline->iteration()))
                found.append(foundAction(tr("Show %1 on device %2")
                                             .arg(opName(view()->run().info, op))
                                             .arg(to->device.value),
                                         [this, to = *to] {
                                             m_timeline->select(to);
                                             m_timeline->setFocus();
                                         }));
        }
    }
    return found;
}

QList<QAction*> RunPage::foundSettings(const QString& text)
{
    QList<QAction*> found;
    const auto offer = [&](const QString& name, const TimelineLook& look) {
        if (matchQuality(name, text) >= 0)
            found.append(foundAction(name, [this, look] { m_timeline->setLook(look); }));
    };
    const QStringList colours = colourByNames();
    TimelineLook look = m_timeline->look();
    for (int by = 0; by < colours.size(); ++by) {
        look.colourBy = static_cast<ColourBy>(by);
        offer(tr("Colour by %1").arg(colours.at(by)), look);
    }
    look.colourBy = m_timeline->look().colourBy;
    using Arrows = TimelineLook::Flow;
    for (const auto& [flow, name] :
         {std::pair(Arrows::Off, tr("Flow arrows off")),
          std::pair(Arrows::Selected, tr("Flow arrows of the selection")),
          std::pair(Arrows::All, tr("Flow arrows of all micro-batches"))}) {
        look.flow = flow;
        offer(name, look);
    }
    return found;
}

} // namespace app
