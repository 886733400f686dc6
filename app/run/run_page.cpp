#include "app/run/run_page.h"

#include "app/range/range_panel.h"
#include "app/range/range_text.h"
#include "app/run/answer_strip.h"
#include "app/run/find_bar.h"
#include "app/run/notes.h"
#include "app/run/run_panels.h"
#include "app/run/run_toolbar.h"
#include "app/shell/run_saver.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details.h"
#include "app/timeline/details/details_panel.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/themed_icon.h"
#include "app/why/why_panel.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/predict/predict.h"
#include "profiler/store/trace_store.h"
#include "profiler/whatif/own_replay.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {
namespace {

constexpr int kRunProgressEvery = 300; // ms between updates, because laying out the details is slow
constexpr int kRunsDockWidth = 216, kDetailsWidth = 292, kPanelsHeight = 216, kLeastPanels = 120;
constexpr int kFoldDetailsBelow = 1360, kFoldRunsBelow = 1180; // width of the page
constexpr int kFoldPanelsBelow = 860;                          // height of the window
constexpr int kChromeHeight = 90; // menu bar, tabs and status bar of the window around a page

RunViewPointer assumedIteration(const engine::Run& run)
{
    auto assumed = profiler::schematic(run);
    return assumed
        ? std::make_shared<const RunView>(std::make_shared<const engine::Run>(*std::move(assumed)))
        : nullptr;
}

RunPointer predictedIteration(const engine::Run& run)
{
    const auto replay = profiler::OwnReplay::ofMedians(run);
    return replay ? std::make_shared<const engine::Run>(replay->placed()) : nullptr;
}

QString whyNoKernelsOf(const engine::Run& run)
{
    return QString::fromStdString(profiler::whyNoKernels(run.info));
}

std::pair<KernelViewPointer, QString> readKernels(const engine::Run& run, const std::string& file)
{
    auto trace = profiler::readGpuTrace(file);
    if (!trace)
        return {nullptr, QString::fromStdString(trace.error().message)};
    return {std::make_shared<const KernelView>(run, profiler::GpuActivity(run, std::move(*trace))),
            whyNoKernelsOf(run)};
}

} // namespace

// Two lines below the selected box, shown while the details dock is folded: op, duration, cause,
// and one link. A child of the timeline.
class SelectionPopover : public ThemedWidget
{
public:
    using Jump = std::function<void(const Selection&)>;
    SelectionPopover(const ThemeController& theme, QWidget* timeline, const Jump& jump);

    // `box` is the box of the selection in timeline coordinates. If it is empty, the selection is
    // out of view and the popover is hidden.
    void show(const Details& details, const QRect& box);
    void place(const QRect& box);

protected:
    void paintEvent(QPaintEvent* event) override;
    // Handled here, so that clicks do not reach the timeline.
    void mousePressEvent(QMouseEvent* event) override { event->accept(); }

private:
    static constexpr int kWidth = 384;

    QLabel *m_title, *m_left, *m_value, *m_sentence;
    Selection m_target;
};

SelectionPopover::SelectionPopover(const ThemeController& theme, QWidget* timeline,
                                   const Jump& jump)
    : ThemedWidget(theme, timeline)
    , m_title(named(makeLabel({}, "dock"), "popoverTitle"))
    , m_left(makeLabel({}, "small"))
    , m_value(makeLabel({}, "dock"))
    , m_sentence(named(makeLabel({}), "popoverSentence"))
{
    setObjectName(QStringLiteral("selectionPopover"));
    setFixedWidth(kWidth);
    m_sentence->setWordWrap(true);
    m_sentence->setTextFormat(Qt::RichText);
    auto* head = spaced(new QHBoxLayout, {}, 8, {m_title, {m_left, 1}, m_value});
    spaced(new QVBoxLayout(this), {12, 8, 12, 10}, 6, {head, m_sentence});
    connect(m_sentence, &QLabel::linkActivated, this, [this, jump] { jump(m_target); });
    connect(&theme, &ThemeController::unitsChanged, this, &QWidget::hide);
    hide();
}

void SelectionPopover::show(const Details& details, const QRect& box)
{
    if (details.isEmpty())
        return hide();
    m_title->setText(details.title);
    m_left->setText(details.left);
    m_value->setText(details.value + QLatin1Char(' ') + details.unit);
    QString sentence = details.sentence;
    const auto linked = std::ranges::find_if(
        details.sections, [](const DetailsSection& section) { return !section.links.empty(); });
    if (linked != details.sections.end()) {
        m_target = linked->links.front().target;
        sentence
            += QStringLiteral(" <a href=\"link\" style=\"color:%1\">%2</a>")
                   .arg(theme().chrome.text.name(), tr("Go to %1").arg(linked->links.front().name));
    }
    m_sentence->setText(sentence);
    m_sentence->setFixedHeight(std::max(0, m_sentence->heightForWidth(kWidth - 24))); // -1: empty
    adjustSize();
    place(box);
}

