#include "app/whatif/what_if_page.h"

#include "app/compare/compare_widget.h"
#include "app/documents/run_document.h"
#include "app/plan/edited_schedule.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details_panel.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/table_roles.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "app/ui/verdict.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>

namespace app {
namespace {

// The scale of the bars ends at most at this multiple of the measured iteration.
constexpr double kLongBars = 1.1;

} // namespace

WhatIfModel::WhatIfModel(std::int64_t measured, QObject* parent)
    : TableModel(parent)
    , m_measured(measured)
{
    std::vector<WhatIfRow> all;
    for (const QString& scheme : whatIfSchemes())
        all.emplace_back().scheme = scheme;
    rescale();
    reset(columns(), std::move(all));
    sort(Iteration);
}

void WhatIfModel::update(const std::vector<WhatIfRow>& changed)
{
    std::vector<WhatIfRow> all = rows();
    for (const WhatIfRow& row : changed)
        *std::ranges::find(all, row.scheme, &WhatIfRow::scheme) = row;
    TableModel::update(0, std::move(all));
    rescale();
    describe(columns());
    sortAgain();
}

void WhatIfModel::setMemory(const engine::MemoryCapacity& memory)
{
    m_memory = memory;
    update({});
}

void WhatIfModel::setMeasured(std::int64_t measured)
{
    m_measured = measured;
    update({});
}

void WhatIfModel::rescale()
{
    m_mostBytes = 0;
    m_first = m_last = m_measured;
    const auto longest = static_cast<std::int64_t>(kLongBars * static_cast<double>(m_measured));
    for (const WhatIfRow& row : rows()) {
        if (!row.isKnown)
            continue;
        m_mostBytes = std::max(m_mostBytes, row.mostBytes());
        m_first = std::min(m_first, row.least);
        m_last = std::max(m_last, std::min(row.most, longest));
    }
    m_last = std::max(m_last, m_first + 1);
    m_time = timeScale(m_measured);
    m_bytes = byteScale(m_mostBytes);
}

bool WhatIfModel::isComplete() const
{
    return std::ranges::all_of(
        rows(), [](const WhatIfRow& row) { return row.isKnown || !row.reason.isEmpty(); });
}

QString WhatIfModel::excess(const WhatIfRow& row) const
{
    const std::int64_t most = row.mostBytes();
    const auto needed = static_cast<double>(most);
    if (m_memory.holds(needed))
        return {};
    return tr("%1 on device %2, %3 too much (%4)")
        .arg(m_bytes.withUnit(needed))
        .arg(std::ranges::find(row.deviceBytes, most) - row.deviceBytes.begin())
        .arg(m_bytes.withUnit(static_cast<double>(-m_memory.left(needed))),
             fromUtf8(m_memory.text()));
}

Interval WhatIfModel::interval(const WhatIfRow& row) const
{
    const auto place = [this](std::int64_t time) {
        return std::clamp(
            static_cast<double>(time - m_first) / static_cast<double>(m_last - m_first), 0.0, 1.0);
    };
    return {place(row.least), place(row.iteration), place(row.most), place(m_measured),
            row.hasInterval};
}

double WhatIfModel::differenceOf(const WhatIfRow& row) const
{
    return 100.0 * static_cast<double>(row.iteration - m_measured)
        / static_cast<double>(std::max<std::int64_t>(1, m_measured));
}

WhatIfModel::Columns WhatIfModel::columns() const
{
    using Shown = TableColumn<WhatIfRow>;
    const auto time = [this](std::int64_t ns) { return m_time.text(static_cast<double>(ns)); };
    const ColumnTitle limit([this] {
        return m_memory.isKnown() ? m_bytes.withUnit(static_cast<double>(m_memory.usable()))
                                  : QString();
    });
    const ColumnTitle ends([=, this] {
        return tr("%1 to %2").arg(time(m_first), m_time.withUnit(static_cast<double>(m_last)));
    });
    const auto nothing = [](const WhatIfRow&) { return QString(); };
    Columns all{
        Shown(
            tr("Scheme"), [](const WhatIfRow& row) { return schemeLabel(row.scheme); },
            Qt::AlignLeft)
            .with(kThumbnailRole,
                  [](const WhatIfRow& row) {
                      return QVariant::fromValue(
                          static_cast<const Thumbnail*>(row.thumbnail.get()));
                  })
            .with(kThumbnailWidthRole,
                  [this](const WhatIfRow& row) {
                      return static_cast<double>(row.iteration) / static_cast<double>(m_last);
                  }),
        // In place of the iteration, a scheme without a result has the reason, over the rest of its
        // row.
        Shown({tr("Iteration, %1"), m_time},
              [=, this](const WhatIfRow& row) {
                  return fits(row) ? time(row.iteration) : row.isKnown ? excess(row) : row.reason;
              })
            .with(kSpanRole,
                  [this](const WhatIfRow& row) {
                      return !fits(row) && (row.isKnown || !row.reason.isEmpty());
                  })
            .with(Qt::TextAlignmentRole,
                  [this](const WhatIfRow& row) {
                      return fits(row)
                          ? QVariant()
                          : QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
                  }),
        Shown(tr("Diff., %"),
              [this](const WhatIfRow& row) { return signedNumber(differenceOf(row), 1); })
            .with(kVerdictRole,
                  [this](const WhatIfRow& row) {
                      return static_cast<int>(differenceVerdict(differenceOf(row), 100, 1));
                  }),
        Shown(tr("Bubble, %"),
              [](const WhatIfRow& row) { return number(100 * row.bubbleRatio, 1); }),
        knowsBytes() ? Shown({tr("Peak, %1"), m_bytes},
                             [this](const WhatIfRow& row) {
                                 return m_bytes.text(static_cast<double>(row.mostBytes()));
                             })
                     : Shown(tr("Peak stash, Mₐ"),
                             [](const WhatIfRow& row) { return number(row.peakStash, 1); }),
        Shown(
            limit,
            [this](const WhatIfRow& row) {
                return m_memory.isKnown() && row.mostBytes() > 0 ? tr("fits") : QString();
            },
            Qt::AlignLeft),
        Shown({tr("95 % int., %1"), m_time},
              [=](const WhatIfRow& row) {
                  return row.hasInterval ? tr("%1 to %2").arg(time(row.least), time(row.most))
                                         : QString();
              }),
        Shown(ends, nothing, Qt::AlignLeft).with(kIntervalRole, [this](const WhatIfRow& row) {
            return fits(row) ? QVariant::fromValue(interval(row)) : QVariant();
        })};
    for (Shown& one : all) {
        one.sortedBy([](const WhatIfRow& row) { return static_cast<double>(row.iteration); })
            .with(kHintRole, [this](const WhatIfRow& row) { return !fits(row); });
        if (&one >= &all[Difference])
            one.text = [this, shown = std::move(one.text)](const WhatIfRow& row) {
                return fits(row) ? shown(row) : QString();
            };
    }
    return all;
}

const WhatIfRow* WhatIfModel::find(const QString& scheme) const
{
    const auto at = std::ranges::find(rows(), scheme, &WhatIfRow::scheme);
    return at == rows().end() ? nullptr : &*at;
}

int WhatIfModel::fitting() const
{
    return static_cast<int>(
        std::ranges::count_if(rows(), [this](const WhatIfRow& row) { return fits(row); }));
}

namespace {

constexpr int kSchemeRow = 26, kBarsWidth = 110, kBarHeight = 8, kBarsPadding = 9;

// Draws the interval as a bar, the prediction as a line and the measured iteration as a dashed
// line. Unknown intervals have no bar.
class IntervalDelegate : public CellDelegate
{
public:
    using CellDelegate::CellDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        CellDelegate::paint(painter, option, index);
        const QVariant stored = index.data(kIntervalRole);
        if (!stored.isValid())
            return;
        const auto interval = stored.value<Interval>();
        const Chrome& chrome = theme().chrome;
        const QRectF area = QRectF(option.rect).adjusted(kBarsPadding, 0, -kBarsPadding, 0);
        const auto x = [&](double share) { return std::round(area.left() + share * area.width()); };
        const double middle = std::round(area.center().y());
        painter->save();
        QPen measured(chrome.text, 1);
        measured.setDashPattern({3, 2});
        painter->setPen(measured);
        const double baseline = x(interval.baseline) + 0.5;
        painter->drawLine(QPointF(baseline, option.rect.top()),
                          QPointF(baseline, option.rect.bottom()));
        if (interval.isKnown)
            painter->fillRect(QRectF(x(interval.least), middle - kBarHeight / 2,
                                     std::max(2.0, x(interval.most) - x(interval.least)),
                                     kBarHeight),
                              toQt(theme().palette.gradients));
        painter->fillRect(QRectF(x(interval.value) - 1, middle - 7, 2, 14),
                          interval.isKnown ? chrome.text : chrome.text3);
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {kBarsWidth, option.rect.height()};
    }
};

constexpr int kRunsColumn = 216, kFormColumn = 310, kDetailsColumn = 292;
constexpr int kEditDelay = 60; // ms
constexpr double kStep = 1.05; // factor by which a key changes the duration of an op

} // namespace

