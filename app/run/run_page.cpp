#include "app/run/run_page.h"

#include "app/documents/run_library.h"
#include "app/plan/run_plan.h"
#include "app/plan/schedule_preview.h"
#include "app/range/range_panel.h"
#include "app/run/run_panels.h"
#include "app/shell/command_palette.h"
#include "app/shell/run_saver.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "app/whatif/what_if.h"
#include "app/why/why_panel.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/analysis/metrics.h"
#include "profiler/predict/predict.h"
#include "profiler/store/trace_store.h"
#include "profiler/study/chart_kit.h"
#include "profiler/whatif/own_replay.h"

#include <QAction>
#include <QComboBox>
#include <QDialog>
#include <QHBoxLayout>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

// Two lines below the selected box, shown while the details dock is folded: op, duration, cause,
// and one link. A child of the timeline.
class SelectionPopover : public ThemedWidget
{
public:
    using Jump = std::function<void(const Selection&)>;

    SelectionPopover(const ThemeController& theme, QWidget* timeline, const Jump& jump)
        : ThemedWidget(theme, timeline)
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

    // `box` is the box of the selection in timeline coordinates. If it is empty, the selection is
    // out of view and the popover is hidden.
    void show(const Details& details, const QRect& box)
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
            sentence += QStringLiteral(" <a href=\"link\" style=\"color:%1\">%2</a>")
                            .arg(theme().chrome.text.name(),
                                 tr("Go to %1").arg(linked->links.front().name));
        }
        m_sentence->setText(sentence);
        m_sentence->setFixedHeight(
            std::max(0, m_sentence->heightForWidth(kWidth - 24))); // -1: empty
        adjustSize();
        place(box);
    }

    // Places the popover below the box, or above it if there is no space.
    void place(const QRect& box)
    {
        constexpr int kGap = 8;
        setVisible(!box.isEmpty());
        if (box.isEmpty())
            return;
        const QSize room = parentWidget()->size();
        const int below = box.bottom() + kGap;
        const int y = below + height() <= room.height() ? below : box.top() - kGap - height();
        const int x = std::clamp(box.center().x() - width() / 2, 4,
                                 std::max(4, room.width() - width() - 4));
        move(x, std::max(4, y));
        raise();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Chrome& chrome = theme().chrome;
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(chrome.lineStrong, 1));
        painter.setBrush(chrome.surface);
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }

    // Handled here, so that clicks do not reach the timeline.
    void mousePressEvent(QMouseEvent* event) override { event->accept(); }

private:
    static constexpr int kWidth = 384;

    QLabel *m_title = named(makeLabel({}, "dock"), "popoverTitle"),
           *m_left = makeLabel({}, "small"), *m_value = makeLabel({}, "dock"),
           *m_sentence = named(makeLabel({}), "popoverSentence");
    Selection m_target;
};

constexpr int kSegment = 20, kGap = 2, kHeight = 4;
constexpr int kMostSegments = 8, kBarWidth = 160;

// The progress of a run: a segment of 20 x 4 px per complete iteration, or one bar if there are
// many. Segments of warm-up iterations are paler.
class IterationSegments : public ThemedWidget
{
public:
    explicit IterationSegments(const ThemeController& theme)
        : ThemedWidget(theme)
    {
        setObjectName(QStringLiteral("iterationSegments"));
    }

    void show(const RunProgress& progress)
    {
        m_progress = progress;
        setToolTip(tr("%1 of %2 iterations are complete").arg(progress.done).arg(progress.planned));
        updateGeometry();
        update();
    }

    QSize sizeHint() const override
    {
        const int count = m_progress.planned;
        return {count > kMostSegments ? kBarWidth : std::max(0, count * (kSegment + kGap)), 16};
    }

    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent*) override
    {
        const Chrome& chrome = theme().chrome;
        QPainter painter(this);
        const int top = (height() - kHeight) / 2;
        const bool isBar = m_progress.planned > kMostSegments; // of all iterations
        const double planned = isBar ? m_progress.planned : 1;
        const int width = isBar ? kBarWidth : kSegment;
        for (int i = 0; i < (isBar ? 1 : m_progress.planned); ++i) {
            const QRect segment(i * (kSegment + kGap), top, width, kHeight);
            const double share = std::clamp((m_progress.iterations() - i) / planned, 0.0, 1.0);
            painter.fillRect(segment, chrome.pressed);
            painter.fillRect(QRect(segment.left(), top, static_cast<int>(width * share), kHeight),
                             !isBar && i < m_progress.warmup ? chrome.text3 : chrome.text);
        }
    }

private:
    RunProgress m_progress;
};

// The toolbar above a run's timeline, 40 px high: zoom history and iteration; while the run is
// running, also stop, progress and follow. The page owns the actions and also shows them in menus.
class RunToolbar : public QWidget
{
public:
    RunToolbar(const ThemeController& theme, const RunActions& actions)
        : m_theme(theme)
        , m_actions(actions)
    {
        setFixedHeight(40);
        m_export->setText(tr("Export"));
        setMinimumWidth(560); // narrower than the contents, because fitTexts() hides parts
        auto* walk = spaced(new QHBoxLayout(m_walk), {}, 2);
        for (QAction* action : {actions.back, actions.forward, actions.fit})
            walk->addWidget(makeToolButton(action));
        fillRunning();

        spaced(new QHBoxLayout(this), {8, 0, 8, 0}, 12,
               {makeToolButton(actions.showRuns), m_walk, makeLine(Qt::Vertical), m_stepper,
                m_running, m_view, kStretch, m_report, m_find, m_export,
                makeToolButton(actions.showDetails)});
        connect(m_stepper, &IterationStepper::chosen, this,
                [this](int to) { iterationChosen(to); });
    }

    // Shows the current state of `document`.
    void showRun(const RunDocument& document, int iteration)
    {
        const RunPointer run = document.run();
        static const engine::Timeline kNone; // "run ? run->timeline : Timeline()" would copy it
        m_stepper->show(run ? run->timeline : kNone, iteration);
        const bool isImported = run && run->info.import && !document.file().isEmpty();
        m_actions.importReport->setVisible(isImported);
        m_report->setVisible(isImported);
        const QString reason
            = document.isRunning() ? tr("The run has not finished") : whyNoWhatIf(run.get());
        m_actions.whatIf->setEnabled(reason.isEmpty());
        m_actions.whatIf->setToolTip(
            reason.isEmpty() ? tr("Predicts other schemes with the measured times (P)") : reason);
        for (QAction* action : {m_actions.exportFigure, m_actions.exportReport})
            action->setEnabled(hasIterations(run.get()) && !document.isRunning()
                               && !document.isPartlyRead());
        const bool isUnderWay = document.isRunning() || document.isQueued();
        m_running->setVisible(isUnderWay);
        m_view->setVisible(!isUnderWay);
        m_find->setEnabled(hasIterations(run.get()));
        m_actions.why->setEnabled(hasIterations(run.get()));
        const bool isOn = document.state() == RunDocument::State::Running;
        m_actions.stop->setEnabled(isOn || document.isQueued());
        const bool isLive = run && run->info.mode == engine::Mode::Live;
        m_actions.pause->setEnabled(isOn && run && !isLive);
        m_actions.pause->setToolTip(
            isLive ? tr("A live run is timed by the wall clock, so it cannot be paused")
                   : tr("Pauses the worker; the times of ops exclude the pause"));
        m_actions.pause->setChecked(document.isPaused());
        if (isUnderWay)
            showProgress(document);
        fitTexts();
    }

