#include "app/run/run_charts.h"

#include "app/documents/run_document.h"
#include "app/timeline/paint/header_painter.h"
#include "app/timeline/view/labels.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "profiler/analysis/ticks.h"
#include "profiler/study/chart_kit.h"

#include <QBoxLayout>
#include <QLabel>
#include <QScrollArea>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using engine::DeviceId;
using profiler::ChartCanvas;
using profiler::DeviceMetrics;
using profiler::kChartText;
using profiler::Palette;
using profiler::Rect;
using profiler::RunMetrics;
using profiler::Text;
using namespace run_chart;

constexpr double kLossLeft = 34, kTop = 10;
constexpr int kFewIterations = 12; // up to this many iterations have labels and values

struct LossChart
{
    const LossSeries& series;
    const profiler::ChartStyle& style;
    ChartCanvas canvas{style};
    double highest = series.highest() > 0 ? 1.05 * series.highest() : 1;
    double right = style.width - kRight, bottom = style.height - kFoot;
    std::int64_t warmup = std::ranges::count(series.points, true, &LossPoint::isWarmup);

    double x(double iteration) const // the centre of iteration i is at i + 0.5
    {
        return kLossLeft + (right - kLossLeft) * iteration / std::max(1, series.planned);
    }
    // A loss that is infinite or not a number is at the top.
    double y(double loss) const
    {
        return std::isfinite(loss) ? bottom - (bottom - kTop) * loss / highest : kTop;
    }

    void drawGround()
    {
        canvas.box({kLossLeft, kTop, x(static_cast<double>(warmup)) - kLossLeft, bottom - kTop},
                   style.shade);
        drawGrid(canvas, {kLossLeft, kTop, right - kLossLeft, bottom - kTop}, highest);
    }

    void drawReference(double loss, const QString& name, bool below)
    {
        const double at = std::round(y(loss)) + 0.5;
        canvas.line({kLossLeft, at}, {right, at}, 1, style.text, true);
        const std::string text = (name + QLatin1Char(' ') + number(loss, 2)).toStdString();
        const double width = profiler::textWidth(text), top = below ? at + 1 : at - 15;
        canvas.box({right - width - 2, top, width + 2, 14}, style.ground);
        canvas.text(right, top + kChartText, text, Text::Anchor::End);
    }

    void drawDots()
    {
        constexpr double kSize = 3;
        const profiler::Colour colour = profiler::mix(style.ground, style.text, 0.5);
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            const auto& losses = series.points[i].microBatches;
            for (std::size_t m = 0; m < losses.size(); ++m) {
                const double share = 0.15
                    + 0.7 * (static_cast<double>(m) + 0.5) / static_cast<double>(losses.size());
                canvas.box({x(static_cast<double>(i) + share) - kSize / 2,
                            y(static_cast<double>(losses[m])) - kSize / 2, kSize, kSize},
                           colour);
            }
        }
    }

    void drawMean()
    {
        ChartCanvas::Point before;
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            const LossPoint& point = series.points[i];
            const ChartCanvas::Point at{x(static_cast<double>(i) + 0.5), y(point.mean)};
            if (i > 0)
                canvas.line(before, at, 2, style.ink);
            before = at;
            const bool isLast = i + 1 == series.points.size();
            if (!isLast && series.planned > kFewIterations)
                continue;
            canvas.dot(at.first, at.second, style.ink, style.ink);
            const bool isHigh = at.second < kTop + 13; // no space for the text above the dot
            if (isLast || !point.isWarmup)
                canvas.text(std::min(at.first + 7, right - 26), at.second + (isHigh ? 16 : -5),
                            number(point.mean, 2).toStdString(), Text::Anchor::Start,
                            {isLast ? style.ink : style.text, isLast});
        }
    }

    void drawIterationNames()
    {
        const double base = bottom + 4 + kChartText;
        double end = kLossLeft; // right end of the labels so far
        if (warmup > 0) {
            const std::string text = "warm-up";
            const double room = std::max(60.0, x(static_cast<double>(warmup)) - kLossLeft);
            canvas.text(kLossLeft + room / 2, base, text, Text::Anchor::Middle);
            end += (room + profiler::textWidth(text)) / 2 + 4;
        }
        const std::int64_t measured = series.planned - warmup;
        const auto step = measured <= kFewIterations
            ? std::int64_t{1}
            : std::max<std::int64_t>(
                1,
                static_cast<std::int64_t>(profiler::ticks(0, static_cast<double>(measured),
                                                          static_cast<double>(measured) / 10)
                                              .step));
        for (std::int64_t i = 0; i < measured; i += step) {
            const std::string text = std::to_string(i);
            const double middle = x(static_cast<double>(warmup + i) + 0.5);
            if (middle - profiler::textWidth(text) / 2 >= end)
                canvas.text(middle, base, text, Text::Anchor::Middle);
        }
    }
};

} // namespace