// Places the popover below the box, or above it if there is no space.
void SelectionPopover::place(const QRect& box)
{
    constexpr int kGap = 8;
    setVisible(!box.isEmpty());
    if (box.isEmpty())
        return;
    const QSize room = parentWidget()->size();
    const int below = box.bottom() + kGap;
    const int y = below + height() <= room.height() ? below : box.top() - kGap - height();
    const int x
        = std::clamp(box.center().x() - width() / 2, 4, std::max(4, room.width() - width() - 4));
    move(x, std::max(4, y));
    raise();
}

void SelectionPopover::paintEvent(QPaintEvent*)
{
    const Chrome& chrome = theme().chrome;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(chrome.lineStrong, 1));
    painter.setBrush(chrome.surface);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

RunPage::RunPage(const ThemeController& theme, RunLibrary& library,
                 std::shared_ptr<RunDocument> document, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_library(library)
    , m_document(std::move(document))
    , m_iterations(
          this,
          [](const IterationRequest& asked, const auto&) {
              return IterationAnswer{asked, profiler::metrics(*asked.run, asked.iteration),
                                     iterationRows(*asked.run, asked.first)};
          },
          [this](const IterationAnswer& answer) { showAnswer(answer); },
          decltype(m_iterations)::Older::Delivered)
    , m_ranges(
          this,
          [](const RangeRequest& asked, const auto&) {
              return RangeAnswer{asked.first, profiler::rangeMetrics(*asked.first, asked.second)};
          },
          [this](const RangeAnswer& answer) { showRange(answer); })
    , m_predictions(
          this, [](const RunPointer& run, const auto&) { return predictedIteration(*run); },
          [this](const RunPointer& prediction) {
              if (!prediction)
                  return;
              m_details->set(&DetailsPanel::Facts::prediction, prediction);
              m_timeline->setPlan(prediction);
          })
    , m_assumed(
          this, [](const RunPointer& run, const auto&) { return assumedIteration(*run); },
          [this](const RunViewPointer& iteration) {
              if (iteration)
                  m_state->showAssumed(iteration);
          })
    , m_kernels(
          this,
          [](const KernelRequest& asked, const auto&) {
              return readKernels(*asked.first, asked.second);
          },
          [this](const Kernels& kernels) { showKernels(kernels.first, kernels.second); })
    , m_actions(theme, *this)
    , m_runs(new RunsDock(theme, library))
    , m_toolbar(new RunToolbar(theme, m_actions))
    , m_answer(new AnswerStrip(theme, m_actions))
    , m_timeline(new TimelineWidget(theme))
    , m_state(new RunStateView(theme, m_timeline))
    , m_panels(new RunPanels(theme, m_actions))
    , m_details(new DetailsPanel(theme))
    , m_findBar(new FindBar(theme))
    , m_saver(new RunSaver(this))
    , m_why(new WhyPanel(theme, *m_timeline, m_document))
    , m_popover(new SelectionPopover(theme, m_timeline,
                                     [this](const Selection& to) { m_timeline->select(to); }))
    , m_rows(makeSplitter(Qt::Vertical))
    , m_detailsStack(new QStackedWidget)
    , m_detailsTitle(named(makeLabel(tr("Details"), "dock"), "detailsDockTitle"))
{
    setObjectName(QStringLiteral("runPage"));
    m_runs->setCurrent(m_document.get());
    m_details->set(&DetailsPanel::Facts::file, m_document->file());
    m_findBar->hide();
    auto* columns = makeSplitter(Qt::Horizontal);
    for (QWidget* column : {static_cast<QWidget*>(m_runs), makeCentre(), makeDetails()})
        columns->addWidget(column);
    columns->setStretchFactor(1, 1);
    columns->setSizes({kRunsDockWidth, 1092, kDetailsWidth});
    spaced(new QVBoxLayout(this), {}, 0, {columns});
    setInitialFocus(m_timeline);
    connect(m_runs, &RunsDock::pageRequested, this, &Page::pageRequested);
    connectActions();
    connectFind();
    connectNotes();
    connectRange();
    connectTimeline();
    connectLook();
    connectLanes();
    connect(&m_views, &ViewPreparation::ready, this,
            [this](const auto& views) { showView(views.front()); });
    connectDocument();
    for (const QString& line : m_document->log())
        m_panels->addLogLine(line);
    if (m_document->isRunning() || m_document->isQueued()) {
        m_panels->setPanel(RunPanels::Panel::Progress);
        m_actions.follow->setChecked(true);
    }
    if (m_document->run())
        showRun();
    showState();
}

QWidget* RunPage::makeCentre()
{
    m_panels->setMinimumHeight(kLeastPanels);
    m_rows->addWidget(m_state);
    m_rows->addWidget(m_panels);
    m_rows->setStretchFactor(0, 1);
    m_rows->setSizes({700, kPanelsHeight});
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0,
           {m_toolbar,
            makeLine(Qt::Horizontal),
            m_answer,
            makeLine(Qt::Horizontal),
            m_findBar,
            m_panels->notes().bar(),
            m_panels->notes().band(),
            m_state->band(),
            {m_rows, 1}});
    connect(m_panels, &RunPanels::foldedChanged, this, [this](bool folded) {
        m_panels->setMaximumHeight(folded ? RunPanels::kTabsHeight : QWIDGETSIZE_MAX);
        m_panels->setMinimumHeight(folded ? RunPanels::kTabsHeight : kLeastPanels);
        const int height = folded ? RunPanels::kTabsHeight : kPanelsHeight;
        m_rows->setSizes({std::max(1, m_rows->height() - height), height});
    });
    return centre;
}