    void setLook(const TimelineLook& look)
    {
        const QSignalBlocker flow(m_flow), lanes(m_lanes), plan(m_plan);
        m_flow->setCurrent(static_cast<int>(look.flow));
        m_colourBy->setCurrentIndex(static_cast<int>(look.colourBy));
        m_lanes->setCurrent(look.areKernelsShown ? 1 : 0);
        m_plan->setCurrent(look.isPlanShown ? 0 : 1);
    }

    // Enables the kernels button, or disables it with the reason as its tooltip.
    void offerKernels(bool areKnown, const QString& reason)
    {
        m_lanes->setVisible(areKnown);
        fitTexts();
        m_lanes->setToolTip(areKnown ? tr("Shows kernels, copies and NCCL under their ops (G)")
                                     : reason);
    }

    std::function<void(int iteration)> iterationChosen;
    std::function<void(const TimelineLook& look)> lookChosen;

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QWidget::resizeEvent(event);
        fitTexts();
    }

private:
    void showProgress(const RunDocument& document)
    {
        const RunProgress& progress = document.progress();
        m_segments->show(progress);
        m_left->setToolTip(document.state() == RunDocument::State::Stopping
                               ? tr("Keeps the complete iterations")
                               : QString());
        if (document.isQueued())
            m_left->setText(tr("in the queue"));
        else if (document.isPaused())
            m_left->setText(tr("paused"));
        else if (document.state() == RunDocument::State::Stopping)
            m_left->setText(tr("stopping"));
        else if (progress.secondsLeft >= 0)
            m_left->setText(remainingTime(progress.secondsLeft));
        else
            m_left->setText(tr("starting"));
    }

    // What the toolbar shows, from wide to narrow. Names omits the texts of buttons, which have
    // icons. Few also omits the names of controls. Bare also omits the controls for flow and
    // colour, which are in the View menu, too.
    enum class Labels : std::uint8_t { NamesAndTexts, Names, Few, Bare };

    void fitTexts()
    {
        using enum Labels;
        for (const Labels labels : {NamesAndTexts, Names, Few, Bare}) {
            const bool hasTexts = labels == NamesAndTexts;
            for (QLabel* name : m_names)
                name->setVisible(labels < Few);
            m_colourBy->setVisible(labels != Bare);
            m_flow->setVisible(labels != Bare);
            const auto show = [hasTexts](auto* button, const QString& text) {
                button->setText(hasTexts ? text : QString());
                button->setAccessibleName(text);
            };
            show(m_report, tr("Report"));
            show(m_find, m_actions.find->text());
            m_walk->setVisible(labels < Few || m_running->isHidden());
            m_view->layout()->invalidate();
            m_view->updateGeometry();
            m_running->layout()->invalidate();
            m_running->updateGeometry();
            layout()->invalidate();
            if (layout()->sizeHint().width() <= width())
                break;
        }
        for (QLayout* changed : {m_view->layout(), m_running->layout(), layout()}) {
            changed->invalidate();
            changed->activate();
        }
    }

    QWidget* makeView()
    {
        m_flow->setName(tr("Flow"));
        m_colourBy->addItems(colourByNames());
        m_colourBy->setFocusPolicy(Qt::TabFocus);
        m_lanes->setName(tr("Rows"));
        m_lanes->hide();
        m_names += {makeLabel(tr("Colour by"), "small"), makeLabel(tr("Flow"), "small")};
        auto* view = new QWidget;
        auto* row = spaced(new QHBoxLayout(view), {}, 8, {m_names.at(0), m_colourBy});
        row->addSpacing(4);
        row->addWidget(m_lanes);
        row->addWidget(m_names.at(1));
        row->addWidget(m_flow);
        const auto choose = [this] { lookChosen(look()); };
        for (SegmentControl* control : {m_plan, m_lanes, m_flow}) {
            control->setCompact();
            connect(control, &SegmentControl::currentChanged, this, choose);
        }
        connect(m_colourBy, &QComboBox::activated, this, choose);
        return view;
    }

    // The look that the user chose in the controls.
    TimelineLook look() const
    {
        return {static_cast<TimelineLook::Flow>(m_flow->current()),
                static_cast<ColourBy>(m_colourBy->currentIndex()), m_lanes->current() == 1,
                m_plan->current() == 0};
    }

    void fillRunning()
    {
        m_plan->setName(tr("Not yet run"));
        m_plan->setToolTip(tr("Outlines the ops that have not run yet, as predicted"));
        m_names.append(makeLabel(tr("Not yet run"), "small"));
        spaced(new QHBoxLayout(m_running), {}, 10,
               {makeActionButton(m_actions.pause), makeActionButton(m_actions.stop), m_segments,
                m_left, makeActionButton(m_actions.follow), m_names.back(), m_plan});
    }

    const ThemeController& m_theme;
    const RunActions& m_actions;
    IterationStepper* m_stepper = new IterationStepper(m_theme);
    IterationSegments* m_segments = new IterationSegments(m_theme);
    QLabel* m_left = named(makeLabel({}, "small"), "timeLeft");
    SegmentControl *m_flow
        = named(new SegmentControl(m_theme, {tr("off"), tr("selected"), tr("all")}),
                "flowSegments"),
        *m_lanes
        = named(new SegmentControl(m_theme, {tr("ops"), tr("ops and kernels")}), "laneSegments"),
        *m_plan = named(new SegmentControl(m_theme, {tr("plan"), tr("hidden")}), "planSegments");
    QComboBox* m_colourBy = named(new QComboBox, "colourBy", tr("Colour by"));
    QList<QLabel*> m_names; // labels of controls
    QPushButton *m_report = makeActionButton(m_actions.importReport),
                *m_find = makeActionButton(m_actions.find),
                *m_export = makeActionButton(m_actions.exportFigure);
    QWidget *m_walk = new QWidget, *m_running = new QWidget, *m_view = makeView();
};

// Shows the timeline of a run or an empty state, and a band with the run's notice.
class RunStateView : public QStackedWidget
{
public:
    // Facts that the document does not have.
    struct Facts
    {
        bool hasTimeline = false, isPreparing = false;
        bool isOfWorker = false; // whether the run was started in this window
    };

    RunStateView(const ThemeController& theme, QWidget* timeline)
        : m_theme(theme)
        , m_timeline(timeline)
    {
        for (QLabel* label : {m_waiting, m_assumed}) {
            label->setAlignment(Qt::AlignCenter);
            label->setWordWrap(true);
        }
        m_band->hide();
        auto* failed = makeColumn({14, 14, 14, 14}, 0, {m_failed}, "");
        m_preview->hide();
        auto* waiting = makeColumn({24, 14, 24, 14}, 14,
                                   {kStretch, m_waiting, m_preview, m_assumed, kStretch}, "");
        for (QWidget* one : {waiting, failed, timeline})
            addWidget(one);
        connect(m_runAgain, &QPushButton::clicked, this, [this] { runAgain(); });
        connect(m_failed, &EmptyState::activated, this, [this] { openOther(); });
        connect(m_band->addAction(tr("Close"), "dismissBand"), &QPushButton::clicked, this, [this] {
            m_isDismissed = true;
            m_band->hide();
        });
    }

    Band* band() const { return m_band; } // a child of this view until it is added to a layout

