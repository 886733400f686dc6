#include "app/whatif/what_if_page.h"

#include "app/compare/compare_widget.h"
#include "app/plan/edited_schedule.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details_panel.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "app/whatif/what_if_form.h"
#include "app/whatif/what_if_table.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>

namespace app {
namespace {

constexpr double kStep = 1.05; // factor by which a key changes the duration of an op

// Predicts other schemes from the measured times of a run, which the user can change: the runs, the
// measured times, both timelines above the ranking, and the details. We make these parts when the
// times of the run are known, so that none of them has a state without a run.
class WhatIfPage : public Page
{
public:
    WhatIfPage(const ThemeController& theme, RunLibrary& library,
               std::shared_ptr<RunDocument> document)
        : m_theme(theme)
        , m_library(library)
        , m_document(std::move(document))
    {
        setObjectName(QStringLiteral("whatIfPage"));
        makeActions();
        m_refused->button()->hide();
        m_stack->addWidget(makeColumn({40, 40, 40, 40}, 0, {m_refused}, ""));
        spaced(new QVBoxLayout(this), {}, 0, {m_stack});
        m_delay.setSingleShot(true);
        m_delay.setInterval(60); // ms
        connect(&m_delay, &QTimer::timeout, this, &WhatIfPage::predict);
        connect(m_refused, &EmptyState::activated, this, &WhatIfPage::replaceRun);
        connect(&m_theme, &ThemeController::changed, this, &WhatIfPage::showDetails);
        connect(&m_theme, &ThemeController::unitsChanged, this, &WhatIfPage::showSentence);
        connect(m_document.get(), &RunDocument::stateChanged, this, &WhatIfPage::showDocument);
        connect(&m_views, &ViewPreparation::ready, this, [this](const auto& views) {
            m_measuredView = views.front();
            showViews();
        });
        showDocument();
    }

    QString title() const override { return tr("What if: %1").arg(m_document->title()); }

    QStringList statusTexts() const override
    {
        const RunPointer run = m_document->run();
        if (m_measured == nullptr)
            return run == nullptr
                ? QStringList()
                : QStringList(tr("<b>%1</b> %2")
                                  .arg(capitalized(modeText(run->info)),
                                       countOf(run->schedule.shape.devices, "device")));
        QStringList texts{
            tr("<b>Predicted</b> from %1").arg(m_document->title().toHtmlEscaped()),
            countOf(static_cast<std::int64_t>(editsOf(m_changes, *m_run).size()), "edit"),
            countOf(m_model->rowCount(), "prediction")};
        if (m_model->memory().isKnown())
            texts.append(fromUtf8(m_model->memory().text()));
        return texts;
    }

    QString statusNote() const override
    {
        const WhatIfRow* row = chosenRow();
        return row == nullptr || !row->isKnown ? QString()
                                               : schemeLabel(m_scheme) + QLatin1Char(' ')
                + m_model->time().withUnit(static_cast<double>(row->iteration));
    }