QWidget* RunPage::makeDetails()
{
    auto* dock = named(makeSurface("plain"), "detailsDock");
    dock->setMinimumWidth(220);
    auto* close = makeIconButton("closeDetails", Icon::Close, tr("Close the details"), m_theme);
    connect(close, &QToolButton::clicked, this, [this] {
        (m_actions.why->isChecked() ? m_actions.why : m_actions.showDetails)->setChecked(false);
    });
    auto* details = new QWidget;
    spaced(new QVBoxLayout(details), {}, 0, {{m_details, 1}, makeFooter()});
    m_detailsStack->addWidget(details);
    m_detailsStack->addWidget(m_why);
    auto* title = makeBar(40, 4, {{m_detailsTitle, 1}, close});
    spaced(new QVBoxLayout(dock), {}, 0, {title, makeLine(Qt::Horizontal), {m_detailsStack, 1}});
    connect(m_actions.why, &QAction::toggled, this, &RunPage::showWhy);
    foldBelow(kFoldRunsBelow, *m_actions.showRuns);
    foldBelow(kFoldDetailsBelow, *m_actions.showDetails);
    connect(m_actions.showRuns, &QAction::toggled, m_runs, &QWidget::setVisible);
    connect(m_actions.showDetails, &QAction::toggled, dock, &QWidget::setVisible);
    return dock;
}

// Makes two rows of actions, one for the selection and one for a running run. The second one is
// visible only if nothing is selected.
QWidget* RunPage::makeFooter()
{
    const auto row = [] {
        auto* buttons = makeSurface("plain");
        spaced(new QHBoxLayout(buttons), {12, 8, 12, 8}, 8);
        return buttons;
    };
    const auto add = [](QWidget* to, const char* name, const QString& text, QAction* action) {
        QPushButton* button = makeButton(text, QString::fromLatin1(name), "tool", action);
        to->layout()->addWidget(button);
        return button;
    };
    m_ofSelection = row();
    add(m_ofSelection, "zoomToDetails", tr("Zoom to"), m_actions.fitSelection);
    add(m_ofSelection, "noteOnDetails", tr("Note"), m_actions.note);
    m_save = add(m_ofSelection, "saveDetails", tr("Save as run…"), m_actions.savePart);
    m_ofRunning = row();
    m_pause = add(m_ofRunning, "pauseDetails", tr("Pause"), m_actions.pause);
    m_stop = add(m_ofRunning, "stopDetails", tr("Stop"), m_actions.stop);
    for (QWidget* buttons : {m_ofSelection, m_ofRunning})
        static_cast<QHBoxLayout*>(buttons->layout())->addStretch(1);
    m_footer = named(new QWidget, "detailsFooter");
    spaced(new QVBoxLayout(m_footer), {}, 0,
           {makeLine(Qt::Horizontal), m_ofSelection, m_ofRunning});
    m_footer->hide();
    return m_footer;
}