    void showState(const RunDocument& document, const Facts& facts)
    {
        const bool isWaiting = facts.isPreparing || document.state() == RunDocument::State::Loading
            || document.isRunning() || document.isQueued();
        m_waiting->setText(waitingFor(document, facts));
        if (document.isRunning())
            m_preview->setDone(document.progress().devices);
        setCurrentWidget(facts.hasTimeline ? m_timeline
                             : isWaiting   ? m_waiting->parentWidget()
                                           : m_failed->parentWidget());
        const Notice& notice = document.notice();
        if (facts.isOfWorker)
            m_failed->setTexts(tr("Nothing was recorded."), tr("The log below shows the reason."));
        else
            m_failed->setTexts(notice.title, notice.text);
        showNotice(document, facts);
        if (isFailed() && isVisible())
            m_failed->button()->setFocus();
    }

    void showNotice(const RunDocument& document, const Facts& facts)
    {
        const Notice& notice = document.notice();
        const RunPointer run = document.run();
        const bool hasExperiment = run && !run->info.experiment.empty();
        const bool isSaidBelow = isFailed() && !facts.isOfWorker;
        if (std::exchange(m_notice, notice) != notice)
            m_isDismissed = false;
        if (notice.level == Notice::Level::None || isSaidBelow || m_isDismissed)
            m_band->hide();
        else
            m_band->show(notice.level == Notice::Level::Error ? Band::Kind::Error
                                                              : Band::Kind::Warning,
                         notice.title, notice.text);
        m_report->setVisible(run && run->info.import);
        m_runAgain->setVisible(notice.canRepeat && (hasExperiment || facts.isOfWorker));
    }

    // Outlines an iteration predicted from assumed costs while the first iteration runs.
    void showAssumed(const RunViewPointer& iteration)
    {
        m_preview->showOutlines(iteration);
        m_preview->setVisible(!m_assumed->isHidden());
        m_assumed->setText(
            tr("Plan from assumed costs (%1), not from measured times. Ops that have run "
               "are filled.")
                .arg(costsText(engine::UnitCosts())));
    }

    void setAssumedShown(bool shown)
    {
        m_assumed->setVisible(shown);
        m_preview->setVisible(shown && m_preview->hasPicture());
    }

    // Whether there is no timeline and none will follow.
    bool isFailed() const { return currentWidget() == m_failed->parentWidget(); }

    std::function<void()> showReport, runAgain, openOther; // what the buttons do

private:
    QString waitingFor(const RunDocument& document, const Facts& facts) const
    {
        if (facts.isPreparing)
            return tr("Preparing %1").arg(document.title());
        if (document.state() == RunDocument::State::Loading)
            return tr("Reading %1").arg(document.file());
        if (document.isQueued())
            return tr(
                "Queued. The run starts when the runs before it are complete: two runs at a time "
                "would distort each other's times.");
        if (const RunProgress& progress = document.progress(); progress.ops > 0)
            return tr("The first iteration has run %1 of %2 ops, messages included. It appears as "
                      "soon "
                      "as "
                      "it is complete; the run has %3.")
                .arg(progress.opsDone)
                .arg(progress.ops)
                .arg(remainingTime(progress.secondsLeft));
        return tr("The worker is starting. The first iteration appears as soon as it is complete.");
    }

    const ThemeController& m_theme;
    QWidget* m_timeline;
    QLabel *m_waiting = named(makeLabel({}, "secondary"), "waiting"),
           *m_assumed = named(makeLabel({}, "hint"), "assumedPlan");
    SchedulePreview* m_preview = new SchedulePreview(m_theme);
    EmptyState* m_failed
        = named(new EmptyState(m_theme, {Icon::Error, {}, {}, tr("Open another run")}), "failed");
    Band* m_band = named(new Band(m_theme, Band::Shape::State, this), "stateBand");
    QPushButton *m_report
        = m_band->addAction(tr("Import report"), "bandReport", this, [this] { showReport(); }),
        *m_runAgain = m_band->addAction(tr("Run again"), "runAgain");
    Notice m_notice;            // last notice of the document
    bool m_isDismissed = false; // the user closed the band with m_notice
};

// Asks before the page of a run in progress is closed. Shows what is kept, and stops the run if the
// user agrees. The dialog is accepted when the run has ended. It is modal but does not block, so
// that the page still follows the run.
class StopRunDialog : public QDialog
{
public:
    StopRunDialog(const RunDocument& document, std::function<void()> stop, QWidget* parent)
        : QDialog(parent)
        , m_document(document)
        , m_text(named(makeLabel({}), "stopText"))
        , m_stop(makeButton(tr("Stop and close"), "stopAndClose"))
        , m_keep(makeButton(tr("Keep running"), "keepRunning", "primary"))
    {
        setObjectName(QStringLiteral("stopRunDialog"));
        setWindowTitle(tr("%1 is still running").arg(document.title()));
        setFixedWidth(460);
        m_text->setWordWrap(true);
        showProgress();
        auto* buttons = spaced(new QHBoxLayout, {}, 8, {kStretch, m_stop, m_keep});
        spaced(new QVBoxLayout(this), {20, 16, 20, 16}, 12,
               {makeLabel(windowTitle(), "heading"), m_text, buttons});
        m_keep->setDefault(true);
        const auto closeAtEnd = [this] {
            if (!m_document.isRunning())
                accept();
        };
        connect(m_keep, &QPushButton::clicked, this, &QDialog::reject);
        connect(m_stop, &QPushButton::clicked, this, [this, stop = std::move(stop), closeAtEnd] {
            m_stop->setEnabled(false);
            m_keep->setEnabled(false);
            m_text->setText(
                tr("Stopping. The worker writes the complete iterations, which takes a few "
                   "seconds at most."));
            stop();
            closeAtEnd();
        });
        connect(&document, &RunDocument::stateChanged, this, closeAtEnd);
        connect(&document, &RunDocument::progressChanged, this, &StopRunDialog::showProgress);
    }

private:
    // The run continues while the dialog is open, so the number of iterations is updated.
    void showProgress()
    {
        const RunProgress& progress = m_document.progress();
        if (!m_stop->isEnabled())
            return;
        m_text->setText(
            progress.planned == 0
                ? tr("The worker is starting, and no iteration is complete yet. Stopping "
                     "now leaves a run without results.")
                : tr("%1 of %2 iterations are complete and kept in %3. Stopping drops only "
                     "the current iteration.")
                      .arg(progress.done)
                      .arg(progress.planned)
                      .arg(m_document.file()));
    }

    const RunDocument& m_document;
    QLabel* m_text;
    QPushButton *m_stop, *m_keep;
};

using enum profiler::TimeCategory;
using Category = profiler::TimeCategory;

constexpr int kBar = 20, kInset = 1; // height of the bar; space for the frame of the selected part
constexpr double kSmallest = 2, kPartGap = 1;
constexpr double kNoBubble = 0.0005; // a smaller share is shown as none

profiler::Colour fillOf(Category category, const profiler::Palette& palette)
{
    using enum engine::OpKind;
    switch (category) {
    case Compute:
    case Category::Forward:
        return palette.fill(engine::OpKind::Forward);
    case Category::Recompute:
        return palette.fill(engine::OpKind::Recompute);
    case Category::Backward:
    case Category::BackwardInput:
        return palette.fill(engine::OpKind::Backward);
    case Category::BackwardWeight:
        return palette.fill(engine::OpKind::BackwardWeight);
    case Optimizer:
        return palette.fill(OptimizerStep);
    case Exposed:
        return palette.exposed();
    case Fill:
        return palette.*profiler::kFillCause;
    case Wait:
        return palette.*profiler::kWaitCause;
    case Drain:
        return palette.*profiler::kDrainCause;
    case Bubble:
        break;
    }
    return palette.bubbleSolid;
}

