#include "app/compare/compare_page.h"

#include "app/compare/compare_widget.h"
#include "app/compare/comparison_panels.h"
#include "app/documents/run_document.h"
#include "app/shell/run_saver.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/details/details.h"
#include "app/timeline/details/details_panel.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "profiler/whatif/predict.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace app {
namespace {

using profiler::RankBy;

constexpr int kRunsWidth = 216, kDetailsWidth = 292;
constexpr int kLeastTables = 120, kMostTables = 340;
constexpr int kFoldRuns = 1180, kFoldDetails = 1360; // width of the page

int measuredIterations(const engine::Run& run)
{
    return static_cast<int>(std::ranges::count(
        run.timeline.iterations, engine::Iteration::Kind::Measured, &engine::Iteration::kind));
}

Band* makeBand(const ThemeController& theme, Band::Shape shape, const char* name)
{
    auto* band = named(new Band(theme, shape), name);
    band->hide();
    return band;
}

// Returns the index of the first 1F1B run, because 1F1B is the usual reference; 0 if there is none.
std::size_t firstBaseline(const std::vector<RunPointer>& runs)
{
    const auto found = std::ranges::find_if(
        runs, [](const RunPointer& run) { return run->info.scheme == "1f1b"; });
    return found == runs.end() ? 0 : static_cast<std::size_t>(found - runs.begin());
}

} // namespace

TickedRuns::TickedRuns(const std::vector<std::shared_ptr<RunDocument>>& ticked)
{
    for (const auto& document : ticked) {
        const bool isShown = hasIterations(document->run().get());
        if (document->state() == RunDocument::State::Failed && !isShown)
            refused.append(document->notice().text);
        const bool isGrowing = document->isRunning() || document->isPartlyRead();
        unfinished += isGrowing || document->isQueued() ? 1 : 0;
        if (!isGrowing && isShown)
            complete.push_back(document);
    }
}

bool ComparedRuns::take(std::vector<std::shared_ptr<RunDocument>> documents)
{
    std::vector<RunPointer> runs;
    for (const auto& document : documents)
        runs.push_back(document->run());
    if (std::exchange(m_isTaken, true) && runs == m_runs && documents == m_documents)
        return false;
    m_documents = std::move(documents);
    m_runs = std::move(runs);
    const auto chosen = std::ranges::find(m_documents, m_chosen);
    m_baseline = chosen == m_documents.end()
        ? firstBaseline(m_runs)
        : static_cast<std::size_t>(chosen - m_documents.begin());
    return true;
}

void ComparedRuns::chooseBaseline(std::size_t run)
{
    m_chosen = m_documents[run];
    m_baseline = run;
}

std::vector<RunPointer> ComparedRuns::baselineFirst() const
{
    std::vector<RunPointer> runs = m_runs;
    if (!runs.empty())
        std::ranges::rotate(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(m_baseline),
                            runs.begin() + static_cast<std::ptrdiff_t>(m_baseline) + 1);
    return runs;
}

int ComparedRuns::current() const
{
    const auto current = std::ranges::find(m_documents, m_current);
    return current == m_documents.end() ? -1 : static_cast<int>(current - m_documents.begin());
}

RunNames ComparedRuns::names() const
{
    RunNames names;
    for (const auto& document : m_documents) {
        names.titles.append(document->title());
        names.files.append(document->file());
    }
    return names;
}

QString ComparedRuns::commonMode() const
{
    const bool isCommon = std::ranges::all_of(
        m_runs, [&](const RunPointer& run) { return run->info.mode == m_runs[0]->info.mode; });
    return m_runs.empty() || !isCommon ? QString() : modeText(m_runs[0]->info);
}

namespace {

// The interval of a difference beside the verdict, with a line at 0. We paint it ourselves, because
// it is one mark of a few pixels that follows the text.
class IntervalMark : public ThemedWidget
{
public:
    using ThemedWidget::ThemedWidget;

