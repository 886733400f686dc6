#include "app/search/search_page.h"

#include "app/plan/cost_form.h"
#include "app/plan/schedule_preview.h"
#include "app/shell/run_saver.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/form.h"
#include "app/ui/text.h"
#include "engine/base/try.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/experiment_fields.h"
#include "engine/schedule/check/communication.h"
#include "engine/schedule/check/validate.h"
#include "engine/schedule/formats/schedule_file.h"
#include "engine/schedule/passes/passes.h"
#include "profiler/study/chart_kit.h"

#include <QAction>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSplitter>
#include <QThreadPool>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace app {
namespace {

using profiler::ChartCanvas;
using profiler::ChartScale;
using profiler::kPlotLeft;
using profiler::kPlotTop;

constexpr double kRight = 180; // for the names of the lines

struct Chart
{
    const SearchHistory& history;
    const profiler::ChartStyle& style;
    ChartCanvas canvas{style};
    ChartScale x{}, y{};
    struct Label
    {
        double y = 0;
        std::string name, hint; // `hint` is on a second line; "": none
    };
    std::vector<Label> labels{};

    double at(double length) const { return y(length / lengthUnit(history.now.inUnits).first); }

    double timeAt(double seconds) const { return x(std::min(seconds, history.budget)); }

    void makeScales()
    {
        const profiler::SearchProgress& now = history.now;
        canvas.setRightMargin(kRight);
        // The top, times the best one; the start is often far longer, or the best one itself.
        constexpr double kLeast = 1.02, kTop = 1.1;
        std::vector<double> lengths{now.best};
        if (now.bound > 0)
            lengths.push_back(now.bound);
        if (!now.published.empty())
            lengths.push_back(now.publishedLength);
        lengths.push_back(std::max(
            kLeast * now.best,
            std::min(history.steps.front().second, kTop * *std::ranges::max_element(lengths))));
        const auto [unit, name] = lengthUnit(now.inUnits);
        for (double& length : lengths)
            length /= unit;
        x = profiler::scaleOf({0, history.budget}, kPlotLeft, canvas.right());
        y = profiler::scaleOf(lengths, canvas.bottom(), kPlotTop);
        if (now.bound > 0)
            canvas.box({kPlotLeft, at(now.bound), canvas.right() - kPlotLeft,
                        canvas.bottom() - at(now.bound)},
                       style.shade);
        canvas.drawValueAxis(y, name.toStdString());
        canvas.drawNumberAxis(x, "search time, s");
    }
    void drawLevel(double length, const std::string& name, const std::string& hint, bool isDashed)
    {
        canvas.line({kPlotLeft, at(length)}, {canvas.right(), at(length)}, 1.5, style.ink,
                    isDashed);
        label(length, name, hint);
    }
    void label(double length, const std::string& name, const std::string& hint = {})
    {
        labels.push_back(
            {at(length),
             name + " " + number(length / lengthUnit(history.now.inUnits).first, 2).toStdString(),
             hint});
    }
    // To the right of the plot, moved apart where they would overlap.
    void drawLabels()
    {
        constexpr double kLine = profiler::kChartText + 3, kGap = 4;
        const double left = canvas.right() + 8;
        const auto height = [](const Label& one) { return one.hint.empty() ? kLine : 2 * kLine; };
        std::ranges::stable_sort(labels, {}, &Label::y);
        double free = 0;
        for (Label& one : labels) {
            one.y = std::max(one.y, free);
            free = one.y + height(one) + kGap;
        }
        double below = canvas.bottom();
        for (auto one = labels.rbegin(); one != labels.rend(); ++one) {
            one->y = std::min(one->y, below - height(*one) + kLine);
            below = one->y - kLine - kGap;
        }
        for (const Label& one : labels) {
            const double baseline = one.y + profiler::kChartText / 3;
            canvas.text(left, baseline, one.name, profiler::Text::Anchor::Start, {style.ink, true});
            canvas.text(left, baseline + kLine, one.hint);
        }
    }
    void drawSteps()
    {
        constexpr double kWidth = 2.4;
        ChartCanvas::Point last;
        for (const auto& [seconds, length] : history.steps) {
            const ChartCanvas::Point point{timeAt(seconds), std::max(kPlotTop, at(length))};
            if (&length != &history.steps.front().second) {
                canvas.line(last, {point.first, last.second}, kWidth, style.ink);
                canvas.line({point.first, last.second}, point, kWidth, style.ink);
            }
            last = point;
        }
        const ChartCanvas::Point end{timeAt(history.now.seconds), last.second};
        canvas.line(last, end, kWidth, style.ink);
        canvas.line({end.first, kPlotTop}, {end.first, canvas.bottom()}, 1, style.text);
        canvas.dot(end.first, end.second, style.ink, style.ink);
        label(history.now.best, "best so far");
    }
};

} // namespace

void SearchHistory::add(const profiler::SearchProgress& progress)
{
    if (steps.empty() || progress.best < steps.back().second)
        steps.emplace_back(progress.seconds, progress.best);
    if (progress.found != nullptr && progress.found != now.found)
        addFound(*progress.found);
    now = progress;
    now.schemes = {};
}

void SearchHistory::addFound(const profiler::PredictedRun& run)
{
    const std::pair point(peakOf(run.metrics),
                          engine::ratio(run.metrics.duration, run.run.info.ticksPerUnit));
    std::erase_if(found, [&](const auto& one) {
        return one.first >= point.first && one.second >= point.second;
    });
    found.push_back(point);
}

