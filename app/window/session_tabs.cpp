#include "app/window/session_tabs.h"

#include "app/cluster/cluster_page.h"
#include "app/compare/compare_page.h"
#include "app/editor/editor_page.h"
#include "app/estimator/estimator_form.h"
#include "app/estimator/estimator_page.h"
#include "app/import/import_page.h"
#include "app/ledger/ledger_page.h"
#include "app/memory/memory_page.h"
#include "app/plan/bpipe_plan.h"
#include "app/plan/run_plan.h"
#include "app/query/query_page.h"
#include "app/run/run_page.h"
#include "app/settings/settings_page.h"
#include "app/setup/setup_page.h"
#include "app/study/study_page.h"
#include "app/whatif/what_if_page.h"
#include "app/window/cost_state.h"
#include "app/window/main_window.h"
#include "app/window/view_state.h"
#include "engine/experiment/experiment.h"

#include <QFileInfo>

namespace app {
namespace {

// Files: the page can be reopened only if one of its files exists.
enum class Needs { Files, Nothing };

// A kind of page: how to recognize it, what it shows, and how to open it.
struct TabKind
{
    const char* name;
    Needs needs;
    bool (*is)(const Page& page);
    QStringList (*files)(const Page& page);
    void (*open)(MainWindow& window, const SessionTab& tab);
};

template<class Shown>
bool isOf(const Page& page)
{
    return qobject_cast<const Shown*>(&page) != nullptr;
}

QStringList ownFiles(const Page& page)
{
    return page.files();
}

QStringList noFiles(const Page&)
{
    return {};
}

template<class Shown>
QStringList documentFile(const Page& page)
{
    const RunDocument* document = qobject_cast<const Shown*>(&page)->document();
    return document == nullptr ? QStringList() : QStringList(document->file());
}

QString firstFile(const SessionTab& tab)
{
    return tab.files.value(0);
}

// The plan of a page that has one; nullptr: none.
const RunPlan* planOf(const Page& page)
{
    if (const auto* setup = qobject_cast<const SetupPage*>(&page))
        return &setup->plan();
    const auto* editor = qobject_cast<const EditorPage*>(&page);
    return editor != nullptr ? &editor->plan() : nullptr;
}

RunPlan planOf(const SessionTab& tab)
{
    RunPlan plan = planFromExperiment(tab.experiment);
    restoreCosts(plan, tab.costs);
    return plan;
}

void openEditor(MainWindow& window, const SessionTab& tab)
{
    window.editFile(firstFile(tab));
    if (auto* editor = qobject_cast<EditorPage*>(window.currentPage()))
        editor->setPlan(planOf(tab));
}

void openEstimator(MainWindow& window, const SessionTab& tab)
{
    BpipePlan plan;
    restoreCosts(plan, tab.costs);
    window.openEstimator();
    if (auto* form = window.currentPage()->findChild<EstimatorForm*>())
        form->setPlan(plan);
}

// Opens a page about a run by emitting `request`, a signal that every page has.
template<void (Page::*request)(const QString&)>
void requestPage(MainWindow& window, const SessionTab& tab)
{
    Q_EMIT(window.currentPage()->*request)(firstFile(tab));
}

const TabKind kTabKinds[] = {
    {"run", Needs::Files, isOf<RunPage>, ownFiles,
     [](MainWindow& window, const SessionTab& tab) { window.openRun(firstFile(tab)); }},
    {"compare", Needs::Files, isOf<ComparePage>, ownFiles,
     [](MainWindow& window, const SessionTab& tab) { window.compare(tab.files); }},
    {"memory", Needs::Files, isOf<MemoryPage>, documentFile<MemoryPage>,
     requestPage<&Page::memoryRequested>},
    {"whatIf", Needs::Files, isOf<WhatIfPage>, documentFile<WhatIfPage>,
     requestPage<&Page::whatIfRequested>},
    {"query", Needs::Files, isOf<QueryPage>, documentFile<QueryPage>,
     requestPage<&Page::queryRequested>},
    {"import", Needs::Files, isOf<ImportPage>, documentFile<ImportPage>,
     requestPage<&Page::importReportRequested>},
    {"cluster", Needs::Files, isOf<ClusterPage>, documentFile<ClusterPage>,
     requestPage<&Page::clusterOfRunRequested>},
    {"editor", Needs::Files, isOf<EditorPage>, ownFiles, openEditor},
    {"study", Needs::Files, isOf<StudyPage>, ownFiles,
     [](MainWindow& window, const SessionTab& tab) { window.openStudy(firstFile(tab)); }},
    {"setup", Needs::Nothing, isOf<SetupPage>, noFiles,
     [](MainWindow& window, const SessionTab& tab) { window.newRun()->setPlan(planOf(tab)); }},
    {"estimator", Needs::Nothing, isOf<EstimatorPage>, noFiles, openEstimator},
    {"runs", Needs::Nothing, isOf<LedgerPage>, noFiles,
     [](MainWindow& window, const SessionTab&) { window.openLedger(); }},
    {"settings", Needs::Nothing, isOf<SettingsPage>, noFiles,
     [](MainWindow& window, const SessionTab&) { window.openSettings(); }},
};

// Returns the files that exist and appends the names of the others to `missing`.
QStringList existingFiles(const QStringList& files, QStringList& missing)
{
    QStringList found;
    for (const QString& file : files) {
        if (QFileInfo::exists(file))
            found.append(file);
        else
            missing.append(QFileInfo(file).fileName());
    }
    return found;
}

} // namespace

SessionTab sessionTab(const Page& page)
{
    for (const TabKind& kind : kTabKinds) {
        if (!kind.is(page))
            continue;
        SessionTab tab;
        for (const QString& file : kind.files(page))
            if (QFileInfo::exists(file)) // a prediction has no file, a queued run has none yet
                tab.files.append(QFileInfo(file).absoluteFilePath());
        if (kind.needs == Needs::Files && tab.files.isEmpty())
            return {};
        tab.kind = QString::fromLatin1(kind.name);
        if (const RunPlan* plan = planOf(page)) {
            tab.experiment = QString::fromStdString(engine::toToml(plan->experiment));
            tab.costs = costState(*plan);
        } else if (const auto* form = page.findChild<EstimatorForm*>()) {
            tab.costs = costState(form->plan());
        }
        tab.view = viewState(page);
        return tab;
    }
    return {};
}

Page* openTab(MainWindow& window, const SessionTab& tab, QStringList& missing)
{
    for (const TabKind& kind : kTabKinds) {
        if (tab.kind != QLatin1String(kind.name))
            continue;
        SessionTab found = tab;
        found.files = existingFiles(tab.files, missing);
        if (kind.needs == Needs::Files && found.files.isEmpty())
            return nullptr;
        kind.open(window, found);
        restoreView(*window.currentPage(), tab.view);
        return window.currentPage();
    }
    return nullptr;
}

} // namespace app
