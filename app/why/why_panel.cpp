#include "app/why/why_panel.h"

#include "app/documents/run_library.h"
#include "app/figures/scene_view.h"
#include "app/plan/run_plan.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "app/whatif/what_if.h"
#include "engine/base/cancel.h"
#include "engine/base/try.h"
#include "engine/experiment/experiment.h"
#include "engine/schedule/transfers.h"
#include "profiler/analysis/data_flow.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/metrics.h"
#include "profiler/analysis/predicted_info.h"
#include "profiler/study/chart_kit.h"
#include "profiler/why/stragglers.h"
#include "profiler/why/why_text.h"

#include <QFrame>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMouseEvent>
#include <QProgressBar>
#include <QPushButton>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QVBoxLayout>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace app {
namespace {

// Marks the ops that are drawn as part of the path together with `op`: the other op of a joint
// pair, and the SEND of a message.
void markPartners(const engine::Run& run, const profiler::DataFlow& flow, std::uint32_t op,
                  std::vector<bool>& marks)
{
    const engine::Op& what = flow.op(op);
    if (engine::isTransfer(what.kind)) {
        if (const auto send = flow.send(engine::transferredValue(what, run.schedule.shape)))
            marks[*send] = true;
        return;
    }
    if (what.flags == engine::OpFlag::JointWithNext)
        marks[op + 1] = true;
    if (flow.index().positionOf(op) > 0 && flow.op(op - 1).flags == engine::OpFlag::JointWithNext)
        marks[op - 1] = true;
}

} // namespace

engine::Result<PathMarksPointer> makePathMarks(const engine::Run& run, int iteration)
{
    auto why = TRY(profiler::whyNotFaster(run, iteration));
    auto marks = std::make_shared<PathMarks>();
    marks->why = std::move(why);
    const profiler::DataFlow flow(run.schedule);
    marks->ops.assign(flow.index().count(), false);
    for (const profiler::PathPart& part : marks->why.path.parts) {
        if (part.kind == profiler::PathPart::Kind::Wait)
            continue;
        marks->ops[part.op] = true;
        markPartners(run, flow, part.op, marks->ops);
    }
    return marks;
}

WhyEffectsAnswer simulateChanges(const engine::Run& run, const profiler::Why& why)
{
    const profiler::WhyEffects simulator(run, why.path.iteration);
    WhyEffectsAnswer answer{{}, simulator.accuracy(), {}};
    if (const auto found = profiler::stragglers(run))
        for (const profiler::Finding& slow : profiler::stragglerFindings(run, *found))
            answer.stragglers.append(QString::fromStdString(slow.sentence));
    for (const profiler::WhyReason& reason : why.reasons) {
        WhyEffect& effect = answer.effects.emplace_back();
        engine::throwIfCancelled();
        if (!reason.change)
            continue;
        if (const auto change = simulator.of(*reason.change))
            effect.change = *change;
        else
            effect.problem = QString::fromStdString(change.error().message);
    }
    return answer;
}

FasterSchemesAnswer findFasterSchemes(const engine::Run& run)
{
    auto schemes = profiler::fasterSchemes(run);
    if (!schemes)
        return {{}, QString::fromStdString(schemes.error().message)};
    return {*std::move(schemes), {}};
}

using profiler::Breakdown;
using profiler::FasterScheme;
using profiler::WhyReason;