profiler::MarkedScene lossChart(const LossSeries& series, const ChartLook& look)
{
    if (series.points.empty())
        return profiler::emptyChart(look.style, "The first loss appears with the first iteration.");
    LossChart chart{series, look.style};
    chart.drawGround();
    chart.drawIterationNames();
    const bool areClose = series.unigramEntropy && series.entropyRate
        && std::abs(chart.y(*series.unigramEntropy) - chart.y(*series.entropyRate))
            < 1.4 * kChartText;
    if (series.unigramEntropy)
        chart.drawReference(*series.unigramEntropy, QStringLiteral("unigram entropy"), false);
    if (series.entropyRate)
        chart.drawReference(*series.entropyRate, QStringLiteral("entropy rate, estimate"),
                            areClose);
    chart.drawDots();
    chart.drawMean();
    return chart.canvas.finish();
}

LossSeries lossSeries(const engine::Run& run)
{
    LossSeries series;
    series.planned = allIterations(run.info);
    series.unigramEntropy = run.info.unigramEntropy;
    series.entropyRate = run.info.entropyRate;
    for (const engine::Iteration& iteration : run.timeline.iterations)
        if (iteration.loss && iteration.kind != engine::Iteration::Kind::Replay)
            series.points.push_back({iteration.kind == engine::Iteration::Kind::Warmup,
                                     iteration.number, *iteration.loss, iteration.microBatchLoss});
    series.planned = std::max(series.planned, static_cast<int>(series.points.size()));
    return series;
}

double LossSeries::highest() const
{
    double highest = 0;
    const auto take = [&highest](double loss) {
        if (std::isfinite(loss))
            highest = std::max(highest, loss);
    };
    take(unigramEntropy.value_or(0));
    take(entropyRate.value_or(0));
    for (const LossPoint& point : points) {
        take(point.mean);
        std::ranges::for_each(point.microBatches, take);
    }
    return highest;
}

DeviceColumns bubbleColumns(const engine::Run& run, const RunMetrics& metrics)
{
    DeviceColumns columns = columnsOf(run, metrics);
    columns.title = tr("Bubble by cause");
    columns.axis = tr("%1 of the iteration");
    columns.sum = tr("bubble");
    columns.scale = Scale(0.01, 1, QStringLiteral("%"));
    const auto add = [&](const QString& name, profiler::Colour Palette::*fill,
                         std::int64_t DeviceMetrics::*ticks) {
        addPart(columns, metrics, {name, fill}, [&metrics, ticks](const DeviceMetrics& one) {
            return static_cast<double>(one.*ticks)
                / static_cast<double>(std::max<std::int64_t>(1, metrics.duration));
        });
    };
    add(tr("fill"), profiler::kFillCause, &DeviceMetrics::fill);
    add(tr("wait"), profiler::kWaitCause, &DeviceMetrics::wait);
    add(tr("drain"), profiler::kDrainCause, &DeviceMetrics::drain);
    columns.mean = metrics.bubbleRatio;
    return columns;
}

namespace {

struct PaceMap
{
    const profiler::Stragglers& found;
    const ChartLook& look;
    ChartCanvas canvas{look.style};
    Rect plot{kLeft, kHeader + kLegendLine, look.style.width - kLeft - kRight,
              look.style.height - kFoot - kHeader - kLegendLine};
    double most = highest(); // the share that has the strongest colour

    double highest() const
    {
        constexpr double kLeast = 0.1; // so that noise stays pale
        double share = kLeast;
        for (const profiler::DevicePace& pace : found.devices)
            if (!pace.mayHaveMoreWork)
                share = std::max(share, *std::ranges::max_element(pace.excesses));
        return share;
    }
    profiler::Colour colour(double excess) const
    {
        return profiler::mix(look.style.low, look.style.high, std::clamp(excess / most, 0.0, 1.0));
    }
    static std::string percent(double share) { return number(100 * share, 0).toStdString() + " %"; }