void RunPage::showFooter()
{
    const Selection::Kind selected = m_timeline->selection().kind;
    const bool isSelected
        = selected != Selection::Kind::None && selected != Selection::Kind::Category;
    const bool isRunning = !isSelected && m_document->isRunning();
    m_ofSelection->setVisible(isSelected);
    m_save->setVisible(selected == Selection::Kind::Range);
    m_ofRunning->setVisible(isRunning);
    m_footer->setVisible(isSelected || isRunning);
    const int kept = m_document->progress().done - m_document->progress().warmup;
    m_stop->setText(kept <= 0       ? tr("Stop")
                        : kept == 1 ? tr("Stop, keep 0")
                                    : tr("Stop, keep 0\u2013%1").arg(kept - 1));
    m_pause->setText(m_document->isPaused() ? tr("Continue") : tr("Pause"));
}

// If the details are folded, unfolds them while the reasons are shown.
void RunPage::showWhy(bool isShown)
{
    m_detailsStack->setCurrentIndex(isShown ? 1 : 0);
    m_detailsTitle->setText(isShown ? tr("Why not faster?") : tr("Details"));
    m_why->setOn(isShown);
    if (isShown)
        m_wereDetailsShown = m_actions.showDetails->isChecked();
    if (!m_wereDetailsShown)
        m_actions.showDetails->setChecked(isShown);
}

void RunPage::connectActions()
{
    const auto on = [this](QAction* action, auto&& what) {
        connect(action, &QAction::triggered, this, what);
    };
    on(m_actions.pause, [this](bool paused) { m_library.setPaused(*m_document, paused); });
    on(m_actions.stop, [this] { m_library.stop(*m_document); });
    on(m_actions.compare, [this] { Q_EMIT pageRequested({"compare", {}, {m_document}}); });
    on(m_actions.exportFigure, [this] { Q_EMIT exportRequested({m_document->run()}); });
    on(m_actions.exportReport,
       [this] { m_saver->saveReport({m_document->run()}, m_document->title()); });
    on(m_actions.exportTrace, [this] { Q_EMIT traceRequested(m_document); });
    on(m_actions.savePart, [this] {
        m_saver->savePart(m_document->run(), m_document->file(), m_timeline->selection().window);
    });
    on(m_actions.copyCommand, [this] {
        if (const RunPointer run = m_document->run())
            QGuiApplication::clipboard()->setText(QString::fromStdString(run->info.command));
    });
    on(m_actions.foldPanels, [this] { m_panels->setFolded(!m_panels->isFolded()); });
    const auto open = [this](const QString& file) { Q_EMIT pageRequested({"run", {file}}); };
    connect(m_saver, &RunSaver::partSaved, this, open);
    connect(m_panels, &RunPanels::chartExported, this, [this](const DrawChart& draw) {
        m_saver->saveFigure(
            [draw]() -> engine::Result<profiler::Scene> { return draw(ChartLook()).scene; },
            m_document->title());
    });
    connect(&m_panels->notes(), &NotesPanel::openRequested, this, open);
    connect(m_why, &WhyPanel::pageRequested, this, &Page::pageRequested);
    connect(m_why, &WhyPanel::pathChanged, m_panels, &RunPanels::setPath);
    connect(m_why, &WhyPanel::listRequested, m_panels, &RunPanels::showPathEvents);
    connect(m_why, &WhyPanel::closeRequested, this, [this] {
        m_actions.why->setChecked(false);
        m_timeline->setFocus();
    });
    connect(m_why, &WhyPanel::schemesKnown, this, [this](const FasterSchemesAnswer& answer) {
        m_answer->showNext(*m_document->run(), &answer);
    });
    connect(m_state, &RunStateView::runAgainRequested, this, &RunPage::runAgain);
    connect(m_state, &RunStateView::reportRequested, m_actions.importReport, &QAction::trigger);
    connect(m_state, &RunStateView::openRequested, this,
            [this] { Q_EMIT filesRequested(FileKind::Runs); });
}

void RunPage::connectFind()
{
    connect(m_actions.find, &QAction::triggered, m_findBar, &FindBar::open);
    connect(m_actions.findNext, &QAction::triggered, m_findBar, [this] { m_findBar->step(1); });
    connect(m_actions.findPrevious, &QAction::triggered, m_findBar,
            [this] { m_findBar->step(-1); });
    connect(m_findBar, &FindBar::found, m_timeline, &TimelineWidget::setFound);
    connect(m_findBar, &FindBar::chosen, m_timeline, &TimelineWidget::select);
    connect(m_findBar, &FindBar::allSelected, m_panels, &RunPanels::setHits);
    connect(m_findBar, &FindBar::allSelected, m_details,
            [this](const FoundPointer& hits) { m_details->set(&DetailsPanel::Facts::hits, hits); });
    connect(m_findBar, &FindBar::closed, m_timeline, [this] { m_timeline->setFocus(); });
}