namespace {

enum WhyPriority { AfterAll = -1, SchemesLast, ChangesThen, PathFirst };
constexpr double kExact = 0.01;           // a replay within 1 % needs no note
constexpr std::int64_t kSmallShare = 100; // a gain under 1 % is small
constexpr std::ptrdiff_t kMostSteps = 4;
constexpr std::size_t kMostSchemes = 4;
constexpr int kTall = 720; // in a lower panel, the schemes scroll with the reasons
constexpr int kGainBar = 64;

QString plainSentence(const profiler::Sentence& sentence, const Scale& scale)
{
    QString text;
    for (const profiler::Phrase& phrase : sentence)
        text += phrase.kind == profiler::Phrase::Kind::Time
            ? scale.withUnit(static_cast<double>(phrase.ticks))
            : fromUtf8(phrase.text);
    return text;
}

// Rich text, in which times are bold and ops are links ("#17" for OpIndex 17) in `ink`.
QString richSentence(const profiler::Sentence& sentence, const Scale& scale, const QColor& ink)
{
    QString text;
    for (const profiler::Phrase& phrase : sentence) {
        const QString words = fromUtf8(phrase.text).toHtmlEscaped();
        switch (phrase.kind) {
        case profiler::Phrase::Kind::Time:
            text += QStringLiteral("<b>%1</b>")
                        .arg(scale.withUnit(static_cast<double>(phrase.ticks)));
            break;
        case profiler::Phrase::Kind::Op:
            text += QStringLiteral("<a href='#%1' style='color:%2;font-family:monospace'>%3</a>")
                        .arg(phrase.op)
                        .arg(ink.name(), words);
            break;
        case profiler::Phrase::Kind::Text:
            text += words;
        }
    }
    return text;
}

QLabel* makeWrappedText(const QString& text, const char* role, const char* name)
{
    QLabel* label = named(makeWrapped(role), name);
    label->setText(text);
    return label;
}

bool isLargeRun(const engine::Run& run)
{
    constexpr std::size_t kLarge = 500'000; // ops
    return engine::OpIndex(run.schedule).count() > kLarge;
}

void trimMemory()
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

// The simulations of a large run leave hundreds of MiB to the allocator, in many small blocks.
// Returns them when a job ends, even one that was cancelled.
class Trimmed
{
public:
    explicit Trimmed(const engine::Run& run)
        : m_isLarge(isLargeRun(run))
    { }
    Trimmed(const Trimmed&) = delete;
    Trimmed& operator=(const Trimmed&) = delete;
    ~Trimmed()
    {
        if (m_isLarge)
            trimMemory();
    }

private:
    bool m_isLarge;
};

// Replaces the content of a holder and returns the layout of the new content.
QVBoxLayout* renewed(QWidget* holder)
{
    const QString name = QStringLiteral("content");
    delete holder->findChild<QWidget*>(name, Qt::FindDirectChildrenOnly);
    auto* content = new QWidget;
    content->setObjectName(name);
    holder->layout()->addWidget(content);
    return spaced(new QVBoxLayout(content), {}, 0);
}

QWidget* makeHolder()
{
    auto* holder = new QWidget;
    spaced(new QVBoxLayout(holder), {}, 0);
    return holder;
}

// The reason that the ruler marks for a step of the breakdown: one of the same name for at least
// half of its time. nullopt: none.
std::optional<std::size_t> reasonOfStep(const profiler::Why& why, const Breakdown::Step& step)
{
    const std::string_view name = profiler::stepName(step.kind);
    for (std::size_t r = 0; r < why.reasons.size(); ++r) {
        const engine::Window of = why.reasons[r].window;
        const std::int64_t common
            = std::min(of.end, step.window.end) - std::max(of.begin, step.window.begin);
        if (name == profiler::reasonName(why.reasons[r].kind)
            && 2 * common >= step.window.duration())
            return r;
    }
    return std::nullopt;
}

// Returns the reason with the most time among the reasons that contain this op; -1: none.
int reasonOfOp(const profiler::Why& why, std::uint32_t op)
{
    int found = -1;
    for (std::size_t r = 0; r < why.reasons.size(); ++r)
        for (const std::size_t part : why.reasons[r].parts)
            if (why.path.parts[part].op == op
                && (found < 0
                    || why.reasons[r].time > why.reasons[static_cast<std::size_t>(found)].time))
                found = static_cast<int>(r);
    return found;
}

// The predicted gain of the change of a reason in ticks; 0 if it is unknown or cannot be
// distinguished from none.
std::int64_t gainOf(const std::optional<WhyEffectsAnswer>& effects, std::size_t reason)
{
    const auto change = effects ? effects->effects[reason].change : std::nullopt;
    return change && change->isDistinguishable() ? -change->difference : 0;
}

enum class Group { Main, Small, Slower };

Group groupOf(const profiler::Why& why, const std::optional<WhyEffectsAnswer>& effects,
              std::size_t reason)
{
    const std::int64_t iteration = why.iteration();
    if (!effects)
        return Group::Main;
    if (const auto change = effects->effects[reason].change;
        change && (change->isDistinguishable() || change->difference == 0)) {
        const std::int64_t by = change->difference;
        return by > 0 && profiler::isNotable(by, iteration) ? Group::Slower
            : -by * kSmallShare < iteration                 ? Group::Small
                                                            : Group::Main;
    }
    return why.reasons[reason].time * kSmallShare < iteration ? Group::Small : Group::Main;
}

profiler::Colour causeColour(Breakdown::Step::Kind kind, const profiler::Palette& palette)
{
    return palette
        .*(kind == Breakdown::Step::Kind::Drain      ? profiler::kDrainCause
               : kind == Breakdown::Step::Kind::Fill ? profiler::kFillCause
                                                     : profiler::kWaitCause);
}

// "−3.1", or "−3.1 to +0.4" with the errors of earlier predictions.
QString differenceText(const profiler::ChangeEffect& effect, const Scale& scale)
{
    const auto text
        = [&](std::int64_t ticks) { return scale.difference(static_cast<double>(ticks)); };
    return effect.least == effect.most
        ? text(effect.difference)
        : QObject::tr("%1 to %2").arg(text(effect.least), text(effect.most));
}

// The smallest difference of two shown times, in ticks.
double unitOf(const Scale& scale)
{
    return scale.perUnit() / std::pow(10, scale.decimals());
}

// The ticks that are shown for a time.
double rounded(std::int64_t ticks, const Scale& scale)
{
    return std::round(static_cast<double>(ticks) / unitOf(scale)) * unitOf(scale);
}

// The bars from the work of the busiest device to the iteration. Their shown values add up.
// `points` are the marks of the steps. Steps that would be shown as 0 are left out.
std::vector<profiler::WaterfallBar> waterfall(const Breakdown& breakdown,
                                              const std::vector<std::size_t>& points,
                                              std::int64_t ticks, const Scale& scale,
                                              const ChartLook& look)
{
    const double unit = unitOf(scale), work = rounded(breakdown.work, scale),
                 iteration = rounded(ticks, scale);
    std::vector<double> times;
    for (const Breakdown::Step& step : breakdown.steps)
        times.push_back(static_cast<double>(step.time));
    times = profiler::rounded(std::move(times), iteration - work, unit);
    const auto total = [&](const QString& name, double size) {
        return profiler::WaterfallBar{name.toStdString(), scale.text(size).toStdString(), size,
                                      look.style.ink, true};
    };
    std::vector<profiler::WaterfallBar> bars;
    for (std::size_t s = 0; s < times.size(); ++s) {
        const auto kind = breakdown.steps[s].kind;
        std::string name = profiler::stepName(kind);
        if (const std::size_t space = name.rfind(' '); space != std::string::npos)
            name[space] = '\n';
        if (times[s] > unit / 2)
            bars.push_back({name,
                            {},
                            times[s],
                            causeColour(kind, look.palette),
                            false,
                            kind == Breakdown::Step::Kind::Unknown,
                            points[s]});
    }
    const auto isKnown = [](const profiler::WaterfallBar& bar) { return !bar.isHatched; };
    const auto known = std::ranges::stable_partition(bars, isKnown).begin();
    if (const auto more = known - bars.begin() - kMostSteps; more > 0) { // the smallest as one bar
        const auto rest = known - more - 1;
        rest->name = QObject::tr("%1 more").arg(more + 1).toStdString();
        for (auto bar = rest + 1; bar != known; ++bar)
            rest->size += bar->size;
        bars.erase(rest + 1, known);
    }
    for (profiler::WaterfallBar& bar : bars)
        bar.value = "+" + scale.text(bar.size).toStdString();
    bars.insert(bars.begin(),
                total(QObject::tr("busiest\ndevice %1").arg(breakdown.device.value), work));
    bars.push_back(total(QObject::tr("iteration"), iteration));
    return bars;
}

// A row that is chosen with the mouse or the keyboard: a reason, or a scheme.
class WhyRow : public QFrame
{
public:
    explicit WhyRow(const QString& accessibleName)
    {
        setProperty("kind", QStringLiteral("reason"));
        setFocusPolicy(Qt::StrongFocus);
        setAttribute(Qt::WA_Hover); // repaints it when the mouse enters or leaves
        setAccessibleName(accessibleName);
    }