    void drawHeader()
    {
        canvas.text(kRight, 17, tr("Longer than the other devices").toStdString(),
                    Text::Anchor::Start, {look.style.ink, true});
        canvas.text(kRight, 17 + kLegendLine,
                    tr("own work, by device and iteration").toStdString());
        constexpr int kSteps = 5;
        double x = look.style.width - kRight - profiler::textWidth(percent(most)) - kTextGap;
        canvas.text(x + kTextGap, 17, percent(most));
        for (int step = kSteps; step >= 0; --step, x -= kSwatch)
            canvas.box({x - kSwatch, 8, kSwatch, kSwatch}, colour(most * step / kSteps));
        canvas.text(x - kTextGap, 17, percent(0), Text::Anchor::End);
    }
    void drawCells(int rows, int columns)
    {
        const int devices = static_cast<int>(found.devices.size()), count = found.iterations;
        const double width = plot.width / columns, height = plot.height / rows;
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column) {
                const Rect cell{plot.x + width * column, plot.y + height * row,
                                width - gapOf(width) / 2, height - gapOf(height) / 2};
                std::optional<double> judged; // nullopt: each device may have more work
                for (int d = row * devices / rows; d < (row + 1) * devices / rows; ++d)
                    for (int i = column * count / columns; i < (column + 1) * count / columns; ++i)
                        if (const auto& pace = found.devices[DeviceId{d}]; !pace.mayHaveMoreWork)
                            judged = std::max(judged.value_or(-1), pace.excesses[i]);
                if (!judged) {
                    canvas.hatch(cell);
                    continue;
                }
                const double excess = *judged;
                canvas.box(cell, colour(excess));
                const std::string text = number(100 * excess, 1).toStdString();
                if (excess > profiler::kStragglerExcess && cell.height > kChartText + 2
                    && cell.width > profiler::textWidth(text) + 4)
                    canvas.text(cell.x + cell.width / 2,
                                cell.y + (cell.height + kChartText) / 2 - 1, text,
                                Text::Anchor::Middle, {look.palette.inkOn(colour(excess))});
            }
    }
    std::vector<profiler::SceneMark> drawNames()
    {
        std::vector<profiler::SceneMark> marks;
        const int devices = static_cast<int>(found.devices.size());
        const double height = plot.height / devices, width = plot.width / found.iterations;
        for (const int device : labelledDevices(devices, height, kChartText + 2))
            canvas.text(plot.x - 6, plot.y + height * (device + 0.5) + kChartText / 3,
                        std::to_string(device), Text::Anchor::End);
        for (int device = 0; device < devices; ++device)
            marks.push_back(
                {static_cast<std::size_t>(device),
                 {plot.x, plot.y + height * device, plot.width, std::max(1.0, height)}});
        const double label = profiler::textWidth(std::to_string(found.iterations)) + 12;
        for (const int i : labelledDevices(found.iterations, width, label))
            canvas.text(plot.x + width * (i + 0.5), plot.y + plot.height + 4 + kChartText,
                        std::to_string(found.numbers[static_cast<std::size_t>(i)]),
                        Text::Anchor::Middle);
        return marks;
    }
};

} // namespace

profiler::MarkedScene paceMap(const profiler::Stragglers& found, const ChartLook& look)
{
    PaceMap map{found, look};
    if (map.plot.width < 1 || map.plot.height < 1)
        return profiler::emptyChart(look.style, "");
    constexpr double kLeastCell = 3; // points
    const auto cells = [](std::size_t count, double space) {
        return std::clamp(static_cast<int>(count), 1,
                          std::max(1, static_cast<int>(space / kLeastCell)));
    };
    map.drawHeader();
    map.drawCells(cells(found.devices.size(), map.plot.height),
                  cells(static_cast<std::size_t>(found.iterations), map.plot.width));
    return map.canvas.finish(map.drawNames());
}