    // Hidden if there is no interval.
    void show(const std::optional<profiler::Change>& change, const Scale& time)
    {
        m_by = change ? change->by : profiler::Amount();
        m_time = time;
        setVisible(m_by.spread == profiler::Spread::Interval);
        update();
    }
    QSize sizeHint() const override { return {184, 18}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        constexpr double kUnit = 8, kLabel = 40, kMargin = 6; // kUnit: pixels per unit of time
        const double least = std::min(0.0, m_by.least), most = std::max(0.0, m_by.most);
        const double room = width() - kLabel - 2 * kMargin;
        const double scale = std::min(kUnit / m_time.perUnit(), room / (most - least));
        const double right = width() - kLabel - kMargin;
        const auto x = [&](double ticks) { return std::round(right - (most - ticks) * scale); };
        QPainter painter(this);
        const Chrome& chrome = theme().chrome;
        const double middle = std::floor(height() / 2.0);
        painter.fillRect(QRectF(x(0), middle - 8, 1, 17), chrome.text2);
        painter.fillRect(QRectF(x(m_by.least), middle, x(m_by.most) - x(m_by.least), 1),
                         chrome.text);
        for (const double end : {m_by.least, m_by.most})
            painter.fillRect(QRectF(x(end), middle - 4, 1, 9), chrome.text);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(chrome.text);
        painter.drawEllipse(QPointF(x(m_by.value) + 0.5, middle + 0.5), 3, 3);
        painter.setPen(chrome.text2);
        painter.setFont(uiFont(11));
        const double text = std::max(x(0), x(m_by.most)) + 5;
        painter.drawText(QRectF(text, 0, width() - text, height()),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         QStringLiteral("0 %1").arg(m_time.unit()));
    }

private:
    profiler::Amount m_by;
    Scale m_time;
};

// Shows runs with a common ruler, their differences from a baseline, and how each run spends its
// time: the verdict, the toolbar, the lanes above the tables, and the details. Five or more runs
// are ranked. Several comparisons can be open: each has its own runs, and the ticks of the dock are
// those of the page that is visible. The page hides parts if the window is small, because the lanes
// need the width.
class ComparePage : public Page
{
public:
    ComparePage(const ThemeController& theme, RunLibrary& library,
                const std::vector<std::shared_ptr<RunDocument>>& documents)
        : m_theme(theme)
        , m_library(library)
    {
        setObjectName(QStringLiteral("comparePage"));
        tick(documents);
        makeActions();
        layOut();
        setInitialFocus(m_lanes);
        connectAll();
        connectLanes();
        refresh();
    }