void RunPage::connectNotes()
{
    NotesPanel& notes = m_panels->notes();
    connect(&notes, &NotesPanel::chosen, m_timeline, &TimelineWidget::goToNote);
    connect(&notes, &NotesPanel::closed, m_timeline, [this] { m_timeline->setFocus(); });
    connect(&notes, &NotesPanel::changed, this, [this, &notes] {
        m_timeline->setNotes(notes.notes());
        m_details->set(&DetailsPanel::Facts::notes, notes.notes());
        notes.setCurrent(m_timeline->currentNote());
    });
}

void RunPage::connectRange()
{
    RangePanel& range = m_panels->range();
    range.addButton(tr("Zoom to"), "zoomToRange", m_actions.fitSelection);
    range.addButton(tr("Note"), "noteOnRange", m_actions.note);
    range.addButton(tr("Save as run…"), "saveRange", m_actions.savePart);
    connect(&range, &RangePanel::typed, this, &RunPage::markRange);
    connect(&range, &RangePanel::closed, this, [this] {
        m_timeline->setFocus();
        m_panels->setRangeShown(exportedRange().has_value());
    });
    connect(m_actions.markRange, &QAction::triggered, this, [this, &range] {
        m_panels->setRangeShown(true);
        m_panels->open(RunPanels::Panel::Range);
        range.editRange();
    });
}

void RunPage::connectTimeline()
{
    connect(m_timeline, &TimelineWidget::selectionChanged, this, &RunPage::select);
    connect(m_timeline, &TimelineWidget::iterationChanged, this, &RunPage::showIteration);
    connect(m_timeline, &TimelineWidget::menuRequested, this, &RunPage::showMenu);
    connect(m_details, &DetailsPanel::jumpTo, this, [this](const Selection& to) {
        if (to.kind == Selection::Kind::None)
            m_timeline->showIteration(to.iteration);
        else
            m_timeline->select(to);
    });
    connect(m_panels, &RunPanels::selected, m_timeline, &TimelineWidget::select);
    connect(m_panels, &RunPanels::iterationChosen, m_timeline, &TimelineWidget::showIteration);
    connect(m_toolbar, &RunToolbar::iterationChosen, m_timeline, &TimelineWidget::showIteration);
    connect(m_answer, &AnswerStrip::chosen, this, &RunPage::selectCategory);
    connect(m_answer, &AnswerStrip::opened, this, [this](profiler::TimeCategory category) {
        const auto longest = CategoryBoxes(*view(), m_metrics.iteration, category).longest(1);
        if (longest.empty())
            return;
        m_timeline->select(longest.front());
        m_timeline->zoomToSelection();
    });
    connect(m_actions.showDetails, &QAction::toggled, this, &RunPage::showPopover);
    connect(m_timeline, &TimelineWidget::viewChanged, this, [this] {
        if (needsPopover())
            m_popover->place(m_timeline->selectionRect());
    });
}

// Keeps the visible time and the TimelineLook equal in the actions, the toolbar and the timeline.
void RunPage::connectLook()
{
    TimelineWidget* timeline = m_timeline;
    connect(m_actions.back, &QAction::triggered, timeline, &TimelineWidget::zoomBack);
    connect(m_actions.forward, &QAction::triggered, timeline, &TimelineWidget::zoomForward);
    connect(m_actions.fit, &QAction::triggered, timeline, &TimelineWidget::zoomToFit);
    connect(m_actions.fitAll, &QAction::triggered, timeline, &TimelineWidget::zoomToAll);
    connect(m_actions.fitSelection, &QAction::triggered, timeline,
            &TimelineWidget::zoomToSelection);
    connect(m_actions.follow, &QAction::toggled, timeline, &TimelineWidget::setFollow);
    connect(timeline, &TimelineWidget::followChanged, m_actions.follow, &QAction::setChecked);
    const auto change = [this, timeline](QAction* action, auto edit) {
        connect(action, &QAction::triggered, this, [timeline, edit](bool isOn) {
            TimelineLook look = timeline->look();
            edit(look, isOn);
            timeline->setLook(look);
        });
    };
    // These actions select the next choice; in the toolbar the user selects any choice.
    change(m_actions.flow, [](TimelineLook& look, bool) { look.flow = nextFlow(look.flow); });
    change(m_actions.colourBy,
           [](TimelineLook& look, bool) { look.colourBy = nextColourBy(look.colourBy); });
    change(m_actions.plan, [](TimelineLook& look, bool isOn) { look.isPlanShown = isOn; });
    connect(m_actions.kernels, &QAction::triggered, this, &RunPage::showKernelLanes);
    connect(m_toolbar, &RunToolbar::lookChosen, timeline, &TimelineWidget::setLook);
    const auto follow = [this](const TimelineLook& look) {
        m_toolbar->setLook(look);
        m_actions.kernels->setChecked(look.areKernelsShown);
        m_actions.plan->setChecked(look.isPlanShown);
        m_state->setAssumedShown(look.isPlanShown);
    };
    connect(timeline, &TimelineWidget::lookChanged, this, follow);
    follow(timeline->look());
}

