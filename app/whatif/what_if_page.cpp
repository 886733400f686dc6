#include "app/whatif/what_if_page.h"

#include "app/compare/compare_widget.h"
#include "app/documents/runs_model.h"
#include "app/plan/edited_schedule.h"
#include "app/shell/dock_links.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details_layout.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "app/whatif/what_if_table.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace app {

WhatIfActions::WhatIfActions(const ThemeController& theme, Page& page)
{
    const auto make = [&page](const char* name, const QString& text, const QKeySequence& key) {
        return page.makeAction(name, text, key);
    };
    open = make("openPrediction", tr("Save as prediction"), Qt::CTRL | Qt::Key_Return);
    open->setToolTip(tr("Writes the prediction as a simulated run and opens it (Ctrl+Return)"));
    copy = make("copyWhatIf", tr("Copy as command"), {});
    copy->setToolTip(tr("Copies the bscope whatif command with these changes"));
    exportFigure = make("exportFigure", tr("Export figure…"), Qt::CTRL | Qt::Key_E);
    schedule = make("openSchedule", tr("Open the schedule"), {});
    fit = make("fitRuns", tr("Fit both runs"), Qt::Key_0);
    undo = make("undoEdit", tr("Undo the edit"), QKeySequence::Undo);
    redo = make("redoEdit", tr("Redo the edit"), QKeySequence::Redo);
    reset = make("resetWhatIf", tr("Reset all changes"), {});
    shorten = make("shortenOp", tr("Shorten the op by 5 %"), Qt::Key_Less);
    lengthen = make("lengthenOp", tr("Lengthen the op by 5 %"), Qt::Key_Greater);
    showRuns = make("showRuns", tr("Runs"), {});
    showDetails = make("showDetails", tr("Details"), {});
    for (QAction* action : {showRuns, showDetails}) {
        action->setCheckable(true);
        action->setChecked(true);
    }
    followTheme(exportFigure, Icon::Export, theme);
    followTheme(showRuns, Icon::Compare, theme);
    followTheme(showDetails, Icon::Info, theme);
    enablePrediction(false);
    enableOp(false);
    enableEdits(false, false, false);
}

void WhatIfActions::enablePrediction(bool isKnown)
{
    for (QAction* action : {open, copy, exportFigure, schedule})
        action->setEnabled(isKnown);
}

void WhatIfActions::enableOp(bool isSelected)
{
    shorten->setEnabled(isSelected);
    lengthen->setEnabled(isSelected);
}

void WhatIfActions::enableEdits(bool canUndo, bool canRedo, bool canReset)
{
    undo->setEnabled(canUndo);
    redo->setEnabled(canRedo);
    reset->setEnabled(canReset);
}

QList<QAction*> WhatIfActions::of(Menu menu) const
{
    switch (menu) {
    case Menu::Run:
        return {open, schedule, copy};
    case Menu::View:
        return {fit, showRuns, showDetails};
    case Menu::Analyze:
        return {undo, redo, reset, shorten, lengthen};
    case Menu::Export:
        return {exportFigure};
    default:
        return {};
    }
}

namespace {

constexpr int kRunsColumn = 216, kFormColumn = 310, kDetailsColumn = 292;
constexpr int kFoldWhatIfDetails = 1360, kFoldWhatIfRuns = 1180; // width of the page

} // namespace

WhatIfFrame::WhatIfFrame(const ThemeController& theme, const WhatIfActions& actions,
                         RunsModel& model)
    : runs(new RunsDock(theme, model))
    , form(new WhatIfForm(theme))
    , compare(new CompareWidget(theme))
    , table(new WhatIfTable(theme))
    , sentence(named(new Band(theme, Band::Shape::Verdict), "whatIfSentence"))
    , notice(named(new Band(theme, Band::Shape::State), "whatIfNotice"))
    , schemes(named(new QComboBox, "whatIfScheme", tr("Scheme")))
    , details(new QScrollArea)
    , refused(
          named(new EmptyState(theme,
                               {Icon::Info, tr("Reading the run"),
                                tr("Collecting the op times of this run…"), tr("Import report")}),
                "whatIfRefused"))
    , stack(new QStackedWidget)
    , m_actions(actions)
{
    refused->button()->hide();
    QWidget* dock = makeDetails(theme);
    auto* columns = makeSplitter(Qt::Horizontal);
    for (QWidget* column : {static_cast<QWidget*>(runs), makeForm(), makeCentre(theme), dock})
        columns->addWidget(column);
    columns->setStretchFactor(2, 1);
    columns->setSizes({kRunsColumn, kFormColumn, 780, kDetailsColumn});
    auto* empty = new QWidget;
    spaced(new QVBoxLayout(empty), {40, 40, 40, 40}, 0, {refused});
    stack->addWidget(empty);
    stack->addWidget(columns);
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(stack);
    connect(actions.showRuns, &QAction::toggled, runs, &QWidget::setVisible);
    connect(actions.showDetails, &QAction::toggled, dock, &QWidget::setVisible);
}

