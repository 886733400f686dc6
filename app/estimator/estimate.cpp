#include "app/estimator/estimate.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/experiment/experiment_fields.h"
#include "profiler/study/chart_kit.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace app {

EstimateRequest defaultEstimate()
{
    EstimateRequest request;
    request.source.setup.tensorParallel = 4;
    request.source.setup.attention = engine::AttentionMode::Recompute;
    return request;
}

const std::vector<BpipeCase>& bpipeCases()
{
    static const std::vector<BpipeCase> kCases = [] {
        std::vector<BpipeCase> cases;
        for (const engine::PublishedGain& gain : engine::publishedGains()) {
            const bool flash = gain.attention == engine::AttentionMode::Flash;
            EstimateRequest request = defaultEstimate();
            request.source.model = gain.model;
            request.source.setup.attention = gain.attention;
            if (gain.from != 1)
                request.sizes = {2, 4};
            constexpr std::array<char16_t, 4> kMarks{u'□', u'△', u'◇', u'○'};
            const auto question = profiler::questionOf(request);
            cases.push_back(
                {fromUtf8(gain.title)
                     + (flash ? QStringLiteral(", flash") : QStringLiteral(", recompute")),
                 QStringLiteral("b %1 → %2, %3")
                     .arg(gain.from)
                     .arg(gain.to)
                     .arg(flash ? QStringLiteral("flash attention")
                                : QStringLiteral("attention recomputed")),
                 factorText(gain.speedUp), gain.speedUp, gain.from, gain.to, request,
                 kMarks[cases.size() % kMarks.size()],
                 question ? gain.speedUp * engine::breakEven(question->input, gain.from, gain.to)
                          : gain.speedUp});
        }
        return cases;
    }();
    return kCases;
}

QString estimateCommand(const EstimateRequest& request)
{
    std::vector<std::string> words
        = engine::arguments(profiler::estimateFields(), request, EstimateRequest());
    words.insert(words.begin(), "bpipe");
    return fromUtf8(engine::commandText("estimate", words));
}

RunPlan simulationOf(const EstimateRequest& request, const char* scheme, int size)
{
    RunPlan run;
    const int copies = request.source.setup.dataParallel;
    engine::ScheduleRequest& schedule = run.experiment.schedule;
    schedule.scheme = scheme;
    schedule.devices = request.devices;
    schedule.dataParallel = copies;
    schedule.microBatches = request.globalBatch / std::max(1, size * copies);
    run.experiment.mode = engine::Mode::Simulate;
    run.source = request.source;
    run.source.setup.microBatchSize = size;
    return run;
}

engine::Result<BpipeMemory> bpipeMemory(const EstimateRequest& request, int size)
{
    BpipeMemory memory;
    for (const auto& [scheme, of] :
         {std::pair("1f1b", &memory.oneFOneB), std::pair("bpipe", &memory.bpipe)}) {
        RunPlan run = simulationOf(request, scheme, size);
        int& microBatches = run.experiment.schedule.microBatches;
        memory.microBatches = microBatches = std::min(microBatches, 4 * request.devices);
        const auto predicted = TRY(predict(run.request()));
        if (!predicted.isValid())
            return engine::invalid(predicted.violations.front().message);
        *of = predictedPeaks(predicted.run.get(), predicted.metrics);
    }
    return memory;
}