    const RunDocument* document() const override { return m_document.get(); }

private:
    void makeActions()
    {
        m_open = makeAction(
            "openPrediction", tr("Save as prediction"), Qt::CTRL | Qt::Key_Return,
            [this] { openPrediction(); },
            tr("write the prediction as a simulated run and open it"));
        m_copy = makeAction(
            "copyWhatIf", tr("Copy as command"), {},
            [this] {
                QGuiApplication::clipboard()->setText(command());
                m_notice->show(Band::Kind::Ok, tr("Copied."), command());
            },
            tr("copy the bscope whatif command with these changes"));
        m_export = makeAction("exportFigure", tr("Export figure…"), Qt::CTRL | Qt::Key_E, [this] {
            Q_EMIT exportRequested({m_run, m_details.run});
        });
        m_schedule = makeAction("openSchedule", tr("Open the schedule"), {},
                                [this] { openSchedule(m_scheme); });
        m_search = makeAction(
            "searchSchedule", tr("Shortest schedule for these times"), {}, [this] { openSearch(); },
            tr("search the shortest order of the ops for the measured times, without the edits"));
        m_fit = makeAction("fitRuns", tr("Fit both runs"), Qt::Key_0,
                           [this] { m_compare->zoomToFit(); });
        m_undo = makeAction("undoEdit", tr("Undo the edit"), QKeySequence::Undo,
                            [this] { m_edits->undo(); });
        m_redo = makeAction("redoEdit", tr("Redo the edit"), QKeySequence::Redo,
                            [this] { m_edits->redo(); });
        m_reset
            = makeAction("resetWhatIf", tr("Reset all changes"), {}, [this] { m_edits->reset(); });
        m_shorten = makeAction("shortenOp", tr("Shorten the op by 5 %"), Qt::Key_Less,
                               [this] { m_form->scaleOp(1 / kStep); });
        m_lengthen = makeAction("lengthenOp", tr("Lengthen the op by 5 %"), Qt::Key_Greater,
                                [this] { m_form->scaleOp(kStep); });
        m_showRuns = makeAction("showRuns", tr("Runs"), {});
        m_showDetails = makeAction("showDetails", tr("Details"), {});
        foldBelow(1180, *m_showRuns);
        foldBelow(1360, *m_showDetails);
        followTheme(m_export, Icon::Export, m_theme);
        followTheme(m_showRuns, Icon::Compare, m_theme);
        followTheme(m_showDetails, Icon::Info, m_theme);
        enablePrediction(false);
        for (QAction* action : {m_search, m_fit, m_undo, m_redo, m_reset, m_shorten, m_lengthen})
            action->setEnabled(false);
        inMenu(Menu::Run, {m_open, m_schedule, m_copy});
        inMenu(Menu::View, {m_fit, m_showRuns, m_showDetails});
        inMenu(Menu::Analyze, {m_search, m_undo, m_redo, m_reset, m_shorten, m_lengthen});
        inMenu(Menu::Export, {m_export});
    }

    void enablePrediction(bool isKnown)
    {
        for (QAction* action : {m_open, m_copy, m_export, m_schedule})
            action->setEnabled(isKnown);
    }

    QWidget* makeRuns()
    {
        auto* runs = new RunsDock(m_theme, m_library);
        connect(runs, &RunsDock::pageRequested, this, &Page::pageRequested);
        runs->setCurrent(m_document.get());
        return runs;
    }

    QWidget* makeForm()
    {
        m_form = WhatIfForm::make(m_theme, *m_measured, *m_edits);
        connect(m_form, &WhatIfForm::memoryChanged, this, [this] {
            m_model->setMemory(m_form->memory());
            showSentence();
            showDetails();
        });
        auto* column
            = makeLined({{m_form, 1},
                         makeFoot({{makeButton(m_open, "openPredictionButton", "primary"), 1},
                                   makeButton(m_copy, "copyWhatIfButton")})});
        column->setMinimumWidth(280);
        return column;
    }

    QWidget* makeCentre()
    {
        m_schemes = named(new QComboBox, "whatIfScheme", tr("Scheme"));
        m_schemes->setMinimumWidth(150);
        m_schemes->setFocusPolicy(Qt::TabFocus);
        for (const QString& scheme : whatIfSchemes())
            m_schemes->addItem(schemeLabel(scheme), scheme);
        m_schemes->setCurrentIndex(-1);
        connect(m_schemes, &QComboBox::activated, this,
                [this] { choose(m_schemes->currentData().toString()); });
        auto* bar = makeRow({8, 0, 8, 0}, 8,
                            {makeToolButton(m_showRuns), makeLabel(tr("Scheme"), "small"),
                             m_schemes, new Tag(m_theme, tr("simulated")), kStretch,
                             makeActionButton(m_export), makeToolButton(m_showDetails)});
        bar->setFixedHeight(40);
        m_notice->hide();
        QPushButton* search
            = m_sentence->addAction(m_search->text(), QStringLiteral("searchTimes"));
        search->setToolTip(m_search->toolTip());
        connect(search, &QPushButton::clicked, m_search, &QAction::trigger);
        m_compare = new CompareWidget(m_theme);
        setInitialFocus(m_compare);
        connect(m_compare, &CompareWidget::opScaled, m_form, &WhatIfForm::scaleOp);
        connect(m_compare, &CompareWidget::selectionChanged, this, &WhatIfPage::showSelected);
        auto* rows = makeSplitter(Qt::Vertical, {{m_compare, 440, 3}, {makeTable(), 380, 2}});
        QWidget* centre = makeColumn({}, 0,
                                     {bar,
                                      makeLine(Qt::Horizontal),
                                      m_notice,
                                      makeColumn({14, 8, 14, 8}, 0, {m_sentence}),
                                      makeLine(Qt::Horizontal),
                                      {rows, 1}});
        m_sentence->show(Band::Kind::Neutral, tr("Predicting all schemes."), {});
        return centre;
    }

