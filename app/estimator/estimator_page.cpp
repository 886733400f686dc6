#include "app/estimator/estimator_page.h"

#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/form.h"
#include "app/ui/text.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/experiment/experiment_fields.h"
#include "profiler/study/chart_kit.h"
#include "profiler/study/reproduce.h"

#include <QAction>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QScrollArea>
#include <QSplitter>

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

namespace {

using profiler::Reproduced;

constexpr int kFormColumn = 300, kSourcesColumn = 380, kFoldSources = 1280; // px
constexpr int kSizeRow = 30, kStepsColumn = 210;

const char* attentionText(engine::AttentionMode mode)
{
    return mode == engine::AttentionMode::Standard ? "Scores are stored until the backward pass."
        : mode == engine::AttentionMode::Recompute ? "Scores are recomputed in the backward pass."
                                                   : "Scores are never stored.";
}

TableColumn<BpipeRow> memoryColumn(const QString& title, const engine::MemoryCapacity& limit,
                                   const std::function<std::optional<double>(const BpipeRow&)>& of)
{
    const Scale gib = scaleIn(Unit::GiB);
    const auto excess
        = [=](const BpipeRow& row) -> double { return -limit.left(of(row).value_or(0)); };
    const auto exceeds = [=](const BpipeRow& row) { return excess(row) > 0; };
    return TableColumn<BpipeRow>(
               labelled(title, Unit::GiB),
               [=](const BpipeRow& row) { return of(row) ? gib.text(*of(row)) : kNoValue; })
        .with(kDifferenceRole,
              [=](const BpipeRow& row) {
                  return !of(row)     ? QString()
                      : !exceeds(row) ? QStringLiteral("fits")
                                      : QStringLiteral("over by %1").arg(gib.text(excess(row)));
              })
        .verdict([=](const BpipeRow& row) {
            return of(row) && !exceeds(row) ? Verdict::Better : Verdict::Worse;
        })
        .with(kExceedsRole, exceeds)
        .with(kStrongRole, exceeds);
}

// Published and computed speed-ups, one row per case.
std::vector<TableColumn<Reproduced>> publishedColumns()
{
    using Shown = TableColumn<Reproduced>;
    // "GPT-3 96B, attention recomputed, b 1 -> 2: speed-up (...)"
    const auto whole = [](const Reproduced& row) {
        return fromUtf8(row.what)
            .section(QLatin1Char(':'), 0, 0)
            .replace(QLatin1String("->"), QStringLiteral("→"));
    };
    const auto title = [whole](const Reproduced& row) {
        const auto known = std::ranges::find(bpipeCases(), row.published, &BpipeCase::speedUp);
        return known == bpipeCases().end() ? whole(row) : known->title;
    };
    const auto factor = [](double Reproduced::*member) {
        return [member](const Reproduced& row) { return factorText(row.*member); };
    };
    const auto tolerance = [](const Reproduced& row) {
        return QStringLiteral("± %1 %2").arg(
            number(row.tolerance, 2), row.isWithin() ? QStringLiteral("✓") : QStringLiteral("✗"));
    };
    return {Shown(QStringLiteral("Case"), title, Qt::AlignLeft).tip(whole),
            Shown(QStringLiteral("Published"), factor(&Reproduced::published)),
            Shown(QStringLiteral("Computed"), factor(&Reproduced::computed)).flag(kStrongRole),
            Shown(QStringLiteral("Tolerance"), tolerance)
                .tip([](const Reproduced& row) {
                    return row.isWithin() ? QStringLiteral("Within the tolerance")
                                          : QStringLiteral("Outside the tolerance");
                })
                .verdict([](const Reproduced& row) {
                    return row.isWithin() ? Verdict::Better : Verdict::Worse;
                })};
}

// Every edit updates the answer at once, except the memory of the devices, which is simulated in
// the background. The fields are those of `bscope estimate`.
class EstimatorPage : public Page
{
public:
    explicit EstimatorPage(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("estimatorPage"));
        makeActions();
        m_formColumn = makeForm();
        m_dock = makeSources();
        spaced(
            new QVBoxLayout(this), {}, 0,
            {makeSplitter(
                Qt::Horizontal,
                {{m_formColumn, kFormColumn}, {makeCentre(), 950, 1}, {m_dock, kSourcesColumn}})});
        setInitialFocus(m_table);
        connect(m_showSources, &QAction::toggled, this, &EstimatorPage::showColumns);
        showFields();
        connect(m_fields, &BoundFields::edited, this, &EstimatorPage::estimate);
        readPublished();
        estimate();
    }