QWidget* WhatIfFrame::makeForm()
{
    auto* column = makeSurface("plain");
    column->setMinimumWidth(280);
    auto* buttons = makeSurface("plain");
    buttons->setFixedHeight(53);
    spaced(new QHBoxLayout(buttons), {14, 0, 14, 0}, 8,
           {{makeButton(m_actions.open->text(), QStringLiteral("openPredictionButton"), "primary",
                        m_actions.open),
             1},
            makeButton(tr("Copy as command"), QStringLiteral("copyWhatIfButton"), "",
                       m_actions.copy)});
    spaced(new QVBoxLayout(column), {}, 0, {{form, 1}, makeLine(Qt::Horizontal), buttons});
    return column;
}

QWidget* WhatIfFrame::makeToolbar(const ThemeController& theme)
{
    schemes->setMinimumWidth(150);
    schemes->setFocusPolicy(Qt::TabFocus);
    auto* bar = makeSurface("plain");
    bar->setFixedHeight(40);
    spaced(new QHBoxLayout(bar), {8, 0, 8, 0}, 8,
           {makeToolButton(m_actions.showRuns), makeLabel(tr("Scheme"), "small"), schemes,
            new Tag(theme, tr("simulated")), kStretch, makeActionButton(m_actions.exportFigure),
            makeToolButton(m_actions.showDetails)});
    return bar;
}

QWidget* WhatIfFrame::makeCentre(const ThemeController& theme)
{
    auto* band = makeSurface("plain");
    spaced(new QVBoxLayout(band), {14, 8, 14, 8}, 0, {sentence});
    sentence->show(Band::Kind::Neutral, tr("Predicting all schemes."), {});
    notice->hide();
    table->setMinimumHeight(120);
    auto* rows = makeSplitter(Qt::Vertical);
    rows->addWidget(compare);
    rows->addWidget(table);
    rows->setStretchFactor(0, 3);
    rows->setStretchFactor(1, 2);
    rows->setSizes({440, 380});
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0,
           {makeToolbar(theme),
            makeLine(Qt::Horizontal),
            notice,
            band,
            makeLine(Qt::Horizontal),
            {rows, 1}});
    return centre;
}

QWidget* WhatIfFrame::makeDetails(const ThemeController& theme)
{
    auto* dock = named(makeSurface("plain"), "detailsDock");
    dock->setMinimumWidth(220);
    details->setObjectName(QStringLiteral("whatIfDetails"));
    details->setAccessibleName(tr("Details"));
    details->setWidgetResizable(true);
    details->setFrameShape(QFrame::NoFrame);
    details->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* close = makeIconButton("closeDetails", Icon::Close, tr("Close the details"), theme);
    connect(close, &QToolButton::clicked, m_actions.showDetails,
            [action = m_actions.showDetails] { action->toggle(); });
    auto* title = makeBar(40, 4, {{makeLabel(tr("Details"), "dock"), 1}, close});
    auto* buttons = makeSurface("plain");
    spaced(new QHBoxLayout(buttons), {12, 12, 12, 12}, 8,
           {{makeButton(m_actions.schedule->text(), QStringLiteral("openScheduleButton"), "",
                        m_actions.schedule),
             1}});
    spaced(new QVBoxLayout(dock), {}, 0,
           {title, makeLine(Qt::Horizontal), {details, 1}, makeLine(Qt::Horizontal), buttons});
    return dock;
}