namespace {

using engine::BpipeRow;

QString gib(double bytes, int decimals = 1)
{
    return scaleIn(Unit::GiB, decimals).withUnit(bytes);
}

NumberSource bubbleSource(const engine::BpipeQuestion& question, const BpipeRow& base,
                          const BpipeRow& row)
{
    const auto& input = question.input;
    const auto sequences = [&](const BpipeRow& of) {
        return number(input.globalBatch
                          + 1.0 * input.on.setup.dataParallel * of.microBatchSize
                              * (input.stages - 1),
                      0);
    };
    return {QStringLiteral("Speed-up = gain in stage MFU × %1 / %2")
                .arg(sequences(base), sequences(row)),
            QStringLiteral("(B + b₀W(D − 1)) / (B + bW(D − 1)), arXiv 2401.02088"),
            QStringLiteral("published")};
}

NumberSource mfuSource(const engine::BpipeQuestion& question, const BpipeRow& base,
                       const BpipeRow& row)
{
    const QString title = &base == &row
        ? QStringLiteral("Stage MFU %1").arg(percent(base.stageMfu))
        : QStringLiteral("Stage MFU %1 and %2")
              .arg(number(100 * base.stageMfu, 1), percent(row.stageMfu));
    if (!question.stageMfu.empty())
        return {title, QStringLiteral("as typed, not checked"), QStringLiteral("typed")};
    const auto bytes = [](const BpipeRow& of) { return number(of.kernels.forwardTraffic, 0); };
    const bool hasTraffic = base.kernels.forwardTraffic > 0;
    return {title,
            hasTraffic
                ? QStringLiteral(
                      "roofline of %1; attention moves %2 and %3 bytes per score in the forward")
                      .arg(fromUtf8(question.input.on.hardware.name), bytes(base), bytes(row))
                : QStringLiteral("roofline of %1 with planning constants")
                      .arg(fromUtf8(question.input.on.hardware.name)),
            QStringLiteral("computed")};
}

void addMemory(const engine::BpipeQuestion& question, const BpipeRow& row,
               std::vector<NumberSource>& all)
{
    const auto& input = question.input;
    all.push_back({QStringLiteral("Weights, gradients, optimizer: %1 bytes")
                       .arg(number(input.on.setup.stateBytes(), 0)),
                   QStringLiteral("per parameter; %1 on stage 0 with the embedding")
                       .arg(gib(row.memory.state)),
                   QStringLiteral("computed")});
    all.push_back(
        {QStringLiteral("Stash %1 at b = %2").arg(gib(row.memory.stash, 2)).arg(row.microBatchSize),
         QStringLiteral("of %1 on stage 0, arXiv 2205.05198")
             .arg(countOf(engine::layersOf(input.on.model, input.on.setup, input.stages, 0),
                          "layer")),
         QStringLiteral("computed")});
    engine::TrainingSetup setup = input.on.setup;
    setup.microBatchSize = row.microBatchSize;
    const double stash = row.memory.stash + engine::embeddingStashBytes(input.on.model, setup);
    const auto stashes
        = [&](double bytes) { return number((bytes - row.memory.state) / stash, 0); };
    if (row.memory.bpipe)
        all.push_back({QStringLiteral("Kept stashes: %1 in 1F1B, %2 in BPipe")
                           .arg(stashes(row.memory.oneFOneB), stashes(*row.memory.bpipe)),
                       QStringLiteral("min(N, D), with BPipe at most ⌈(D + 2) / 2⌉"),
                       QStringLiteral("computed")});
    all.push_back(
        {QStringLiteral("Capacity %1").arg(gib(static_cast<double>(question.memory.usable()))),
         QStringLiteral("%1 for contexts and buffers").arg(fromUtf8(question.memory.text())),
         QStringLiteral("assumed")});
}

} // namespace

std::vector<NumberSource> numberSources(const engine::BpipeQuestion& question,
                                        const engine::BpipeAnswer& answer, std::size_t shown)
{
    const BpipeRow& base = answer.rows.front();
    const BpipeRow& row = answer.rows[std::min(shown, answer.rows.size() - 1)];
    const auto& on = question.input.on;
    std::vector<NumberSource> all{bubbleSource(question, base, row),
                                  mfuSource(question, base, row)};
    if (on.setup.attention != engine::AttentionMode::Flash)
        all.push_back({QStringLiteral("Fused softmax: 4 divides b × heads / t"),
                       QStringLiteral("Megatron-LM, fused_softmax.py; %1 and %2 heads per rank")
                           .arg(number(base.headsPerRank, 0), number(row.headsPerRank, 0)),
                       QStringLiteral("rule")});
    addMemory(question, row, all);
    all.push_back(
        {QStringLiteral("Forward %1 at b = %2")
             .arg(scaleIn(Unit::Millisecond).withUnit(1e9 * row.forward))
             .arg(row.microBatchSize),
         QStringLiteral("roofline of %1 on stage 0")
             .arg(countOf(engine::layersOf(on.model, on.setup, question.input.stages, 0), "layer")),
         QStringLiteral("computed")});
    all.push_back(
        {QStringLiteral("Peak %1 TFLOP/s").arg(number(on.hardware.peakFlops / 1e12, 0)),
         QStringLiteral("of 16-bit matrix products; those of a model in fp32 or tf32 are slower"),
         QStringLiteral("assumed")});
    all.push_back({QStringLiteral("Link %1").arg(
                       scaleIn(Unit::GBPerSecond, 0)
                           .withUnit(partnerLink(question).bandwidth * on.hardware.linkShare)),
                   QStringLiteral(
                       "slowest between partners of BPipe%1; %2 % of the peak in the hardware file")
                       .arg(question.mapping.isOneNode()
                                ? QString()
                                : QStringLiteral(", ") + fromUtf8(describe(question.mapping)),
                            number(100 * on.hardware.linkShare, 0)),
                   QStringLiteral("assumed")});
    return all;
}

std::vector<BpipeStep> stepsOf(const engine::BpipeAnswer& answer)
{
    std::vector<BpipeStep> steps;
    for (std::size_t i = 1; i < answer.rows.size(); ++i) {
        const BpipeRow &from = answer.rows[i - 1], &to = answer.rows[i];
        steps.push_back({from.microBatchSize, to.microBatchSize, to.stageMfu / from.stageMfu,
                         to.breakEven / from.breakEven});
    }
    return steps;
}