    QString title() const override { return tr("Estimator"); }
    QStringList statusTexts() const override
    {
        if (!m_question)
            return {tr("<b>No estimate</b>")};
        const auto& input = m_question->input;
        return {tr("<b>Estimated</b> %1 of %2 × %3")
                    .arg(countOf(input.stages, "device"))
                    .arg(input.on.setup.tensorParallel)
                    .arg(fromUtf8(input.on.hardware.name).toHtmlEscaped()),
                countOf(static_cast<std::int64_t>(m_answer->rows.size()), "micro-batch size"),
                m_question->stageMfu.empty() ? tr("stage MFU from the roofline")
                                             : tr("stage MFU typed"),
                tr("updates while you type")};
    }
    QString statusNote() const override
    {
        return !m_answer
            ? QString()
            : tr("%1 at b = %2").arg(factorText(chosen().speedUp)).arg(chosen().microBatchSize);
    }
    QJsonObject state() const override
    {
        return {{QStringLiteral("estimate"), fieldTexts(profiler::estimateFields(), m_request)},
                {QStringLiteral("hasStageMfu"), m_request.hasStageMfu}};
    }
    void restoreState(const QJsonObject& state) override
    {
        const QJsonValue stored = state.value(QStringLiteral("estimate"));
        if (!stored.isObject())
            return;
        EstimateRequest request;
        setFields(profiler::estimateFields(), request, stored.toObject());
        request.hasStageMfu = state.value(QStringLiteral("hasStageMfu")).toBool();
        setRequest(request);
    }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        Page::resizeEvent(event);
        showColumns();
    }