    // unticks all others
    void tick(const std::vector<std::shared_ptr<RunDocument>>& documents)
    {
        m_ticked = documents;
        for (const auto& run : m_library.runs())
            m_library.tick(*run, std::ranges::count(documents, run) > 0);
        m_refresh.start(0);
    }
    void showRequest(const PageRequest& request) override { tick(request.runs); }
    QString title() const override
    {
        return m_compared.size() == 1 ? tr("Compare 1 run")
                                      : tr("Compare %1 runs").arg(m_compared.size());
    }
    QStringList files() const override // also of runs that are still being read
    {
        QStringList files;
        for (const auto& document : m_ticked)
            files.append(document->file());
        return files;
    }
    bool shows(const std::vector<std::shared_ptr<RunDocument>>& runs) const override
    {
        return std::ranges::is_permutation(runs, m_ticked);
    }
    QStringList statusTexts() const override
    {
        if (m_compared.runs().empty())
            return {};
        const engine::RunInfo& info = m_compared.baselineInfo();
        QStringList texts{QStringLiteral("<b>%1</b> %2")
                              .arg(tr("Baseline"),
                                   m_compared.names()
                                       .titles.value(static_cast<int>(m_compared.baseline()))
                                       .toHtmlEscaped())};
        const QString runs = countOf(static_cast<std::int64_t>(m_compared.size()), "run");
        const QString mode = m_compared.commonMode();
        texts.append(mode.isEmpty() ? runs : tr("%1, %2").arg(runs, mode));
        if (!info.deviceName.empty())
            texts.append(fromUtf8(info.deviceName).toHtmlEscaped());
        if (!info.link.empty())
            texts.append(linkStatus(info));
        if (m_numbers && m_lanes->isCompact())
            texts.append(
                tr("%1 of %2 on the Pareto front")
                    .arg(std::ranges::count(profiler::paretoFront(m_numbers->comparison), true))
                    .arg(m_compared.size()));
        return texts;
    }
    QString statusNote() const override
    {
        if (m_compared.runs().empty())
            return {};
        if (!m_numbers || !m_lanes->isCompact())
            return tr("the reported iteration of every run");
        const int iterations = measuredIterations(*m_compared.runs()[m_compared.baseline()]);
        if (m_numbers->comparison.isPerToken)
            return tr("ranked by the time per 1000 tokens");
        if (m_compared.baselineInfo().mode == engine::Mode::Simulate)
            return tr("ranked by iteration time, exact");
        if (iterations > 2)
            return tr("ranked by the median of %1 iterations").arg(iterations);
        return tr("%1, so no interval is known").arg(countOf(iterations, "iteration"));
    }
    QList<QAction*> menuActions(Menu menu) const override
    {
        if (menu == Menu::View)
            return {m_back, m_forward, m_fit, m_ghost, m_showRuns, m_showDetails};
        if (menu == Menu::Export)
            return {m_export, m_report};
        return menu == Menu::Compare
            ? QList{m_addRun, m_predict, m_sameTimes, m_showParameters, m_copy} + m_ranks
            : QList<QAction*>();
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        Page::showEvent(event);
        tick(std::vector(m_ticked)); // another comparison may have been visible
        m_lanes->setFocus();
        distributeHeight();
    }
    // The details do not fit beside the lanes, either, if the runs are hidden.
    void resizeEvent(QResizeEvent* event) override
    {
        Page::resizeEvent(event);
        if (event->oldSize().width() >= kFoldRuns && width() < kFoldRuns)
            m_showDetails->setChecked(false);
        distributeHeight();
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == m_rows && event->type() == QEvent::Resize) {
            updateToolbar();
            distributeHeight();
            showVerdict();
        }
        if (watched != m_rows && event->type() == QEvent::MouseButtonRelease && m_numbers) {
            choose(static_cast<int>(m_numbers->verdict.run));
            m_tables->setPanel(ComparisonPanels::Panel::Differences);
        }
        return Page::eventFilter(watched, event);
    }

private:
    SegmentControl* makeSegments(const char* name, const QString& title, const QStringList& choices)
    {
        auto* segments = named(new SegmentControl(m_theme, choices), name);
        segments->setName(title);
        segments->setCompact();
        return segments;
    }
    void makeActions()
    {
        m_back = makeAction("zoomBack", tr("Zoom back"), Qt::ALT | Qt::Key_Left,
                            [this] { m_lanes->zoomBack(); });
        m_forward = makeAction("zoomForward", tr("Zoom forward"), Qt::ALT | Qt::Key_Right,
                               [this] { m_lanes->zoomForward(); });
        m_fit = makeAction("fitRuns", tr("Fit all runs"), Qt::Key_0,
                           [this] { m_lanes->zoomToFit(); });
        m_addRun = makeAction("addRun", tr("Add run"), {}, [this] { addRunMenu(); });
        m_predict = makeAction("comparePrediction", tr("Compare with prediction"), {},
                               [this] { addPrediction(); });
        m_predict->setToolTip(tr("Adds the schedule of the first run, simulated with the median "
                                 "time of each kind of op"));
        m_export = makeAction("exportFigure", tr("Export figure…"), Qt::CTRL | Qt::Key_E,
                              [this] { Q_EMIT exportRequested(m_compared.baselineFirst()); });
        m_report
            = makeAction("exportReport", tr("Export report…"), Qt::CTRL | Qt::SHIFT | Qt::Key_E,
                         [this] { m_saver->saveReport(m_compared.baselineFirst(), title()); });
        m_showParameters = makeAction("showParameters", tr("Show all parameters"), {},
                                      [this] { showParameters(); });
        m_showRuns = makeAction("showRuns", tr("Runs"), {});
        m_showDetails = makeAction("showDetails", tr("Details"), {});
        m_ghost = makeAction("showGhost", tr("Outline of the baseline"), Qt::Key_G, {},
                             tr("draw the boxes of the baseline over the devices of other runs"));
        m_sameTimes = makeAction("sameOpTimes", tr("Same op times"), Qt::Key_T, {},
                                 tr("replay all runs with the op times of the baseline"));
        m_copy = makeAction("copyVerdict", tr("Copy the verdict"), QKeySequence::Copy,
                            [this] { QGuiApplication::clipboard()->setText(m_band->text()); });
        for (QAction* action : {m_showDetails, m_ghost, m_sameTimes})
            action->setCheckable(true);
        foldBelow(kFoldRuns, *m_showRuns);
        connect(m_sameTimes, &QAction::toggled, this, [this](bool isOn) {
            m_times->setCurrent(isOn ? 1 : 0);
            askForNumbers();
        });
        connect(m_ghost, &QAction::toggled, m_lanes, &CompareWidget::setGhost);
        const std::tuple<const char*, QString, RankBy> ranks[]
            = {{"rankByIteration", tr("Sort by iteration time"), RankBy::Iteration},
               {"rankByBubble", tr("Sort by bubble"), RankBy::Bubble},
               {"rankByPeak", tr("Sort by peak memory"), RankBy::Peak},
               {"rankByMessages", tr("Sort by messages"), RankBy::Messages},
               {"rankByName", tr("Sort by name"), RankBy::Name}};
        for (const auto& [name, text, by] : ranks)
            m_ranks << makeAction(name, text, {}, [this, by = by] { rankBy(by); });
        for (const auto& [action, icon] :
             {std::pair(m_back, Icon::ChevronLeft), std::pair(m_forward, Icon::ChevronRight),
              std::pair(m_fit, Icon::Fit), std::pair(m_showRuns, Icon::Compare),
              std::pair(m_showDetails, Icon::Info), std::pair(m_addRun, Icon::Plus),
              std::pair(m_export, Icon::Export)})
            followTheme(action, icon, m_theme);
    }
    void layOut()
    {
        QWidget *centre = makeCentre(), *details = makeDetails();
        auto* columns = makeSplitter(Qt::Horizontal);
        for (QWidget* column : std::initializer_list<QWidget*>{m_dock, centre, details})
            columns->addWidget(column);
        columns->setStretchFactor(1, 1);
        columns->setSizes({kRunsWidth, 1384, kDetailsWidth});
        spaced(new QVBoxLayout(this), {}, 0)->addWidget(columns);
        connect(m_showRuns, &QAction::toggled, m_dock, &QWidget::setVisible);
        connect(m_showDetails, &QAction::toggled, details, &QWidget::setVisible);
        connect(m_rows, &QSplitter::splitterMoved, this, [this] { m_areRowsChosen = true; });
        m_rows->installEventFilter(this); // eventFilter() reacts to changes of its width
        applyStyle();
    }
    QWidget* makeVerdict()
    {
        m_verdict = new QWidget;
        m_band->layout()->addWidget(m_interval);
        m_band->setToolTip(tr("Shows the run in the table of differences"));
        spaced(new QHBoxLayout(m_verdict), {12, 8, 12, 8}, 0, {m_band});
        for (QWidget* part : m_band->findChildren<QWidget*>() + QList<QWidget*>{m_band})
            part->installEventFilter(this);
        m_verdict->hide();
        return m_verdict;
    }
    QWidget* makeSummary()
    {
        m_summary = new QWidget;
        m_summary->setFixedHeight(32);
        m_same->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
        m_same->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_same->setTextFormat(Qt::RichText);
        auto* icon = new IconLabel(m_theme, Icon::Info, &Chrome::text2);
        spaced(new QHBoxLayout(m_summary), {12, 0, 12, 0}, 10,
               {icon, {m_same, 1}, m_note, m_mode, m_allParameters});
        return m_summary;
    }
    QWidget* makeToolbar()
    {
        m_baseline->setMinimumWidth(112);
        m_baseline->setMaximumWidth(200);
        m_bar = makeSurface("plain");
        m_bar->setFixedHeight(40);
        QWidget *back = makeToolButton(m_back), *forward = makeToolButton(m_forward),
                *line = makeLine(Qt::Vertical);
        auto* row
            = spaced(new QHBoxLayout(m_bar), {8, 0, 8, 0}, 8,
                     {makeToolButton(m_showRuns), back, forward, makeToolButton(m_fit), line});
        const auto add = [row](const QString& title, QWidget* control) {
            QWidget* label = makeLabel(title, "small");
            fill(*row, {label, control});
            return label;
        };
        QWidget *align = add(tr("Align"), m_align), *sort = add(tr("Sort"), m_sort),
                *lane = add(tr("Lane"), m_lane), *times = add(tr("Times"), m_times),
                *baseline = add(tr("Baseline"), m_baseline);
        row->addStretch(1);
        for (QAction* action : {m_addRun, m_export}) {
            m_buttons << makeActionButton(action);
            m_icons.prepend(makeToolButton(action)); // updateToolbar() hides the first icons first
            m_icons.front()->setObjectName(action->objectName() + QStringLiteral("Icon"));
            fill(*row, {m_buttons.back(), m_icons.front()});
        }
        row->addWidget(makeToolButton(m_showDetails));
        m_tallOnly = {back, forward, line};
        m_compactOnly = {sort, m_sort, lane, m_lane};
        m_labels = {lane, align, sort, times, baseline, m_align};
        return m_bar;
    }
    QWidget* makeCentre()
    {
        auto* hint = makeLabel(tr("Tick another run in the list on the left, or compare this run "
                                  "with its prediction."),
                               "secondary");
        m_single = makeSurface("alt");
        spaced(new QHBoxLayout(m_single), {16, 8, 12, 8}, 10,
               {{hint, 1}, makeActionButton(m_predict)});
        m_rows->addWidget(m_lanes);
        m_rows->addWidget(m_tables);
        m_rows->setStretchFactor(0, 1);
        auto* nothing = new QWidget;
        spaced(new QVBoxLayout(nothing), {14, 14, 14, 14}, 0, {m_empty});
        m_stack->addWidget(nothing);
        m_stack->addWidget(m_rows);
        auto *above = new QWidget, *below = new QWidget;
        spaced(new QVBoxLayout(above), {}, 0, {makeVerdict(), makeSummary()});
        spaced(new QVBoxLayout(below), {}, 0, {m_refused, m_single, {m_stack, 1}});
        return makeLined({above, makeToolbar(), {below, 1}});
    }
    QWidget* makeDetails()
    {
        auto* close = makeIconButton("closeDetails", Icon::Close, tr("Close the details"), m_theme);
        connect(close, &QToolButton::clicked, m_showDetails, &QAction::toggle);
        auto* title = makeBar(40, 4, {{makeLabel(tr("Details"), "dock"), 1}, close});
        auto* dock = named(makeLined({title, {m_details, 1}}), "detailsDock");
        dock->setMinimumWidth(220);
        dock->hide();
        return dock;
    }
    // Divides the height between lanes and tables unless the user moved the splitter. The tables
    // get their content's height, more if the lanes leave it unused, and at most half.
    void distributeHeight()
    {
        if (!m_areRowsChosen) {
            const int height = m_rows->height() - m_rows->handleWidth();
            const int unused = height - m_lanes->greatestHeight();
            const int left
                = height - m_lanes->legibleHeight(); // where the boxes keep their numbers
            const int most = left >= kLeastTables ? std::min(left, height / 2) : 2 * height / 5;
            const int wanted = std::max(m_tables->fittingHeight(), std::min(unused, kMostTables));
            const int below = std::clamp(wanted, kLeastTables, std::max(kLeastTables, most));
            m_rows->setSizes({height - below, below});
        }
        m_tables->shareWidth();
    }
    // call it after the style of the rows changed
    void applyStyle()
    {
        m_tables->setRanked(m_lanes->isCompact());
        updateToolbar();
        distributeHeight();
    }
    // Fits the toolbar into the window. If the width is not sufficient, replaces the buttons by
    // their icons, then hides labels, then icons. The actions of hidden icons are also in the
    // menus.
    void updateToolbar()
    {
        const auto show = [](const QList<QWidget*>& parts, bool areShown) {
            for (QWidget* part : parts)
                part->setVisible(areShown);
        };
        const auto needed = [this] { // with the minimum width of the list of baselines
            m_bar->layout()->invalidate();
            return m_bar->layout()->minimumSize().width();
        };
        const bool isCompact = m_lanes->isCompact();
        show(m_tallOnly, !isCompact);
        show(m_compactOnly, isCompact);
        // The minimum width excludes the parts that can be hidden, because they would narrow the
        // dock of runs.
        show(m_labels + m_buttons + m_icons, false);
        m_bar->setMinimumWidth(needed());
        for (QWidget* label : m_labels)
            label->setVisible(isCompact || !m_compactOnly.contains(label));
        show(m_buttons, true);
        const bool hasTexts = needed() <= m_rows->width();
        show(m_buttons, hasTexts);
        show(m_icons, !hasTexts);
        for (QWidget* part : m_labels + m_icons)
            if (needed() > m_rows->width())
                part->hide();
    }
    void showSummary()
    {
        const QString none = tr("no setting"), same = sameText(m_parameters),
                      differs = differsText(m_parameters);
        const auto titled = [](const QString& title, const QString& settings) {
            return QStringLiteral("<b>%1</b> %2").arg(title, settings.toHtmlEscaped());
        };
        QStringList parts;
        if (!same.isEmpty())
            parts << titled(tr("Same:"), same);
        const QString title = same.isEmpty() ? tr("Different:") : tr("different:");
        const QString nothing
            = same.isEmpty() ? tr("No setting differs") : tr("no setting differs");
        parts << (differs.isEmpty() ? nothing : titled(title, differs));
        if (m_numbers && m_numbers->comparison.isPerToken)
            parts << QStringLiteral("<font color=\"%1\">%2</font>")
                         .arg(m_theme.theme().chrome.warning.name(),
                              tr("N differs: times per 1000 tokens"));
        m_same->setText(parts.join(QStringLiteral("; ")));
        m_same->setToolTip(
            tr("Same: %1\nDifferent: %2")
                .arg(same.isEmpty() ? none : same, differs.isEmpty() ? none : differs));
        const QString mode = m_compared.commonMode();
        m_mode->setText(mode);
        m_mode->setVisible(!mode.isEmpty());
        m_allParameters->setText(tr("Show all %1 parameters").arg(m_parameters.size()));
    }
    // numbers of ticked runs
    void showUnfinished(int complete, int unfinished)
    {
        m_note->setText(tr("%1 of %2 runs are complete").arg(complete).arg(complete + unfinished));
        m_note->setVisible(unfinished > 0);
        m_empty->setTexts(unfinished == 0 ? tr("Tick two runs to compare them")
                                          : tr("%1 in the queue").arg(countOf(unfinished, "run")),
                          unfinished == 0 ? tr("Tick runs in the list on the left, or add one.")
                                          : tr("Each run is added here when it is complete."));
    }
    // The text begins with what makes the runs unlike. The punctuation of the reasons follows the
    // claim without a space.
    void showVerdict()
    {
        constexpr int kInterval = 1000; // least width of the page for the drawn interval
        m_verdict->setVisible(m_numbers && m_compared.size() > 1);
        if (!m_numbers)
            return;
        const profiler::Verdict& of = m_numbers->verdict;
        QString bold = fromUtf8(of.conditions.empty() ? of.claim : of.conditions + "."),
                rest = fromUtf8(of.conditions.empty() ? of.reasons : of.claim + of.reasons)
            + QLatin1Char('.');
        if (rest.startsWith(u':') || rest.startsWith(u'.')) {
            bold += rest.front();
            rest.remove(0, 1);
        }
        if (m_sameTimes->isChecked())
            rest += tr(" With the op times of %1.")
                        .arg(m_compared.names().titles.value(
                            static_cast<int>(m_compared.baseline())));
        constexpr Band::Kind kKinds[]
            = {Band::Kind::Ok, Band::Kind::Neutral, Band::Kind::Warning, Band::Kind::Warning};
        m_band->show(of.conditions.empty() ? kKinds[static_cast<std::size_t>(of.kind)]
                                           : Band::Kind::Warning,
                     bold, rest.trimmed());
        m_interval->show(m_rows->width() < kInterval ? std::nullopt : of.iteration,
                         m_numbers->time());
    }
    // whether all runs can have the op times of the baseline
    void showTimes()
    {
        const profiler::Comparison& all = m_numbers->comparison;
        const QString reason
            = !all.comparable ? tr("the runs have different units") : fromUtf8(all.obstacle);
        const bool isPossible = reason.isEmpty() && m_compared.size() > 1;
        m_times->setEnabled(isPossible);
        m_sameTimes->setEnabled(isPossible);
        m_times->setToolTip(isPossible ? m_sameTimes->toolTip() : capitalized(reason));
    }
    void connectAll()
    {
        m_refresh.setSingleShot(true);
        connect(&m_refresh, &QTimer::timeout, this, &ComparePage::refresh);
        const auto later = [this] { m_refresh.start(0); };
        connect(&m_library, &RunLibrary::listChanged, this, later);
        connect(&m_library, &RunLibrary::runChanged, this, later);
        connect(&m_views, &ViewPreparation::ready, this, [this](const auto& views) {
            m_lanes->setViews(views, m_compared.baseline(), m_compared.names());
            m_hasViews = true;
            applyStyle();
            showNumbers();
        });
        connect(m_dock, &RunsDock::pageRequested, this, &Page::pageRequested);
        connect(m_baseline, &QComboBox::activated, this, &ComparePage::setBaseline);
        connect(m_empty, &EmptyState::activated, this, &ComparePage::addRunMenu);
        connect(m_allParameters, &QPushButton::clicked, this, &ComparePage::showParameters);
        connect(m_tables, &ComparisonPanels::runChosen, this, &ComparePage::choose);
        connect(m_tables, &ComparisonPanels::exportRequested, m_saver, &RunSaver::saveFigure);
        connect(m_tables, &ComparisonPanels::onlyRequested, this,
                [this](const std::vector<std::size_t>& only) {
                    if (!m_numbers)
                        return; // the chart still shows the previous runs
                    std::vector<std::shared_ptr<RunDocument>> documents;
                    for (const std::size_t run : only)
                        documents.push_back(m_compared.documents()[run]);
                    tick(documents);
                });
        connect(m_sort, &SegmentControl::currentChanged, this,
                [this](int choice) { rankBy(kSorts[choice]); });
        connect(m_lane, &SegmentControl::currentChanged, this,
                [this](int choice) { m_lanes->setLane(static_cast<LaneOf>(choice)); });
        m_lane->setCurrent(static_cast<int>(LaneOf::Devices));
        connect(m_times, &SegmentControl::currentChanged, this,
                [this](int choice) { m_sameTimes->setChecked(choice == 1); });
        connect(m_align, &SegmentControl::currentChanged, this,
                [this](int choice) { m_lanes->setAlign(static_cast<CompareAlign>(choice)); });
    }
    void connectLanes()
    {
        connect(m_lanes, &CompareWidget::runChosen, this, &ComparePage::choose);
        connect(m_lanes, &CompareWidget::rankRequested, this, &ComparePage::rankBy);
        connect(m_lanes, &CompareWidget::baselineRequested, this, &ComparePage::setBaseline);
        connect(m_lanes, &CompareWidget::openRequested, this, [this](int run) {
            if (m_compared.has(run))
                Q_EMIT pageRequested(
                    {"run", {}, {m_compared.documents()[static_cast<std::size_t>(run)]}});
        });
        connect(m_lanes, &CompareWidget::styleChanged, this, &ComparePage::applyStyle);
        connect(m_lanes, &CompareWidget::selectionChanged, this, &ComparePage::explain);
        connect(m_details, &DetailsPanel::jumpTo, this, [this](const Selection& selection) {
            if (m_explained >= 0)
                m_lanes->select(static_cast<std::size_t>(m_explained), selection);
        });
    }