std::pair<double, QString> lengthUnit(bool inUnits)
{
    const Scale ms = scaleIn(Unit::Millisecond);
    return inUnits ? std::pair(1.0, QStringLiteral("units")) : std::pair(ms.perUnit(), ms.unit());
}

profiler::MarkedScene searchChart(const SearchHistory& history, const ChartLook& look)
{
    if (history.steps.empty())
        return profiler::emptyChart(
            look.style, "The shortest iteration so far appears here while a search runs.");
    Chart chart{history, look.style};
    const profiler::SearchProgress& now = history.now;
    chart.makeScales();
    if (now.bound > 0)
        chart.drawLevel(now.bound, "bound", "no order of these ops is shorter", false);
    if (!now.published.empty())
        chart.drawLevel(now.publishedLength,
                        schemeTitle(QString::fromStdString(now.published)).toStdString(),
                        "best published that fits", true);
    chart.drawSteps();
    chart.drawLabels();
    return chart.canvas.finish();
}

double peakOf(const profiler::RunMetrics& metrics)
{
    constexpr double kGibi = 1 << 30;
    const auto bytes = metrics.peakBytes();
    return bytes ? static_cast<double>(*bytes) / kGibi : metrics.peakStash();
}

profiler::MarkedScene memoryChart(const SearchHistory& history,
                                  const std::vector<profiler::PublishedSchedule>& schemes,
                                  const profiler::MemoryLimit& limit, const ChartLook& look)
{
    if (schemes.empty())
        return profiler::emptyChart(look.style, "The memory of the schedules appears here.");
    // Schemes that take longer than kTop times the shortest are drawn at the top.
    constexpr double kMargin = 20, kGibi = 1 << 30, kTop = 1.4;
    const auto [unit, name] = lengthUnit(history.now.inUnits);
    const bool hasBytes = schemes.front().metrics.peakBytes().has_value();
    const double most = limit.of.empty()
        ? 0
        : *std::ranges::min_element(limit.of) / (limit.isInBytes ? kGibi : 1);
    std::vector<profiler::ParetoPoint> points;
    const auto add = [&](double peak, double length, std::string label, bool isFound) {
        points.push_back({.x = peak,
                          .y = length / unit,
                          .label = std::move(label),
                          .isBold = isFound,
                          .isFilled = isFound});
    };
    for (const auto& one : schemes)
        add(peakOf(one.metrics), one.length,
            schemeTitle(QString::fromStdString(one.scheme)).toStdString(), false);
    for (const auto& [peak, length] : history.found)
        add(peak, length, number(length / unit, 2).toStdString(), true);
    std::ranges::stable_sort(points, {}, [](const auto& one) { return std::pair(one.x, one.y); });
    double best = std::numeric_limits<double>::infinity();
    for (profiler::ParetoPoint& point : points) {
        point.isOnFront = point.y < best;
        best = std::min(best, point.y);
    }
    for (profiler::ParetoPoint& point : points)
        if (point.y > kTop * best && !point.isFilled) // the label of a found one is its length
            point.label += ' ' + number(point.y, 1).toStdString();
    std::vector<double> peaks, lengths;
    for (const profiler::ParetoPoint& point : points) {
        peaks.push_back(point.x);
        lengths.push_back(std::min(point.y, kTop * best));
    }
    const profiler::ChartStyle& style = look.style;
    ChartCanvas canvas(style);
    canvas.setRightMargin(kMargin);
    const ChartScale x = profiler::scaleOf(peaks, kPlotLeft, canvas.right());
    const ChartScale y = profiler::scaleOf(lengths, canvas.bottom(), kPlotTop);
    if (most > x.least && most < x.most) {
        canvas.box({x(most), kPlotTop, canvas.right() - x(most), canvas.bottom() - kPlotTop},
                   style.shade);
        canvas.line({x(most), kPlotTop}, {x(most), canvas.bottom()}, 1, style.ink, true);
    }
    canvas.drawValueAxis(y, name.toStdString());
    canvas.drawNumberAxis(
        x,
        (hasBytes ? labelled(QStringLiteral("peak memory of a device, %1"), Unit::GiB).toStdString()
                  : std::string("peak stash, M_a"))
            + "; filled: found");
    profiler::drawPareto(canvas, std::move(points), x, y, profiler::FrontEnds::AtEdges);
    return canvas.finish();
}

namespace {

using profiler::PublishedSchedule;
using profiler::SearchVerdict;

// The schedule of the search first, then those within lower limits.
struct Found
{
    profiler::VariedSearch varied;
    profiler::MemoryLimit limit;
    std::vector<std::vector<std::string>> checks = {}; // of each schedule