    // The ranking of all schemes with their intervals.
    QWidget* makeTable()
    {
        m_table = makeWhatIfTable(m_theme, *m_model);
        m_progress = named(makeLabel({}, "hint"), "whatIfProgress");
        auto* summary = named(makeLabel({}, "hint"), "whatIfSummary");
        auto* table = makeLined(
            {makeBar(32, 8,
                     {makeLabel(tr("All schemes with these times"), "dock"),
                      new Tag(m_theme, tr("simulated")), kStretch, m_progress, summary}),
             {m_table, 1}});
        table->setMinimumHeight(120);
        connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                [this](const QModelIndex& row) {
                    if (row.isValid())
                        choose(m_model->at(row.row()).scheme);
                });
        connect(m_table, &QAbstractItemView::activated, this, [this](const QModelIndex& index) {
            openSchedule(m_model->at(index.row()).scheme);
        });
        connect(m_model, &QAbstractItemModel::layoutChanged, summary, [this, summary] {
            const int fitting = m_model->fitting();
            const QString of = m_model->memory().isKnown()
                ? tr("%1 of %2 fit, shortest first")
                : tr("%1 of %2 possible, shortest first");
            summary->setText(fitting > 0
                                 ? of.arg(fitting).arg(countOf(m_model->rowCount(), "prediction"))
                                 : QString());
        });
        connect(m_predictions.get(), &WhatIfPredictions::progressed, m_progress,
                [this](int intervals, int all) {
                    m_progress->setText(intervals < all
                                            ? tr("intervals: %1 of %2").arg(intervals).arg(all)
                                            : QString());
                });
        return table;
    }

    QWidget* makeDetails()
    {
        m_detailsArea = named(makeScroll(nullptr), "whatIfDetails", tr("Details"));
        m_detailsArea->setFocusPolicy(Qt::StrongFocus);
        auto* close = makeIconButton("closeDetails", Icon::Close, tr("Close the details"), m_theme);
        connect(close, &QToolButton::clicked, m_showDetails, &QAction::toggle);
        auto* dock
            = named(makeLined({makeBar(40, 4, {{makeLabel(tr("Details"), "dock"), 1}, close}),
                               {m_detailsArea, 1},
                               makeFoot({{makeButton(m_schedule, "openScheduleButton"), 1}})}),
                    "detailsDock");
        dock->setMinimumWidth(220);
        return dock;
    }

    // Starts the predictions when the run has ended. Until then, some of its times are missing.
    void showDocument()
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

    void start(const RunPointer& run)
    {
        m_run = run;
        Q_EMIT titleChanged();
        m_predictions = std::make_unique<WhatIfPredictions>(run);
        const WhatIfPredictions* predictions = m_predictions.get();
        connect(predictions, &WhatIfPredictions::measured, this, &WhatIfPage::showMeasured);
        connect(predictions, &WhatIfPredictions::failed, this, &WhatIfPage::refuse);
        connect(predictions, &WhatIfPredictions::predicted, this, &WhatIfPage::showRow);
        connect(predictions, &WhatIfPredictions::schemeExplained, this,
                &WhatIfPage::showPrediction);
    }