void WhatIfFrame::showVerdict(const WhatIfVerdict& verdict, const QString& excess)
{
    using Kind = WhatIfVerdict::Kind;
    const Band::Kind kind = verdict.kind == Kind::Shorter ? Band::Kind::Ok
        : verdict.kind == Kind::Unclear                   ? Band::Kind::Neutral
                                                          : Band::Kind::Warning;
    sentence->show(kind, verdict.bold,
                   excess.isEmpty() ? verdict.rest
                                    : verdict.rest + tr(" It needs %1.").arg(excess));
}

void WhatIfFrame::refuse(const QString& reason, const engine::Run* run)
{
    const bool isImported = run != nullptr && run->info.import;
    const bool canRepeat = run != nullptr && !run->info.experiment.empty();
    refused->setTexts(tr("Other schemes cannot be predicted from this run."), reason);
    refused->button()->setText(isImported ? tr("Import report")
                                          : tr("New run with these settings"));
    refused->button()->setVisible(isImported || canRepeat);
    stack->setCurrentIndex(0);
}

void WhatIfFrame::showFailure(const QString& bold, const engine::Error& error)
{
    notice->show(Band::Kind::Error, bold, fromUtf8(error.message));
}

void WhatIfFrame::fold(int width)
{
    const bool hasDetails = width >= kFoldWhatIfDetails, hasRuns = width >= kFoldWhatIfRuns;
    if (hasDetails != std::exchange(m_hasRoomForDetails, hasDetails))
        m_actions.showDetails->setChecked(hasDetails);
    if (hasRuns != std::exchange(m_hasRoomForRuns, hasRuns))
        m_actions.showRuns->setChecked(hasRuns);
}

namespace {

constexpr int kEditDelay = 60; // ms
constexpr double kStep = 1.05; // factor by which a key changes the duration of an op

} // namespace

WhatIfPage::WhatIfPage(const ThemeController& theme, RunLibrary& library,
                       std::shared_ptr<RunDocument> document, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_library(library)
    , m_document(std::move(document))
    , m_actions(theme, *this)
    , m_frame(new WhatIfFrame(theme, m_actions, library.runs()))
{
    setObjectName(QStringLiteral("whatIfPage"));
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_frame);
    connectActions();
    connectAll();
    m_frame->runs->setCurrent(m_document.get());
    setInitialFocus(m_frame->compare);
    showDocument();
}

void WhatIfPage::connectActions()
{
    const auto on = [this](QAction* action, const auto& trigger) {
        connect(action, &QAction::triggered, this, trigger);
    };
    on(m_actions.open, [this] { openPrediction(); });
    on(m_actions.copy, [this] { copyCommand(); });
    on(m_actions.exportFigure, [this] { Q_EMIT exportRequested({m_run, m_details.run}); });
    on(m_actions.schedule, [this] { openSchedule(m_scheme); });
    on(m_actions.fit, [this] { m_frame->compare->zoomToFit(); });
    on(m_actions.undo, [this] { m_frame->form->undo(); });
    on(m_actions.redo, [this] { m_frame->form->redo(); });
    on(m_actions.reset, [this] { m_frame->form->reset(); });
    on(m_actions.shorten, [this] { m_frame->form->scaleOp(1 / kStep); });
    on(m_actions.lengthen, [this] { m_frame->form->scaleOp(kStep); });
}

