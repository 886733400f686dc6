#include "app/run/loss_plot.h"

#include "app/documents/run_document.h"
#include "app/ui/numbers.h"
#include "profiler/analysis/ticks.h"
#include "profiler/study/chart_kit.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using profiler::ChartCanvas;
using profiler::Text;

constexpr double kLeft = 34, kRight = 12, kTop = 10, kBottom = 22;
constexpr double kTickDistance = 26, kText = profiler::kChartText;
constexpr int kFewIterations = 12; // up to this many iterations have labels and values

struct LossChart
{
    const LossSeries& series;
    const profiler::ChartStyle& style;
    ChartCanvas canvas{style};
    double highest = series.highest() > 0 ? 1.05 * series.highest() : 1;
    double right = style.width - kRight, bottom = style.height - kBottom;
    std::int64_t warmup = std::ranges::count(series.points, true, &LossPoint::isWarmup);

    double x(double iteration) const // the centre of iteration i is at i + 0.5
    {
        return kLeft + (right - kLeft) * iteration / std::max(1, series.planned);
    }
    // A loss that is infinite or not a number is at the top.
    double y(double loss) const
    {
        return std::isfinite(loss) ? bottom - (bottom - kTop) * loss / highest : kTop;
    }

    void drawGround()
    {
        canvas.box({kLeft, kTop, x(static_cast<double>(warmup)) - kLeft, bottom - kTop},
                   style.shade);
        const auto ticks
            = profiler::ticks(0, highest, kTickDistance * highest / std::max(1.0, bottom - kTop));
        for (const double loss : ticks.major) {
            const double at = std::round(y(loss)) + 0.5;
            canvas.line({kLeft, at}, {right, at}, loss == 0 ? 1 : 0.5, style.grid);
            canvas.text(kLeft - 8, at + kText / 3, number(loss, ticks.decimals).toStdString(),
                        Text::Anchor::End);
        }
    }

    void drawReference(double loss, const QString& name, bool below)
    {
        const double at = std::round(y(loss)) + 0.5;
        canvas.line({kLeft, at}, {right, at}, 1, style.text, true);
        const std::string text = (name + QLatin1Char(' ') + number(loss, 2)).toStdString();
        const double width = profiler::textWidth(text), top = below ? at + 1 : at - 15;
        canvas.box({right - width - 2, top, width + 2, 14}, style.ground);
        canvas.text(right, top + kText, text, Text::Anchor::End);
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
        const double base = bottom + 4 + kText;
        double end = kLeft; // right end of the labels so far
        if (warmup > 0) {
            const std::string text = "warm-up";
            const double room = std::max(60.0, x(static_cast<double>(warmup)) - kLeft);
            canvas.text(kLeft + room / 2, base, text, Text::Anchor::Middle);
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
        && std::abs(chart.y(*series.unigramEntropy) - chart.y(*series.entropyRate)) < 1.4 * kText;
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

} // namespace app