// A part of the bar of the time by category.
struct TimePart
{
    Category category = Category::Compute;
    QString name, value; // "wait", "6.8"
    QString tip;
    double ticks = 0;
};

// The widths of the parts, at least kSmallest. The widest part makes up for parts that are wider
// than their share.
std::vector<double> widths(const std::vector<TimePart>& parts, double room)
{
    double all = 0, taken = 0;
    for (const TimePart& part : parts)
        all += part.ticks;
    std::vector<double> widths;
    for (const TimePart& part : parts) {
        widths.push_back(std::max(kSmallest, std::round(room * part.ticks / all)));
        taken += widths.back();
    }
    *std::ranges::max_element(widths) += room - taken;
    return widths;
}

// The step of the last shown decimal, in ticks.
double stepOf(const Scale& scale)
{
    return scale.perUnit() * std::pow(10.0, -scale.decimals());
}

QString extremeText(const profiler::RunMetrics& metrics, Category category, const Scale& scale)
{
    std::vector<const profiler::DeviceMetrics*> recorded;
    for (const profiler::DeviceMetrics& device : metrics.devices)
        if (device.isRecorded())
            recorded.push_back(&device);
    const auto time = [&](const profiler::DeviceMetrics* device) {
        return profiler::timeByCategory(metrics, *device)[category];
    };
    if (recorded.size() < 2)
        return {};
    const auto [least, most] = std::ranges::minmax(recorded, {}, time);
    return QObject::tr("most on device %1: %2, least on device %3: %4")
        .arg(QString::number(most->device.value), scale.withUnit(time(most)),
             QString::number(least->device.value), scale.withUnit(time(least)));
}

// The parts side by side, to scale. The category of a part is its mark. If all of Bubble is
// selected, its causes are framed.
profiler::MarkedScene drawTimeBar(const std::vector<TimePart>& parts,
                                  std::optional<Category> selected, const ChartLook& look)
{
    constexpr double kLeastEdged = 3.4; // greys with less contrast to the ground have an edge
    const auto& [style, palette] = look;
    if (parts.empty())
        return profiler::emptyChart(style, "");
    profiler::ChartCanvas canvas(style);
    std::vector<profiler::SceneMark> marks;
    const double gaps = kPartGap * static_cast<double>(parts.size() - 1);
    double left = kInset;
    for (std::size_t k = 0; const double width : widths(parts, style.width - 2 * kInset - gaps)) {
        const TimePart& part = parts[k++];
        const profiler::Colour fill = fillOf(part.category, palette);
        const profiler::Rect box{left, kInset, width, kBar};
        const bool isGrey = part.category >= Fill, isSelected = selected == Bubble && isGrey;
        if (isSelected)
            canvas.box({left - 1, 0, width + 2, kBar + 2 * kInset}, style.ink);
        if (isGrey && profiler::contrast(fill, style.ground) < kLeastEdged)
            canvas.box(box, palette.bubbleLine);
        const double edge = isSelected || isGrey ? 1 : 0;
        canvas.box({left + edge, kInset + edge, width - 2 * edge, kBar - 2 * edge}, fill,
                   part.category == Category::Recompute ? profiler::HatchLines::Rising
                                                        : profiler::HatchLines::None);
        marks.push_back({static_cast<std::size_t>(part.category), box});
        left += width + kPartGap;
        const profiler::Colour ink = palette.inkOn(fill);
        const QString both = part.name + QLatin1Char(' ') + part.value;
        for (const std::string& text : {both.toStdString(), part.value.toStdString()})
            if (profiler::contrast(ink, fill) >= profiler::kSmallestInk
                && profiler::textWidth(text) + 8 <= width) {
                canvas.text(box.x + width / 2, kInset + kBar / 2.0 + 4, text,
                            profiler::Text::Anchor::Middle, {ink, true});
                break;
            }
    }
    return canvas.finish(std::move(marks));
}

// The answer that a run's page gives first: how large the bubble is, where the time of the shown
// iteration goes, and which scheme would be faster.
class AnswerStrip : public QWidget
{
public:
    static constexpr int kHeight = 51;

    AnswerStrip(const ThemeController& theme, const RunActions& actions)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("answerStrip"));
        setFixedHeight(kHeight);
        setMinimumWidth(560); // narrower than the contents, because resizeEvent() hides parts
        m_bar->setFixedHeight(kBar + 2 * kInset);
        m_bar->setListed();
        m_bar->select(std::nullopt);
        m_bubble->setToolTip(tr("Selects all bubbles"));
        auto* texts = spaced(new QVBoxLayout, {0, 8, 0, 8}, 0, {m_caption, m_detail});
        spaced(new QHBoxLayout(m_left), {24, 0, 12, 0}, 14, {m_bubble, {texts, 1}});
        spaced(new QHBoxLayout(m_captions), {1, 0, 1, 0}, 8, {m_where, kStretch, m_scale});
        auto* middle = makeColumn({15, 5, 15, 5}, 2, {m_captions, m_bar}, "");
        m_next->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
        spaced(new QHBoxLayout(m_prediction), {}, 6, {m_next, m_gain, kStretch, m_mode});
        auto* buttons = spaced(new QHBoxLayout, {}, 8);
        for (QAction* action : {actions.why, actions.whatIf}) {
            QPushButton* button = makeActionButton(action);
            const QString key = action->shortcut().toString(QKeySequence::NativeText);
            button->setText(action->text().remove(QChar(0x2026)) + QStringLiteral("\u2003") + key);
            buttons->addWidget(button);
        }
        buttons->addStretch(1);
        spaced(new QVBoxLayout(m_right), {15, 3, 12, 3}, 1, {m_prediction, buttons});
        spaced(new QHBoxLayout(this), {}, 0,
               {m_left, makeLine(Qt::Vertical), {middle, 1}, makeLine(Qt::Vertical), m_right});
        connect(m_bar, &SceneView::pointChosen, this,
                [this](std::size_t category) { chosen(Category(category)); });
        connect(m_bar, &SceneView::pointOpened, this,
                [this](std::size_t category) { opened(Category(category)); });
    }

    // Without metrics, shows what is awaited.
    void show(const RunDocument& document, const profiler::RunMetrics* metrics)
    {
        const RunPointer run = document.run();
        if (run && metrics != nullptr && !metrics->devices.empty()) {
            showBubble(*run, *metrics);
            showTimes(*run, *metrics);
            if (document.isRunning())
                m_where->setText(tr("Iteration %1 of %2. %3")
                                     .arg(metrics->iteration + 1)
                                     .arg(document.progress().planned)
                                     .arg(m_where->text()));
            return;
        }
        m_bubble->hide();
        m_caption->setText(document.isRunning()      ? tr("Measuring…")
                               : document.isQueued() ? tr("In the queue")
                                                     : tr("Reading…"));
        m_detail->setText({});
        showParts({});
        m_where->setText({});
        m_scale->setText({});
    }

    // Shows the fastest scheme that fits in the memory of the run; nullptr: it is being searched.
    void showNext(const engine::Run& run, const FasterSchemesAnswer* answer)
    {
        if (answer == nullptr)
            return setNext(tr("computing…"), tr("Predicts every synchronous scheme"), false);
        if (!answer->reason.isEmpty())
            return setNext(tr("no prediction: %1").arg(answer->reason), answer->reason, false);
        const engine::MemoryCapacity memory = profiler::deviceMemory(run);
        const profiler::FasterScheme* fastest = profiler::firstThatFits(answer->schemes, memory);
        if (fastest == nullptr)
            return setNext(answer->schemes.empty()
                               ? tr("No scheme here is faster")
                               : tr("No faster scheme fits in %1")
                                     .arg(byteScale(memory.usable())
                                              .withUnit(static_cast<double>(memory.usable()))),
                           {}, false);
        const profiler::FasterScheme& next = *fastest;
        const auto own = static_cast<double>(next.iteration - next.difference);
        const auto difference = static_cast<double>(next.difference);
        const Scale scale = timeScale(run.info, next.iteration);
        m_gain->setText(QStringLiteral("(%1)").arg(scale.difference(difference)));
        setLook(m_gain, "role",
                next.effect().isDistinguishable() ? QStringLiteral("gain")
                                                  : QStringLiteral("small"));
        const QString scheme = schemeLabel(QString::fromStdString(next.scheme));
        setNext(next.least == next.most
                    ? tr("%1 would take %2").arg(scheme, scale.withUnit(next.iteration))
                    : tr("%1: %2 to %3")
                          .arg(scheme, scale.text(static_cast<double>(next.least)),
                               scale.withUnit(static_cast<double>(next.most))),
                tr("%1 compared with the %2 of this run, predicted with its times as %3")
                    .arg(signedPercent(own > 0 ? difference / own : 0), scale.withUnit(own),
                         scale.withUnit(next.iteration)),
                true);
    }

    void setSelected(std::optional<Category> category)
    {
        m_selected = category;
        m_bar->draw([parts = m_parts, category](const ChartLook& look) {
            return drawTimeBar(parts, category, look);
        });
        m_bar->select(category ? std::optional(static_cast<std::size_t>(*category)) : std::nullopt);
    }

    const std::vector<TimePart>& parts() const { return m_parts; } // of the bar

    std::function<void(Category)> chosen; // Bubble: all its causes
    std::function<void(Category)> opened; // the user wants to see the longest one

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        constexpr int kWhole = 1000, kWithCaption = 800;
        QWidget::resizeEvent(event);
        m_prediction->setVisible(width() >= kWhole);
        m_right->setFixedWidth(width() >= kWhole ? 340 : m_right->sizeHint().width());
        m_left->setFixedWidth(width() >= kWithCaption ? 300 : 200);
        m_captions->setVisible(width() >= kWithCaption);
    }