    // call it after the ticked runs or their data changed
    void refresh()
    {
        if (isVisible())
            m_ticked = m_library.ticked();
        std::erase_if(m_ticked, [this](const std::shared_ptr<RunDocument>& document) {
            return !m_library.contains(*document); // it was closed
        });
        TickedRuns ticked(m_ticked);
        m_refused->hide();
        if (!ticked.refused.isEmpty())
            m_refused->show(Band::Kind::Error, tr("Not opened."),
                            ticked.refused.join(QStringLiteral("; ")));
        if (m_compared.take(std::move(ticked.complete)))
            showRuns();
        showUnfinished(static_cast<int>(m_compared.size()), ticked.unfinished);
    }
    void showRuns()
    {
        const std::vector<RunPointer>& runs = m_compared.runs();
        m_tables->setCurrent(m_compared.current());
        m_stack->setCurrentIndex(runs.empty() ? 0 : 1);
        m_summary->setVisible(!runs.empty());
        m_verdict->hide();
        m_single->setVisible(runs.size() == 1);
        m_export->setEnabled(!runs.empty());
        m_report->setEnabled(runs.size() > 1);
        m_showParameters->setEnabled(!runs.empty());
        m_parameters = parametersOf(runs);
        showSummary();
        fillBaselines();
        m_numbers = nullptr;
        m_hasViews = false;
        m_explained = -1; // was an index of the previous runs
        m_details->show(nullptr, {});
        m_shown = runs;
        m_views.ask(runs);
        askForNumbers();
        Q_EMIT titleChanged();
        Q_EMIT statusChanged();
    }
    void askForNumbers()
    {
        if (!m_compared.runs().empty())
            return m_asked.ask({m_compared.runs(), m_compared.baseline(), m_compared.names().titles,
                                m_sameTimes->isChecked()});
        m_asked.drop();
        m_tables->show(nullptr, {});
    }
    struct Compared
    {
        std::vector<RunPointer> runs;
        std::size_t baseline = 0;
        QStringList titles;
        bool haveOneTime = false; // all runs have the op times of the baseline
    };
    static engine::Result<CompareNumbers> computeNumbers(const Compared& request)
    {
        if (!request.haveOneTime)
            return compareNumbers(request.runs, request.baseline, request.titles);
        return profiler::withOpTimesOf(request.runs, request.baseline)
            .and_then([&](const std::vector<RunPointer>& runs) {
                return compareNumbers(runs, request.baseline, request.titles);
            });
    }
    void takeNumbers(engine::Result<CompareNumbers> numbers)
    {
        if (!numbers) {
            m_refused->show(Band::Kind::Error, tr("The runs were not compared."),
                            fromUtf8(numbers.error().message));
            return m_sameTimes->setChecked(false);
        }
        m_numbers = rankedBy(*numbers, m_rankBy, m_direction);
        if (m_numbers->runs != m_shown) {
            m_shown = m_numbers->runs;
            m_hasViews = false;
            m_views.ask(m_shown);
        }
        showVerdict();
        showSummary();
        showTimes();
        m_tables->show(m_numbers, m_compared.names());
        showNumbers();
        Q_EMIT statusChanged();
    }
    // does nothing until both the numbers and the views are known
    void showNumbers()
    {
        if (m_hasViews && m_numbers) {
            m_lanes->setNumbers(m_numbers);
            m_lanes->setCurrent(m_tables->current());
        }
        distributeHeight();
        m_lane->setToolTip(m_lanes->rows().hasRoomForDevices()
                               ? QString()
                               : tr("Devices need 12 pixels each; their mean is shown"));
    }
    // Ranking by the same value again reverses the order.
    void rankBy(profiler::RankBy by)
    {
        using profiler::RankOrder;
        const bool isAgain = by == m_rankBy && m_direction == RankOrder::BestFirst;
        m_direction = isAgain ? RankOrder::WorstFirst : RankOrder::BestFirst;
        m_rankBy = by;
        const auto choice = std::ranges::find(kSorts, by);
        if (choice != std::end(kSorts)) {
            const QSignalBlocker blocker(m_sort);
            m_sort->setCurrent(static_cast<int>(choice - std::begin(kSorts)));
        }
        if (!m_numbers)
            return;
        m_numbers = rankedBy(*m_numbers, m_rankBy, m_direction);
        showNumbers();
        Q_EMIT statusChanged();
    }
    void fillBaselines()
    {
        const QSignalBlocker blocker(m_baseline);
        m_baseline->clear();
        m_baseline->addItems(m_compared.names().titles);
        m_baseline->setCurrentIndex(
            m_compared.runs().empty() ? -1 : static_cast<int>(m_compared.baseline()));
        m_baseline->setEnabled(m_compared.size() > 1);
    }
    void setBaseline(int run)
    {
        if (!m_compared.has(run))
            return;
        m_baseline->setCurrentIndex(run);
        const std::size_t before = m_compared.baseline();
        m_compared.chooseBaseline(static_cast<std::size_t>(run));
        if (m_compared.baseline() == before)
            return;
        m_lanes->setBaseline(m_compared.baseline());
        askForNumbers();
    }
    // The lanes, the tables and the charts show the same run.
    void choose(int run)
    {
        if (!m_compared.has(run))
            return;
        m_compared.choose(static_cast<std::size_t>(run));
        m_lanes->setCurrent(run);
        m_tables->setCurrent(run);
        if (m_hasViews && m_showDetails->isChecked() && run != m_explained)
            explain(run, {});
        Q_EMIT statusChanged();
    }
    // shows the selected item in the details
    void explain(int run, const Selection& selection)
    {
        if (run < 0 || !m_hasViews)
            return;
        m_explained = run;
        m_details->show(m_lanes->view(static_cast<std::size_t>(run)), selection);
        if (selection.kind != Selection::Kind::None && width() >= kFoldDetails)
            m_showDetails->setChecked(true);
    }
    void showParameters()
    {
        makeParametersDialog(m_theme, m_parameters, m_compared.names().titles, this)->open();
    }
    void addPrediction()
    {
        if (m_compared.runs().empty())
            return;
        m_background.run(
            [run = m_compared.runs().front()] { return profiler::withEvenCosts(*run); },
            [this](engine::Result<engine::Run> predicted) {
                if (predicted)
                    m_library.tick(*m_library.add(std::move(*predicted)));
                else
                    m_refused->show(Band::Kind::Error, tr("The run was not predicted."),
                                    fromUtf8(predicted.error().message));
            });
    }
    // Shows a menu of the open runs that are not compared yet. Its last entry opens a file dialog.
    void addRunMenu()
    {
        QMenu menu(this);
        menu.setObjectName(QStringLiteral("addRunMenu"));
        for (const auto& document : m_library.runs()) {
            if (std::ranges::count(m_compared.documents(), document) > 0 || document->isRunning())
                continue;
            connect(menu.addAction(menuText(document->title())), &QAction::triggered, this,
                    [this, document] { m_library.tick(*document); });
        }
        if (!menu.isEmpty())
            menu.addSeparator();
        connect(menu.addAction(tr("Open a run file…")), &QAction::triggered, this, [this] {
            const QStringList files = QFileDialog::getOpenFileNames(
                this, tr("Add runs"), {}, tr("Runs (*.sqlite);;All files (*)"));
            for (const QString& file : files)
                m_library.tick(*m_library.open(file));
        });
        menu.exec(QCursor::pos());
    }