    void setCurrent(bool current)
    {
        if (std::exchange(m_isCurrent, current) == current)
            return;
        setLook(this, "current", current);
        for (QLabel* label : findChildren<QLabel*>(QStringLiteral("plate")))
            setLook(label, "current", current);
    }

    std::function<void()> chosen = [] {};
    std::function<void(bool isOver)> hovered = [](bool) {};
    std::function<void(int by)> stepped; // up and down keys

protected:
    void mousePressEvent(QMouseEvent* event) override
    {
        if (event->button() == Qt::LeftButton)
            chosen();
    }

    void keyPressEvent(QKeyEvent* event) override
    {
        switch (event->key()) {
        case Qt::Key_Up:
            stepped(-1);
            break;
        case Qt::Key_Down:
            stepped(1);
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            chosen();
            break;
        default:
            QFrame::keyPressEvent(event);
        }
    }

    void enterEvent(QEnterEvent*) override { hovered(true); }
    void leaveEvent(QEvent*) override { hovered(false); }

private:
    bool m_isCurrent = false;
};

// Explains why the shown iteration of a run is not faster: how much time could go, what the busiest
// device waits for, the reasons with the gain of a change, and the faster schemes. It draws the
// critical path over the timeline. We ask for the path, then for the effects of the changes, and
// forget them when the panel is closed, because they are as large as the run.
class Panel : public WhyPanel
{
public:
    Panel(const ThemeController& theme, TimelineWidget& timeline,
          std::shared_ptr<RunDocument> document)
        : m_theme(theme)
        , m_timeline(timeline)
        , m_document(std::move(document))
    {
        setObjectName(QStringLiteral("whyPanel"));
        setAccessibleName(tr("Why not faster?"));
        m_scroll->setAccessibleName(tr("Reasons"));
        m_scroll->setWidgetResizable(true);
        m_scroll->setFrameShape(QFrame::NoFrame);
        m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        m_scroll->setFocusPolicy(Qt::NoFocus);
        m_compare->setToolTip(tr("Compares this run with the prediction"));
        auto* buttons = spaced(new QHBoxLayout, {12, 10, 12, 12}, 8, {{m_compare, 1}, {m_run, 1}});
        spaced(new QVBoxLayout(m_buttons), {}, 0, {makeLine(Qt::Horizontal), buttons});
        auto* schemes = spaced(new QVBoxLayout(m_schemesPart), {}, 0, {makeLine(Qt::Horizontal)});
        addSchemesHead(*schemes);
        schemes->addWidget(m_schemeRows);
        spaced(new QVBoxLayout(this), {}, 0, {{m_scroll, 1}, m_schemesPart, m_buttons});
        connect(m_run, &QPushButton::clicked, this, &Panel::runScheme);
        connect(&theme, &ThemeController::changed, this, [this] {
            if (m_place.marks)
                showBody();
        });
        connect(&timeline, &TimelineWidget::pathClosed, this, &Panel::escape);
        connect(&timeline, &TimelineWidget::reasonClicked, this, &Panel::choose);
        showEmpty({}, false);
    }

    void setOn(bool isOn) override
    {
        m_isOn = isOn;
        isOn ? ask() : forget();
    }

    // The iteration at the centre of the timeline; nullptr and -1 if there is none.
    void setIteration(const RunViewPointer& view, int iteration) override
    {
        if (view == m_view && iteration == m_iteration)
            return;
        // Keeps the critical path, because a complete iteration of a running run does not change.
        const bool isKnown = m_place.marks && iteration == m_iteration && m_document->isRunning();
        m_view = view;
        m_iteration = iteration;
        if (m_isOn && !isKnown)
            ask();
    }

    // Highlights the reason of an op on the path.
    void setSelection(const Selection& selection) override
    {
        if (!m_place.marks || m_isChoosing || selection.kind != Selection::Kind::Op
            || selection.iteration != m_iteration)
            return;
        const QScopedValueRollback choosing(m_isChoosing, true); // the op is in sight
        choose(reasonOfOp(why(), selection.op));
    }

    // Asks for the schemes that are faster than a run; see schemesKnown().
    void askSchemes(const RunPointer& run) override
    {
        if (run == m_schemesOf && (!m_schemes || m_schemes->reason.isEmpty())) {
            if (m_schemes) {
                showSchemes();
                Q_EMIT schemesKnown(*m_schemes);
            }
            return;
        }
        m_schemesOf = run;
        m_schemes.reset();
        m_search.ask(run);
        showSchemes();
    }

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Escape)
            escape();
        else
            QWidget::keyPressEvent(event);
    }

    void resizeEvent(QResizeEvent* event) override
    {
        QWidget::resizeEvent(event);
        if (m_place.marks && (event->oldSize().height() < kTall) != (height() < kTall))
            showBody();
    }