void WhatIfPage::connectAll()
{
    linkDock(*m_frame->runs, m_library, *this);
    m_delay.setSingleShot(true);
    m_delay.setInterval(kEditDelay);
    connect(&m_delay, &QTimer::timeout, this, &WhatIfPage::predict);
    connect(m_frame->form, &WhatIfForm::changed, this, [this] {
        m_actions.enablePrediction(false); // until the prediction includes these changes
        m_actions.enableEdits(m_frame->form->canUndo(), m_frame->form->canRedo(), true);
        if (isOwnOrder())
            preview();
        m_delay.start();
    });
    connect(m_frame->compare, &CompareWidget::opScaled, m_frame->form, &WhatIfForm::scaleOp);
    connect(m_frame->compare, &CompareWidget::selectionChanged, this, &WhatIfPage::showSelected);
    connect(m_frame->form, &WhatIfForm::memoryLimitChanged, this, [this] {
        m_model->setMemoryLimit(m_frame->form->memoryLimit());
        m_frame->table->showSummary();
        m_frame->table->choose(m_scheme);
        showSentence();
        showDetails();
    });
    connect(m_frame->table, &WhatIfTable::chosen, this, &WhatIfPage::choose);
    connect(m_frame->table, &WhatIfTable::openRequested, this, &WhatIfPage::openSchedule);
    connect(m_frame->schemes, &QComboBox::activated, this,
            [this] { choose(m_frame->schemes->currentData().toString()); });
    connect(m_frame->refused, &EmptyState::activated, this, [this] {
        const engine::RunInfo& info = m_document->run()->info;
        if (info.import)
            Q_EMIT pageRequested({"import", {m_document->file()}});
        else
            Q_EMIT pageRequested(
                {.kind = "setup",
                 .plan = planFromExperiment(QString::fromStdString(info.experiment))});
    });
    connect(&m_theme, &ThemeController::changed, this, &WhatIfPage::showDetails);
    connect(&m_theme, &ThemeController::unitsChanged, this, &WhatIfPage::showSentence);
    connect(m_document.get(), &RunDocument::stateChanged, this, &WhatIfPage::showDocument);
    connect(&m_views, &ViewPreparation::ready, this, [this](const auto& views) {
        m_measuredView = views.front();
        showViews();
    });
}

// Starts the predictions when the run has ended. Until then, some of its times are missing.
void WhatIfPage::showDocument()
{
    if (m_run != nullptr)
        return;
    if (m_document->state() == RunDocument::State::Failed)
        return refuse(m_document->notice().text);
    if (m_document->state() != RunDocument::State::Finished)
        return;
    const QString reason = whyNoWhatIf(m_document->run().get());
    if (!reason.isEmpty())
        return refuse(reason + QLatin1Char('.'));
    start(m_document->run());
}

void WhatIfPage::start(const RunPointer& run)
{
    m_run = run;
    Q_EMIT titleChanged();
    m_views.ask({run});
    m_predictions = std::make_unique<WhatIfPredictions>(run);
    connect(m_predictions.get(), &WhatIfPredictions::measured, this, &WhatIfPage::showMeasured);
    connect(m_predictions.get(), &WhatIfPredictions::failed, this, &WhatIfPage::refuse);
    connect(m_predictions.get(), &WhatIfPredictions::predicted, this, &WhatIfPage::showRows);
    connect(m_predictions.get(), &WhatIfPredictions::schemeExplained, this,
            &WhatIfPage::showPrediction);
    connect(m_predictions.get(), &WhatIfPredictions::schemePreviewed, this,
            [this](const WhatIfRow& row, const RunViewPointer& view, const WhatIfChanges& changes) {
                if (row.scheme != m_scheme)
                    return;
                m_frame->form->setShown(changes);
                m_predictedView = view;
                showViews();
                showRows({row});
            });
    connect(m_predictions.get(), &WhatIfPredictions::progressed, m_frame->table,
            &WhatIfTable::showProgress);
}

void WhatIfPage::refuse(const QString& reason)
{
    m_frame->refuse(capitalized(reason), m_document->run().get());
    Q_EMIT titleChanged();
    Q_EMIT statusChanged();
}

void WhatIfPage::showMeasured(const WhatIfPredictions::Predictor& predictor)
{
    m_measured = predictor;
    m_model = new WhatIfModel(predictor->measured(), this);
    m_frame->table->setModel(m_model);
    for (const QString& scheme : whatIfSchemes())
        m_frame->schemes->addItem(schemeLabel(scheme), scheme);
    m_frame->schemes->setCurrentIndex(-1);
    m_frame->form->show(m_run, *predictor);
    m_actions.enableEdits(false, false, true);
    m_frame->form->setKnowsBytes(false);
    m_frame->stack->setCurrentIndex(1);
    if (isVisible())
        m_frame->compare->setFocus();
    predict();
}

void WhatIfPage::predict()
{
    m_changes = m_frame->form->changes();
    m_model->setMeasured(atPace(numbers()));
    m_predictions->ask(m_changes, m_scheme);
    Q_EMIT statusChanged();
}

void WhatIfPage::preview()
{
    m_changes = m_frame->form->changes();
    m_predictions->preview(m_changes, m_scheme);
}