    const ThemeController& m_theme;
    RunLibrary& m_library;
    Background m_background{this};
    Latest<Compared, engine::Result<CompareNumbers>> m_asked{
        this, [](const Compared& request, const auto&) { return computeNumbers(request); },
        [this](engine::Result<CompareNumbers> numbers) { takeNumbers(std::move(numbers)); }};
    ViewPreparation m_views;
    ComparedRuns m_compared;
    std::vector<RunParameter> m_parameters;
    CompareNumbersPointer m_numbers; // nullptr: being computed
    profiler::RankBy m_rankBy = profiler::RankBy::Iteration;
    profiler::RankOrder m_direction = profiler::RankOrder::BestFirst;
    std::vector<std::shared_ptr<RunDocument>> m_ticked; // by the user, on this page
    std::vector<RunPointer> m_shown; // of the lanes: m_compared, or replayed with other op times
    QTimer m_refresh;        // delays refresh(), so that ticking many runs causes one update
    bool m_hasViews = false; // whether the lanes show m_shown
    int m_explained = -1;    // run that the details describe; -1: none

    QAction *m_back, *m_forward, *m_fit, *m_addRun, *m_export, *m_report, *m_predict,
        *m_showParameters, *m_showRuns, *m_showDetails, *m_ghost, *m_sameTimes, *m_copy;
    QList<QAction*> m_ranks; // that sort the runs
    RunSaver* m_saver = new RunSaver(this);
    RunsDock* m_dock = new RunsDock(m_theme, m_library);
    QLabel* m_same = named(makeLabel({}, "small"), "compareSummary"); // and different settings
    QLabel* m_note = named(makeLabel({}, "hint"), "compareNote");     // unfinished runs
    Tag* m_mode = new Tag(m_theme);
    QPushButton* m_allParameters = makeButton({}, QStringLiteral("allParameters"), "link");
    QWidget* m_summary = nullptr;
    Band* m_band = makeBand(m_theme, Band::Shape::Verdict, "compareBand");
    Band* m_refused = makeBand(m_theme, Band::Shape::State, "refusedBand"); // files, not runs
    IntervalMark* m_interval = new IntervalMark(m_theme);                   // of the verdict
    QWidget* m_verdict = nullptr;                                           // m_band and m_interval
    QComboBox* m_baseline = named(new QComboBox, "baseline", tr("Baseline"));
    SegmentControl* m_sort = makeSegments("sortRuns", tr("Sort"),
                                          {tr("Iteration"), tr("Bubble"), tr("Peak"), tr("Name")});
    SegmentControl* m_lane
        = makeSegments("laneOf", tr("Lane"), {tr("Mean"), tr("Worst"), tr("Devices")});
    SegmentControl* m_align
        = makeSegments("alignRuns", tr("Align"), {tr("Iteration start"), tr("First F"), tr("End")});
    SegmentControl* m_times
        = makeSegments("opTimes", tr("Times"), {tr("Own"), tr("Same op times")});
    CompareWidget* m_lanes = new CompareWidget(m_theme);
    ComparisonPanels* m_tables = ComparisonPanels::make(m_theme);
    DetailsPanel* m_details = new DetailsPanel(m_theme);
    EmptyState* m_empty
        = new EmptyState(m_theme,
                         {Icon::Compare, tr("Tick two runs to compare them"),
                          tr("Tick runs in the list on the left, or add one."), tr("Add run")});
    QWidget* m_single = nullptr;                  // shown if one run is compared
    QStackedWidget* m_stack = new QStackedWidget; // m_empty, m_rows
    QSplitter* m_rows = makeSplitter(Qt::Vertical);
    QWidget* m_bar = nullptr; // the toolbar
    // The parts of the toolbar that updateToolbar() shows or hides. m_icons replace m_buttons. The
    // first elements of m_labels and m_icons are hidden first.
    QList<QWidget*> m_tallOnly, m_compactOnly, m_labels, m_buttons, m_icons;
    bool m_areRowsChosen = false; // by the user, who moved m_rows
};

} // namespace

Page* makeComparison(const ThemeController& theme, RunLibrary& library,
                     const std::vector<std::shared_ptr<RunDocument>>& documents)
{
    return new ComparePage(theme, library, documents);
}

} // namespace app