private:
    void showBubble(const engine::Run& run, const profiler::RunMetrics& metrics)
    {
        const QString why = QString::fromStdString(whyUnknown(run.info));
        const bool isKnown = why.isEmpty();
        const bool isNone = isKnown && metrics.bubbleRatio < kNoBubble;
        m_bubble->setVisible(isKnown && !isNone);
        m_bubble->setText(percent(metrics.bubbleRatio));
        m_caption->setText(!isKnown     ? tr("Bubble unknown")
                               : isNone ? tr("No bubble")
                                        : tr("bubble"));
        const Scale scale = timeScale(run.info, metrics.duration);
        const double whole = metrics.mean(&profiler::DeviceMetrics::whole);
        const auto times = profiler::rounded(profiler::timeByCategory(metrics), stepOf(scale));
        if (!isKnown && profiler::knowsMeanTimes(run)) { // the kernels show what the devices do
            const double compute = times[Compute] + times[Forward] + times[Recompute]
                + times[Backward] + times[BackwardInput] + times[BackwardWeight] + times[Optimizer];
            m_caption->setText(tr("%1 compute, bubble unknown").arg(percent(compute / whole)));
            m_detail->setText(
                tr("%1 of %2 per device. %3").arg(scale.text(compute), scale.withUnit(whole), why));
            m_detail->setToolTip(why);
            return;
        }
        m_detail->setText(
            !isKnown     ? why
                : isNone ? tr("no device waits")
                         : tr("%1 of %2 per device")
                               .arg(scale.text(times[Bubble]), scale.withUnit(metrics.duration)));
    }

    void showTimes(const engine::Run& run, const profiler::RunMetrics& metrics)
    {
        const Scale scale = timeScale(run.info, metrics.duration);
        const double all = std::max(1.0, metrics.mean(&profiler::DeviceMetrics::whole));
        const bool isBubbleKnown = whyUnknown(run.info).empty(),
                   isKnown = profiler::knowsMeanTimes(run);
        const profiler::TimeByCategory mean = profiler::timeByCategory(metrics);
        const profiler::TimeByCategory shown = profiler::rounded(mean, stepOf(scale));
        std::vector<TimePart> parts;
        for (const Category category : mean.enumerators()) {
            const bool isShown = category <= Exposed || (category == Bubble) != isBubbleKnown;
            const bool isTiny = category > Exposed && mean[Bubble] < kNoBubble * all;
            if (!isShown || isTiny || mean[category] <= 0 || !isKnown)
                continue;
            const bool isOfKernels = !isBubbleKnown && run.info.import && run.info.import->onGpu;
            const QString name = category == Bubble  ? tr("idle")
                : isOfKernels && category == Exposed ? tr("NCCL, not overlapped")
                : isOfKernels && category == Forward && !knowsStages(run.info)
                ? tr("compute")
                : QString::fromUtf8(profiler::timeCategoryName(category));
            const QStringList tip{tr("%1: %2 %3, %4")
                                      .arg(name, scale.text(shown[category]), scale.unit(),
                                           percent(mean[category] / all)),
                                  extremeText(metrics, category, scale)};
            parts.push_back({category, name, scale.text(shown[category]),
                             tip.join(QLatin1Char('\n')).trimmed(), mean[category]});
        }
        m_where->setText(parts.empty() ? tr("Where the time goes is unknown")
                                       : tr("Where the %1 go, mean of %2")
                                             .arg(scale.withUnit(all),
                                                  countOf(metrics.recordedDevices, "device")));
        m_scale->setText(parts.empty() ? QString() : tr("%1, to scale").arg(scale.unit()));
        showParts(std::move(parts));
    }

    void showParts(std::vector<TimePart> parts)
    {
        m_parts = std::move(parts);
        QStringList texts;
        for (const TimePart& part : m_parts)
            texts << part.name + QLatin1Char(' ') + part.value;
        m_bar->setAccessibleName(tr("Time by category: %1").arg(texts.join(QStringLiteral(", "))));
        setSelected(m_selected);
    }

    void setNext(const QString& text, const QString& tip, bool isPrediction)
    {
        m_next->setText(text);
        m_next->setToolTip(tip);
        setLook(m_next, "role", isPrediction ? QStringLiteral("section") : QStringLiteral("small"));
        m_gain->setVisible(isPrediction);
        m_mode->setVisible(isPrediction);
    }

    const ThemeController& m_theme;
    QPushButton* m_bubble
        = makeButton({}, "answerBubble", "number", this, [this] { chosen(Bubble); });
    QLabel *m_caption = named(makeLabel({}, "section"), "answerCaption"),
           *m_where = named(makeLabel({}, "hint"), "answerWhere"), *m_scale = makeLabel({}, "hint");
    ElidedLabel *m_detail = named(new ElidedLabel("small"), "answerDetail"),
                *m_next = named(new ElidedLabel("section"), "answerNext");
    SceneView* m_bar = named(new SceneView(m_theme,
                                           [this](std::size_t category) {
                                               const auto part
                                                   = std::ranges::find(m_parts, Category(category),
                                                                       &TimePart::category);
                                               return part == m_parts.end() ? QString() : part->tip;
                                           }),
                             "timeBar");
    std::vector<TimePart> m_parts;
    std::optional<profiler::TimeCategory> m_selected;
    QLabel* m_gain = named(makeLabel({}, "gain"), "answerGain");
    Tag* m_mode = new Tag(m_theme, tr("simulated"));
    QWidget *m_left = new QWidget, *m_right = new QWidget, *m_prediction = new QWidget,
            *m_captions = new QWidget;
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