void WhatIfPage::showSelected(int run, const Selection& selection)
{
    m_selected = {run, selection};
    const auto op = predictedOp();
    m_actions.enableOp(op.has_value());
    m_frame->form->slow().showOp(op);
}

// Returns the selected op with its predicted duration, even if it is selected in the measured run.
std::optional<OpInFocus> WhatIfPage::predictedOp() const
{
    const auto& [run, selection] = m_selected;
    const auto* row = m_frame->compare->rows().rowOf(1);
    if (!isOwnOrder() || run < 0 || selection.kind != Selection::Kind::Op || row == nullptr
        || row->view->run().schedule != m_frame->compare->view(0)->run().schedule)
        return std::nullopt;
    const auto span = row->view->spanOf(selection.op, row->iteration);
    return span ? std::optional(
               OpInFocus{row->view->op(selection.op), selection.device, span->window().duration()})
                : std::nullopt;
}

// Initially shows the scheme with the shortest iteration.
void WhatIfPage::showRows(const std::vector<WhatIfRow>& rows)
{
    const bool knewBytes = m_model->knowsBytes();
    m_model->update(rows);
    if (!knewBytes && m_model->knowsBytes())
        m_frame->form->setKnowsBytes(true);
    m_frame->table->showSummary();
    if (m_scheme.isEmpty() && m_model->isComplete()) {
        if (m_model->best().isEmpty())
            m_frame->sentence->show(Band::Kind::Error, tr("No scheme can be predicted."),
                                    m_model->at(0).reason);
        else
            choose(m_model->best());
    }
    m_frame->table->choose(m_scheme);
    showPeak();
    showSentence();
    showDetails();
    Q_EMIT statusChanged();
}

void WhatIfPage::choose(const QString& scheme)
{
    if (scheme.isEmpty() || scheme == m_scheme)
        return;
    m_scheme = scheme;
    m_actions.enablePrediction(false); // until the prediction of this scheme is known
    m_frame->compare->setEditable(isOwnOrder() ? 1 : -1);
    m_frame->compare->setGhost(isOwnOrder());
    m_frame->form->slow().setOwnOrder(isOwnOrder());
    showSelected(-1, {});
    m_frame->schemes->setCurrentIndex(m_frame->schemes->findData(scheme));
    m_frame->table->choose(scheme);
    m_predictions->explain(scheme);
    showSentence();
    Q_EMIT statusChanged();
}

void WhatIfPage::showPrediction(const WhatIfDetails& details, const RunViewPointer& view)
{
    if (m_delay.isActive()) // another prediction, with later changes, will follow
        return;
    m_details = details;
    m_frame->form->setShown(m_changes);
    m_actions.enablePrediction(details.run != nullptr);
    m_predictedView = view;
    showViews();
    showDetails();
    showSentence();
}

// The selection stays if only the times have changed.
void WhatIfPage::showViews()
{
    const auto* shown = m_frame->compare->rows().rowOf(1);
    if (m_predictedView != nullptr && shown != nullptr
        && m_frame->compare->view(0) == m_measuredView
        && shown->view->run().schedule == m_predictedView->run().schedule) {
        m_frame->compare->replaceView(1, m_predictedView);
        m_frame->form->slow().showOp(predictedOp());
        return showPeak();
    }
    std::vector<RunViewPointer> views;
    for (const RunViewPointer& view : {m_measuredView, m_predictedView})
        if (view != nullptr)
            views.push_back(view);
    m_frame->compare->setViews(std::move(views), 0);
    showPeak();
}

void WhatIfPage::showPeak()
{
    const WhatIfRow* row = m_model != nullptr ? m_model->find(m_scheme) : nullptr;
    if (row != nullptr && m_frame->compare->rows().rowOf(1) != nullptr)
        m_frame->compare->setPredictedPeak(1, mostBytes(*row));
}

void WhatIfPage::showDetails()
{
    if (m_details.scheme.isEmpty() || m_model == nullptr)
        return;
    const WhatIfRow* row = m_details.scheme == m_scheme ? m_model->find(m_details.scheme) : nullptr;
    m_frame->details->setWidget(layOutDetails(
        m_theme, describeWhatIf(m_details, row, m_changes, m_frame->form->memoryLimit()),
        [](const auto&) {}));
}