    std::size_t size() const { return 1 + varied.lower.size(); }
    const profiler::SearchResult& result(std::size_t i) const
    {
        return i == 0 ? varied.result : varied.lower[i - 1].result;
    }
    const profiler::MemoryLimit& limitOf(std::size_t i) const
    {
        return i == 0 ? limit : varied.lower[i - 1].limit;
    }
};

// A published scheme, or one that was found.
struct ScheduleRow : PublishedSchedule
{
    std::optional<std::size_t> found = {}; // index into Found
};

// What a validator and the transports say about a found schedule.
std::vector<std::string> checksOf(const engine::Schedule& order)
{
    constexpr const char *kYes = "✓ ", *kNo = "✗ ";
    const auto violations = engine::validate(order);
    std::vector<std::string> all{
        violations.empty() ? fmt::format("{}valid: {} ops on {} devices, no deadlock", kYes,
                                         engine::opCount(order), order.shape.devices)
                           : kNo + violations.front().message};
    const auto report = engine::checkCommunication(engine::lower(order));
    for (const auto kind : {engine::TransportKind::Tagged, engine::TransportKind::Nccl}) {
        const engine::TransportVerdict& verdict = report.verdicts[kind];
        all.push_back(fmt::format("{}{}{}", verdict.safe ? kYes : kNo, engine::transportTitle(kind),
                                  verdict.safe ? "" : ": " + verdict.reason));
    }
    return all;
}

constexpr int kFormColumn = 310, kResultColumn = 372, kFoldResult = 1280; // px
constexpr int kTick = 200;                                                // ms
constexpr int kRows = 280, kLowRows = 170, kLowPage = 800;                // px
constexpr int kLowerLimits = 4; // SearchRequest::lowerLimits

engine::Fields<SearchSettings> searchFields()
{
    static const std::vector<engine::Field<SearchSettings>> kFields = [] {
        auto memory = engine::field(
            engine::option({}, "--memory", "Limit per device",
                           "Most memory of a device: stashes in Mₐ (5), or everything in bytes "
                           "(9GiB); one value, or one for each device"),
            &SearchSettings::memory);
        memory.set = [](SearchSettings& settings, std::string_view text) -> engine::Result<void> {
            if (!text.empty())
                TRY(profiler::MemoryLimit::parse(text));
            settings.memory = text;
            return {};
        };
        std::vector<engine::Field<SearchSettings>> fields{memory};
        for (const auto& field : profiler::variationFields())
            fields.push_back(engine::lifted(field, &SearchSettings::vary));
        fields.push_back(
            engine::field(engine::option({}, "--seconds", "Time, s", "About how long to search")
                              .between(0.1, 86'400),
                          &SearchSettings::seconds));
        return fields;
    }();
    return kFields;
}

const engine::Field<engine::UnitCosts>& seedField()
{
    static const engine::Field<engine::UnitCosts> kSeed = [] {
        auto seed = *engine::findField(engine::unitCostFields(), "--seed");
        seed.label = "Seed";
        seed.help = "Seed of the search and of the jitter";
        return seed;
    }();
    return kSeed;
}

// A text of the engine with the unit of stashes as the window writes it.
QString windowText(const std::string& text)
{
    return fromUtf8(text).replace(QStringLiteral("M_a"), QStringLiteral("Mₐ"));
}

QString peakText(const profiler::RunMetrics& metrics)
{
    const auto bytes = metrics.peakBytes();
    return bytes ? scaleIn(Unit::GiB, 2).withUnit(static_cast<double>(*bytes))
                 : QStringLiteral("%1 Mₐ").arg(number(metrics.peakStash(), 1));
}

// Searches the shortest schedule for given costs. The search runs on other threads, and the page
// looks at its progress five times a second, however often it reports. Closing the page stops it.
class SearchPage : public Page
{
public:
    explicit SearchPage(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("searchPage"));
        m_settings.plan.experiment.mode = engine::Mode::Simulate;
        makeActions();
        m_form = makeForm();
        QWidget *centre = makeCentre(), *result = makeResult();
        spaced(new QVBoxLayout(this), {}, 0,
               {makeSplitter(Qt::Horizontal,
                             {{m_form, kFormColumn}, {centre, 900, 1}, {result, kResultColumn}})});
        result->setVisible(m_showResult->isChecked());
        connect(m_showResult, &QAction::toggled, result, &QWidget::setVisible);
        connect(m_fields, &BoundFields::edited, this, &SearchPage::edited);
        connect(m_costs, &CostForm::edited, this, &SearchPage::edited);
        connect(m_costs, &CostForm::planChanged, this, &SearchPage::followRun);
        connect(&m_tick, &QTimer::timeout, this, &SearchPage::showProgress);
        connect(m_published, &QAbstractItemView::clicked, this, &SearchPage::choose);
        connect(m_published, &QAbstractItemView::activated, this, &SearchPage::choose);
        m_differences->setTextFormat(Qt::RichText);
        connect(m_differences, &QLabel::linkHovered, this,
                [this](const QString& number) { showMarks(number.toInt()); });
        connect(m_differences, &QLabel::linkActivated, this, [this](const QString& number) {
            m_pinned = number.toInt() == m_pinned ? 0 : number.toInt();
            showMarks();
        });
        connect(&m_views, &ViewPreparation::ready, this,
                [this](const auto& views) { showSchedules(views); });
        m_tick.setInterval(kTick);
        setPlan(m_settings.plan);
        showResult();
    }

    ~SearchPage() override { stop(); }

    QString title() const override { return tr("Shortest schedule"); }

    QStringList statusTexts() const override
    {
        const auto& schedule = m_settings.plan.experiment.schedule;
        const profiler::SearchProgress& now = m_history.now;
        QStringList texts{
            m_running == nullptr
                ? (m_result == nullptr
                       ? tr("<b>No search</b>")
                       : tr("<b>Search ended</b> after %1 s").arg(number(now.seconds, 1)))
                : tr("<b>Searching</b> %1 of %2 s")
                      .arg(number(now.seconds, 0), number(m_history.budget, 0)),
            countOf(schedule.devices, "device"), tr("N %1").arg(schedule.microBatches)};
        if (now.orders > 0)
            texts.append(tr("%1 orders tried").arg(number(static_cast<double>(now.orders), 0)));
        return texts;
    }

    QString statusNote() const override
    {
        const profiler::SearchProgress& now = m_history.now;
        return m_history.steps.empty() || now.bound <= 0
            ? QString()
            : tr("%1, bound %2")
                  .arg(fromUtf8(profiler::lengthText(now.best, now.inUnits)),
                       fromUtf8(profiler::lengthText(now.bound, now.inUnits)));
    }

    void showRequest(const PageRequest& request) override
    {
        if (request.plan)
            setPlan(*request.plan);
    }

    QJsonObject state() const override
    {
        return {{QStringLiteral("plan"), planState(m_settings.plan)},
                {QStringLiteral("search"), fieldTexts(searchFields(), m_settings)}};
    }

    void restoreState(const QJsonObject& state) override
    {
        setFields(searchFields(), m_settings, state.value(QStringLiteral("search")).toObject());
        setPlan(restoredPlan(state.value(QStringLiteral("plan")).toObject()));
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        Page::resizeEvent(event);
        shareHeight();
    }

private:
    struct Running // shared with the threads of the search
    {
        std::atomic<bool> stop{false};
        std::mutex mutex; // protects the others
        SearchHistory history;
        std::vector<PublishedSchedule> schemes;
        profiler::MemoryLimit limit;
    };
    // Called on another thread.
    static engine::Result<Found> searched(const SearchSettings& settings, Running& running)
    {
        profiler::SearchRequest request;
        request.prediction = settings.plan.request();
        request.seconds = settings.seconds;
        request.orders = settings.orders;
        request.lowerLimits = kLowerLimits;
        const auto costs = TRY(profiler::costsOf(request.prediction));
        request.limit = TRY(profiler::memoryLimit(settings.memory, costs));
        {
            const std::scoped_lock lock(running.mutex);
            running.limit = request.limit;
        }
        auto result = TRY(profiler::searchVaried(
            request, settings.vary,
            [&running](const profiler::SearchProgress& now) {
                const std::scoped_lock lock(running.mutex);
                running.history.add(now);
                if (running.schemes.empty())
                    running.schemes.assign(now.schemes.begin(), now.schemes.end());
            },
            running.stop,
            [&running](const profiler::LowerSearch& lower) {
                const std::scoped_lock lock(running.mutex);
                running.history.addFound(lower.result.found);
            }));
        Found found{std::move(result), request.limit};
        for (std::size_t i = 0; i < found.size(); ++i)
            found.checks.push_back(checksOf(found.result(i).order));
        return found;
    }

    void makeActions()
    {
        m_start = makeAction("startSearch", tr("Search"), Qt::CTRL | Qt::Key_Return,
                             [this] { start(); });
        m_stop = makeAction(
            "stopSearch", tr("Stop"), Qt::Key_Escape, [this] { stop(); },
            tr("end the search and keep the best schedule"));
        m_longer = makeAction(
            "searchLonger", tr("Search longer"), {}, [this] { searchLonger(); },
            tr("try twice as many orders, and keep the shorter schedule"));
        m_keep = makeAction(
            "keepFound", tr("Keep best"), QKeySequence::Save, [this] { keepBest(); },
            tr("save the best schedule as a scheme file, which New run lists; a search goes on"));
        m_edit = makeAction("editFound", tr("Open in the editor"), {}, [this] { openInEditor(); });
        m_export = makeAction("exportFound", tr("Export CSV"), {}, [this] { exportCsv(); });
        m_copy = makeAction("copySearch", tr("Copy command"), {}, [this] { copyCommand(); });
        m_showResult = makeAction("showSearchResult", tr("Found and published schedules"), {});
        foldBelow(kFoldResult, *m_showResult);
        followTheme(m_showResult, Icon::Info, m_theme);
        inMenu(Menu::Run, {m_start, m_stop, m_longer, m_keep, m_edit, m_copy});
        inMenu(Menu::View, {m_showResult});
        inMenu(Menu::Export, {m_export});
    }

    QWidget* makeForm()
    {
        auto* content = makeSurface("plain");
        auto* column = spaced(new QVBoxLayout(content), {}, 0);
        makeShape(*makeFormSection(*column));
        column->addWidget(makeLine(Qt::Horizontal));
        column->addWidget(m_costs);
        makeSearch(*makeFormSection(*column));
        column->addStretch(1);
        m_startButton = makeButton(m_start, "searchButton", "primary");
        m_stopButton = makeButton(m_stop, "stopButton");
        setInitialFocus(m_startButton);
        auto* form = makeLined({makeBar(40, 8, {makeLabel(tr("Set-up"), "dock"), kStretch}),
                                {makeScroll(content), 1},
                                makeFoot({{m_startButton, 1},
                                          {m_stopButton, 1},
                                          {makeButton(m_longer, "searchLongerButton"), 1}})});
        form->setMinimumWidth(kFormColumn);
        return form;
    }

    void makeShape(QVBoxLayout& column)
    {
        const auto add = [&](const char* flag) {
            return m_fields->addRow(column, engine::experimentField(flag),
                                    m_settings.plan.experiment, "search");
        };
        add("--devices");
        add("--micro-batches");
        add("--chunks")->setFixedWidth(kFormFieldWidth); // for "the scheme's"
        add("--recompute");
        add("--sync");
    }

    void makeSearch(QVBoxLayout& column)
    {
        for (const auto& field : searchFields()) {
            QWidget* widget = m_fields->addRow(column, field, m_settings, "search",
                                               field.kind == engine::FieldKind::Real
                                                   ? BoundFields::Look::Spin
                                                   : BoundFields::Look::ByKind);
            if (field.flag != "--memory")
                continue;
            m_memory = qobject_cast<QLineEdit*>(widget);
            column.addWidget(m_problem);
        }
        m_fields->addRow(column, seedField(), m_settings.plan.costs, "search");
    }

    QWidget* makeCentre()
    {
        m_chart->setFrameShape(QFrame::NoFrame);
        m_chart->setMinimumHeight(180);
        m_memoryChart->setFrameShape(QFrame::NoFrame);
        m_memoryChart->setMinimumHeight(150);
        m_notice->hide();
        m_preview->setName(tr("Found"));
        m_preview->setPlaceholder(tr("The best schedule so far appears here"));
        auto* chart = makeColumn(
            {}, 0, {m_notice, makeColumn({12, 10, 12, 6}, 0, {m_sentence}), {m_chart, 1}});
        return makeLined(
            {makeBar(40, 8,
                     {makeLabel(tr("Best so far"), "dock"), new Tag(m_theme, tr("simulated"), this),
                      kStretch, m_left, makeToolButton(m_showResult)}),
             {chart, 1},
             makeBar(32, 8,
                     {makeLabel(tr("Found schedule"), "dock"),
                      new Tag(m_theme, tr("simulated"), this),
                      {m_facts, 1},
                      makeButton(m_export, "exportFoundButton", "tool"),
                      makeButton(m_copy, "copySearchButton", "tool")}),
             makeColumn({14, 4, 8, 4}, 0, {m_preview, m_best})});
    }

    QWidget* makeResult()
    {
        m_differences->setContentsMargins(12, 10, 12, 10);
        m_differences->setAlignment(Qt::AlignTop);
        QScrollArea* differences = makeScroll(m_differences);
        differences->setFocusPolicy(Qt::StrongFocus); // the keyboard can scroll it
        differences->setAccessibleName(tr("What differs"));
        auto* dock
            = makeLined({makeBar(40, 8, {makeLabel(tr("Found and published"), "dock"), kStretch}),
                         {m_memoryChart, 3},
                         {m_published, 3},
                         makeBar(36, 8, {makeLabel(tr("What differs"), "dock"), m_from, kStretch}),
                         {differences, 2},
                         makeFoot({{makeButton(m_edit, "editFoundButton", "primary"), 1},
                                   makeButton(m_keep, "keepFoundButton")})});
        dock->setMinimumWidth(kFormColumn);
        return dock;
    }

    std::vector<TableColumn<ScheduleRow>> columns() const
    {
        using Shown = TableColumn<ScheduleRow>;
        const auto [unit, name] = lengthUnit(m_history.now.inUnits);
        const bool hasBytes = std::ranges::any_of(
            m_schemes, [](const auto& one) { return one.metrics.peakBytes().has_value(); });
        const auto peak = [hasBytes](const ScheduleRow& one) {
            return hasBytes ? static_cast<double>(one.metrics.peakBytes().value_or(0))
                            : one.metrics.peakStash();
        };
        std::vector<Shown> columns{
            Shown(
                tr("Scheme"),
                [](const ScheduleRow& one) {
                    return one.found ? tr("Found, %1").arg(peakText(one.metrics))
                                     : schemeTitle(QString::fromStdString(one.scheme));
                },
                Qt::AlignLeft),
            Shown(tr("Iteration, %1").arg(name),
                  [unit = unit](const ScheduleRow& one) { return number(one.length / unit, 2); })
                .sortedBy([](const ScheduleRow& one) { return one.length; }),
            Shown(hasBytes ? labelled(tr("Peak, %1"), Unit::GiB) : tr("Peak, Mₐ"),
                  [=](const ScheduleRow& one) {
                      return hasBytes ? scaleIn(Unit::GiB, 2).text(peak(one))
                                      : number(peak(one), 1);
                  })
                .onlyIf([=](const ScheduleRow& one) {
                    return !hasBytes || one.metrics.peakBytes().has_value();
                })
                .sortedBy(peak),
            Shown(tr("Fits"),
                  [](const ScheduleRow& one) { return one.fits ? tr("yes") : tr("no"); })};
        for (auto& column : columns)
            column.with(kHintRole, [](const ScheduleRow& one) { return !one.fits; });
        return columns;
    }

    // The published schemes and, after a search, what it has found, sorted by length.
    void showRows()
    {
        std::vector<ScheduleRow> rows;
        for (const PublishedSchedule& one : m_schemes)
            rows.push_back({one});
        for (std::size_t i = 0; m_found != nullptr && i < m_found->size(); ++i) {
            const profiler::SearchResult& result = m_found->result(i);
            const profiler::RunMetrics& metrics = result.found.metrics;
            rows.push_back({{"", result.length(), metrics, m_limit.admits(metrics)}, i});
        }
        std::ranges::stable_sort(rows, {}, &ScheduleRow::length);
        m_published->show(columns(), std::move(rows));
        for (int row = 0; row < m_published->rows().rowCount(); ++row)
            if (m_published->at(row).found == m_shown)
                m_published->setCurrentIndex(m_published->model()->index(row, 0));
    }

    // Shows the schedule of the current row, if it was found.
    void choose()
    {
        const ScheduleRow* row = m_published->current();
        if (row == nullptr || !row->found || row->found == m_shown)
            return;
        show(*row->found);
        showResult();
    }

    // The numbers of the shown schedule; m_history has those of the search.
    profiler::SearchProgress shown() const
    {
        return m_result != nullptr ? m_result->numbers() : m_history.now;
    }

    // Sets the shown schedule of m_found.
    void show(std::size_t found)
    {
        m_shown = found;
        m_limit = m_found->limitOf(found);
        m_result = {m_found, &m_found->result(found)};
        showSentence();
    }

    void setPlan(const RunPlan& plan)
    {
        m_settings.plan = plan;
        m_settings.plan.experiment.mode = engine::Mode::Simulate;
        m_fields->show();
        m_costs->showPlan();
        edited();
    }

    // Takes the number of chunks from the run with the costs.
    // The costs of a run are those of its stages, so the devices need as many chunks as the run
    // has.
    void followRun()
    {
        const CostSource& source = m_settings.plan.source;
        engine::ScheduleRequest& schedule = m_settings.plan.experiment.schedule;
        if (source.kind == CostSource::Kind::Recorded && source.run) {
            schedule.scheme = source.run->schedule.scheme;
            schedule = withStagesOf(source, schedule);
        }
        m_fields->show();
        edited();
    }

    void edited()
    {
        const QString problem
            = m_fields->problem().isEmpty() ? m_costs->problem() : m_fields->problem();
        m_problem->setText(withLabels(searchFields(), problem.toStdString()));
        m_problem->setVisible(!problem.isEmpty());
        m_memory->setPlaceholderText(m_settings.plan.source.kind == CostSource::Kind::Hardware
                                         ? tr("of the hardware")
                                         : tr("none"));
        enable();
    }

    void start()
    {
        m_searched = m_settings;
        m_before.reset();
        begin();
    }

    // Twice as many orders cool more slowly. The shorter of both schedules is kept.
    void searchLonger()
    {
        const profiler::SearchResult& last = m_found->varied.result;
        m_searched.orders = 2 * last.orders;
        m_searched.seconds = std::max(1.0, 2 * last.seconds);
        m_before = m_found;
        begin();
    }

    void begin()
    {
        m_result.reset();
        m_found.reset();
        m_drawn.reset();
        m_history = {};
        m_schemes.clear();
        m_history.budget = m_searched.seconds;
        m_running = std::make_shared<Running>();
        m_running->history = m_history;
        m_form->findChild<QScrollArea*>()->setEnabled(false);
        m_notice->hide();
        m_sentence->show(Band::Kind::Neutral, tr("Predicting the published schemes."), {});
        showResult();
        m_tick.start();
        m_background.run(
            [settings = m_searched, running = m_running] {
                // A search lasts: the pool may start another thread in its place.
                QThreadPool::globalInstance()->releaseThread();
                auto result = searched(settings, *running);
                QThreadPool::globalInstance()->reserveThread();
                return result;
            },
            [this](engine::Result<Found> found) { finish(std::move(found)); });
    }

    void stop()
    {
        if (m_running != nullptr)
            m_running->stop = true;
    }

    void showProgress()
    {
        {
            const std::scoped_lock lock(m_running->mutex);
            m_history = m_running->history;
            m_limit = m_running->limit;
            if (m_schemes.empty() && !m_running->schemes.empty()) {
                m_schemes = m_running->schemes;
                showRows();
            }
        }
        if (m_history.steps.empty())
            return;
        m_left->setText(remainingTime(std::max(0.0, m_history.budget - m_history.now.seconds)));
        showSentence();
        drawCharts();
        if (const auto& found = m_history.now.found; found != nullptr && found != m_drawn) {
            m_drawn = found;
            m_views.ask({RunPointer(found, &found->run)});
            m_facts->setText(
                tr("bubble %1, peak %2").arg(bubbleText(found->metrics), peakText(found->metrics)));
            m_keep->setEnabled(true);
        }
        Q_EMIT statusChanged();
    }

    void drawCharts()
    {
        m_chart->draw(
            [history = m_history](const ChartLook& look) { return searchChart(history, look); });
        m_memoryChart->draw(
            [history = m_history, schemes = m_schemes, limit = m_limit](const ChartLook& look) {
                return memoryChart(history, schemes, limit, look);
            });
    }

    void finish(engine::Result<Found> result)
    {
        m_tick.stop();
        showProgress();
        const bool hasFocus = m_stopButton->hasFocus();
        m_running.reset();
        m_form->findChild<QScrollArea*>()->setEnabled(true);
        if (result) {
            m_found = std::make_shared<const Found>(*std::move(result));
            if (m_before && m_before->varied.result.length() <= m_found->varied.result.length())
                m_found = m_before;
            m_history.add(m_found->varied.result.numbers());
            show(0);
        } else if (result.error().code == engine::Error::Code::Cancelled) {
            m_sentence->show(Band::Kind::Neutral, tr("Stopped before there was a schedule."), {});
        } else {
            m_sentence->show(
                Band::Kind::Error, tr("No schedule found."),
                capitalized(
                    withLabels(searchFields(), windowText(result.error().message).toStdString())));
        }
        showResult();
        if (hasFocus)
            m_startButton->setFocus();
    }

    // Shows the last search, or that there is none.
    void showResult()
    {
        if (m_running == nullptr)
            m_left->clear();
        if (m_running == nullptr && m_result == nullptr && m_history.budget == 0)
            m_sentence->show(
                Band::Kind::Neutral, tr("No search yet."),
                tr("Search changes the order of the published schemes that fit and keeps "
                   "the shortest."));
        if (m_result != nullptr)
            m_schemes = m_result->published;
        drawCharts();
        showRows();
        QStringList texts;
        QString facts, from;
        m_best->hide();
        shareHeight();
        if (m_result == nullptr) {
            m_preview->show(nullptr);
        } else {
            std::vector<RunPointer> runs{RunPointer(m_result, &m_result->found.run)};
            if (const auto& best = m_result->publishedRun)
                runs.emplace_back(best, &best->run);
            m_views.ask(std::move(runs));
            facts = tr("bubble %1, peak %2; started from %3")
                        .arg(bubbleText(m_result->found.metrics), peakText(m_result->found.metrics),
                             schemeTitle(QString::fromStdString(m_result->start)));
            texts = differences();
            if (m_result->bestPublished() == nullptr)
                texts.append(tr("No published scheme fits, so there is none to compare with."));
            else if (texts.isEmpty())
                texts.append(tr("Nothing: no shorter order was found."));
            else
                from = tr("from %1").arg(
                    schemeTitle(QString::fromStdString(m_result->bestPublished()->scheme)));
            if (!m_result->moves.empty())
                facts = tr("%1; %2").arg(facts, fromUtf8(m_result->moves));
            const profiler::SearchChoice& chosen = m_found->varied.choices[m_found->varied.chosen];
            if (!chosen.text().empty())
                texts.prepend(tr("Found with %1.").arg(htmlText(chosen.text())));
            for (const std::string& text : m_result->warnings)
                texts.append(tr("Warning: %1").arg(htmlText(text)));
            QStringList checks;
            for (const std::string& text : m_found->checks[m_shown])
                checks.append(htmlText(text));
            texts.append(checks.join(QLatin1String("<br>")));
        }
        m_facts->setText(facts);
        m_from->setText(from);
        m_differences->setText(texts.join(QStringLiteral("<p>")));
        enable();
    }

    static QString htmlText(const std::string& text) { return fromUtf8(text).toHtmlEscaped(); }

    // In HTML, with numbers; the op of a difference is a link whose target is the number.
    QStringList differences() const
    {
        QStringList texts;
        for (const profiler::SearchResult::Difference& difference : m_result->differences) {
            const auto number = texts.size() + 1;
            QString text = capitalized(windowText(difference.text)).toHtmlEscaped();
            if (difference.moved)
                text.replace(0, static_cast<qsizetype>(difference.moved->op.size()),
                             QStringLiteral("<a href='%1'>%2</a>")
                                 .arg(number)
                                 .arg(htmlText(difference.moved->op)));
            texts.append(QStringLiteral("<b>%1</b>&nbsp; %2").arg(number).arg(text));
        }
        return texts;
    }

    void shareHeight()
    {
        const int all = height() < kLowPage ? kLowRows : kRows;
        for (SchedulePreview* preview : {m_preview, m_best})
            preview->setRowsHeight(m_best->isHidden() ? all : all / 2);
    }

    // Outlines the ops of the differences in both schedules, with the numbers of their sentences;
    // only one of them while its link is hovered or after it was clicked.
    void showMarks(int hovered = 0)
    {
        if (m_result == nullptr || m_result->publishedRun == nullptr)
            return;
        const int only = hovered > 0 ? hovered : m_pinned;
        SchedulePreview::Marks found, best;
        found.iteration = engine::reportedIteration(m_result->found.run.timeline);
        best.iteration = engine::reportedIteration(m_result->publishedRun->run.timeline);
        int number = 0;
        for (const profiler::SearchResult::Difference& difference : m_result->differences) {
            ++number;
            if (!difference.moved || (only > 0 && only != number))
                continue;
            const auto& [op, device, before, after] = *difference.moved;
            best.parts.push_back({device.value, before, number});
            found.parts.push_back({device.value, after, number});
        }
        m_best->setMarks(std::move(best));
        m_preview->setMarks(std::move(found));
    }

    // The found schedule and, after a search, the best published one on the same time axis.
    void showSchedules(const std::vector<RunViewPointer>& views)
    {
        m_preview->setAxis(0);
        m_preview->setMarks({});
        if (m_result != nullptr && views.size() > 1) {
            const auto& found = m_result->found;
            const auto& best = *m_result->publishedRun;
            const double scale
                = engine::ratio(found.run.info.ticksPerUnit, best.run.info.ticksPerUnit);
            const double longest = std::max(static_cast<double>(found.metrics.duration),
                                            scale * static_cast<double>(best.metrics.duration));
            m_preview->setAxis(std::llround(longest));
            m_best->setAxis(std::llround(longest / scale));
            m_best->setName(schemeTitle(QString::fromStdString(shown().published)));
            m_best->show(views.back());
            m_pinned = 0;
            showMarks();
            shareHeight();
        }
        m_preview->show(views.front());
    }

    void showSentence()
    {
        profiler::SearchProgress now = shown();
        if (!now.published.empty())
            now.published = schemeTitle(QString::fromStdString(now.published)).toStdString();
        const SearchVerdict verdict = profiler::verdict(now, m_limit);
        using Kind = SearchVerdict::Kind;
        m_sentence->show(verdict.kind == Kind::Shorter      ? Band::Kind::Ok
                             : verdict.kind == Kind::Longer ? Band::Kind::Warning
                                                            : Band::Kind::Neutral,
                         windowText(verdict.lead), windowText(verdict.rest));
    }

    void enable()
    {
        const bool isRunning = m_running != nullptr;
        m_stop->setEnabled(isRunning); // first, so that the focus goes from Search to Stop
        m_start->setEnabled(!isRunning && m_problem->text().isEmpty());
        for (QAction* action : {m_edit, m_export, m_copy, m_keep, m_longer})
            action->setEnabled(m_result != nullptr);
        Q_EMIT statusChanged();
    }

    void openInEditor()
    {
        Q_EMIT pageRequested({.kind = "editor",
                              .schedule = std::make_shared<const engine::Schedule>(m_result->order),
                              .costs = m_searched.plan.request()});
    }

    void exportCsv()
    {
        m_saver.saveText(
            {tr("Export the schedule"), QStringLiteral("found"), tr("Schedule (*.csv)")},
            [result = m_result]() -> engine::Result<std::string> {
                return engine::writeCsv(result->order);
            });
    }

    void keepBest()
    {
        const engine::Schedule order = m_result != nullptr
            ? m_result->order
            : engine::keepOps(m_drawn->run.schedule, [](engine::OpKind kind) {
                  return engine::runsMicroBatch(kind) || engine::isCopy(kind);
              });
        const QString name = QInputDialog::getText(
            this, tr("Keep the schedule"), tr("Name of the scheme, which New run lists"),
            QLineEdit::Normal,
            tr("found %1").arg(fromUtf8(profiler::lengthText(shown().best, shown().inUnits))));
        if (name.isEmpty())
            return;
        const auto file = keepScheme(name, order);
        m_notice->show(file ? Band::Kind::Ok : Band::Kind::Error,
                       file ? tr("Kept.") : tr("Not kept."),
                       file ? *file : fromUtf8(file.error().message));
    }

    void copyCommand()
    {
        copyText(command());
        m_notice->show(Band::Kind::Ok,
                       m_result->isComplete ? tr("Copied.")
                                            : tr("Copied, but the search ended before all its "
                                                 "orders, so this may find another schedule."),
                       command());
    }

    // Repeats the search of the result, if it was complete.
    QString command() const
    {
        const PredictionRequest request = m_searched.plan.request();
        const auto& schedule = request.schedule;
        std::vector<std::string> words{"-D", std::to_string(schedule.devices), "-N",
                                       std::to_string(schedule.microBatches)};
        const auto add = [&words](const char* flag, const std::string& value) {
            words.insert(words.end(), {flag, value});
        };
        if (schedule.chunks > 0)
            add("--chunks", std::to_string(schedule.chunks));
        std::ranges::copy(profiler::timingArguments(request), std::back_inserter(words));
        if (m_shown > 0)
            add("--memory", m_limit.argument());
        else if (!m_searched.memory.empty())
            add("--memory", m_searched.memory);
        if (m_shown == 0 && m_searched.vary != profiler::Variation())
            add("--vary", profiler::varyText(m_searched.vary));
        add("--orders", std::to_string(m_result->orders));
        add("-o", "found.csv");
        return QString::fromStdString(engine::commandText("search", words));
    }

    const ThemeController& m_theme;
    SearchSettings m_settings;                // of the form
    SearchSettings m_searched;                // of the last search
    SearchHistory m_history;                  // of the last search
    std::vector<PublishedSchedule> m_schemes; // sorted by length
    profiler::MemoryLimit m_limit;
    std::shared_ptr<Running> m_running;                     // nullptr: no search runs
    std::shared_ptr<const Found> m_found, m_before;         // m_before: of "Search longer"
    std::shared_ptr<const profiler::SearchResult> m_result; // of m_found; nullptr: none yet
    std::shared_ptr<const profiler::PredictedRun> m_drawn;  // the best so far in the preview
    Background m_background{this};
    ViewPreparation m_views;
    RunSaver m_saver{this};
    QTimer m_tick;
    std::size_t m_shown = 0; // index into m_found
    int m_pinned = 0;        // number of the difference whose op is outlined; 0: all

    BoundFields* m_fields = new BoundFields(m_theme, this);
    CostForm* m_costs = CostForm::make(m_theme, m_settings.plan, CostForm::Order::Searched);
    QWidget* m_form = nullptr;
    QLineEdit* m_memory = nullptr;
    QPushButton *m_startButton, *m_stopButton;
    Band *m_sentence = named(new Band(m_theme, Band::Shape::Verdict), "searchSentence"),
         *m_notice = named(new Band(m_theme, Band::Shape::State), "searchNotice");
    QLabel *m_problem = makeWrapped("hint", "searchProblem"),
           *m_left = named(makeLabel({}, "small"), "searchTimeLeft"),
           *m_facts = named(new ElidedLabel("hint"), "searchFacts"),
           *m_from = makeLabel({}, "hint"), *m_differences = makeWrapped("", "searchDifferences");
    SceneView* m_chart = named(new SceneView(m_theme, [](std::size_t) { return QString(); }),
                               "searchChart", tr("Iteration over search time"));
    SceneView* m_memoryChart = named(new SceneView(m_theme, [](std::size_t) { return QString(); }),
                                     "searchMemoryChart", tr("Memory against iteration"));
    SchedulePreview* m_preview = named(new SchedulePreview(m_theme), "searchPreview");
    SchedulePreview* m_best = named(new SchedulePreview(m_theme), "searchBestPublished");
    RowTable<ScheduleRow>* m_published = new RowTable<ScheduleRow>(
        m_theme, 26, "searchTable", tr("Found and published schedules"), 0);
    QAction *m_start, *m_stop, *m_longer, *m_keep, *m_edit, *m_export, *m_copy, *m_showResult;
};

} // namespace

Page* makeSearch(const ThemeController& theme)
{
    return new SearchPage(theme);
}

} // namespace app