void RunPage::showAnswer(const IterationAnswer& answer)
{
    m_reported = answer.first + answer.rows.size();
    m_panels->showIterations(answer.run->info, answer.first, answer.rows);
    if (!answer.metrics)
        return;
    m_metrics = *answer.metrics;
    m_answer->show(*m_document, &m_metrics);
    m_panels->showMetrics(answer.run, m_metrics);
    Q_EMIT statusChanged();
}

void RunPage::showRange(const RangeAnswer& answer)
{
    const auto& [run, metrics] = answer;
    if (!metrics || exportedRange() != metrics->range)
        return;
    m_panels->range().showMetrics(run, *metrics);
    m_details->set(&DetailsPanel::Facts::range, *metrics);
}

void RunPage::askPrediction(const RunPointer& run, bool isComplete)
{
    if (!run || run->info.mode == engine::Mode::Simulate || m_isPredicted)
        return;
    const std::size_t iterations = run->timeline.iterations.size();
    if (iterations == 0 && !std::exchange(m_isAssumed, true))
        m_assumed.ask(run);
    if (iterations == 0 || (iterations < m_nextPrediction && !isComplete))
        return;
    m_nextPrediction = 2 * iterations;
    m_isPredicted = isComplete;
    m_predictions.ask(run);
}

void RunPage::askKernels(const RunPointer& run)
{
    const bool isComplete = m_document->state() == RunDocument::State::Finished
        && run == m_document->run() && !m_document->file().isEmpty();
    if (isComplete && !run->info.inUnits()) {
        if (std::exchange(m_kernelsOf, run) != run)
            m_kernels.ask({run, m_document->file().toStdString()});
        return;
    }
    m_kernelsOf.reset();
    m_kernels.drop();
    showKernels(nullptr,
                m_document->isRunning() ? tr("Kernels are read when the run is complete.")
                                        : whyNoKernelsOf(*run));
}

void RunPage::connectDocument()
{
    const RunDocument* document = m_document.get();
    connect(document, &RunDocument::runChanged, this, &RunPage::showRun);
    connect(document, &RunDocument::stateChanged, this, &RunPage::showState);
    connect(document, &RunDocument::noticeChanged, this,
            [this] { m_state->showNotice(*m_document, facts()); });
    connect(document, &RunDocument::progressChanged, this, [this] {
        const RunProgress& progress = m_document->progress();
        m_timeline->setOpsDone(progress.done, progress.devices);
        if (!m_progressLater.isActive())
            m_progressLater.start();
    });
    m_progressLater.setSingleShot(true);
    m_progressLater.setInterval(kRunProgressEvery);
    connect(&m_progressLater, &QTimer::timeout, this, [this] {
        m_toolbar->showRun(*m_document, m_timeline->iteration());
        if (!view())
            showWaiting();
        showProgress();
        Q_EMIT statusChanged();
    });
    connect(document, &RunDocument::logged, m_panels, &RunPanels::addLogLine);
}

const RunViewPointer& RunPage::view() const
{
    return m_timeline->view();
}

void RunPage::showRun()
{
    const RunPointer run = m_document->run();
    if (!view()) {
        Q_EMIT titleChanged(); // the name is known before the timeline is prepared
        showProgress();
    }
    if (!hasIterations(run.get()))
        return askPrediction(run, false);
    m_views.ask({run});
    showWaiting();
}

void RunPage::showView(const RunViewPointer& view)
{
    const bool isFirst = !this->view();
    m_timeline->setView(view,
                        isFirst ? TimelineWidget::View::FitIteration : TimelineWidget::View::Keep);
    m_state->setCurrentWidget(m_timeline);
    if (isFirst && m_document->isPartlyRead())
        // Follows the run until the user moves the view or the whole run is read.
        m_actions.follow->setChecked(true);
    if (isFirst && isVisible())
        m_timeline->setFocus();
    showIteration(m_timeline->iteration());
    if (isFirst && isVisible() && m_timeline->areLanesDense())
        m_panels->preferDevices();
    showLanes();
    m_findBar->setRun(view, m_timeline->kernels()); // a run that has grown may have more hits
    // While a run grows, the details describe the newest iteration unless an op is selected.
    const bool isNothingChosen = m_timeline->selection().kind == Selection::Kind::None;
    if (isFirst || isNothingChosen || !m_document->isRunning())
        m_details->show(view, m_timeline->selection());
    askForMore();
}

