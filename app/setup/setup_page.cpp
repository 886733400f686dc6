#include "app/setup/setup_page.h"

#include "app/documents/run_library.h"
#include "app/mapping/mapping_view.h"
#include "app/plan/cost_state.h"
#include "app/setup/prediction_panel.h"
#include "app/setup/scheme_list.h"
#include "app/setup/scheme_table.h"
#include "app/setup/setup_form.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QResizeEvent>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>

namespace app {

WrittenPredictions writePredictions(const std::vector<RunPlan>& plans)
{
    WrittenPredictions written;
    for (const RunPlan& plan : plans) {
        const auto fail = [&](const std::string& message) {
            written.failed.append(QStringLiteral("%1: %2").arg(
                fromUtf8(plan.experiment.schedule.scheme), fromUtf8(message)));
        };
        const auto prediction = predict(plan.request());
        if (!prediction) {
            fail(prediction.error().message);
            continue;
        }
        if (!prediction->isValid()) {
            fail(prediction->violations.front().message);
            continue;
        }
        engine::Run run = *prediction->run;
        run.info.command = commandText(plan).toStdString();
        if (const auto file = writeNewRun(std::move(run)))
            written.files.append(*file);
        else
            fail(file.error().message);
    }
    return written;
}

SetupPage::SetupPage(const ThemeController& theme, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_background(this)
    , m_run(makeAction("startRun", tr("&Run"), tr("Ctrl+R"), [this] { run(); }))
    , m_copy(makeAction("copyCommand", tr("&Copy as command"), tr("Ctrl+Shift+C"),
                        [this] { copyCommand(); }))
    , m_reset(makeAction("resetPlan", tr("Reset &parameters"), {}, [this] { setPlan({}); }))
    , m_edit(makeAction("editThisSchedule", tr("&Edit this schedule"), tr("Ctrl+Alt+E"),
                        [this] { editSchedule(); }))
    , m_copyTable(makeAction("copyTable", tr("Copy the &table of schemes as CSV"),
                             tr("Ctrl+Shift+T"), [this] { copyTable(); }))
    , m_find(makeAction("findScheme", tr("&Find a scheme"), tr("Ctrl+F"),
                        [this] { m_schemes->focusFilter(); }))
    , m_explain(makeAction(
          "explainScheme", tr("&About this scheme"), tr("Ctrl+I"),
          [this] { m_prediction->explain(); }, tr("show citation, rule, diagram and formulas")))
    , m_mappingAction(makeAction(
          "devicesOnNodes", tr("&Devices on nodes"), tr("Ctrl+Shift+D"),
          [this] { m_tabs->setCurrentIndex(1 - m_tabs->currentIndex()); },
          tr("show the devices on the nodes of the hardware, or the predicted schedule")))
    , m_copyMappings(makeAction("copyMappings", tr("Copy the &mappings as CSV"), {},
                                [this] { copyMappings(); }))
    , m_schemes(new SchemeList(theme))
    , m_form(new SetupForm(theme))
    , m_prediction(new PredictionPanel(theme, m_explain))
    , m_table(new SchemeTable(theme, m_copyTable))
    , m_tabs(named(new QTabBar, "setupTabs"))
    , m_costs(named(makeLabel({}, "small"), "costsText"))
    , m_views(new QStackedWidget)
    , m_runButton(makeButton(tr("Run"), QStringLiteral("run"), "primary", m_run))
    , m_schemesLine(makeLine(Qt::Vertical))
{
    setObjectName(QStringLiteral("setupPage"));
    auto* schedule = new QWidget;
    spaced(new QVBoxLayout(schedule), {}, 0, {m_prediction, {m_table, 1}});
    m_views->addWidget(schedule);
    auto* right = spaced(new QVBoxLayout, {}, 0,
                         {makeHeader(theme), makeLine(Qt::Horizontal), {m_views, 1}});
    m_copyMappings->setEnabled(false);
    spaced(new QHBoxLayout(this), {}, 0,
           {m_schemes, m_schemesLine, makeParameters(theme), makeLine(Qt::Vertical), {right, 1}});
    connectAll();
    edited();
}

QWidget* SetupPage::makeHeader(const ThemeController& theme)
{
    setLook(m_tabs, "kind", QStringLiteral("dock"));
    m_tabs->setAccessibleName(tr("View of the prediction"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(false);
    m_tabs->setElideMode(Qt::ElideNone);
    m_tabs->addTab(tr("Predicted schedule"));
    m_tabs->addTab(tr("Devices on nodes"));
    m_costs->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_costs->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    QPushButton* edit = makeButton(tr("Edit"), QStringLiteral("editSchedule"), "tool", m_edit);
    edit->setToolTip(tr("Edit this schedule op by op (Ctrl+Alt+E)"));
    m_editButton = edit;
    return makeBar(40, 10, {m_tabs, new Tag(theme, tr("simulated")), {m_costs, 1}, edit});
}

// Called on first use, because most set-ups never show the mapping and creating it takes as long as
// the rest of the page.
void SetupPage::makeMapping()
{
    m_mapping = new MappingView(m_theme);
    m_views->addWidget(m_mapping);
    connect(m_mapping, &MappingView::planOffered, this, &SetupPage::setPlan);
    connect(m_mapping, &MappingView::csvChanged, this,
            [this] { m_copyMappings->setEnabled(!m_mapping->csv().isEmpty()); });
    m_mapping->setPlan(plan(), m_problem);
}

// Shows a tab. The mapping tab hides the scheme cards, because its picture needs their width.
void SetupPage::showTab(int tab)
{
    if (tab == 1 && m_mapping == nullptr)
        makeMapping();
    m_views->setCurrentIndex(tab);
    m_schemes->setVisible(tab == 0);
    m_schemesLine->setVisible(tab == 0);
    m_editButton->setVisible(tab == 0);
}

void SetupPage::showMapping()
{
    m_tabs->setCurrentIndex(1);
}

QWidget* SetupPage::makeParameters(const ThemeController& theme)
{
    constexpr int kWidth = 300, kRunBar = 53;
    auto* widget = new QWidget;
    widget->setFixedWidth(kWidth);
    QPushButton* reset = makeButton(tr("Reset"), QStringLiteral("reset"), "link", m_reset);
    QPushButton* copy = makeButton(tr("Copy as command"), QStringLiteral("copy"), "", m_copy);
    const auto colour = [this, &theme] {
        const Chrome& c = theme.theme().chrome;
        m_runButton->setIcon(makeIcon(Icon::Run, c.primaryText, c.text3));
    };
    colour();
    connect(&theme, &ThemeController::changed, this, colour);
    QPushButton* cluster = makeButton(tr("Cluster…"), QStringLiteral("runOnCluster"));
    cluster->setToolTip(tr("Run this on a cluster with PyTorch (Ctrl+Shift+L)"));
    connect(cluster, &QPushButton::clicked, this,
            [this] { Q_EMIT pageRequested({.kind = "cluster", .plan = plan()}); });
    copy->setText(tr("Copy"));
    copy->setToolTip(tr("Copy as command (Ctrl+Shift+C)"));
    auto* bar = new QWidget;
    bar->setFixedHeight(kRunBar);
    spaced(new QHBoxLayout(bar), {14, 0, 14, 0}, 8, {{m_runButton, 1}, cluster, copy});
    spaced(new QVBoxLayout(widget), {}, 0,
           {makeBar(40, 10, {makeLabel(tr("Parameters"), "section"), kStretch, reset}),
            makeLine(Qt::Horizontal),
            {makeScroll(m_form), 1},
            makeLine(Qt::Horizontal),
            bar});
    return widget;
}

void SetupPage::connectAll()
{
    connect(m_form, &SetupForm::edited, this, &SetupPage::edited);
    connect(&m_theme, &ThemeController::unitsChanged, this, &SetupPage::edited);
    connect(m_prediction, &PredictionPanel::judged, this, &SetupPage::showVerdict);
    connect(m_prediction, &PredictionPanel::planOffered, this, &SetupPage::setPlan);
    connect(m_tabs, &QTabBar::currentChanged, this, &SetupPage::showTab);
    const auto choose
        = [this](const QString& scheme) { setPlan(withScheme(plan(), scheme.toStdString())); };
    connect(m_schemes, &SchemeList::chosen, this, choose);
    connect(m_table, &SchemeTable::chosen, this, choose);
    connect(m_table, &SchemeTable::answered, m_schemes,
            [this] { m_schemes->showRows(m_table->model()); });
    connect(m_table, &SchemeTable::runRequested, this, &SetupPage::runMarked);
    connect(m_table, &SchemeTable::predictRequested, this, &SetupPage::comparePredictions);
}

const RunPlan& SetupPage::plan() const
{
    return m_form->plan();
}

void SetupPage::setPlan(const RunPlan& plan)
{
    m_form->setPlan(plan);
    edited();
}

QList<QAction*> SetupPage::menuActions(Menu menu) const
{
    if (menu == Menu::Run)
        return {m_run, m_copy, m_reset, m_edit};
    if (menu == Menu::Compare)
        return {m_copyTable, m_copyMappings};
    if (menu == Menu::View)
        return {m_find, m_explain, m_mappingAction};
    return {};
}

void SetupPage::edited()
{
    const engine::ScheduleRequest& request = plan().experiment.schedule;
    const bool isFile = !plan().experiment.scheduleFile.empty();
    m_schemes->setChosen(isFile ? QString() : QString::fromStdString(request.scheme));
    Fault fault = isFile ? Fault() : findFault(request);
    m_form->showFault(fault);
    if (const QString problem = m_form->problem(); !problem.isEmpty())
        fault = {Fault::Field::Other, {}, problem, {}};
    m_costs->setText(tr("Costs: %1").arg(costsText(plan().request())));
    m_prediction->setPlan(plan(), fault);
    m_problem = fault.field == Fault::Field::None ? QString() : fault.message;
    if (m_mapping != nullptr)
        m_mapping->setPlan(plan(), m_problem);
    m_table->setPlan(plan());
    Q_EMIT statusChanged();
}

void SetupPage::showVerdict()
{
    const PredictionPanel::Verdict& verdict = m_prediction->verdict();
    m_run->setEnabled(verdict.isRunnable);
    m_runButton->setToolTip(verdict.problem.isEmpty() ? tr("Ctrl+R") : verdict.problem);
    m_copy->setEnabled(verdict.isCommand);
    m_edit->setEnabled(verdict.isEditable);
}

void SetupPage::run()
{
    if (plan().experiment.mode == engine::Mode::Simulate)
        keepPrediction();
    else
        Q_EMIT startRequested({runOptions(plan())});
}

void SetupPage::runMarked(const QList<QStringList>& options, const QStringList& refused)
{
    showRefused(refused);
    if (!options.isEmpty())
        Q_EMIT startRequested(options);
}

void SetupPage::showRefused(const QStringList& refused)
{
    if (!refused.isEmpty())
        m_prediction->band().show(Band::Kind::Warning, tr("Some schemes cannot run."),
                                  tr("Skipped: %1. Choose one of them to see the reason.")
                                      .arg(refused.join(QStringLiteral(", "))));
}

void SetupPage::comparePredictions(const std::vector<RunPlan>& plans, const QStringList& refused)
{
    m_prediction->band().show(Band::Kind::Neutral, tr("Predicting."),
                              countOf(static_cast<std::int64_t>(plans.size()), "scheme"));
    m_background.run([plans] { return writePredictions(plans); },
                     [this, refused](const WrittenPredictions& written) {
                         showRefused(refused + written.failed);
                         if (!written.files.isEmpty())
                             Q_EMIT pageRequested({"compare", written.files});
                     });
}

void SetupPage::keepPrediction()
{
    const Prediction* prediction = m_prediction->prediction();
    if (prediction == nullptr)
        return;
    engine::Run run = *prediction->run;
    run.info.command = commandText(plan()).toStdString();
    if (const auto file = writeNewRun(std::move(run)); !file)
        m_prediction->band().show(Band::Kind::Error, tr("Not written."),
                                  fromUtf8(file.error().message));
    else
        Q_EMIT pageRequested({"run", {*file}});
}

void SetupPage::copyCommand()
{
    QGuiApplication::clipboard()->setText(commandText(plan()));
    m_prediction->band().show(Band::Kind::Ok, tr("Copied."), commandText(plan()));
}

void SetupPage::copyTable()
{
    const SchemeTableModel& table = m_table->model();
    QGuiApplication::clipboard()->setText(table.csv());
    m_prediction->band().show(
        Band::Kind::Ok, tr("Copied."),
        (table.isComplete()
             ? tr("The table of %1 schemes, in the order shown.")
             : tr("The table of %1 schemes. Those that are being predicted have no numbers."))
            .arg(table.rowCount()));
}

void SetupPage::copyMappings()
{
    QGuiApplication::clipboard()->setText(m_mapping->csv());
}

void SetupPage::editSchedule()
{
    const auto schedule = profiler::orderOf(plan().request());
    if (!schedule)
        m_prediction->refuse(tr("Impossible."), fromUtf8(schedule.error().message));
    else
        Q_EMIT pageRequested({.kind = "editor",
                              .schedule = std::make_shared<const engine::Schedule>(*schedule),
                              .costs = plan().request()});
}

QStringList SetupPage::statusTexts() const
{
    const engine::ScheduleRequest& request = plan().experiment.schedule;
    QString text = QStringLiteral("%1, D %2, N %3")
                       .arg(QString::fromStdString(request.scheme).toHtmlEscaped())
                       .arg(request.devices)
                       .arg(request.microBatches);
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    const int chunks
        = request.chunks > 0 || scheme == nullptr ? request.chunks : scheme->defaultChunks;
    if (chunks > 1)
        text += QStringLiteral(", v %1").arg(chunks);
    return {text, tr("prediction updates while you type")};
}

QString SetupPage::statusNote() const
{
    return plan().experiment.mode == engine::Mode::Simulate
        ? tr("next run: simulated")
        : tr("next run: %1 after %2")
              .arg(countOf(plan().experiment.iterations, "iteration"))
              .arg(countOf(plan().experiment.warmup, "warm-up"));
}

// The scheme cards have one column below a width of 1360, three columns on a large screen, and
// otherwise two. In a low window, the preview is lower, so that the table keeps a few rows.
void SetupPage::resizeEvent(QResizeEvent* event)
{
    constexpr int kNarrow = 1360, kWide = 2200, kLow = 720, kHigh = 1150;
    constexpr int kWidths[] = {218, 400, 590}; // width for one, two and three columns of cards
    const int columns = event->size().width() < kNarrow ? 1 : event->size().width() < kWide ? 2 : 3;
    m_schemes->setFixedWidth(kWidths[columns - 1]);
    m_schemes->setColumns(columns);
    m_prediction->setPreviewHeight(event->size().height() < kLow        ? 104
                                       : event->size().height() < kHigh ? 184
                                                                        : 270);
    Page::resizeEvent(event);
}

QJsonObject SetupPage::state() const
{
    return {{QStringLiteral("plan"), planState(plan())}};
}

void SetupPage::restoreState(const QJsonObject& state)
{
    if (const QJsonValue plan = state.value(QStringLiteral("plan")); plan.isObject())
        setPlan(restoredPlan(plan.toObject()));
}

} // namespace app