// One run, from the start of its worker to the complete file: timeline, details, tables, loss, log.
// The page connects its parts, which do not know each other. Its layout hides parts if the window
// is small: a narrow page folds the details first, then the list of runs; a low page folds the
// tables. A part that the user opened stays open until the size class of the page changes.
class RunPage : public Page
{
public:
    RunPage(const ThemeController& theme, RunLibrary& library,
            std::shared_ptr<RunDocument> document)
        : m_theme(theme)
        , m_library(library)
        , m_document(std::move(document))
    {
        setObjectName(QStringLiteral("runPage"));
        m_runs->setCurrent(m_document.get());
        m_details->set(&DetailsFacts::file, m_document->file());
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

    QString title() const override { return m_document->title(); }
    QString file() const override { return m_document->file(); }

    bool queryClose() override
    {
        return mayStop(
            *m_document, [this] { m_library.stop(*m_document); }, this);
    }

    QStringList statusTexts() const override
    {
        const KernelView* kernels = m_timeline->kernels().get();
        QStringList texts = runStatus(*m_document, m_metrics, m_timeline->selection(), kernels);
        if (view())
            texts += recordStatus(*view(), kernels);
        if (const auto collapsed = std::ssize(m_timeline->collapsed()); collapsed > 0)
            texts += tr("%1 collapsed").arg(countOf(collapsed, "group"));
        return texts;
    }

    QString statusNote() const override { return iterationStatus(*m_document, m_metrics); }

    QList<QAction*> menuActions(Menu menu) const override { return m_actions.of(menu); }

    std::vector<std::vector<engine::Note>> notes() const override
    {
        return {m_panels->notes().notes()};
    }

    int exportedIteration() const override
    {
        const int shown = m_timeline->iteration();
        const auto& run = m_document->run();
        return run && shown != engine::reportedIteration(run->timeline) ? shown : -1;
    }

    std::optional<engine::Window> exportedRange() const override
    {
        const Selection& selection = m_timeline->selection();
        return selection.kind == Selection::Kind::Range ? std::optional(selection.window)
                                                        : std::nullopt;
    }

    // Finds ops by name ("2B3", "F5 stage 1"), a range of time ("102-172.4 ms"), and settings of
    // the timeline ("colour by stage").
    QList<QAction*> foundActions(const QString& text) override
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

    const RunDocument* document() const override { return m_document.get(); }

    void showRequest(const PageRequest& request) override
    {
        m_place = request.place;
        showPlace();
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        Page::showEvent(event);
        m_timeline->setFocus();
        askNext();
    }

    void resizeEvent(QResizeEvent* event) override
    {
        Page::resizeEvent(event);
        const bool panels = height() + kChromeHeight >= kFoldPanelsBelow;
        if (panels != std::exchange(m_hasRoomForPanels, panels))
            m_panels->setFolded(!panels);
    }

private:
    // The layout.
    QWidget* makeCentre()
    {
        m_panels->setMinimumHeight(kLeastPanels);
        m_rows->addWidget(m_state);
        m_rows->addWidget(m_panels);
        m_rows->setStretchFactor(0, 1);
        m_rows->setSizes({700, kPanelsHeight});
        auto* centre = makeColumn({}, 0,
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

    QWidget* makeDetails()
    {
        auto* dock = named(makeSurface("plain"), "detailsDock");
        dock->setMinimumWidth(220);
        auto* close = makeIconButton(
            "closeDetails", Icon::Close, tr("Close the details"), m_theme, this, [this] {
                (m_actions.why->isChecked() ? m_actions.why : m_actions.showDetails)
                    ->setChecked(false);
            });
        auto* details = makeColumn({}, 0, {{m_details, 1}, makeFooter()}, "");
        m_detailsStack->addWidget(details);
        m_detailsStack->addWidget(m_why);
        auto* title = makeBar(40, 4, {{m_detailsTitle, 1}, close});
        spaced(new QVBoxLayout(dock), {}, 0,
               {title, makeLine(Qt::Horizontal), {m_detailsStack, 1}});
        connect(m_actions.why, &QAction::toggled, this, &RunPage::showWhy);
        foldBelow(kFoldRunsBelow, *m_actions.showRuns);
        foldBelow(kFoldDetailsBelow, *m_actions.showDetails);
        connect(m_actions.showRuns, &QAction::toggled, m_runs, &QWidget::setVisible);
        connect(m_actions.showDetails, &QAction::toggled, dock, &QWidget::setVisible);
        return dock;
    }

    // Makes two rows of actions, one for the selection and one for a running run. The second one is
    // visible only if nothing is selected.
    QWidget* makeFooter()
    {
        const auto row = [] {
            auto* buttons = makeSurface("plain");
            spaced(new QHBoxLayout(buttons), {12, 8, 12, 8}, 8);
            return buttons;
        };
        const auto add = [](QWidget* to, const char* name, const QString& text, QAction* action) {
            QPushButton* button = makeButton(text, name, "tool", action);
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

    // In place of the details.
    // If the details are folded, unfolds them while the reasons are shown.
    void showWhy(bool isShown)
    {
        m_detailsStack->setCurrentIndex(isShown ? 1 : 0);
        m_detailsTitle->setText(isShown ? tr("Why not faster?") : tr("Details"));
        m_why->setOn(isShown);
        if (isShown)
            m_wereDetailsShown = m_actions.showDetails->isChecked();
        if (!m_wereDetailsShown)
            m_actions.showDetails->setChecked(isShown);
    }

    void showFooter()
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

    // Connections between the parts.
    void connectActions()
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
            m_saver->savePart(m_document->run(), m_document->file(),
                              m_timeline->selection().window);
        });
        on(m_actions.copyCommand, [this] {
            if (const RunPointer run = m_document->run())
                copyText(QString::fromStdString(run->info.command));
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
        m_state->runAgain = [this] { runAgain(); };
        m_state->showReport = [this] { m_actions.importReport->trigger(); };
        m_state->openOther = [this] { Q_EMIT filesRequested(FileKind::Runs); };
    }

    void connectFind()
    {
        connect(m_actions.find, &QAction::triggered, m_findBar, &FindBar::open);
        connect(m_actions.findNext, &QAction::triggered, m_findBar, [this] { m_findBar->step(1); });
        connect(m_actions.findPrevious, &QAction::triggered, m_findBar,
                [this] { m_findBar->step(-1); });
        connect(m_findBar, &FindBar::found, m_timeline, &TimelineWidget::setFound);
        connect(m_findBar, &FindBar::chosen, m_timeline, &TimelineWidget::select);
        connect(m_findBar, &FindBar::allSelected, m_panels, &RunPanels::setHits);
        connect(m_findBar, &FindBar::allSelected, m_details,
                [this](const FoundPointer& hits) { m_details->set(&DetailsFacts::hits, hits); });
        connect(m_findBar, &FindBar::closed, m_timeline, [this] { m_timeline->setFocus(); });
    }

    void connectNotes()
    {
        NotesPanel& notes = m_panels->notes();
        connect(&notes, &NotesPanel::chosen, m_timeline, &TimelineWidget::goToNote);
        connect(&notes, &NotesPanel::closed, m_timeline, [this] { m_timeline->setFocus(); });
        connect(&notes, &NotesPanel::changed, this, [this, &notes] {
            m_timeline->setNotes(notes.notes());
            m_details->set(&DetailsFacts::notes, notes.notes());
            notes.setCurrent(m_timeline->currentNote());
        });
    }

    void connectRange()
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

    void connectTimeline()
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
        m_toolbar->iterationChosen = [this](int to) { m_timeline->showIteration(to); };
        m_answer->chosen = [this](Category category) { selectCategory(category); };
        m_answer->opened = [this](Category category) {
            const auto longest = CategoryBoxes(*view(), m_metrics.iteration, category).longest(1);
            if (longest.empty())
                return;
            m_timeline->select(longest.front());
            m_timeline->zoomToSelection();
        };
        connect(m_actions.showDetails, &QAction::toggled, this, &RunPage::showPopover);
        connect(m_timeline, &TimelineWidget::viewChanged, this, [this] {
            if (needsPopover())
                m_popover->place(m_timeline->selectionRect());
        });
    }

    // Keeps the visible time and the TimelineLook equal in the actions, the toolbar and the
    // timeline.
    void connectLook()
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
        m_toolbar->lookChosen = [timeline](const TimelineLook& look) { timeline->setLook(look); };
        const auto follow = [this](const TimelineLook& look) {
            m_toolbar->setLook(look);
            m_actions.kernels->setChecked(look.areKernelsShown);
            m_actions.plan->setChecked(look.isPlanShown);
            m_state->setAssumedShown(look.isPlanShown);
        };
        connect(timeline, &TimelineWidget::lookChanged, this, follow);
        follow(timeline->look());
    }

    void connectLanes()
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

    void connectDocument()
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
        connect(document, &RunDocument::logged, m_panels, &RunPanels::addLogLine);
    }

    // What is computed in the background. Each question delivers only the answer to its newest
    // request, because a run that grows asks faster than it is answered.
    struct IterationRequest
    {
        RunPointer run;
        int iteration = -1;
        std::size_t first = 0; // row of the table of iterations that was not delivered yet
    };
    struct IterationAnswer : IterationRequest
    {
        engine::Result<profiler::RunMetrics> metrics;
        std::vector<IterationRow> rows;
    };
    using RangeRequest = std::pair<RunPointer, engine::Window>;
    using RangeAnswer = std::pair<RunPointer, engine::Result<profiler::RangeMetrics>>;
    using KernelRequest = std::pair<RunPointer, std::string>; // run and file
    // The kernels are empty if nothing was recorded, and nullptr if they are unknown, for a reason.
    using Kernels = std::pair<KernelViewPointer, QString>;

    void showAnswer(const IterationAnswer& answer)
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

    void showRange(const RangeAnswer& answer)
    {
        const auto& [run, metrics] = answer;
        if (!metrics || exportedRange() != metrics->range)
            return;
        m_panels->range().showMetrics(run, *metrics);
        m_details->set(&DetailsFacts::range, *metrics);
    }

    // Predicts an iteration from the measured ops (profiler/whatif/own_replay.h) or, before the
    // first iteration is complete, from assumed costs. A prediction reads all iterations, so a
    // growing run is predicted again only when their number has doubled.
    void askPrediction(const RunPointer& run, bool isComplete)
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

    // From its file, once it is complete.
    void askKernels(const RunPointer& run)
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

    // What the document and the timeline show.
    void showRun()
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

    void showView(const RunViewPointer& view)
    {
        const bool isFirst = !this->view();
        m_timeline->setView(
            view, isFirst ? TimelineWidget::View::FitIteration : TimelineWidget::View::Keep);
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

    void showState()
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

    // Hides the toolbar and the tables of a file that cannot be read.
    void showWaiting()
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
    void showProgress()
    {
        m_details->set(&DetailsFacts::running, m_document->run());
        m_details->set(&DetailsFacts::progress,
                       m_document->isRunning() ? std::optional(m_document->progress())
                                               : std::nullopt);
        showFooter();
    }

    void showEnd()
    {
        const RunPointer run = m_document->run();
        if (m_document->state() != RunDocument::State::Finished || !view()
            || view()->shared() != run || std::exchange(m_hasEnded, true))
            return;
        // When a followed run ends, shows the median iteration.
        if (m_actions.follow->isChecked()) {
            m_actions.follow->setChecked(false);
            m_timeline->showIteration(engine::reportedIteration(run->timeline));
        }
    }

    // When a run has ended, reads kernels and notes from its complete file.
    void askForMore()
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

    // Which scheme is faster, once the page is seen.
    void askNext()
    {
        if (!isVisible() || !view() || m_document->state() != RunDocument::State::Finished
            || view()->shared() != m_document->run())
            return;
        m_answer->showNext(view()->run(), nullptr);
        m_why->askSchemes(view()->shared());
    }

    void showKernels(const KernelViewPointer& kernels, const QString& reason)
    {
        m_panels->showKernels(kernels, reason);
        if (kernels == m_timeline->kernels())
            return;
        m_timeline->setKernels(kernels);
        m_details->set(&DetailsFacts::kernels, kernels);
        m_toolbar->offerKernels(kernels && !kernels->isEmpty(), reason);
        m_findBar->setRun(view(), kernels); // "kernel:" can now find kernels
        Q_EMIT statusChanged();
        // Without a pipeline, the kernels are what the run shows.
        if (const RunPointer run = m_document->run(); run && !engine::knowsStages(run->info))
            showKernelLanes(true);
    }

    // Without kernels, the table shows the reason.
    void showKernelLanes(bool areShown)
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

    void showIteration(int iteration)
    {
        m_toolbar->showRun(*m_document, iteration);
        if (view()) {
            m_panels->showRun(view(), iteration);
            // The iteration that was delivered last is delivered again, because it may have grown.
            if (iteration >= 0)
                m_iterations.ask(
                    {view()->shared(), iteration, m_reported > 0 ? m_reported - 1 : 0});
        }
        m_findBar->setPlace(m_timeline->selection(), iteration);
        m_why->setIteration(view(), iteration);
        m_panels->range().setPlace(view() ? view()->shared() : nullptr, iteration);
        if (std::exchange(m_rangeView, view()) != view())
            askRange();
        Q_EMIT statusChanged();
    }

    void select(const Selection& selection)
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
    void selectCategory(profiler::TimeCategory category)
    {
        if (!view() || m_metrics.iteration < 0)
            return;
        const Selection to{.kind = Selection::Kind::Category,
                           .iteration = m_metrics.iteration,
                           .category = category};
        m_timeline->select(m_timeline->selection() == to ? Selection() : to);
    }

    void askRange()
    {
        const auto range = exportedRange();
        if (!view() || !range)
            return;
        m_panels->range().mark(*range);
        if (range->duration() > 0)
            m_ranges.ask({view()->shared(), *range});
    }

    // And brings it into view.
    void markRange(engine::Window range)
    {
        if (!view())
            return;
        m_timeline->select({.kind = Selection::Kind::Range,
                            .iteration = iterationOf(view()->timeline(), range.begin),
                            .window = range});
        m_timeline->setFocus();
    }

    void showPopover()
    {
        if (!needsPopover())
            return m_popover->hide();
        m_popover->show(detailsOf(*view(), m_timeline->selection(), m_timeline->kernels().get()),
                        m_timeline->selectionRect());
    }

    bool needsPopover() const
    {
        using enum Selection::Kind;
        const Selection::Kind kind = m_timeline->selection().kind;
        return view() && !m_actions.showDetails->isChecked()
            && (kind == Op || kind == Bubble || kind == Kernel);
    }

    // Waits until the whole run is read.
    void showPlace()
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

    RunStateView::Facts facts() const
    {
        return {view() != nullptr, m_views.isBusy(), !m_document->options().isEmpty()};
    }

    // View of timeline, details and tables; may be nullptr.
    const RunViewPointer& view() const { return m_timeline->view(); }

    void runAgain()
    {
        const QStringList& options = m_document->options();
        if (!options.isEmpty())
            Q_EMIT startRequested({options});
        else if (const RunPointer run = m_document->run())
            Q_EMIT pageRequested(
                {.kind = "setup",
                 .plan = planFromExperiment(QString::fromStdString(run->info.experiment))});
    }

    // Lanes, the context menu and the palette (run_panels.cpp).
    // A device; -1: none.
    int selectedLane() const
    {
        const Selection& selection = m_timeline->selection();
        const bool isOnLane = selection.kind != Selection::Kind::None && selection.device.isValid();
        return isOnLane && selection.device.value < m_timeline->devices() ? selection.device.value
                                                                          : -1;
    }

    // Whether every group of lanes is.
    bool areAllCollapsed() const
    {
        return m_timeline->collapsed().size() == m_timeline->laneGroups().size();
    }

    // Enables the actions for the selection.
    void showLanes()
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

    void showMenu(const QPoint& at)
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

    void addSelectionTo(QMenu& menu, const Selection& selection)
    {
        using enum Selection::Kind;
        if (selection.kind != Device)
            menu.addActions({m_actions.fitSelection, m_actions.note, m_actions.bookmark});
        if (selection.kind == Range)
            menu.addAction(m_actions.savePart);
        if (selection.kind == Op || selection.kind == Bubble)
            addOpTo(menu, selection);
        connect(named(menu.addAction(tr("Copy the details as text")), "copyDetails"),
                &QAction::triggered, this, [this] { copyText(m_details->text()); });
    }

    void addOpTo(QMenu& menu, const Selection& selection)
    {
        const RunView& view = *this->view();
        if (const auto cause = toCause(view, selection)) {
            QAction* go = menu.addAction(tr("Select the op it waited for: %1")
                                             .arg(opName(view.run().info, view.op(cause->op))));
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

    QAction* foundAction(const QString& text, const std::function<void()>& trigger)
    {
        auto* action = new QAction(text, m_foundActions.get());
        connect(action, &QAction::triggered, this, trigger);
        return action;
    }

    // The ops of the shown iteration.
    QList<QAction*> foundOps(const QString& text)
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
                    || (wanted->stage && op.stage.value != *wanted->stage)
                    || found.size() >= kMostOps)
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

    QList<QAction*> foundSettings(const QString& text)
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

    const ThemeController& m_theme;
    RunLibrary& m_library;
    std::shared_ptr<RunDocument> m_document;
    ViewPreparation m_views;
    profiler::RunMetrics m_metrics;
    bool m_hasEnded = false; // whether the end of the run was shown
    Later m_progressLater{kRunProgressEvery, [this] {
                              m_toolbar->showRun(*m_document, m_timeline->iteration());
                              if (!view())
                                  showWaiting();
                              showProgress();
                              Q_EMIT statusChanged();
                          }};   // updates all parts together, so that they show the same progress
    RunViewPointer m_rangeView; // the view whose range was asked for last
    std::size_t m_reported = 0; // rows of the table of iterations
    std::size_t m_nextPrediction = 1; // number of iterations at which the run is predicted again
    bool m_isAssumed = false;         // the iteration from assumed costs was requested
    bool m_isPredicted = false;       // the complete run was predicted
    RunPointer m_kernelsOf;           // whose kernels were requested last
    Latest<IterationRequest, IterationAnswer> m_iterations{
        this,
        [](const IterationRequest& asked) {
            return IterationAnswer{asked, profiler::metrics(*asked.run, asked.iteration),
                                   iterationRows(*asked.run, asked.first)};
        },
        [this](const IterationAnswer& answer) { showAnswer(answer); },
        decltype(m_iterations)::Older::Delivered};
    Latest<RangeRequest, RangeAnswer> m_ranges{
        this,
        [](const RangeRequest& asked) {
            return RangeAnswer{asked.first, profiler::rangeMetrics(*asked.first, asked.second)};
        },
        [this](const RangeAnswer& answer) { showRange(answer); }};
    Latest<RunPointer, RunPointer> m_predictions{
        this, [](const RunPointer& run) { return predictedIteration(*run); },
        [this](const RunPointer& prediction) {
            if (!prediction)
                return;
            m_details->set(&DetailsFacts::prediction, prediction);
            m_timeline->setPlan(prediction);
        }};
    Latest<RunPointer, RunViewPointer> m_assumed{
        this, [](const RunPointer& run) { return assumedIteration(*run); },
        [this](const RunViewPointer& iteration) {
            if (iteration)
                m_state->showAssumed(iteration);
        }};
    Latest<KernelRequest, Kernels> m_kernels{
        this, [](const KernelRequest& asked) { return readKernels(*asked.first, asked.second); },
        [this](const Kernels& kernels) { showKernels(kernels.first, kernels.second); }};
    std::optional<engine::Note> m_place;     // to be shown
    std::unique_ptr<QObject> m_foundActions; // owns the actions of foundActions()

    RunActions m_actions{m_theme, *this};
    RunsDock* m_runs = new RunsDock(m_theme, m_library);
    RunToolbar* m_toolbar = named(new RunToolbar(m_theme, m_actions), "runToolbar");
    AnswerStrip* m_answer = new AnswerStrip(m_theme, m_actions);
    TimelineWidget* m_timeline = new TimelineWidget(m_theme);
    RunStateView* m_state = new RunStateView(m_theme, m_timeline); // contains the timeline
    RunPanels* m_panels = RunPanels::make(m_theme, m_actions);
    DetailsPanel* m_details = new DetailsPanel(m_theme);
    FindBar* m_findBar = FindBar::make(m_theme);
    RunSaver* m_saver = new RunSaver(this);
    WhyPanel* m_why = WhyPanel::make(m_theme, *m_timeline, m_document);
    SelectionPopover* m_popover = new SelectionPopover(
        m_theme, m_timeline, [this](const Selection& to) { m_timeline->select(to); });

    QSplitter* m_rows = makeSplitter(Qt::Vertical);
    QStackedWidget* m_detailsStack = new QStackedWidget; // pages: the details and "Why not faster?"
    QLabel* m_detailsTitle = named(makeLabel(tr("Details"), "dock"), "detailsDockTitle");
    bool m_wereDetailsShown = true; // whether the details were open before "Why not faster?"
    QWidget *m_footer = nullptr, *m_ofSelection = nullptr, *m_ofRunning = nullptr;
    QPushButton *m_save = nullptr, *m_stop = nullptr, *m_pause = nullptr;
    bool m_hasRoomForPanels = true;
};

} // namespace

bool mayStop(const RunDocument& document, std::function<void()> stop, QWidget* parent)
{
    return !document.isRunning()
        || StopRunDialog(document, std::move(stop), parent).exec() == QDialog::Accepted;
}

Page* makeRunPage(const ThemeController& theme, RunLibrary& library,
                  const std::shared_ptr<RunDocument>& document)
{
    return new RunPage(theme, library, document);
}

} // namespace app