    void showMeasured(const WhatIfPredictions::Predictor& predictor)
    {
        m_measured = predictor;
        m_edits = new WhatIfEdits(*m_run, this);
        m_model = new WhatIfModel(predictor->measured(), this);
        connect(m_edits, &WhatIfEdits::changed, this, &WhatIfPage::takeChanges);
        QWidget *runs = makeRuns(), *form = makeForm(), *centre = makeCentre(),
                *dock = makeDetails();
        auto* columns = makeSplitter(Qt::Horizontal,
                                     {{runs, 216}, {form, 310}, {centre, 780, 1}, {dock, 292}});
        for (const auto& [action, column] : {std::pair(m_showRuns, runs), {m_showDetails, dock}}) {
            column->setVisible(action->isChecked());
            connect(action, &QAction::toggled, column, &QWidget::setVisible);
        }
        m_stack->setCurrentIndex(m_stack->addWidget(columns));
        for (QAction* action : {m_fit, m_reset, m_search})
            action->setEnabled(true);
        if (isVisible())
            m_compare->setFocus();
        m_views.ask({m_run});
        predict();
    }

    // Shows why there are no predictions. The button is hidden if it could open nothing.
    void refuse(const QString& reason)
    {
        const RunPointer run = m_document->run();
        const bool isImported = run != nullptr && run->info.import;
        const bool canRepeat = run != nullptr && !run->info.experiment.empty();
        m_refused->setTexts(tr("Other schemes cannot be predicted from this run."),
                            capitalized(reason));
        m_refused->button()->setText(isImported ? tr("Import report")
                                                : tr("New run with these settings"));
        m_refused->button()->setVisible(isImported || canRepeat);
        Q_EMIT titleChanged();
        Q_EMIT statusChanged();
    }

    void replaceRun()
    {
        const engine::RunInfo& info = m_document->run()->info;
        if (info.import)
            Q_EMIT pageRequested({"import", {m_document->file()}});
        else
            Q_EMIT pageRequested(
                {.kind = "setup",
                 .plan = planFromExperiment(QString::fromStdString(info.experiment))});
    }

    // Predicts the run's own order at once, all schemes after a delay.
    void takeChanges()
    {
        enablePrediction(false); // until the prediction includes these changes
        m_undo->setEnabled(m_edits->canUndo());
        m_redo->setEnabled(m_edits->canRedo());
        if (isOwnOrder()) {
            m_changes = m_edits->changes();
            m_predictions->preview(m_changes, m_scheme);
        }
        m_delay.start();
    }

    void predict()
    {
        m_changes = m_edits->changes();
        m_model->setMeasured(numbers().atPace());
        m_predictions->ask(m_changes, m_scheme);
        Q_EMIT statusChanged();
    }

    bool isOwnOrder() const { return m_scheme == kOwnOrder; }

    void showSelected(int run, const Selection& selection)
    {
        m_selected = {run, selection};
        const auto op = predictedOp();
        m_shorten->setEnabled(op.has_value());
        m_lengthen->setEnabled(op.has_value());
        m_form->showOp(op, isOwnOrder());
    }

    // Returns the selected op with its predicted duration, even if it is selected in the measured
    // run.
    std::optional<OpInFocus> predictedOp() const
    {
        const auto& [run, selection] = m_selected;
        const auto* row = m_compare->rows().rowOf(1);
        if (!isOwnOrder() || run < 0 || selection.kind != Selection::Kind::Op || row == nullptr
            || row->view->run().schedule != m_compare->view(0)->run().schedule)
            return std::nullopt;
        const auto span = row->view->spanOf(selection.op, row->iteration);
        return span ? std::optional(OpInFocus{row->view->op(selection.op), selection.device,
                                              span->window().duration(), m_shown})
                    : std::nullopt;
    }

    // Initially chooses the scheme with the shortest iteration.
    void showRow(const WhatIfRow& row)
    {
        m_model->update({row});
        m_form->setKnowsBytes(m_model->knowsBytes());
        if (m_scheme.isEmpty() && m_model->isComplete()) {
            if (m_model->best().isEmpty())
                m_sentence->show(Band::Kind::Error, tr("No scheme can be predicted."),
                                 m_model->at(0).reason);
            else
                choose(m_model->best());
        }
        if (row.scheme == m_scheme) {
            showPeak();
            showSentence();
            showDetails();
        }
        Q_EMIT statusChanged();
    }