// When a run has ended, reads kernels and notes from its complete file.
void RunPage::askForMore()
{
    showEnd();
    if (view()) {
        askKernels(view()->shared());
        const RunPointer run = m_document->run();
        askPrediction(run, !m_document->isRunning() && view()->shared() == run);
    }
    m_panels->notes().setRun(view(), *m_document);
    askNext();
    showPlace();
}

void RunPage::askNext()
{
    if (!isVisible() || !view() || m_document->state() != RunDocument::State::Finished
        || view()->shared() != m_document->run())
        return;
    m_answer->showNext(view()->run(), nullptr);
    m_why->askSchemes(view()->shared());
}

void RunPage::showIteration(int iteration)
{
    m_toolbar->showRun(*m_document, iteration);
    if (view()) {
        m_panels->showRun(view(), iteration);
        // The iteration that was delivered last is delivered again, because it may have grown.
        if (iteration >= 0)
            m_iterations.ask({view()->shared(), iteration, m_reported > 0 ? m_reported - 1 : 0});
    }
    m_findBar->setPlace(m_timeline->selection(), iteration);
    m_why->setIteration(view(), iteration);
    m_panels->range().setPlace(view() ? view()->shared() : nullptr, iteration);
    if (std::exchange(m_rangeView, view()) != view())
        askRange();
    Q_EMIT statusChanged();
}

void RunPage::select(const Selection& selection)
{
    m_details->show(view(), selection);
    m_panels->showSelection(selection);
    m_answer->setSelected(selection.kind == Selection::Kind::Category
                              ? std::optional(selection.category)
                              : std::nullopt);
    m_panels->notes().setCurrent(m_timeline->currentNote());
    m_panels->notes().setSelection(selection);
    m_why->setSelection(selection);
    const bool isRange = selection.kind == Selection::Kind::Range;
    if (!isRange)
        m_panels->range().clear();
    m_panels->setRangeShown(isRange);
    askRange();
    showLanes();
    showProgress();
    showPopover();
    m_findBar->setPlace(selection, m_timeline->iteration());
    m_actions.savePart->setEnabled(isRange);
    Q_EMIT statusChanged();
}

// Selects the boxes of a category in the shown iteration, or clears the selection if they are
// selected already.
void RunPage::selectCategory(profiler::TimeCategory category)
{
    if (!view() || m_metrics.iteration < 0)
        return;
    const Selection to{
        .kind = Selection::Kind::Category, .iteration = m_metrics.iteration, .category = category};
    m_timeline->select(m_timeline->selection() == to ? Selection() : to);
}

std::optional<engine::Window> RunPage::exportedRange() const
{
    const Selection& selection = m_timeline->selection();
    return selection.kind == Selection::Kind::Range ? std::optional(selection.window)
                                                    : std::nullopt;
}

void RunPage::askRange()
{
    const auto range = exportedRange();
    if (!view() || !range)
        return;
    m_panels->range().mark(*range);
    if (range->duration() > 0)
        m_ranges.ask({view()->shared(), *range});
}

void RunPage::markRange(engine::Window range)
{
    if (!view())
        return;
    m_timeline->select({.kind = Selection::Kind::Range,
                        .iteration = iterationOf(view()->timeline(), range.begin),
                        .window = range});
    m_timeline->setFocus();
}

bool RunPage::needsPopover() const
{
    using enum Selection::Kind;
    const Selection::Kind kind = m_timeline->selection().kind;
    return view() && !m_actions.showDetails->isChecked()
        && (kind == Op || kind == Bubble || kind == Kernel);
}

void RunPage::showPopover()
{
    if (!needsPopover())
        return m_popover->hide();
    m_popover->show(detailsOf(*view(), m_timeline->selection(), m_timeline->kernels().get()),
                    m_timeline->selectionRect());
}

void RunPage::showState()
{
    if (view() && !m_document->isRunning())
        m_details->show(view(), m_timeline->selection());
    showWaiting();
    showProgress();
    m_toolbar->showRun(*m_document, m_timeline->iteration());
    askForMore();
    Q_EMIT titleChanged();
    Q_EMIT statusChanged();
}

RunStateView::Facts RunPage::facts() const
{
    return {view() != nullptr, m_views.isBusy(), !m_document->options().isEmpty()};
}