QString BpipeCase::text() const
{
    return QStringLiteral("%1: published %2").arg(title, published);
}

QString stepText(const BpipeStep& step)
{
    const auto growth = [](double factor) { return percent(std::abs(factor - 1)); };
    const QString must = step.needed >= 1
        ? QStringLiteral("must rise %1 to offset the bubble").arg(growth(step.needed))
        : QStringLiteral("may fall %1, because the bubble shrinks").arg(growth(step.needed));
    const QString does = step.gain >= 1 ? QStringLiteral("it rises %1").arg(growth(step.gain))
                                        : QStringLiteral("it falls %1").arg(growth(step.gain));
    return QStringLiteral("b = %1 to %2: the stage MFU %3; %4.")
        .arg(step.from)
        .arg(step.to)
        .arg(must, does);
}

namespace {

using profiler::ChartCanvas;
using profiler::ChartScale;

// Draws the line of each step, inside the plot, and the dot of this set-up on it.
void drawSteps(ChartCanvas& canvas, const std::vector<BpipeStep>& steps, int size,
               const profiler::ChartStyle& style, const ChartScale& x, const ChartScale& y)
{
    std::vector<std::pair<double, std::size_t>> ends;
    std::vector<std::string> names;
    std::vector<profiler::SeriesLook> looks;
    for (const BpipeStep& step : steps) {
        const bool isShown = step.to == size;
        const profiler::Colour colour = isShown ? style.ink : style.text;
        const auto at = [&](double gain) {
            return ChartCanvas::Point{x(gain), y(gain / step.needed)};
        };
        const auto end = at(std::min(x.most, y.most * step.needed));
        canvas.line(at(std::max(x.least, y.least * step.needed)), end, isShown ? 1.6 : 0.8, colour);
        const auto [left, top] = at(step.gain);
        if (isShown)
            canvas.line({left, top}, {left, canvas.bottom()}, 0.8, style.text, true);
        canvas.dot(left, top, style.ground, colour);
        ends.emplace_back(end.second, names.size());
        names.push_back(QStringLiteral("b %1 → %2").arg(step.from).arg(step.to).toStdString());
        looks.push_back({colour, colour});
    }
    canvas.drawLabels(ends, names, looks, ChartCanvas::Sample::Line);
}

} // namespace

profiler::MarkedScene speedUpChart(const std::vector<BpipeStep>& steps, int size,
                                   const ChartLook& look)
{
    constexpr double kLabels = 96, kMark = 12;
    const profiler::ChartStyle& style = look.style;
    std::vector<double> gains, speedUps;
    for (const BpipeStep& step : steps) {
        gains.push_back(step.gain);
        speedUps.push_back(step.speedUp());
    }
    for (const BpipeCase& point : bpipeCases()) {
        gains.push_back(point.gain);
        speedUps.push_back(point.speedUp);
    }
    const std::size_t points = gains.size();
    gains.push_back(0.95); // the axes include 1, and a gain of 1 is not at the edge
    speedUps.push_back(1);
    ChartCanvas canvas(style);
    canvas.setRightMargin(kLabels);
    const double left = profiler::kPlotLeft, right = canvas.right(), bottom = canvas.bottom();
    const ChartScale x = profiler::scaleOf(gains, left, right),
                     y = profiler::scaleOf(speedUps, bottom, profiler::kPlotTop + 10);
    canvas.box({left, y(1), right - left, bottom - y(1)}, style.shade);
    canvas.drawValueAxis(y, "speed-up, ×");
    canvas.drawNumberAxis(x, "gain in stage MFU, ×");
    canvas.line({left, y(1)}, {right, y(1)}, 1, style.text, true);
    drawSteps(canvas, steps, size, style, x, y);
    for (const BpipeCase& point : bpipeCases())
        canvas.text(x(point.gain), y(point.speedUp) + profiler::kChartText / 3,
                    QString(point.mark).toStdString(), profiler::Text::Anchor::Middle,
                    {style.ink, true});
    std::vector<profiler::SceneMark> marks;
    for (std::size_t i = 0; i < points; ++i)
        marks.push_back({i, {x(gains[i]) - kMark / 2, y(speedUps[i]) - kMark / 2, kMark, kMark}});
    return canvas.finish(std::move(marks));
}

QString speedUpText(const std::vector<BpipeStep>& steps, std::size_t point)
{
    if (point >= steps.size())
        return bpipeCases()[point - steps.size()].text();
    const BpipeStep& step = steps[point];
    return QStringLiteral("b %1 to %2: a gain of %3 in stage MFU gives %4")
        .arg(step.from)
        .arg(step.to)
        .arg(factorText(step.gain), factorText(step.speedUp()));
}

} // namespace app