    void choose(const QString& scheme)
    {
        if (scheme.isEmpty() || scheme == m_scheme)
            return;
        m_scheme = scheme;
        enablePrediction(false); // until the prediction of this scheme is known
        m_compare->setEditable(isOwnOrder() ? 1 : -1);
        m_compare->setGhost(isOwnOrder());
        showSelected(-1, {});
        m_schemes->setCurrentIndex(m_schemes->findData(scheme));
        if (const int row = m_model->rowOf(scheme);
            row >= 0 && m_table->currentIndex().row() != row)
            m_table->selectRow(row); // choose() ignores the chosen scheme
        m_predictions->explain(scheme);
        showSentence();
        Q_EMIT statusChanged();
    }

    void showPrediction(const WhatIfDetails& details, const RunViewPointer& view)
    {
        // While the delay lasts, another prediction, with later changes, will follow.
        if (details.row.scheme != m_scheme || (m_delay.isActive() && !details.isPreview))
            return;
        m_shown = details.changes;
        m_predictedView = view;
        showViews();
        if (details.isPreview)
            return showRow(details.row);
        m_details = details;
        enablePrediction(details.run != nullptr);
        showDetails();
        showSentence();
    }

    // The selection stays if only the times have changed.
    void showViews()
    {
        const auto* shown = m_compare->rows().rowOf(1);
        if (m_predictedView != nullptr && shown != nullptr && m_compare->view(0) == m_measuredView
            && shown->view->run().schedule == m_predictedView->run().schedule) {
            m_compare->replaceView(1, m_predictedView);
            m_form->showOp(predictedOp(), isOwnOrder());
            return showPeak();
        }
        std::vector<RunViewPointer> views;
        for (const RunViewPointer& view : {m_measuredView, m_predictedView})
            if (view != nullptr)
                views.push_back(view);
        m_compare->setViews(std::move(views), 0);
        showPeak();
    }

    void showPeak()
    {
        const WhatIfRow* row = chosenRow();
        if (row != nullptr && m_compare->rows().rowOf(1) != nullptr)
            m_compare->setPredictedPeak(1, row->mostBytes());
    }

    const WhatIfRow* chosenRow() const
    {
        return m_model != nullptr ? m_model->find(m_scheme) : nullptr;
    }

    WhatIfNumbers numbers() const
    {
        WhatIfNumbers numbers;
        numbers.measured = m_measured->measured();
        numbers.memory = m_form->memory();
        numbers.measuredBatches = m_run->schedule.shape.microBatches;
        numbers.batches = m_changes.microBatches;
        if (!m_details.comparison.runs.empty())
            numbers.measuredBytes = peaksOf(m_details.comparison.runs.front());
        return numbers;
    }

    void showDetails()
    {
        if (m_details.row.scheme.isEmpty())
            return;
        const WhatIfRow* row = m_details.row.scheme == m_scheme ? chosenRow() : nullptr;
        m_detailsArea->setWidget(layOutDetails(
            m_theme, describeWhatIf(m_details, row, m_form->memory()), [](const auto&) {}));
    }

    void showSentence()
    {
        const WhatIfRow* row = chosenRow();
        if (row == nullptr)
            return;
        if (!row->isKnown)
            return m_sentence->show(Band::Kind::Error,
                                    tr("%1 is not possible.").arg(schemeLabel(m_scheme)),
                                    row->reason);
        const WhatIfVerdict verdict = verdictOf(*row, numbers());
        const QString excess = m_model->excess(*row);
        using Kind = WhatIfVerdict::Kind;
        m_sentence->show(verdict.kind == Kind::Shorter       ? Band::Kind::Ok
                             : verdict.kind == Kind::Unclear ? Band::Kind::Neutral
                                                             : Band::Kind::Warning,
                         verdict.bold,
                         excess.isEmpty() ? verdict.rest
                                          : verdict.rest + tr(" It needs %1.").arg(excess));
    }

    void openPrediction()
    {
        engine::Run run = *m_details.run;
        run.info.command = command().toStdString();
        run.info.timing = tr("medians of %1").arg(m_document->title()).toStdString();
        run.info.started = m_run->info.started;
        m_writing.run([run = std::move(run)] { return writeNewRun(run); },
                      [this](const engine::Result<QString>& file) {
                          if (file)
                              Q_EMIT pageRequested({"run", {*file}});
                          else
                              m_notice->show(Band::Kind::Error, tr("Not written."),
                                             fromUtf8(file.error().message));
                      });
    }