// Hides the toolbar and the tables of a file that cannot be read.
void RunPage::showWaiting()
{
    m_state->showState(*m_document, facts());
    const bool isUsable = !m_state->isFailed() || facts().isOfWorker;
    m_panels->setVisible(isUsable);
    m_toolbar->setVisible(isUsable);
    m_answer->setVisible(isUsable);
    m_answer->show(*m_document, &m_metrics);
    if (m_state->isFailed())
        m_actions.showDetails->setChecked(false);
}

// Shows the progress of a running run in the details, and the actions below them.
void RunPage::showProgress()
{
    m_details->set(&DetailsPanel::Facts::running, m_document->run());
    m_details->set(&DetailsPanel::Facts::progress,
                   m_document->isRunning() ? std::optional(m_document->progress()) : std::nullopt);
    showFooter();
}

void RunPage::showEnd()
{
    const RunPointer run = m_document->run();
    if (m_document->state() != RunDocument::State::Finished || !view() || view()->shared() != run
        || std::exchange(m_hasEnded, true))
        return;
    // When a followed run ends, shows the median iteration.
    if (m_actions.follow->isChecked()) {
        m_actions.follow->setChecked(false);
        m_timeline->showIteration(engine::reportedIteration(run->timeline));
    }
}

void RunPage::showKernels(const KernelViewPointer& kernels, const QString& reason)
{
    m_panels->showKernels(kernels, reason);
    if (kernels == m_timeline->kernels())
        return;
    m_timeline->setKernels(kernels);
    m_details->set(&DetailsPanel::Facts::kernels, kernels);
    m_toolbar->offerKernels(kernels && !kernels->isEmpty(), reason);
    m_findBar->setRun(view(), kernels); // "kernel:" can now find kernels
    Q_EMIT statusChanged();
    // Without a pipeline, the kernels are what the run shows.
    if (const RunPointer run = m_document->run(); run && !engine::knowsStages(run->info))
        showKernelLanes(true);
}

// Without kernels, the table shows the reason.
void RunPage::showKernelLanes(bool areShown)
{
    const KernelViewPointer& kernels = m_timeline->kernels();
    const bool hasAny = kernels && !kernels->isEmpty();
    TimelineLook look = m_timeline->look();
    look.areKernelsShown = areShown && hasAny;
    m_timeline->setLook(look);
    m_actions.kernels->setChecked(look.areKernelsShown);
    if (areShown && !hasAny)
        m_panels->open(RunPanels::Panel::Kernels);
}

void RunPage::runAgain()
{
    const QStringList& options = m_document->options();
    if (!options.isEmpty())
        Q_EMIT startRequested({options});
    else if (const RunPointer run = m_document->run())
        Q_EMIT pageRequested(
            {.kind = "setup",
             .plan = planFromExperiment(QString::fromStdString(run->info.experiment))});
}

bool RunPage::queryClose()
{
    return mayStop(
        *m_document, [this] { m_library.stop(*m_document); }, this);
}

std::vector<std::vector<engine::Note>> RunPage::notes() const
{
    return {m_panels->notes().notes()};
}

int RunPage::exportedIteration() const
{
    const int shown = m_timeline->iteration();
    const auto& run = m_document->run();
    return run && shown != engine::reportedIteration(run->timeline) ? shown : -1;
}

QStringList RunPage::statusTexts() const
{
    const KernelView* kernels = m_timeline->kernels().get();
    QStringList texts = runStatus(*m_document, m_metrics, m_timeline->selection(), kernels);
    if (view())
        texts += recordStatus(*view(), kernels);
    if (const auto collapsed = std::ssize(m_timeline->collapsed()); collapsed > 0)
        texts += tr("%1 collapsed").arg(countOf(collapsed, "group"));
    return texts;
}

QString RunPage::statusNote() const
{
    return iterationStatus(*m_document, m_metrics);
}

void RunPage::showEvent(QShowEvent* event)
{
    Page::showEvent(event);
    m_timeline->setFocus();
    askNext();
}

void RunPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    const bool panels = height() + kChromeHeight >= kFoldPanelsBelow;
    if (panels != std::exchange(m_hasRoomForPanels, panels))
        m_panels->setFolded(!panels);
}

void RunPage::showRequest(const PageRequest& request)
{
    m_place = request.place;
    showPlace();
}

// Waits until the whole run is read.
void RunPage::showPlace()
{
    if (!m_place || m_document->state() != RunDocument::State::Finished
        || m_timeline->iteration() < 0)
        return;
    TimelineLook look = m_timeline->look();
    const auto& import = m_document->run()->info.import;
    look.areKernelsShown = look.areKernelsShown || (import && import->onGpu);
    m_timeline->setLook(look);
    m_timeline->showPlace(*std::exchange(m_place, std::nullopt));
}

} // namespace app