private:
    struct Place
    {
        RunPointer run;
        int iteration = -1;
        PathMarksPointer marks = nullptr;
    };
    struct Explained
    {
        Place place;
        QString problem; // why there are no marks
    };

    void ask()
    {
        forget();
        if (!m_view || m_iteration < 0)
            return showEmpty(tr("Show one whole iteration to see its path."), true);
        m_paths.ask({m_view->shared(), m_iteration});
        if (m_schemesOf && !m_schemes)
            m_search.ask(m_schemesOf); // again, so that the path does not wait for it
    }

    void forget()
    {
        m_paths.drop();
        m_changes.drop();
        const bool isLarge = m_place.run && isLargeRun(*m_place.run);
        m_place = {};
        m_effects.reset();
        m_reason = -1;
        m_timeline.setPath(nullptr);
        Q_EMIT pathChanged(nullptr);
        showEmpty({}, false);
        if (isLarge)
            sideThreads().start(trimMemory, AfterAll);
    }

    void explain(const Explained& explained)
    {
        m_timeline.setPath(explained.place.marks);
        Q_EMIT pathChanged(explained.place.marks);
        if (!explained.place.marks)
            return showEmpty(capitalized(explained.problem), false);
        m_place = explained.place;
        m_scale = timeScale(run().info, why().iteration());
        m_scheme.clear();
        m_isSchemeChosen = false;
        showBody();
        m_changes.ask(m_place);
        askSchemes(m_place.run);
    }

    void showEmpty(const QString& reason, bool isFitOffered)
    {
        m_rows.clear();
        m_schemeList.clear();
        m_waterfall = nullptr;
        m_reasons = nullptr;
        m_buttons->hide();
        EmptyState::Texts texts;
        texts.icon = Icon::Path;
        texts.fact = reason.isEmpty() ? tr("Computing the critical path…") : tr("No path to show");
        texts.advice = reason;
        texts.action = isFitOffered ? tr("Fit iteration") : QString();
        auto* empty = named(new EmptyState(m_theme, texts), "whyEmpty");
        empty->setMinimumHeight(160);
        connect(empty, &EmptyState::activated, &m_timeline, &TimelineWidget::zoomToFit);
        auto* body = makeColumn({12, 12, 12, 12}, 0, {empty, kStretch});
        setBody(body);
    }

    // Makes the body again, because its texts contain colours of the theme and times.
    void showBody()
    {
        auto* body = makeSurface("plain");
        auto* layout = spaced(new QVBoxLayout(body), {}, 0);
        addHead(*layout);
        addWaterfall(*layout);
        layout->addWidget(makeLine(Qt::Horizontal));
        addReasonsHead(*layout);
        layout->addWidget(m_reasons = makeHolder());
        layout->addStretch(1);
        setBody(body);
        (height() < kTall ? layout : static_cast<QBoxLayout*>(this->layout()))
            ->insertWidget(height() < kTall ? layout->count() : 1, m_schemesPart);
        m_schemesPart->show();
        showReasons();
        showSchemes();
    }

    // The schemes are kept, although they can be a part of the body.
    void setBody(QWidget* body)
    {
        m_schemesPart->hide();
        m_schemesPart->setParent(this);
        m_scroll->setWidget(body);
    }

    void addHead(QBoxLayout& layout)
    {
        const double total = rounded(why().iteration(), m_scale),
                     gain = total - rounded(why().bound.time, m_scale);
        const QString title = gain < unitOf(m_scale) / 2
            ? tr("Nothing to gain with these costs")
            : tr("%1 of %2 could go").arg(m_scale.text(gain), m_scale.withUnit(total));
        const QString which = m_document->isRunning()
            ? capitalized(iterationTitle(run().timeline, m_iteration)) + tr(". ")
            : QString();
        QLabel* bound = makeWrappedText(
            which + plainSentence(profiler::shortBoundSentence(why().bound), m_scale), "small",
            "whyBound");
        bound->setToolTip(plainSentence(profiler::boundSentence(why().bound), m_scale));
        auto* head = spaced(new QVBoxLayout, {15, 12, 15, 8}, 4,
                            {makeWrappedText(title, "answer", "whyTitle"), bound});
        layout.addLayout(head);
        if (!why().path.fault)
            return;
        auto* band = named(new Band(m_theme, Band::Shape::Verdict), "whyFault");
        band->show(Band::Kind::Warning, tr("Times contradict the order."),
                   QString::fromStdString(profiler::faultText(run(), why().path)));
        head->addWidget(band);
    }

    void addWaterfall(QBoxLayout& layout)
    {
        if (!why().breakdown) {
            m_waterfall = nullptr;
            QLabel* unknown = makeWrappedText(
                tr("What the busiest device waits for is not known: %1.")
                    .arg(QString::fromStdString(profiler::whyNoBreakdown(run(), why()))),
                "hint", "whyNoWaterfall");
            layout.addLayout(spaced(new QVBoxLayout, {15, 0, 15, 12}, 0, {unknown}));
            return;
        }
        std::vector<std::size_t> points;
        std::map<std::size_t, QString> tips;
        for (const Breakdown::Step& step : why().breakdown->steps) {
            points.push_back(
                reasonOfStep(why(), step).value_or(why().reasons.size() + points.size()));
            tips[points.back()] = tr("Device %1 does not work for %2: %3")
                                      .arg(why().breakdown->device.value)
                                      .arg(time(step.time), tr(profiler::stepName(step.kind)));
        }
        m_waterfall
            = named(new SceneView(m_theme,
                                  [tips](std::size_t point) {
                                      const auto tip = tips.find(point);
                                      return tip == tips.end() ? QString() : tip->second;
                                  }),
                    "whyWaterfall", tr("From the work of the busiest device to the iteration"));
        m_waterfall->setFixedHeight(134);
        m_waterfall->setListed();
        m_waterfall->select(std::nullopt);
        m_waterfall->draw([breakdown = *why().breakdown, points, iteration = why().iteration(),
                           scale = m_scale](const ChartLook& look) {
            return profiler::drawWaterfall(waterfall(breakdown, points, iteration, scale, look),
                                           look.style);
        });
        connect(m_waterfall, &SceneView::pointChosen, this,
                [this](std::size_t point) { choose(static_cast<int>(point)); });
        connect(m_waterfall, &SceneView::cleared, this, [this] { choose(-1); });
        connect(m_waterfall, &SceneView::highlightChanged, this, [this] {
            const auto point = m_waterfall->highlighted();
            m_timeline.setReason(point ? static_cast<int>(*point) : -1);
        });
        layout.addLayout(spaced(new QVBoxLayout, {12, 0, 12, 6}, 0, {m_waterfall}));
    }

    void addReasonsHead(QBoxLayout& layout)
    {
        auto* order
            = named(new SegmentControl(m_theme, {tr("By gain"), tr("In time")}), "whyOrder");
        order->setName(tr("Order of the reasons"));
        order->setCompact();
        order->setCurrent(m_isInTime ? 1 : 0);
        connect(order, &SegmentControl::currentChanged, this, [this](int choice) {
            m_isInTime = choice == 1;
            showReasons();
        });
        layout.addLayout(
            spaced(new QHBoxLayout, {15, 10, 12, 8}, 8,
                   {makeLabel(tr("Reasons"), "dock"),
                    makeLabel(tr("and gain, %1").arg(m_scale.unit()), "hint"), kStretch, order}));
    }

    void showReasons()
    {
        if (!m_place.marks)
            return;
        m_rows.clear();
        std::vector<std::size_t> small, slower;
        m_ranked.clear();
        for (std::size_t r = 0; r < why().reasons.size(); ++r) {
            const Group group = groupOf(why(), m_effects, r);
            (group == Group::Main ? m_ranked : group == Group::Small ? small : slower).push_back(r);
        }
        std::ranges::stable_sort(m_ranked, std::greater(), [this](std::size_t r) {
            return std::pair(gainOf(m_effects, r), why().reasons[r].time);
        });
        markRuler();
        std::vector<std::size_t> shown = m_ranked;
        if (m_isInTime)
            std::ranges::sort(shown); // whyNotFaster() sorts them by their begin
        auto& layout = *renewed(m_reasons);
        for (const std::size_t r : shown)
            addReason(layout, r);
        auto* notes = spaced(new QVBoxLayout, {15, 6, 15, 12}, 6);
        std::int64_t smallTime = why().smallerTime;
        for (const std::size_t r : small)
            smallTime += why().reasons[r].time;
        if (const auto count = std::ssize(small) + why().smaller; count > 0)
            addFold(layout, "whySmall",
                    tr("%1, %2").arg(countOf(count, "small reason"), time(smallTime)), small);
        if (!slower.empty())
            addFold(layout, "whySlower",
                    tr("%1 that would be slower").arg(countOf(std::ssize(slower), "change")),
                    slower);
        layout.addLayout(notes);
        if (why().reasons.empty())
            notes->addWidget(makeWrappedText(tr("None: the devices on the path are always busy."),
                                             "small", "whyNoReason"));
        else
            notes->addWidget(makeWrappedText(
                tr("Each change is simulated alone; gains do not add up."), "hint", "whyAlone"));
        if (m_effects)
            for (const QString& slow : m_effects->stragglers)
                notes->addWidget(makeWrappedText(slow, "", "whyStraggler"));
        if (const QString note = accuracyNote(); !note.isEmpty())
            notes->addWidget(makeWrappedText(note, "hint", "whyAccuracy"));
        auto* list = makeButton(tr("Show path as a list"), "whyList", "link", this,
                                [this] { listRequested(); });
        auto* copy
            = makeButton(tr("Copy as text"), "whyCopy", "link", this, [this] { copyText(); });
        notes->addLayout(spaced(new QHBoxLayout, {}, 8, {list, kStretch, copy}));
    }

    // A line that unfolds further reasons.
    void addFold(QBoxLayout& layout, const char* name, const QString& text,
                 const std::vector<std::size_t>& reasons)
    {
        auto* fold = makeButton(text, name, "link");
        auto* content = new QWidget;
        auto* rows = spaced(new QVBoxLayout(content), {}, 0);
        for (const std::size_t r : reasons)
            addReason(*rows, r);
        const auto show = [this, fold, content](bool isOpen) {
            content->setVisible(isOpen);
            fold->setIcon(makeIcon(isOpen ? Icon::ChevronDown : Icon::ChevronRight,
                                   m_theme.theme().chrome.text2));
        };
        fold->setCheckable(true);
        show(false);
        connect(fold, &QPushButton::toggled, this, show);
        layout.addLayout(spaced(new QVBoxLayout, {15, 6, 15, 6}, 0, {fold}));
        layout.addWidget(content);
    }

    void addReason(QBoxLayout& layout, std::size_t reason)
    {
        const WhyReason& of = why().reasons[reason];
        const auto sentence = profiler::reasonSentence(run(), why(), of);
        const auto rank = std::ranges::find(m_ranked, reason) - m_ranked.begin();
        const bool isRanked = rank < std::ssize(m_ranked);
        const QString plain = plainSentence(sentence, m_scale);
        auto* row = new WhyRow(isRanked ? tr("Reason %1: %2").arg(rank + 1).arg(plain) : plain);
        row->setObjectName(QStringLiteral("whyReason%1").arg(m_rows.size() + 1));
        QLabel* plate = named(
            makeLabel(isRanked ? QString::number(rank + 1) : QString(), isRanked ? "plate" : ""),
            "plate");
        plate->setFixedSize(16, 16);
        plate->setAlignment(Qt::AlignCenter);
        QLabel* text = makeWrappedText(richSentence(sentence, m_scale, m_theme.theme().chrome.text),
                                       "", "whySentence");
        text->setTextFormat(Qt::RichText);
        text->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        text->setFocusPolicy(Qt::NoFocus); // the row has the focus instead
        auto* column = spaced(new QVBoxLayout, {}, 3, {text});
        spaced(new QHBoxLayout(row), {10, 6, 12, 6}, 10, {{plate, 0, Qt::AlignTop}, {column, 1}});
        if (of.change)
            addEffect(*column, *row, reason);
        const int index = static_cast<int>(reason);
        row->setCurrent(index == m_reason);
        connect(text, &QLabel::linkActivated, this,
                [this](const QString& link) { chooseOp(link.mid(1).toUInt()); });
        row->chosen = [this, index] { choose(index); };
        row->hovered = [this, index](bool isOver) { highlight(isOver ? index : m_reason); };
        row->stepped = [this, row](int by) {
            std::vector<WhyRow*> rows;
            for (const auto& one : m_rows)
                rows.push_back(one.first);
            step(rows, row, by);
        };
        layout.addWidget(row);
        m_rows.emplace_back(row, index);
    }

    // Adds the change that a reason suggests, and its gain to scale.
    void addEffect(QBoxLayout& column, WhyRow& row, std::size_t reason)
    {
        const QString change
            = QString::fromStdString(profiler::changeText(run(), *why().reasons[reason].change));
        const WhyEffect effect = m_effects ? m_effects->effects[reason] : WhyEffect();
        const auto gain = static_cast<double>(gainOf(m_effects, reason));
        const QString value = !m_effects ? tr("computing…")
            : effect.change              ? differenceText(*effect.change, m_scale)
                                         : QString();
        QLabel* name = makeWrappedText(
            effect.problem.isEmpty() ? change : tr("%1: %2").arg(change, effect.problem), "small",
            "whyChange");
        QLabel* number = named(makeLabel(value, gain > 0 ? "gain" : "small"), "whyEffect");
        number->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        number->setMinimumWidth(40);
        if (effect.change && effect.change->least < effect.change->most)
            number->setToolTip(
                tr("%1, with the errors of earlier predictions%2")
                    .arg(m_scale.difference(static_cast<double>(effect.change->difference)),
                         effect.change->isDistinguishable()
                             ? QString()
                             : tr("; not distinguishable from none")));
        row.setAccessibleDescription(tr("%1: %2").arg(name->text(), value));
        auto* line = spaced(new QHBoxLayout, {}, 8, {{name, 1}});
        if (gain > 0 && std::ranges::count(m_ranked, reason) > 0) {
            const auto most = static_cast<double>(gainOf(m_effects, m_ranked.front()));
            auto* bar = new QProgressBar;
            bar->setProperty("kind", QStringLiteral("gain"));
            bar->setTextVisible(false);
            bar->setFixedSize(kGainBar, 10);
            bar->setRange(0, kGainBar);
            bar->setValue(std::max(1, static_cast<int>(std::lround(kGainBar * gain / most))));
            bar->setAccessibleName(tr("Gain"));
            line->addWidget(bar);
        }
        line->addWidget(number);
        column.addLayout(line);
    }

    // What limits the effects; "" if nothing does or they are not known yet.
    QString accuracyNote() const
    {
        if (!m_effects)
            return {};
        if (const auto& accuracy = m_effects->accuracy; !accuracy)
            return tr("No change can be simulated: %1.")
                .arg(QString::fromStdString(accuracy.error().message));
        else if (std::abs(*accuracy - 1) > kExact)
            return tr("Simulated again without a change, the iteration takes %1 of its recorded "
                      "time.")
                .arg(percent(*accuracy));
        return {};
    }

    void addSchemesHead(QBoxLayout& layout)
    {
        auto* tag = new Tag(m_theme);
        m_limit->setToolTip(tr("Marks the schemes that need more memory; empty: the memory of the "
                               "devices"));
        m_limit->setFixedWidth(64);
        m_limit->setAlignment(Qt::AlignRight);
        connect(m_limit, &QLineEdit::textChanged, this, &Panel::showSchemes);
        auto* title = spaced(new QHBoxLayout, {}, 8,
                             {makeLabel(tr("Fastest schemes"), "dock"), tag, kStretch});
        auto* limit = spaced(
            new QHBoxLayout, {}, 6,
            {makeLabel(tr("Memory limit per device"), "small"), kStretch, m_limit, m_limitUnit});
        auto* head = spaced(new QVBoxLayout, {15, 10, 12, 6}, 6);
        layout.addLayout(head);
        fill(*head, {title, limit});
        // Sets the text only now, because setText() shows the tag, which must have a parent by
        // then.
        tag->setText(tr("simulated"));
    }

    void showSchemes()
    {
        if (!m_place.marks || m_schemesOf != m_place.run)
            return;
        auto& layout = *renewed(m_schemeRows);
        layout.setContentsMargins(0, 0, 0, 8);
        m_schemeList.clear();
        m_buttons->hide();
        const auto note = [&layout](QWidget* widget) {
            layout.addLayout(spaced(new QHBoxLayout, {15, 2, 15, 4}, 8, {{widget, 1}}));
        };
        if (!m_schemes) {
            auto* cancel = makeButton(tr("Cancel"), "whyCancel", "tool", this, [this] {
                m_search.drop();
                m_schemes = FasterSchemesAnswer{{}, tr("the search was cancelled")};
                Q_EMIT schemesKnown(*m_schemes);
                QMetaObject::invokeMethod(this, &Panel::showSchemes, Qt::QueuedConnection);
            });
            cancel->setToolTip(tr("Stops the search for faster schemes"));
            layout.addLayout(spaced(new QHBoxLayout, {15, 2, 12, 4}, 8,
                                    {{makeLabel(tr("computing…"), "small"), 1}, cancel}));
            return;
        }
        const auto& schemes = m_schemes->schemes;
        if (schemes.empty())
            return note(makeWrappedText(m_schemes->reason.isEmpty()
                                            ? tr("No other scheme is faster with these costs")
                                            : tr("Not known: %1").arg(m_schemes->reason),
                                        "small", "whyNoScheme"));
        const engine::MemoryCapacity memory = limit(), device = profiler::deviceMemory(run());
        m_limitUnit->setText(memoryScale().unit());
        m_limit->setPlaceholderText(device.isKnown()
                                        ? memoryScale().text(static_cast<double>(device.usable()))
                                        : tr("none"));
        const FasterScheme* const best = profiler::firstThatFits(schemes, memory);
        std::vector<const FasterScheme*> shown;
        for (const FasterScheme& scheme : schemes)
            if (shown.size() < kMostSchemes)
                shown.push_back(&scheme);
        if (best != nullptr && std::ranges::count(shown, best) == 0)
            shown.back() = best;
        for (const FasterScheme* scheme : shown)
            addScheme(layout, *scheme);
        const auto isShown = [&](const FasterScheme* scheme) { return scheme->scheme == m_scheme; };
        if (!m_isSchemeChosen || std::ranges::none_of(shown, isShown))
            m_scheme = (best != nullptr ? best : shown.front())->scheme;
        if (best == nullptr) {
            std::optional<std::int64_t> least;
            for (const FasterScheme& scheme : schemes)
                if (scheme.peakBytes && scheme.peakBytes < least.value_or(*scheme.peakBytes + 1))
                    least = scheme.peakBytes;
            const Scale bytes = byteScale(least.value_or(0));
            note(makeWrappedText(
                least
                    ? tr("None fits; %1 would do").arg(bytes.withUnit(static_cast<double>(*least)))
                    : tr("None fits: their memory is not known"),
                "small", "whyNoneFits"));
        }
        chooseScheme(m_scheme);
    }

    void addScheme(QBoxLayout& layout, const FasterScheme& scheme)
    {
        const engine::MemoryCapacity memory = limit();
        const bool fits = scheme.fits(memory);
        const Scale bytes = memoryScale();
        const QString need
            = scheme.peakBytes ? bytes.text(static_cast<double>(*scheme.peakBytes)) : QString();
        const QString ofLimit = bytes.withUnit(static_cast<double>(memory.usable()));
        const QString text = !scheme.peakBytes ? memory.isKnown()
                ? tr("memory not known")
                : tr("%1 Mₐ on the fullest device").arg(signedNumber(scheme.stashes, 1))
            : !memory.isKnown() ? tr("peak %1 %2").arg(need, bytes.unit())
            : fits                             ? tr("fits: %1 of %2").arg(need, ofLimit)
                                               : tr("does not fit: %1 of %2").arg(need, ofLimit);
        const QString name = schemeLabel(QString::fromStdString(scheme.scheme));
        const QString gain = m_scale.difference(static_cast<double>(scheme.difference));
        auto* row = new WhyRow(tr("%1: %2, %3, %4").arg(name, time(scheme.iteration), gain, text));
        row->setObjectName(QStringLiteral("whyScheme%1").arg(m_schemeList.size() + 1));
        if (scheme.least < scheme.most)
            row->setToolTip(tr("%1 to %2, by the errors of earlier predictions")
                                .arg(m_scale.text(static_cast<double>(scheme.least)),
                                     m_scale.withUnit(static_cast<double>(scheme.most))));
        QLabel* number
            = makeLabel(gain, fits && scheme.effect().isDistinguishable() ? "gain" : "small");
        number->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        number->setMinimumWidth(44);
        auto* first = spaced(new QHBoxLayout, {}, 8,
                             {{makeLabel(name, fits ? "" : "secondary"), 1},
                              makeLabel(m_scale.text(static_cast<double>(scheme.iteration)),
                                        fits ? "" : "secondary"),
                              number});
        auto* second = spaced(new QHBoxLayout, {}, 5);
        if (!fits)
            second->addWidget(new IconLabel(m_theme, Icon::Warning, &Chrome::error, 12));
        fill(*second, {{makeLabel(text, fits ? "hint" : "problem"), 1}});
        spaced(new QVBoxLayout(row), {12, 1, 12, 2}, 0, {first, second});
        row->chosen = [this, key = scheme.scheme] {
            m_isSchemeChosen = true;
            chooseScheme(key);
        };
        row->stepped = [this, row](int by) { step(m_schemeList, row, by); };
        row->setProperty("scheme", QString::fromStdString(scheme.scheme));
        layout.addWidget(row);
        m_schemeList.push_back(row);
    }

    void chooseScheme(const std::string& name)
    {
        m_scheme = name;
        for (WhyRow* row : m_schemeList)
            row->setCurrent(row->property("scheme").toString().toStdString() == name);
        const auto found = std::ranges::find(m_schemes->schemes, name, &FasterScheme::scheme);
        const QString label = schemeLabel(QString::fromStdString(name));
        const QString problem = found->fits(limit())
            ? whyNotRun()
            : tr("%1 does not fit in the memory limit").arg(label);
        m_run->setText(tr("Run %1…").arg(label));
        m_run->setEnabled(problem.isEmpty());
        m_run->setToolTip(problem.isEmpty() ? tr("Opens New run, filled in") : problem);
        m_buttons->show();
    }

    // Gives the timeline the reasons, then the steps of the breakdown, in this order.
    void markRuler()
    {
        std::vector<PathReason> marks;
        const auto plate = [this](int number, const char* name, std::int64_t ticks) {
            const QString text = QStringLiteral("%1 %2").arg(tr(name), time(ticks));
            return number > 0 ? QStringLiteral("%1   %2").arg(number).arg(text) : text;
        };
        for (std::size_t r = 0; r < why().reasons.size(); ++r) {
            const WhyReason& of = why().reasons[r];
            const auto rank = std::ranges::find(m_ranked, r) - m_ranked.begin();
            const int number = rank < std::ssize(m_ranked) ? static_cast<int>(rank) + 1 : 0;
            marks.push_back({number, plate(number, profiler::reasonName(of.kind), of.time),
                             plainSentence(profiler::reasonSentence(run(), why(), of), m_scale),
                             of.device, of.window, of.parts});
        }
        if (why().breakdown)
            for (const Breakdown::Step& step : why().breakdown->steps) {
                const QString text = plate(0, profiler::stepName(step.kind), step.time);
                marks.push_back({0, text, text, why().breakdown->device, step.window, {}});
            }
        m_timeline.setReasons(std::move(marks));
        m_timeline.setReason(m_reason);
    }

    // Without choosing it.
    void highlight(int reason)
    {
        m_timeline.setReason(reason);
        if (m_waterfall != nullptr)
            m_waterfall->select(reason < 0 ? std::nullopt
                                           : std::optional(static_cast<std::size_t>(reason)));
    }

    void choose(int reason)
    {
        m_reason = reason;
        for (const auto& [row, of] : m_rows) {
            row->setCurrent(of == reason);
            if (of == reason && !row->isHidden())
                m_scroll->ensureWidgetVisible(row);
        }
        highlight(reason);
        if (reason >= 0 && !m_isChoosing)
            m_timeline.revealReason(reason);
    }

    void chooseOp(std::uint32_t op)
    {
        const QScopedValueRollback choosing(m_isChoosing, true);
        if (const auto to = selectOp(*m_view, op, m_iteration))
            m_timeline.select(*to);
    }

    // The first Esc releases the chosen reason, the next one closes the panel.
    void escape()
    {
        if (m_reason >= 0)
            choose(-1);
        else
            Q_EMIT closeRequested();
    }

    void step(const std::vector<WhyRow*>& rows, const WhyRow* from, int by)
    {
        auto at = std::ranges::find(rows, from) - rows.begin() + by;
        while (at >= 0 && at < std::ssize(rows) && rows[static_cast<std::size_t>(at)]->isHidden())
            at += by;
        if (at < 0 || at >= std::ssize(rows) || !rows[static_cast<std::size_t>(at)]->isVisible())
            return;
        rows[static_cast<std::size_t>(at)]->setFocus();
        rows[static_cast<std::size_t>(at)]->chosen();
    }

    void copyText() const
    {
        std::vector<std::optional<profiler::ChangeEffect>> effects(why().reasons.size());
        if (m_effects)
            std::ranges::transform(m_effects->effects, effects.begin(), &WhyEffect::change);
        const auto unknown = [](const QString& why) {
            return tl::unexpected(engine::Error{engine::Error::Code::NotFound, why.toStdString()});
        };
        profiler::WhyReport report{why(), std::move(effects),
                                   m_effects ? m_effects->accuracy : engine::Result<double>(1.0),
                                   unknown(tr("the search has not ended"))};
        if (m_schemes && m_schemes->reason.isEmpty())
            report.schemes = m_schemes->schemes;
        else if (m_schemes)
            report.schemes = unknown(m_schemes->reason);
        app::copyText(m_document->title() + QLatin1Char('\n')
                      + QString::fromStdString(profiler::whyText(run(), report)));
    }

    // Writes the prediction to a file, because the comparison page opens files.
    void compare()
    {
        m_compare->setEnabled(false);
        m_writing.run(
            [run = m_place.run, scheme = m_scheme, file = m_document->file().toStdString(),
             timing = tr("medians of %1").arg(m_document->title()).toStdString(),
             label = schemeLabel(QString::fromStdString(m_scheme)).toStdString()]()
                -> engine::Result<QString> {
                auto predicted = profiler::predictedRun(*run, scheme);
                if (!predicted)
                    return tl::unexpected(predicted.error());
                profiler::describeRecorded(*run, file, predicted->schedule.shape, predicted->info);
                predicted->info.label = label;
                predicted->info.outcome = engine::Outcome::Finished;
                predicted->info.started = run->info.started;
                predicted->info.timing = timing;
                return writeNewRun(*std::move(predicted));
            },
            [this](const engine::Result<QString>& file) {
                m_compare->setEnabled(true);
                if (file)
                    Q_EMIT pageRequested({"compare", {*file}, {m_document}});
                else
                    QMessageBox::warning(this, tr("Not written"),
                                         QString::fromStdString(file.error().message));
            });
    }

    // The sizes are those of the run: the experiment of a schedule file does not state them.
    void runScheme()
    {
        RunPlan plan = withScheme(planFromExperiment(QString::fromStdString(run().info.experiment)),
                                  m_scheme);
        plan.experiment.schedule.devices = run().schedule.shape.devices;
        plan.experiment.schedule.microBatches = run().schedule.shape.microBatches;
        Q_EMIT pageRequested({.kind = "setup", .plan = plan});
    }

    // `m_schemes` is known.
    engine::MemoryCapacity limit() const
    {
        const QString text = m_limit->text().trimmed();
        const auto typed = text.isEmpty() ? std::nullopt : decimal(text);
        setLook(m_limit, "invalid", !text.isEmpty() && !typed);
        if (!typed)
            return profiler::deviceMemory(run());
        return {std::max<std::int64_t>(1, std::llround(*typed * memoryScale().perUnit())), 0};
    }

    Scale memoryScale() const
    {
        std::int64_t largest = 0;
        for (const FasterScheme& scheme : m_schemes->schemes)
            largest = std::max(largest, scheme.peakBytes.value_or(0));
        return byteScale(largest);
    }

    // Returns the reason why a scheme cannot be run like this run; "" if it can.
    QString whyNotRun() const
    {
        const engine::RunInfo& info = run().info;
        return info.experiment.empty() || !engine::experimentFromToml(info.experiment)
            ? tr("The run does not state its experiment, so New run cannot be filled in")
            : QString();
    }

    const engine::Run& run() const { return *m_place.run; }
    const profiler::Why& why() const { return m_place.marks->why; }
    QString time(std::int64_t ticks) const { return m_scale.withUnit(static_cast<double>(ticks)); }

    const ThemeController& m_theme;
    TimelineWidget& m_timeline;
    std::shared_ptr<RunDocument> m_document;
    RunViewPointer m_view;
    int m_iteration = -1;
    bool m_isOn = false, m_isChoosing = false;

    Place m_place; // what is explained; without marks: nothing
    Scale m_scale;
    std::optional<WhyEffectsAnswer> m_effects; // nullopt: not known yet
    int m_reason = -1;
    bool m_isInTime = false;           // whether reasons are in time order, and not by gain
    std::vector<std::size_t> m_ranked; // reasons with a number, by gain

    RunPointer m_schemesOf;
    std::optional<FasterSchemesAnswer> m_schemes; // of m_schemesOf; nullopt: not known yet
    std::string m_scheme;                         // the selected one; "": none
    bool m_isSchemeChosen = false;                // by the user

    QScrollArea* m_scroll = new QScrollArea;
    QWidget *m_schemesPart = makeSurface("plain"), *m_schemeRows = makeHolder(),
            *m_buttons = new QWidget;
    QLineEdit* m_limit = named(new QLineEdit, "whyLimit", tr("Memory limit per device"));
    QLabel* m_limitUnit = named(makeLabel({}, "small"), "whyLimitUnit");
    // They belong to the body, which showBody() replaces.
    SceneView* m_waterfall = nullptr;
    QWidget* m_reasons = nullptr;
    std::vector<std::pair<WhyRow*, int>> m_rows; // with the index of the reason, top down
    std::vector<WhyRow*> m_schemeList;
    QPushButton *m_compare
        = makeButton(tr("Compare"), "whyCompare", "", this, [this] { compare(); }),
        *m_run = makeButton(tr("Run"), "whyRun", "primary");

    Latest<Place, Explained> m_paths{
        this,
        [](const Place& place) -> Explained {
            const Trimmed trimmed(*place.run);
            auto marks = makePathMarks(*place.run, place.iteration);
            if (!marks)
                return {place, QString::fromStdString(marks.error().message)};
            return {{place.run, place.iteration, *std::move(marks)}, {}};
        },
        [this](const Explained& explained) { explain(explained); },
        decltype(m_paths)::Older::Dropped,
        sideThreads(),
        PathFirst};
    Latest<Place, WhyEffectsAnswer> m_changes{this,
                                              [](const Place& place) {
                                                  const Trimmed trimmed(*place.run);
                                                  return simulateChanges(*place.run,
                                                                         place.marks->why);
                                              },
                                              [this](WhyEffectsAnswer answer) {
                                                  m_effects = std::move(answer);
                                                  showReasons();
                                              },
                                              decltype(m_changes)::Older::Dropped,
                                              sideThreads(),
                                              ChangesThen};
    Latest<RunPointer, FasterSchemesAnswer> m_search{this,
                                                     [](const RunPointer& run) {
                                                         const Trimmed trimmed(*run);
                                                         return findFasterSchemes(*run);
                                                     },
                                                     [this](FasterSchemesAnswer answer) {
                                                         m_schemes = std::move(answer);
                                                         showSchemes();
                                                         Q_EMIT schemesKnown(*m_schemes);
                                                     },
                                                     decltype(m_search)::Older::Dropped,
                                                     sideThreads(),
                                                     SchemesLast};
    Background m_writing{this};
};

} // namespace

WhyPanel* WhyPanel::make(const ThemeController& theme, TimelineWidget& timeline,
                         const std::shared_ptr<RunDocument>& document)
{
    return new Panel(theme, timeline, document);
}

} // namespace app