QString paceText(const profiler::Stragglers& found, DeviceId device)
{
    using profiler::Spread;
    const profiler::DevicePace& pace = found.devices[device];
    const profiler::Amount& excess = pace.excess;
    const auto percent = [](double share) { return signedNumber(100 * share, 1); };
    const QString text
        = DevicesPanel::tr("Device %1: %2 % %3, median (%4)")
              .arg(device.value)
              .arg(number(100 * std::abs(excess.value), 1),
                   excess.value < 0 ? DevicesPanel::tr("shorter") : DevicesPanel::tr("longer"),
                   excess.spread == Spread::Interval
                       ? DevicesPanel::tr("95 % interval %1 to %2 %")
                             .arg(percent(excess.least), percent(excess.most))
                       : excess.spread == Spread::Unknown ? DevicesPanel::tr("interval unknown")
                                                          : DevicesPanel::tr("exact"));
    return pace.mayHaveMoreWork
        ? DevicesPanel::tr("%1; not compared: its first or last stage may have more layers, which "
                           "the run does not state")
              .arg(text)
        : DevicesPanel::tr("%1; the slowest in %2 of %3 iterations")
              .arg(text)
              .arg(pace.slowest)
              .arg(found.iterations);
}

DevicesPanel::DevicesPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_memory(new DeviceView(theme, "devicesMemory"))
    , m_bubble(new DeviceView(theme, "devicesBubble"))
    , m_pace(named(new SceneView(theme,
                                 [this](std::size_t device) {
                                     return paceText(*m_paces, {static_cast<int>(device)});
                                 }),
                   "devicesPace", tr("Devices")))
    , m_comparison(
          this,
          [](const RunPointer& run, const auto&) {
              return Paces{run, profiler::stragglers(*run)};
          },
          [this](const Paces& paces) { showPaces(paces); })
    , m_charts(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_empty(named(makeLabel(tr("The columns appear with the first complete iteration."), "hint"),
                    "devicesEmpty"))
{
    setObjectName(QStringLiteral("devicesPanel"));
    auto* charts = new QWidget;
    charts->setLayout(spaced(m_charts, {}, 0, {{m_memory, 1}, {m_bubble, 1}, {m_pace, 1}}));
    m_pace->setMinimumSize(m_bubble->minimumSize());
    mark({});
    for (const SceneView* view : views())
        connect(view, &SceneView::pointChosen, this,
                [this](std::size_t device) { Q_EMIT chosen({static_cast<int>(device)}); });
    m_scroll = makeScroll(charts);
    m_empty->setContentsMargins(12, 10, 12, 10);
    m_empty->setAlignment(Qt::AlignTop);
    spaced(new QVBoxLayout(this), {}, 0, {{m_scroll, 1}, {m_empty, 1}});
    arrange();
}

void DevicesPanel::showMetrics(const engine::Run& run, const profiler::RunMetrics& metrics)
{
    m_memory->show(memoryColumns(run, metrics));
    m_bubble->show(bubbleColumns(run, metrics));
    m_empty->setText(tr("No device has a bubble, and no memory was recorded."));
    arrange();
}

void DevicesPanel::comparePaces(const RunPointer& run)
{
    if (run->info.outcome == engine::Outcome::Running || run == m_pacesOf)
        return;
    m_pacesOf = run;
    m_comparison.ask(run);
}

void DevicesPanel::showPaces(const Paces& paces)
{
    const auto& [run, found] = paces;
    m_paces = found ? std::optional(*found) : std::nullopt;
    if (m_paces) {
        m_pace->setAccessibleName(
            QString::fromStdString(profiler::stragglersText(*run, *found).front()));
        m_pace->draw([found = *found](const ChartLook& look) { return paceMap(found, look); });
    }
    arrange();
}

void DevicesPanel::mark(engine::DeviceId device)
{
    for (SceneView* view : views())
        view->select(device.isValid() ? std::optional<std::size_t>(device.value) : std::nullopt);
}

void DevicesPanel::arrange()
{
    constexpr int kBesideFrom = 320; // for each chart
    const bool hasMemory = !m_memory->columns().isEmpty(),
               hasBubble = !m_bubble->columns().isEmpty();
    const int charts = int{hasMemory} + int{hasBubble} + int{m_paces.has_value()};
    const bool isBeside = width() >= kBesideFrom * charts;
    m_charts->setDirection(isBeside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_memory->setVisible(hasMemory);
    m_bubble->setVisible(hasBubble);
    m_pace->setVisible(m_paces.has_value());
    m_scroll->setVisible(charts > 0);
    m_empty->setVisible(charts == 0);
}

void DevicesPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace app