WhatIfPage::WhatIfPage(const ThemeController& theme, RunLibrary& library,
                       std::shared_ptr<RunDocument> document, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_library(library)
    , m_document(std::move(document))
    , m_refused(
          named(new EmptyState(theme,
                               {Icon::Info, tr("Reading the run"),
                                tr("Collecting the op times of this run…"), tr("Import report")}),
                "whatIfRefused"))
    , m_stack(new QStackedWidget)
{
    setObjectName(QStringLiteral("whatIfPage"));
    makeActions();
    m_refused->button()->hide();
    auto* empty = new QWidget;
    spaced(new QVBoxLayout(empty), {40, 40, 40, 40}, 0, {m_refused});
    m_stack->addWidget(empty);
    spaced(new QVBoxLayout(this), {}, 0, {m_stack});
    m_delay.setSingleShot(true);
    m_delay.setInterval(kEditDelay);
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

void WhatIfPage::makeActions()
{
    m_open = makeAction("openPrediction", tr("Save as prediction"), Qt::CTRL | Qt::Key_Return,
                        [this] { openPrediction(); });
    m_open->setToolTip(tr("Writes the prediction as a simulated run and opens it (Ctrl+Return)"));
    m_copy = makeAction("copyWhatIf", tr("Copy as command"), {}, [this] { copyCommand(); });
    m_copy->setToolTip(tr("Copies the bscope whatif command with these changes"));
    m_export = makeAction("exportFigure", tr("Export figure…"), Qt::CTRL | Qt::Key_E, [this] {
        Q_EMIT exportRequested({m_run, m_details.run});
    });
    m_schedule = makeAction("openSchedule", tr("Open the schedule"), {},
                            [this] { openSchedule(m_scheme); });
    m_search = makeAction("searchSchedule", tr("Shortest schedule for these times"), {},
                          [this] { openSearch(); });
    m_search->setToolTip(
        tr("Searches the shortest order of the ops for the measured times, without the edits"));
    m_search->setEnabled(false);
    m_fit
        = makeAction("fitRuns", tr("Fit both runs"), Qt::Key_0, [this] { m_compare->zoomToFit(); });
    m_undo = makeAction("undoEdit", tr("Undo the edit"), QKeySequence::Undo,
                        [this] { m_edits->undo(); });
    m_redo = makeAction("redoEdit", tr("Redo the edit"), QKeySequence::Redo,
                        [this] { m_edits->redo(); });
    m_reset = makeAction("resetWhatIf", tr("Reset all changes"), {}, [this] { m_edits->reset(); });
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
    for (QAction* action : {m_fit, m_undo, m_redo, m_reset, m_shorten, m_lengthen})
        action->setEnabled(false);
}

void WhatIfPage::enablePrediction(bool isKnown)
{
    for (QAction* action : {m_open, m_copy, m_export, m_schedule})
        action->setEnabled(isKnown);
}

QList<QAction*> WhatIfPage::menuActions(Menu menu) const
{
    switch (menu) {
    case Menu::Run:
        return {m_open, m_schedule, m_copy};
    case Menu::View:
        return {m_fit, m_showRuns, m_showDetails};
    case Menu::Analyze:
        return {m_search, m_undo, m_redo, m_reset, m_shorten, m_lengthen};
    case Menu::Export:
        return {m_export};
    default:
        return {};
    }
}

QWidget* WhatIfPage::makeRuns()
{
    auto* runs = new RunsDock(m_theme, m_library);
    connect(runs, &RunsDock::pageRequested, this, &Page::pageRequested);
    runs->setCurrent(m_document.get());
    return runs;
}

QWidget* WhatIfPage::makeForm()
{
    m_form = new WhatIfForm(m_theme, *m_measured, *m_edits);
    connect(m_form, &WhatIfForm::memoryChanged, this, [this] {
        m_model->setMemory(m_form->memory());
        showSentence();
        showDetails();
    });
    auto* open
        = makeButton(m_open->text(), QStringLiteral("openPredictionButton"), "primary", m_open);
    auto* copy = makeButton(m_copy->text(), QStringLiteral("copyWhatIfButton"), "", m_copy);
    auto* column = makeLined({{m_form, 1}, makeFoot({{open, 1}, copy})});
    column->setMinimumWidth(280);
    return column;
}

QWidget* WhatIfPage::makeCentre()
{
    m_schemes = named(new QComboBox, "whatIfScheme", tr("Scheme"));
    m_schemes->setMinimumWidth(150);
    m_schemes->setFocusPolicy(Qt::TabFocus);
    for (const QString& scheme : whatIfSchemes())
        m_schemes->addItem(schemeLabel(scheme), scheme);
    m_schemes->setCurrentIndex(-1);
    connect(m_schemes, &QComboBox::activated, this,
            [this] { choose(m_schemes->currentData().toString()); });
    auto* bar = makeSurface("plain");
    bar->setFixedHeight(40);
    spaced(new QHBoxLayout(bar), {8, 0, 8, 0}, 8,
           {makeToolButton(m_showRuns), makeLabel(tr("Scheme"), "small"), m_schemes,
            new Tag(m_theme, tr("simulated"), bar), kStretch, makeActionButton(m_export),
            makeToolButton(m_showDetails)});
    m_notice = named(new Band(m_theme, Band::Shape::State), "whatIfNotice");
    m_notice->hide();
    m_sentence = named(new Band(m_theme, Band::Shape::Verdict), "whatIfSentence");
    auto* band = makeSurface("plain");
    spaced(new QVBoxLayout(band), {14, 8, 14, 8}, 0, {m_sentence});
    m_sentence->show(Band::Kind::Neutral, tr("Predicting all schemes."), {});
    QPushButton* search = m_sentence->addAction(m_search->text(), QStringLiteral("searchTimes"));
    search->setToolTip(m_search->toolTip());
    connect(search, &QPushButton::clicked, m_search, &QAction::trigger);
    m_compare = new CompareWidget(m_theme);
    setInitialFocus(m_compare);
    connect(m_compare, &CompareWidget::opScaled, m_form, &WhatIfForm::scaleOp);
    connect(m_compare, &CompareWidget::selectionChanged, this, &WhatIfPage::showSelected);
    auto* rows = makeSplitter(Qt::Vertical);
    rows->addWidget(m_compare);
    rows->addWidget(makeTable());
    rows->setStretchFactor(0, 3);
    rows->setStretchFactor(1, 2);
    rows->setSizes({440, 380});
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0,
           {bar, makeLine(Qt::Horizontal), m_notice, band, makeLine(Qt::Horizontal), {rows, 1}});
    return centre;
}

// The ranking of all schemes with their intervals.
QWidget* WhatIfPage::makeTable()
{
    using C = WhatIfModel::Column;
    m_table = named(new DataTable(m_theme, kSchemeRow), "whatIfTable",
                    tr("All schemes with the measured times"));
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff); // the first column shrinks
    m_table->setItemDelegateForColumn(C::Bars, new IntervalDelegate(m_theme, m_table));
    m_table->setModel(m_model);
    m_table->setDispensable({C::Fits, C::Range, C::Memory, C::Bubble});
    m_progress = named(makeLabel({}, "hint"), "whatIfProgress");
    auto* summary = named(makeLabel({}, "hint"), "whatIfSummary");
    auto* table = new QWidget;
    table->setMinimumHeight(120);
    spaced(new QVBoxLayout(table), {}, 0,
           {makeLine(Qt::Horizontal),
            makeBar(32, 8,
                    {makeLabel(tr("All schemes with these times"), "dock"),
                     new Tag(m_theme, tr("simulated")), kStretch, m_progress, summary}),
            makeLine(Qt::Horizontal),
            {m_table, 1}});
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (row.isValid())
                    choose(m_model->at(row.row()).scheme);
            });
    connect(m_table, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { openSchedule(m_model->at(index.row()).scheme); });
    connect(m_model, &QAbstractItemModel::layoutChanged, summary, [this, summary] {
        const int fitting = m_model->fitting();
        const QString of = m_model->memory().isKnown() ? tr("%1 of %2 fit, shortest first")
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

QWidget* WhatIfPage::makeDetails()
{
    m_detailsArea = named(makeScroll(nullptr), "whatIfDetails", tr("Details"));
    m_detailsArea->setFocusPolicy(Qt::StrongFocus);
    auto* close = makeIconButton("closeDetails", Icon::Close, tr("Close the details"), m_theme);
    connect(close, &QToolButton::clicked, m_showDetails, &QAction::toggle);
    auto* open
        = makeButton(m_schedule->text(), QStringLiteral("openScheduleButton"), "", m_schedule);
    auto* dock = named(makeLined({makeBar(40, 4, {{makeLabel(tr("Details"), "dock"), 1}, close}),
                                  {m_detailsArea, 1},
                                  makeFoot({{open, 1}})}),
                       "detailsDock");
    dock->setMinimumWidth(220);
    return dock;
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
    m_predictions = std::make_unique<WhatIfPredictions>(run);
    const WhatIfPredictions* predictions = m_predictions.get();
    connect(predictions, &WhatIfPredictions::measured, this, &WhatIfPage::showMeasured);
    connect(predictions, &WhatIfPredictions::failed, this, &WhatIfPage::refuse);
    connect(predictions, &WhatIfPredictions::predicted, this, &WhatIfPage::showRow);
    connect(predictions, &WhatIfPredictions::schemeExplained, this, &WhatIfPage::showPrediction);
}

// Shows why there are no predictions. The button is hidden if it could open nothing.
void WhatIfPage::refuse(const QString& reason)
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

void WhatIfPage::replaceRun()
{
    const engine::RunInfo& info = m_document->run()->info;
    if (info.import)
        Q_EMIT pageRequested({"import", {m_document->file()}});
    else
        Q_EMIT pageRequested(
            {.kind = "setup", .plan = planFromExperiment(QString::fromStdString(info.experiment))});
}

void WhatIfPage::showMeasured(const WhatIfPredictions::Predictor& predictor)
{
    m_measured = predictor;
    m_edits = new WhatIfEdits(*m_run, this);
    m_model = new WhatIfModel(predictor->measured(), this);
    connect(m_edits, &WhatIfEdits::changed, this, &WhatIfPage::takeChanges);
    QWidget *runs = makeRuns(), *form = makeForm(), *centre = makeCentre(), *dock = makeDetails();
    auto* columns = makeSplitter(Qt::Horizontal);
    for (QWidget* column : {runs, form, centre, dock})
        columns->addWidget(column);
    columns->setStretchFactor(2, 1);
    columns->setSizes({kRunsColumn, kFormColumn, 780, kDetailsColumn});
    for (const auto& [action, column] : {std::pair(m_showRuns, runs), {m_showDetails, dock}}) {
        column->setVisible(action->isChecked());
        connect(action, &QAction::toggled, column, &QWidget::setVisible);
    }
    m_stack->setCurrentIndex(m_stack->addWidget(columns));
    m_fit->setEnabled(true);
    m_reset->setEnabled(true);
    m_search->setEnabled(true);
    if (isVisible())
        m_compare->setFocus();
    m_views.ask({m_run});
    predict();
}

// Predicts the run's own order at once, all schemes after a delay.
void WhatIfPage::takeChanges()
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

void WhatIfPage::predict()
{
    m_changes = m_edits->changes();
    m_model->setMeasured(numbers().atPace());
    m_predictions->ask(m_changes, m_scheme);
    Q_EMIT statusChanged();
}

void WhatIfPage::showSelected(int run, const Selection& selection)
{
    m_selected = {run, selection};
    const auto op = predictedOp();
    m_shorten->setEnabled(op.has_value());
    m_lengthen->setEnabled(op.has_value());
    m_form->showOp(op, isOwnOrder());
}

// Returns the selected op with its predicted duration, even if it is selected in the measured run.
std::optional<OpInFocus> WhatIfPage::predictedOp() const
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
void WhatIfPage::showRow(const WhatIfRow& row)
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

void WhatIfPage::choose(const QString& scheme)
{
    if (scheme.isEmpty() || scheme == m_scheme)
        return;
    m_scheme = scheme;
    enablePrediction(false); // until the prediction of this scheme is known
    m_compare->setEditable(isOwnOrder() ? 1 : -1);
    m_compare->setGhost(isOwnOrder());
    showSelected(-1, {});
    m_schemes->setCurrentIndex(m_schemes->findData(scheme));
    if (const int row = m_model->rowOf(scheme); row >= 0 && m_table->currentIndex().row() != row)
        m_table->selectRow(row); // choose() ignores the chosen scheme
    m_predictions->explain(scheme);
    showSentence();
    Q_EMIT statusChanged();
}

void WhatIfPage::showPrediction(const WhatIfDetails& details, const RunViewPointer& view)
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
void WhatIfPage::showViews()
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

const WhatIfRow* WhatIfPage::chosenRow() const
{
    return m_model != nullptr ? m_model->find(m_scheme) : nullptr;
}

void WhatIfPage::showPeak()
{
    const WhatIfRow* row = chosenRow();
    if (row != nullptr && m_compare->rows().rowOf(1) != nullptr)
        m_compare->setPredictedPeak(1, row->mostBytes());
}

void WhatIfPage::showDetails()
{
    if (m_details.row.scheme.isEmpty())
        return;
    const WhatIfRow* row = m_details.row.scheme == m_scheme ? chosenRow() : nullptr;
    m_detailsArea->setWidget(layOutDetails(
        m_theme, describeWhatIf(m_details, row, m_form->memory()), [](const auto&) {}));
}

void WhatIfPage::showSentence()
{
    const WhatIfRow* row = chosenRow();
    if (row == nullptr)
        return;
    if (!row->isKnown)
        return m_sentence->show(Band::Kind::Error,
                                tr("%1 is not possible.").arg(schemeLabel(m_scheme)), row->reason);
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

WhatIfNumbers WhatIfPage::numbers() const
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

QString WhatIfPage::command() const
{
    return whatIfCommand(m_document->file(), m_scheme, m_changes, m_run->schedule.shape);
}

void WhatIfPage::openPrediction()
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
    const auto schedule = isOwn ? EditedSchedule(own).schedule() : profiler::orderOf(request);
    if (schedule)
        Q_EMIT pageRequested({.kind = "editor",
                              .schedule = std::make_shared<const engine::Schedule>(*schedule),
                              .costs = request});
    else
        m_notice->show(Band::Kind::Error, tr("Not opened."), fromUtf8(schedule.error().message));
}

void WhatIfPage::openSearch()
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

void WhatIfPage::copyCommand()
{
    QGuiApplication::clipboard()->setText(command());
    m_notice->show(Band::Kind::Ok, tr("Copied."), command());
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
    if (m_model->memory().isKnown())
        texts.append(fromUtf8(m_model->memory().text()));
    return texts;
}

QString WhatIfPage::statusNote() const
{
    const WhatIfRow* row = chosenRow();
    return row == nullptr || !row->isKnown ? QString()
                                           : schemeLabel(m_scheme) + QLatin1Char(' ')
            + m_model->time().withUnit(static_cast<double>(row->iteration));
}

} // namespace app