private:
    enum Column { Count = 1, Kernels = 3, Mfu, BreakEven = 6, Transfer = 9 };

    std::vector<TableColumn<BpipeRow>> sizeColumns() const
    {
        using Shown = TableColumn<BpipeRow>;
        const engine::MemoryCapacity limit
            = m_question ? m_question->memory : engine::MemoryCapacity();
        const BpipeRow first = m_answer ? m_answer->rows.front() : BpipeRow();
        const auto percents = [](double BpipeRow::*share) {
            return [share](const BpipeRow& row) { return number(100 * (row.*share), 1); };
        };
        const auto ms
            = [](double seconds) { return scaleIn(Unit::Millisecond).text(1e9 * seconds); };
        return {
            {tr("b"), [](const BpipeRow& row) { return QString::number(row.microBatchSize); }},
            {tr("N"), [](const BpipeRow& row) { return number(row.microBatches, 0); }},
            {tr("Stage MFU, %"), percents(&BpipeRow::stageMfu)},
            {tr("Attention kernels"),
             [](const BpipeRow& row) { return fromUtf8(row.kernels.name); }, Qt::AlignLeft},
            {tr("MFU, %"), percents(&BpipeRow::mfu)},
            Shown(tr("Speed-up"), [](const BpipeRow& row) { return factorText(row.speedUp); })
                .flag(kStrongRole),
            Shown(tr("Break-even, %"),
                  [first](const BpipeRow& row) {
                      return row.microBatchSize == first.microBatchSize
                          ? kNoValue
                          : number(100 * row.breakEven * first.stageMfu, 1);
                  })
                .tip("Stage MFU that the micro-batch size needs"),
            memoryColumn(tr("1F1B, %1"), limit,
                         [](const BpipeRow& row) { return row.memory.oneFOneB; }),
            memoryColumn(tr("BPipe, %1"), limit,
                         [](const BpipeRow& row) { return row.memory.bpipe; }),
            Shown(labelled(tr("Transfer of F, %1"), Unit::Millisecond),
                  [ms](const BpipeRow& row) {
                      return tr("%1 of %2").arg(ms(row.transfer), ms(row.forward));
                  })
                .tip("One stash over the slowest link between partners, and the forward that hides "
                     "it")};
    }

    void makeActions()
    {
        m_simulate = makeAction(
            "estimatorSimulate", tr("Simulate"), Qt::CTRL | Qt::Key_Return,
            [this] {
                Q_EMIT pageRequested(
                    {.kind = "setup",
                     .plan = simulationOf(m_request, "bpipe", chosen().microBatchSize)});
            },
            tr("simulate the chosen micro-batch size with BPipe"));
        m_copyCommand = makeAction(
            "estimatorCommand", tr("Copy as command"), {},
            [this] { copyText(estimateCommand(m_request)); },
            tr("copy the bscope estimate command with this set-up"));
        m_copyTable
            = makeAction("estimatorCopyTable", tr("Copy table"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
                         [this] { copyText(csvOf(m_table->rows())); });
        m_reset = makeAction("estimatorReset", tr("Reset"), {},
                             [this] { setRequest(defaultEstimate()); });
        m_showSources = makeAction("estimatorShowSources", tr("Sources of the numbers"), {});
        foldBelow(kFoldSources, *m_showSources);
        inMenu(Menu::Run, {m_simulate, m_reset});
        inMenu(Menu::View, {m_showSources});
        inMenu(Menu::Export, {m_copyCommand, m_copyTable});
    }

    QWidget* makeForm()
    {
        QWidget* content = makeColumn({}, 0, {});
        auto& column = static_cast<QVBoxLayout&>(*content->layout());
        QVBoxLayout* setup = makeFormSection(column);
        for (const char* flag :
             {"--model", "--hardware", "--devices", "--tensor-parallel", "--data-parallel",
              "--global-batch", "--micro-batch-size", "--reserve"})
            addField(*setup, flag);
        QVBoxLayout* attention = makeFormSection(column);
        attention->addWidget(makeLabel(tr("Attention"), "dock"));
        auto* modes = static_cast<SegmentControl*>(
            m_fields->add(*engine::findField(profiler::estimateFields(), "--attention"), m_request,
                          "estimator", BoundFields::Look::Segments));
        modes->setName(tr("Attention"));
        fill(*attention, {{modes, 0, Qt::AlignLeft}, m_attentionHint});
        for (const auto& field : profiler::estimateFields())
            if (field.kind == engine::FieldKind::Flag)
                m_fields->addRow(*attention, field, m_request, "estimator");
        QVBoxLayout* mfu = makeFormSection(column);
        m_mfuFrom->setToolTip(tr("Use the roofline's prediction, or measured values"));
        mfu->addLayout(makeFormRow(tr("Stage MFU from"), {m_mfuFrom}));
        addField(*mfu, "--stage-mfu");
        mfu->addWidget(m_mfuHint);
        connect(m_mfuFrom, &SegmentControl::currentChanged, this, &EstimatorPage::chooseMfu);
        makePresets(*makeFormSection(column));
        column.addStretch(1);
        auto* form = named(makeScroll(content), "estimatorForm");
        auto* reset = makeButton(m_reset, "estimatorResetButton", "link");
        auto* all = makeLined(
            {makeBar(40, 8, {makeLabel(tr("Estimator"), "dock"), kStretch, reset}),
             {form, 1},
             makeFoot({{makeButton(m_simulate, "estimatorSimulateButton", "primary"), 1},
                       makeButton(m_copyCommand, "estimatorCommandButton")})});
        all->setMinimumWidth(kFormColumn);
        return all;
    }

    void addField(QVBoxLayout& rows, std::string_view flag)
    {
        const auto* field = engine::findField(profiler::estimateFields(), flag);
        m_fields->addRow(rows, *field, m_request, "estimator",
                         field->kind == engine::FieldKind::Real ? BoundFields::Look::Spin
                                                                : BoundFields::Look::ByKind);
    }

    // A preset is marked while all fields have its values.
    void makePresets(QVBoxLayout& rows)
    {
        rows.addWidget(makeLabel(tr("Published cases"), "dock"));
        for (const BpipeCase& one : bpipeCases()) {
            auto* button = makeButton(QStringLiteral("%1: %2").arg(one.title, one.published),
                                      QStringLiteral("estimatorCase%1").arg(m_presets.size()));
            button->setCheckable(true);
            button->setToolTip(one.detail);
            button->setAccessibleDescription(one.detail);
            connect(button, &QAbstractButton::clicked, this,
                    [this, &one] { setRequest(one.request); });
            m_presets.push_back(button);
            rows.addWidget(button);
        }
        rows.addWidget(makeWrapped("hint", "",
                                   tr("A case sets every field above; its published speed-up is "
                                      "from arXiv 2401.02088.")));
    }

    QWidget* makeCentre()
    {
        connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                [this](const QModelIndex& index) {
                    if (!index.isValid() || !m_answer)
                        return;
                    if (!m_isShowing)
                        m_chosen = index.row();
                    choose(index.row());
                });
        m_chart->setFrameShape(QFrame::NoFrame);
        connect(m_chart, &SceneView::pointChosen, this, [this](std::size_t point) {
            if (m_answer && point + 1 < m_answer->rows.size())
                m_table->selectRow(static_cast<int>(point) + 1);
        });
        for (QLabel* label : {m_memoryHint, m_summary})
            label->setMinimumWidth(1); // lets a narrow window clip the text
        m_note->setContentsMargins(12, 6, 12, 10);
        m_steps->setFixedWidth(kStepsColumn);
        m_steps->setAlignment(Qt::AlignTop);
        m_steps->setContentsMargins(0, 14, 0, 0);
        auto* top = makeColumn({}, 0, {makeColumn({12, 12, 12, 8}, 0, {m_band}), m_table, m_note});
        auto* memory = makeBar(
            36, 8,
            {m_memoryTitle, new Tag(m_theme, tr("simulated"), this), kStretch, m_memoryHint});
        auto* speedUp
            = makeBar(36, 8,
                      {makeLabel(tr("Speed-up against gain in stage MFU"), "dock"), kStretch,
                       makeLabel(tr("shaded: the larger micro-batch is slower"), "hint")});
        for (DeviceView* view : {m_bars, m_bpipeBars})
            view->setMinimumHeight(200);
        auto* bars = spaced(new QHBoxLayout, {}, 0, {{m_bars, 1}, {m_bpipeBars, 1}});
        auto* chart = spaced(new QHBoxLayout, {0, 0, 12, 0}, 8, {{m_chart, 1}, m_steps});
        auto* head = makeBar(
            40, 8, {makeLabel(tr("Larger micro-batches with BPipe"), "dock"), kStretch, m_summary});
        return makeLined(
            {head, {makeScroll(makeLined({top, memory, {bars, 4}, speedUp, {chart, 5}})), 1}});
    }

    QWidget* makeSources()
    {
        auto* rows = named(new QWidget, "estimatorSources");
        m_sources = spaced(new QVBoxLayout(rows), {12, 10, 12, 10}, 10);
        QScrollArea* scroll = makeScroll(rows);
        scroll->setFocusPolicy(Qt::StrongFocus); // the keyboard can scroll it
        scroll->setAccessibleName(tr("Where the numbers come from"));
        auto* column = named(
            makeLined({makeBar(40, 8, {makeLabel(tr("Published, computed, tolerance"), "dock")}),
                       m_published,
                       makeBar(36, 8, {makeLabel(tr("Where the numbers come from"), "dock")}),
                       {scroll, 1},
                       makeFoot({makeButton(m_copyTable, "estimatorCopyTableButton"), kStretch})}),
            "estimatorDock");
        column->setMinimumWidth(kFormColumn);
        return column;
    }

    // A wide window shows the form and, on request, the sources. A narrow one shows one of them.
    void showColumns()
    {
        m_dock->setVisible(m_showSources->isChecked());
        m_formColumn->setVisible(width() >= kFoldSources || !m_showSources->isChecked());
    }

    // Chooses between typed values and those of the roofline, with which typing begins.
    void chooseMfu(int choice)
    {
        if (m_request.hasStageMfu == (choice == 1))
            return;
        m_request.hasStageMfu = choice == 1;
        if (m_request.hasStageMfu && m_request.stageMfu.empty() && m_answer)
            for (const BpipeRow& row : m_answer->rows)
                m_request.stageMfu.push_back(std::round(1000 * row.stageMfu) / 10);
        m_fields->show();
        estimate();
    }

    void setRequest(const EstimateRequest& request)
    {
        m_request = request;
        showFields();
        estimate();
    }

    void showFields()
    {
        m_fields->show();
        m_mfuFrom->setCurrent(m_request.hasStageMfu ? 1 : 0);
    }

    void estimate()
    {
        for (std::size_t i = 0; i < m_presets.size(); ++i)
            m_presets[i]->setChecked(bpipeCases()[i].request == m_request);
        m_attentionHint->setText(fromUtf8(attentionText(m_request.source.setup.attention)));
        m_mfuHint->setText(m_request.hasStageMfu
                               ? tr("One measured value for each micro-batch size.")
                               : tr("Planning constants, not measured."));
        const auto refused = [this](const std::string& problem) {
            refuse(withLabels(profiler::estimateFields(), problem));
        };
        if (const QString problem = m_fields->problem(); !problem.isEmpty())
            return refused(problem.toStdString());
        auto question = profiler::questionOf(m_request);
        auto answer = question ? engine::bpipeGain(*question) : tl::unexpected(question.error());
        if (!answer)
            return refused(answer.error().message);
        m_question = *std::move(question);
        m_answer = *std::move(answer);
        showAnswer();
    }

    void refuse(const QString& reason)
    {
        m_answer.reset();
        m_question.reset();
        m_table->show(sizeColumns(), {});
        m_band->show(Band::Kind::Error, tr("No estimate."), capitalized(reason) + QLatin1Char('.'));
        for (QLabel* label : {m_summary, m_note, m_steps, m_memoryHint})
            label->clear();
        m_memoryTitle->setText(tr("Memory per device"));
        m_bars->clear(tr("The memory is shown when all fields are valid."));
        m_bpipeBars->hide();
        m_chart->draw(nullptr);
        m_memory.drop();
        showSources();
        for (QAction* action : {m_simulate, m_copyCommand, m_copyTable})
            action->setEnabled(false);
        Q_EMIT statusChanged();
    }

    void showAnswer()
    {
        QString verdict = fromUtf8(m_answer->verdict);
        verdict.replace(QStringLiteral("->"), QStringLiteral("→"));
        m_band->show(m_answer->isWorthIt ? Band::Kind::Ok : Band::Kind::Neutral,
                     verdict.section(QLatin1Char(' '), 0, 0), verdict.section(QLatin1Char(' '), 1));
        const auto& input = m_question->input;
        m_summary->setText(tr("%1, D %2, tensor-parallel %3, batch %4")
                               .arg(fromUtf8(input.on.model.name))
                               .arg(input.stages)
                               .arg(input.on.setup.tensorParallel)
                               .arg(number(input.globalBatch, 0)));
        m_note->setText(
            tr("Memory of device 0: %1. Speed-up: upper bound, compared with the first row.")
                .arg(fromUtf8(m_question->memory.text())));
        for (QAction* action : {m_simulate, m_copyCommand, m_copyTable})
            action->setEnabled(true);
        m_isShowing = true;
        m_table->show(sizeColumns(), m_answer->rows); // clears the selection
        m_table->fit();
        m_table->selectRow(std::min(m_chosen, m_table->rows().rowCount() - 1)); // choose()
        m_isShowing = false;
    }

    const BpipeRow& chosen() const { return m_answer->rows[static_cast<std::size_t>(m_row)]; }

    void choose(int row)
    {
        m_row = row;
        const int size = chosen().microBatchSize;
        m_simulate->setText(tr("Simulate b = %1").arg(size));
        m_memoryTitle->setText(tr("Memory per device at b = %1").arg(size));
        const std::vector<BpipeStep> steps = stepsOf(*m_answer);
        m_chart->draw([=](const ChartLook& look) { return speedUpChart(steps, size, look); });
        m_chart->select(row > 0 ? std::optional(static_cast<std::size_t>(row) - 1) : std::nullopt);
        QStringList texts, published;
        for (const BpipeStep& step : steps)
            texts.append(stepText(step));
        texts.append((steps.size() > 1 ? tr("Filled: this set-up (grey: its other steps in b).")
                                       : tr("Filled: this set-up."))
                     + tr(" Open: published; their gain in stage MFU follows from the published "
                          "speed-up."));
        for (const BpipeCase& point : bpipeCases())
            published.append(QStringLiteral("%1 %2").arg(point.mark).arg(point.text()));
        texts.append(published.join(QLatin1Char('\n')));
        m_steps->setText(texts.join(QStringLiteral("\n\n")));
        showSources();
        m_memory.ask({m_request, size});
        Q_EMIT statusChanged();
    }

    // The constants used by the page, with their sources.
    void showSources()
    {
        clearLayout(*m_sources);
        if (!m_answer)
            return;
        for (const NumberSource& source :
             numberSources(*m_question, *m_answer, static_cast<std::size_t>(m_row))) {
            auto* texts = spaced(
                new QVBoxLayout, {}, 1,
                {makeWrapped("band", "", source.title), makeWrapped("hint", "", source.detail)});
            m_sources->addWidget(makeRow(
                {}, 8, {{texts, 1}, {new Tag(m_theme, source.kind, this), 0, Qt::AlignTop}}));
        }
        m_sources->addStretch(1);
    }

    // Names the fullest device, which is not device 0 if the layers are uneven.
    void showMemory(engine::Result<BpipeMemory> memory)
    {
        m_memoryHint->clear();
        m_bpipeBars->setVisible(memory.has_value());
        if (!memory)
            return m_bars->clear(capitalized(fromUtf8(memory.error().message)) + QLatin1Char('.'));
        const double highest = std::max(memory->oneFOneB.highest(), memory->bpipe.highest());
        for (DeviceColumns* columns : {&memory->oneFOneB, &memory->bpipe}) {
            columns->limit = static_cast<double>(m_question->memory.usable());
            columns->least = highest;
        }
        memory->oneFOneB.title = tr("1F1B, without BPipe");
        memory->bpipe.title = tr("BPipe");
        m_bars->show(memory->oneFOneB);
        m_bpipeBars->show(memory->bpipe);
        m_memoryHint->setText(tr("%1; fullest: device %2 of 1F1B, %3 of BPipe")
                                  .arg(scaleIn(Unit::GiB).unit())
                                  .arg(memory->oneFOneB.fullest().value)
                                  .arg(memory->bpipe.fullest().value));
    }

    void readPublished()
    {
        m_reading.run([] { return profiler::reproduce(profiler::Paper::Bpipe); },
                      [this](const engine::Result<profiler::Reproduction>& all) {
                          std::vector<Reproduced> speedUps
                              = all ? all->rows : std::vector<Reproduced>();
                          std::erase_if(speedUps, [](const auto& row) {
                              return row.what.find("speed-up") == std::string::npos;
                          });
                          m_published->show(publishedColumns(), std::move(speedUps));
                          m_published->fit();
                      });
    }

    const ThemeController& m_theme;
    EstimateRequest m_request = defaultEstimate();
    BoundFields* m_fields = new BoundFields(m_theme, this);
    SegmentControl* m_mfuFrom
        = named(new SegmentControl(m_theme, {tr("roofline"), tr("typed")}), "estimatorMfuFrom");
    QLabel *m_attentionHint = makeWrapped("hint"), *m_mfuHint = makeWrapped("hint");
    std::vector<QPushButton*> m_presets; // one per published case
    Background m_reading{this};
    using MemoryRequest = std::pair<EstimateRequest, int>; // and the micro-batch size
    Latest<MemoryRequest, engine::Result<BpipeMemory>> m_memory{
        this, [](const MemoryRequest& asked) { return bpipeMemory(asked.first, asked.second); },
        [this](const engine::Result<BpipeMemory>& memory) { showMemory(memory); }};
    std::optional<engine::BpipeQuestion> m_question;
    std::optional<engine::BpipeAnswer> m_answer; // nullopt: the input is not valid
    int m_row = 1;                               // the shown row of m_answer
    int m_chosen = 1; // the row that the user chose; kept if m_answer has fewer rows
    bool m_isShowing = false;

    RowTable<BpipeRow>* m_table
        = new RowTable<BpipeRow>(m_theme, kSizeRow, "estimatorTable", tr("Micro-batch sizes"));
    RowTable<Reproduced>* m_published = new RowTable<Reproduced>(
        m_theme, kSizeRow, "estimatorPublished", tr("Published, computed, tolerance"), 0);
    Band* m_band = named(new Band(m_theme, Band::Shape::Verdict), "estimatorVerdict");
    QLabel *m_summary = named(makeLabel({}, "hint"), "estimatorSummary"),
           *m_note = makeWrapped("hint", "estimatorNote"), *m_memoryTitle = makeLabel({}, "dock"),
           *m_memoryHint = named(makeLabel({}, "hint"), "estimatorMemoryHint"),
           *m_steps = makeWrapped("hint", "estimatorSteps");
    DeviceView *m_bars = new DeviceView(m_theme, "estimatorMemory"),
               *m_bpipeBars = new DeviceView(m_theme, "estimatorBpipeMemory");
    SceneView* m_chart = named(new SceneView(m_theme,
                                             [this](std::size_t point) {
                                                 return m_answer
                                                     ? speedUpText(stepsOf(*m_answer), point)
                                                     : QString();
                                             }),
                               "estimatorChart", tr("Speed-up against gain in stage MFU"));
    QVBoxLayout* m_sources = nullptr;
    QWidget *m_formColumn = nullptr, *m_dock = nullptr; // m_dock: the sources
    QAction *m_simulate, *m_copyCommand, *m_copyTable, *m_reset, *m_showSources;
};

} // namespace

Page* makeEstimator(const ThemeController& theme)
{
    return new EstimatorPage(theme);
}

} // namespace app
