#include "app/window/page_kinds.h"

#include "app/cluster/cluster_page.h"
#include "app/compare/compare_page.h"
#include "app/editor/editor_page.h"
#include "app/estimator/estimator_page.h"
#include "app/guide/guide_page.h"
#include "app/import/import_page.h"
#include "app/layout/layout_page.h"
#include "app/ledger/ledger_page.h"
#include "app/memory/memory_page.h"
#include "app/query/query_page.h"
#include "app/run/run_page.h"
#include "app/search/search_page.h"
#include "app/settings/settings_page.h"
#include "app/setup/setup_page.h"
#include "app/study/study_page.h"
#include "app/ui/text.h"
#include "app/whatif/what_if_page.h"
#include "engine/base/process.h"

#include <algorithm>

namespace app {
namespace {

template<auto kMake>
Page* with(const PageServices& services, const PageRequest&)
{
    return kMake(services.theme);
}

template<auto kMake>
Page* about(const PageServices& services, const PageRequest& request)
{
    return kMake(services.theme, services.library, request.runs.front());
}

Page* makeComparisonPage(const PageServices& services, const PageRequest& request)
{
    return makeComparison(services.theme, services.library, request.runs);
}

// `request` has traces, or the run that they became.
Page* makeImportPage(const PageServices& services, const PageRequest& request)
{
    return !request.runs.empty()
        ? makeImport(services.theme, services.library, request.runs.front())
        : makeImport(services.theme, services.library, request.files, request.text);
}

Page* makeCluster(const PageServices& services, const PageRequest& request)
{
    return !request.runs.empty()
        ? ClusterPage::make(services.theme, services.library, request.runs.front())
        : ClusterPage::make(services.theme, services.library,
                            clusterPlanOf(request.plan.value_or(RunPlan())));
}

Page* makeEditor(const PageServices& services, const PageRequest& request)
{
    EditorPage* page = EditorPage::make(services.theme);
    if (const engine::Schedule* schedule = request.schedule.get())
        page->edit(*schedule,
                   EditorPage::tr("%1 D %2, N %3")
                       .arg(schemeTitle(fromUtf8(schedule->scheme)))
                       .arg(schedule->shape.devices)
                       .arg(schedule->shape.microBatches),
                   request.costs);
    return page;
}

Page* makeStudy(const PageServices& services, const PageRequest& request)
{
    StudyPage* page = StudyPage::make(services.theme);
    if (!request.files.isEmpty())
        page->open(request.files.front());
    return page;
}

Page* makeSetup(const PageServices& services, const PageRequest& request)
{
    SetupPage* page = SetupPage::make(services.theme);
    page->setCpuTimeOfOthers([&library = services.library] { // not that of our own worker
        return library.isAnyRunning() ? std::nullopt : engine::cpuTimeOfOthers();
    });
    if (request.plan)
        page->setPlan(*request.plan);
    return page;
}

Page* makeRuns(const PageServices& services, const PageRequest&)
{
    return makeLedger(services.theme, services.settings, services.library, services.ledger);
}

Page* makeSettingsPage(const PageServices& services, const PageRequest&)
{
    return makeSettings(services.theme, services.settings);
}

using Tabs = PageKind::Tabs;
using About = PageKind::About;

const PageKind kPageKinds[] = {
    {"setup", Tabs::Many, About::Nothing, makeSetup, {Menu::File, "newRun", "&New run", "Ctrl+N"}},
    {"run", Tabs::PerRun, About::Runs, about<makeRunPage>},
    {"compare", Tabs::PerRuns, About::Runs, makeComparisonPage},
    {"memory", Tabs::PerRun, About::Runs, about<makeMemory>},
    {"whatif", Tabs::PerRun, About::Runs, about<makeWhatIf>},
    {"query", Tabs::PerRun, About::Runs, about<makeQuery>},
    {"import", Tabs::PerRun, About::Traces, makeImportPage},
    {"editor", Tabs::PerFile, About::Files, makeEditor},
    {"runs", Tabs::One, About::Nothing, makeRuns, {Menu::File, "allRuns", "&All runs", "Ctrl+L"}},
    {"estimator",
     Tabs::One,
     About::Nothing,
     with<makeEstimator>,
     {Menu::Run, "estimator", "&Estimator", "Ctrl+Shift+M"}},
    {"study",
     Tabs::PerFile,
     About::Nothing,
     makeStudy,
     {Menu::Run, "study", "&Study", "Ctrl+Shift+G"}},
    {"search",
     Tabs::Many,
     About::Nothing,
     with<makeSearch>,
     {Menu::Run, "search", "S&hortest schedule", "Ctrl+Shift+F"}},
    {"layout",
     Tabs::Many,
     About::Nothing,
     with<makeLayout>,
     {Menu::Run, "layout", "La&yers per stage", "Ctrl+Shift+Y"}},
    {"cluster",
     Tabs::PerRun,
     About::Nothing,
     makeCluster,
     {Menu::Run, "cluster", "Run on a clus&ter…", "Ctrl+Shift+L"}},
    {"guide", Tabs::One, About::Nothing, with<makeGuide>},
    {"settings",
     Tabs::One,
     About::Nothing,
     makeSettingsPage,
     {Menu::File, "settings", "&Settings", "Ctrl+,"}},
};

} // namespace

std::span<const PageKind> pageKinds()
{
    return kPageKinds;
}

const PageKind* findPageKind(QStringView name)
{
    const auto found = std::ranges::find_if(
        kPageKinds, [name](const PageKind& kind) { return name == QLatin1String(kind.name); });
    return found == std::end(kPageKinds) ? nullptr : &*found;
}

RunPlan planOnNodes()
{
    RunPlan plan;
    plan.experiment.schedule = {.scheme = "bitpipe",
                                .devices = 8,
                                .microBatches = 16,
                                .chunks = 0,
                                .dataParallel = 4,
                                .options = {}};
    plan.experiment.mode = engine::Mode::Simulate;
    plan.source.kind = CostSource::Kind::Hardware;
    plan.source.model = "gpt-96";
    plan.source.hardware = "a800-sxm-80";
    return plan;
}

} // namespace app