void WhatIfPage::showSentence()
{
    const WhatIfRow* row = m_model != nullptr ? m_model->find(m_scheme) : nullptr;
    if (row == nullptr)
        return;
    if (!row->isKnown)
        return m_frame->sentence->show(
            Band::Kind::Error, tr("%1 is not possible.").arg(schemeLabel(m_scheme)), row->reason);
    m_frame->showVerdict(verdictOf(*row, numbers()), m_model->excess(*row));
}

WhatIfNumbers WhatIfPage::numbers() const
{
    WhatIfNumbers numbers;
    numbers.measured = m_measured->measured();
    numbers.memoryLimit = m_frame->form->memoryLimit();
    numbers.measuredBatches = m_run->schedule.shape.microBatches;
    numbers.batches = m_changes.microBatches;
    if (!m_details.comparison.runs.empty())
        numbers.measuredBytes = peaksOf(m_details.comparison.runs.front());
    return numbers;
}

void WhatIfPage::openPrediction()
{
    engine::Run run = *m_details.run;
    run.info.command = whatIfCommand(m_document->file(), m_scheme, m_changes, m_run->schedule.shape)
                           .toStdString();
    run.info.timing = tr("medians of %1").arg(m_document->title()).toStdString();
    run.info.started = m_run->info.started;
    m_writing.run([run = std::move(run)] { return writeNewRun(run); },
                  [this](const engine::Result<QString>& file) {
                      if (file)
                          Q_EMIT pageRequested({"run", {*file}});
                      else
                          m_frame->showFailure(tr("Not written."), file.error());
                  });
}

void WhatIfPage::openSchedule(const QString& scheme)
{
    const engine::Schedule& own = m_run->schedule;
    const bool isOwn = scheme == kOwnOrder;
    PredictionRequest request;
    request.schedule.scheme = isOwn ? own.scheme : scheme.toStdString();
    request.schedule.devices = own.shape.devices;
    request.schedule.microBatches = isOwn ? own.shape.microBatches : m_changes.microBatches;
    request.schedule.dataParallel = own.shape.dataParallel;
    // The run may have another order than its scheme builds, for example one from a file.
    const auto schedule = isOwn ? EditedSchedule(own).schedule() : orderOf(request);
    if (schedule)
        Q_EMIT pageRequested({.kind = "editor",
                              .schedule = std::make_shared<const engine::Schedule>(*schedule),
                              .costs = request});
    else
        m_frame->showFailure(tr("Not opened."), schedule.error());
}

void WhatIfPage::copyCommand()
{
    const QString command
        = whatIfCommand(m_document->file(), m_scheme, m_changes, m_run->schedule.shape);
    QGuiApplication::clipboard()->setText(command);
    m_frame->notice->show(Band::Kind::Ok, tr("Copied."), command);
}

QString WhatIfPage::title() const
{
    return tr("What if: %1").arg(m_document->title());
}

QStringList WhatIfPage::statusTexts() const
{
    const RunPointer run = m_document->run();
    if (m_measured == nullptr)
        return run == nullptr
            ? QStringList()
            : QStringList(tr("<b>%1</b> %2")
                              .arg(capitalized(modeText(run->info)),
                                   countOf(run->schedule.shape.devices, "device")));
    QStringList texts{tr("<b>Predicted</b> from %1").arg(m_document->title().toHtmlEscaped()),
                      countOf(static_cast<std::int64_t>(editsOf(m_changes, *m_run).size()), "edit"),
                      countOf(m_model->rowCount(), "prediction")};
    if (m_model->memoryLimit() > 0)
        texts.append(
            tr("memory limit %1")
                .arg(m_model->bytes().withUnit(static_cast<double>(m_model->memoryLimit()))));
    return texts;
}

QString WhatIfPage::statusNote() const
{
    const WhatIfRow* row = m_model != nullptr ? m_model->find(m_scheme) : nullptr;
    return row == nullptr || !row->isKnown ? QString()
                                           : schemeLabel(m_scheme) + QLatin1Char(' ')
            + m_model->time().withUnit(static_cast<double>(row->iteration));
}

void WhatIfPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    m_frame->fold(width());
}

} // namespace app