    void openSchedule(const QString& scheme)
    {
        const engine::Schedule& own = m_run->schedule;
        const bool isOwn = scheme == kOwnOrder;
        PredictionRequest request;
        request.schedule.scheme = isOwn ? own.scheme : scheme.toStdString();
        request.schedule.devices = own.shape.devices;
        request.schedule.microBatches = isOwn ? own.shape.microBatches : m_changes.microBatches;
        request.schedule.dataParallel = own.shape.dataParallel;
        // The run may have another order than its scheme builds, for example one from a file.
        const auto schedule = isOwn ? EditedSchedule(own).schedule() : profiler::orderOf(request);
        if (schedule)
            Q_EMIT pageRequested({.kind = "editor",
                                  .schedule = std::make_shared<const engine::Schedule>(*schedule),
                                  .costs = request});
        else
            m_notice->show(Band::Kind::Error, tr("Not opened."),
                           fromUtf8(schedule.error().message));
    }

    void openSearch()
    {
        const engine::Schedule& own = m_run->schedule;
        RunPlan plan;
        plan.source.kind = CostSource::Kind::Recorded;
        plan.source.file = m_document->file().toStdString();
        plan.source.run = m_run;
        engine::ScheduleRequest& schedule = plan.experiment.schedule;
        schedule.scheme = own.scheme;
        schedule.devices = own.shape.devices;
        schedule.microBatches = own.shape.microBatches;
        schedule.dataParallel = own.shape.dataParallel;
        schedule = withStagesOf(plan.source, schedule);
        Q_EMIT pageRequested({.kind = "search", .plan = plan});
    }

    QString command() const
    {
        return whatIfCommand(m_document->file(), m_scheme, m_changes, m_run->schedule.shape);
    }

    const ThemeController& m_theme;
    RunLibrary& m_library;
    std::shared_ptr<RunDocument> m_document;
    RunPointer m_run;
    RunViewPointer m_measuredView, m_predictedView; // null: not prepared yet
    ViewPreparation m_views;
    std::unique_ptr<WhatIfPredictions> m_predictions;
    WhatIfPredictions::Predictor m_measured;
    WhatIfChanges m_changes; // changes of the last request
    WhatIfChanges m_shown;   // changes that m_predictedView includes
    QString m_scheme;        // the chosen scheme
    // The selected item, with the index of its run in the comparison.
    std::pair<int, Selection> m_selected = {-1, {}};
    WhatIfDetails m_details; // of the last prediction that was no preview
    QTimer m_delay;          // delays predictions while a slider moves
    Background m_writing{this};

    QAction *m_open, *m_copy, *m_export, *m_schedule, *m_search, *m_fit, *m_undo, *m_redo, *m_reset,
        *m_shorten, *m_lengthen, *m_showRuns, *m_showDetails;
    EmptyState* m_refused
        = named(new EmptyState(m_theme,
                               {Icon::Info, tr("Reading the run"),
                                tr("Collecting the op times of this run…"), tr("Import report")}),
                "whatIfRefused"); // replaces all other parts
    QStackedWidget* m_stack = new QStackedWidget;
    Band *m_sentence = named(new Band(m_theme, Band::Shape::Verdict), "whatIfSentence"),
         *m_notice = named(new Band(m_theme, Band::Shape::State), "whatIfNotice");
    // Made by showMeasured():
    WhatIfEdits* m_edits = nullptr;
    WhatIfModel* m_model = nullptr;
    WhatIfForm* m_form = nullptr;
    CompareWidget* m_compare = nullptr;
    DataTable* m_table = nullptr; // its current row is the chosen scheme
    QLabel* m_progress = nullptr;
    QComboBox* m_schemes = nullptr;
    QScrollArea* m_detailsArea = nullptr;
};

} // namespace

Page* makeWhatIf(const ThemeController& theme, RunLibrary& library,
                 const std::shared_ptr<RunDocument>& document)
{
    return new WhatIfPage(theme, library, document);
}

} // namespace app
