#include "app/estimator/estimator_page.h"

#include "app/figures/scene_view.h"
#include "app/plan/run_plan.h"
#include "app/ui/band.h"
#include "app/ui/bound_fields.h"
#include "app/ui/controls.h"
#include "app/ui/csv.h"
#include "app/ui/data_table.h"
#include "app/ui/form_rows.h"
#include "app/ui/numbers.h"
#include "app/ui/segment_control.h"
#include "app/ui/text.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

QString attentionText(engine::AttentionMode mode)
{
    switch (mode) {
    case engine::AttentionMode::Standard:
        return QStringLiteral("Scores are stored until the backward pass.");
    case engine::AttentionMode::Recompute:
        return QStringLiteral("Scores are recomputed in the backward pass.");
    case engine::AttentionMode::Flash:
        return QStringLiteral("Scores are never stored.");
    }
    return {};
}

} // namespace

EstimatorForm::EstimatorForm(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_fields(new BoundFields(theme, this))
    , m_mfuFrom(named(new SegmentControl(theme, {tr("roofline"), tr("typed")}), "estimatorMfuFrom"))
    , m_attentionHint(makeWrapped("hint"))
    , m_mfuHint(makeWrapped("hint"))
{
    auto* content = makeSurface("plain");
    auto* column = spaced(new QVBoxLayout(content), {}, 0);
    QVBoxLayout* setup = makeFormSection(*column);
    for (const char* flag :
         {"--model", "--hardware", "--devices", "--tensor-parallel", "--data-parallel",
          "--global-batch", "--micro-batch-size", "--reserve"})
        addRow(*setup, flag);
    makeAttention(*column);
    makeStageMfu(*column);
    makePresets(*column);
    column->addStretch(1);
    spaced(new QVBoxLayout(this), {}, 0, {{makeScroll(content), 1}});
    showRequest();
    connect(m_fields, &BoundFields::edited, this, &EstimatorForm::changed);
    connect(m_mfuFrom, &SegmentControl::currentChanged, this,
            [this](int choice) { chooseMfu(choice == 1); });
}

void EstimatorForm::addRow(QVBoxLayout& rows, std::string_view flag)
{
    const auto* field = engine::findField(profiler::estimateFields(), flag);
    const bool isShare = field->kind == engine::FieldKind::Real;
    m_fields->addRow(rows, *field, m_request, "estimator",
                     isShare ? BoundFields::Look::Spin : BoundFields::Look::ByKind);
}

QString EstimatorForm::problem() const
{
    return withLabels(profiler::estimateFields(), m_fields->problem().toStdString());
}

void EstimatorForm::makeAttention(QVBoxLayout& column)
{
    QVBoxLayout* rows = makeFormSection(column);
    rows->addWidget(makeLabel(tr("Attention"), "dock"));
    for (const auto& field : profiler::estimateFields()) {
        if (field.flag == "--attention") {
            auto* modes = static_cast<SegmentControl*>(
                m_fields->add(field, m_request, "estimator", BoundFields::Look::Segments));
            modes->setName(tr("Attention"));
            rows->addWidget(modes, 0, Qt::AlignLeft);
            rows->addWidget(m_attentionHint);
        } else if (field.kind == engine::FieldKind::Flag) {
            m_fields->addRow(*rows, field, m_request, "estimator");
        }
    }
}

void EstimatorForm::makeStageMfu(QVBoxLayout& column)
{
    QVBoxLayout* rows = makeFormSection(column);
    m_mfuFrom->setToolTip(tr("Use the roofline's prediction, or measured values"));
    rows->addLayout(makeFormRow(tr("Stage MFU from"), {m_mfuFrom}));
    addRow(*rows, "--stage-mfu");
    rows->addWidget(m_mfuHint);
}

void EstimatorForm::makePresets(QVBoxLayout& column)
{
    QVBoxLayout* rows = makeFormSection(column);
    rows->addWidget(makeLabel(tr("Published cases"), "dock"));
    for (const BpipeCase& one : bpipeCases()) {
        auto* button = makeButton(QStringLiteral("%1: %2").arg(one.title, one.published),
                                  QStringLiteral("estimatorCase%1").arg(m_presets.size()));
        button->setCheckable(true);
        button->setToolTip(one.detail);
        button->setAccessibleDescription(one.detail);
        connect(button, &QAbstractButton::clicked, this, [this, &one] { setRequest(one.request); });
        m_presets.push_back(button);
        rows->addWidget(button);
    }
    QLabel* note = makeWrapped("hint");
    note->setText(tr("A case sets every field above; its published speed-up is from arXiv "
                     "2401.02088."));
    rows->addWidget(note);
}

// Chooses between typed values and those of the roofline. If nothing is typed yet, starts with the
// values of the roofline.
void EstimatorForm::chooseMfu(bool isTyped)
{
    if (isTyped == m_request.hasStageMfu)
        return;
    m_request.hasStageMfu = isTyped;
    if (isTyped && m_request.stageMfu.empty())
        for (const double share : m_roofline)
            m_request.stageMfu.push_back(std::round(1000 * share) / 10);
    m_fields->show();
    changed();
}

void EstimatorForm::setRequest(const EstimateRequest& request)
{
    m_request = request;
    showRequest();
    Q_EMIT edited();
}

void EstimatorForm::showRequest()
{
    m_fields->show();
    m_mfuFrom->setCurrent(m_request.hasStageMfu ? 1 : 0);
    showPreset();
}

void EstimatorForm::showPreset()
{
    for (std::size_t i = 0; i < m_presets.size(); ++i)
        m_presets[i]->setChecked(bpipeCases()[i].request == m_request);
    m_attentionHint->setText(attentionText(m_request.source.setup.attention));
    m_mfuHint->setText(m_request.hasStageMfu ? tr("One measured value for each micro-batch size.")
                                             : tr("Planning constants, not measured."));
}

void EstimatorForm::changed()
{
    showPreset();
    Q_EMIT edited();
}

namespace {

using engine::BpipeRow;

QString inGibibytes(double bytes)
{
    return scaleIn(Unit::GiB).text(bytes);
}

QString inMilliseconds(double seconds)
{
    return scaleIn(Unit::Millisecond).text(1e9 * seconds);
}

} // namespace

EstimatorPage::Sizes::Columns EstimatorPage::sizeColumns() const
{
    using Shown = TableColumn<BpipeRow>;
    const engine::MemoryCapacity limit = m_question ? m_question->memory : engine::MemoryCapacity();
    const double firstMfu = m_answer ? m_answer->rows.front().stageMfu : 0;
    const auto percents = [](double BpipeRow::*share) {
        return [share](const BpipeRow& row) { return number(100 * (row.*share), 1); };
    };
    const auto memory = [limit](const QString& title, auto bytesOf) {
        const auto excess
            = [=](const BpipeRow& row) -> double { return -limit.left(bytesOf(row).value_or(0)); };
        const auto exceeds = [=](const BpipeRow& row) { return QVariant(excess(row) > 0); };
        return Shown(labelled(title, Unit::GiB),
                     [=](const BpipeRow& row) {
                         const std::optional<double> bytes = bytesOf(row);
                         return bytes ? inGibibytes(*bytes) : kNoValue;
                     })
            .with(kDifferenceRole,
                  [=](const BpipeRow& row) {
                      return !bytesOf(row)   ? QString()
                          : excess(row) <= 0 ? tr("fits")
                                             : tr("over by %1").arg(inGibibytes(excess(row)));
                  })
            .with(kVerdictRole,
                  [=](const BpipeRow& row) {
                      const bool fits = bytesOf(row) && excess(row) <= 0;
                      return static_cast<int>(fits ? Verdict::Better : Verdict::Worse);
                  })
            .with(kExceedsRole, exceeds)
            .with(kStrongRole, exceeds);
    };
    return {Shown(tr("b"), [](const BpipeRow& row) { return QString::number(row.microBatchSize); }),
            Shown(tr("N"), [](const BpipeRow& row) { return number(row.microBatches, 0); }),
            Shown(tr("Stage MFU, %"), percents(&BpipeRow::stageMfu)),
            Shown(
                tr("Attention kernels"),
                [](const BpipeRow& row) { return fromUtf8(row.kernels.name); }, Qt::AlignLeft),
            Shown(tr("MFU, %"), percents(&BpipeRow::mfu)),
            Shown(tr("Speed-up"), [](const BpipeRow& row) { return factorText(row.speedUp); })
                .with(kStrongRole, kAlways),
            Shown(tr("Break-even, %"),
                  [=, this](const BpipeRow& row) {
                      return &row == &m_sizes->rows().front()
                          ? kNoValue
                          : number(100 * row.breakEven * firstMfu, 1);
                  })
                .tip("Stage MFU that the micro-batch size needs"),
            memory(tr("1F1B, %1"),
                   [](const BpipeRow& row) { return std::optional(row.memory.oneFOneB); }),
            memory(tr("BPipe, %1"), [](const BpipeRow& row) { return row.memory.bpipe; }),
            Shown(labelled(tr("Transfer of F, %1"), Unit::Millisecond),
                  [](const BpipeRow& row) {
                      return tr("%1 of %2")
                          .arg(inMilliseconds(row.transfer), inMilliseconds(row.forward));
                  })
                .tip("One stash over the slowest link between partners, and the forward that hides "
                     "it")};
}

namespace {

// Published and computed speed-ups, one row per case.
std::vector<TableColumn<profiler::Reproduced>> publishedColumns()
{
    using Row = profiler::Reproduced;
    using Shown = TableColumn<Row>;
    // "GPT-3 96B, attention recomputed, b 1 -> 2: speed-up (...)"
    const auto whole = [](const Row& row) {
        return fromUtf8(row.what)
            .section(QLatin1Char(':'), 0, 0)
            .replace(QStringLiteral("->"), QStringLiteral("→"));
    };
    const auto title = [whole](const Row& row) {
        const auto known = std::ranges::find(bpipeCases(), row.published, &BpipeCase::speedUp);
        return known == bpipeCases().end() ? whole(row) : known->title;
    };
    const auto tolerance = [](const Row& row) {
        return QStringLiteral("± %1 %2").arg(
            number(row.tolerance, 2), row.isWithin() ? QStringLiteral("✓") : QStringLiteral("✗"));
    };
    return {
        Shown(QStringLiteral("Case"), title, Qt::AlignLeft).tip(whole),
        Shown(QStringLiteral("Published"),
              [](const Row& row) { return factorText(row.published); }),
        Shown(QStringLiteral("Computed"), [](const Row& row) { return factorText(row.computed); })
            .with(kStrongRole, kAlways),
        Shown(QStringLiteral("Tolerance"), tolerance)
            .tip([](const Row& row) {
                return row.isWithin() ? QStringLiteral("Within the tolerance")
                                      : QStringLiteral("Outside the tolerance");
            })
            .with(kVerdictRole, [](const Row& row) {
                return static_cast<int>(row.isWithin() ? Verdict::Better : Verdict::Worse);
            })};
}

constexpr int kFormColumn = 300, kSourcesColumn = 380, kFoldSources = 1280; // px
constexpr int kSizeRow = 30, kStepsColumn = 210;

} // namespace

EstimatorPage::EstimatorPage(const ThemeController& theme, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_sizes(new Sizes(this))
    , m_form(named(new EstimatorForm(theme), "estimatorForm"))
    , m_table(named(new DataTable(theme, kSizeRow), "estimatorTable", tr("Micro-batch sizes")))
    , m_band(named(new Band(theme, Band::Shape::Verdict), "estimatorVerdict"))
    , m_summary(named(makeLabel({}, "hint"), "estimatorSummary"))
    , m_note(named(makeWrapped("hint"), "estimatorNote"))
    , m_memoryTitle(makeLabel({}, "dock"))
    , m_memoryHint(named(makeLabel({}, "hint"), "estimatorMemoryHint"))
    , m_steps(named(makeWrapped("hint"), "estimatorSteps"))
    , m_bars(named(new MemoryBars(theme), "estimatorMemory", tr("Memory per device")))
    , m_chart(named(new SceneView(theme,
                                  [this](std::size_t point) {
                                      return m_answer ? speedUpText(stepsOf(*m_answer), point)
                                                      : QString();
                                  }),
                    "estimatorChart", tr("Speed-up against gain in stage MFU")))
    , m_published(new TableModel<profiler::Reproduced>(this))
    , m_publishedTable(named(new DataTable(theme, kSizeRow), "estimatorPublished",
                             tr("Published, computed, tolerance")))
{
    setObjectName(QStringLiteral("estimatorPage"));
    makeActions();
    m_chart->setFrameShape(QFrame::NoFrame);
    for (QLabel* label : {m_steps, m_note})
        label->setTextFormat(Qt::PlainText);
    for (QLabel* label : {m_memoryHint, m_summary})
        label->setMinimumWidth(1); // lets a narrow window clip the text
    m_sizes->reset(sizeColumns(), {});
    m_published->reset(publishedColumns(), {});
    m_table->setModel(m_sizes);
    m_table->setDispensable({Transfer, BreakEven, Kernels, Mfu, Count});
    m_formColumn = makeForm();
    m_dock = makeSources();
    auto* columns = makeSplitter(Qt::Horizontal);
    for (QWidget* column : {m_formColumn, makeCentre(), m_dock})
        columns->addWidget(column);
    columns->setStretchFactor(1, 1);
    columns->setSizes({kFormColumn, 950, kSourcesColumn});
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(columns);
    setInitialFocus(m_table);
    connectAll();
    readPublished();
    estimate();
}

void EstimatorPage::makeActions()
{
    m_simulate = makeAction(
        "estimatorSimulate", tr("Simulate"), Qt::CTRL | Qt::Key_Return,
        [this] {
            const auto& row = m_answer->rows[static_cast<std::size_t>(m_row)];
            Q_EMIT pageRequested(
                {.kind = "setup",
                 .plan = simulationOf(m_form->request(), "bpipe", row.microBatchSize)});
        },
        tr("simulate the chosen micro-batch size with BPipe"));
    m_copyCommand = makeAction("estimatorCommand", tr("Copy as command"), {}, [this] {
        QGuiApplication::clipboard()->setText(estimateCommand(m_form->request()));
    });
    m_copyCommand->setToolTip(tr("Copies the bscope estimate command with this set-up"));
    m_copyTable
        = makeAction("estimatorCopyTable", tr("Copy table"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
                     [this] { QGuiApplication::clipboard()->setText(csvOf(*m_sizes)); });
    m_reset = makeAction("estimatorReset", tr("Reset"), {},
                         [this] { m_form->setRequest(defaultEstimate()); });
    m_showSources = makeAction("estimatorShowSources", tr("Sources of the numbers"), {});
    foldBelow(kFoldSources, *m_showSources);
}

QWidget* EstimatorPage::makeForm()
{
    m_simulateButton
        = makeButton({}, QStringLiteral("estimatorSimulateButton"), "primary", m_simulate);
    auto* command = makeButton(m_copyCommand->text(), QStringLiteral("estimatorCommandButton"), "",
                               m_copyCommand);
    auto* reset
        = makeButton(m_reset->text(), QStringLiteral("estimatorResetButton"), "link", m_reset);
    auto* column = makeLined({makeBar(40, 8, {makeLabel(tr("Estimator"), "dock"), kStretch, reset}),
                              {m_form, 1},
                              makeFoot({{m_simulateButton, 1}, command})});
    column->setMinimumWidth(kFormColumn);
    return column;
}

QWidget* EstimatorPage::makeCentre()
{
    auto* band = makeSurface("plain");
    spaced(new QVBoxLayout(band), {12, 12, 12, 8}, 0, {m_band});
    m_note->setContentsMargins(12, 6, 12, 10);
    auto* top = makeSurface("plain");
    spaced(new QVBoxLayout(top), {}, 0, {band, m_table, m_note});
    auto* memory = makeBar(
        36, 8, {m_memoryTitle, new Tag(m_theme, tr("simulated"), this), kStretch, m_memoryHint});
    auto* speedUp = makeBar(36, 8,
                            {makeLabel(tr("Speed-up against gain in stage MFU"), "dock"), kStretch,
                             makeLabel(tr("shaded: the larger micro-batch is slower"), "hint")});
    m_steps->setFixedWidth(kStepsColumn);
    m_steps->setAlignment(Qt::AlignTop);
    m_steps->setContentsMargins(0, 14, 0, 0);
    auto* chart = spaced(new QHBoxLayout, {0, 0, 12, 0}, 8, {{m_chart, 1}, m_steps});
    auto* head = makeBar(
        40, 8, {makeLabel(tr("Larger micro-batches with BPipe"), "dock"), kStretch, m_summary});
    return makeLined(
        {head, {makeScroll(makeLined({top, memory, {m_bars, 4}, speedUp, {chart, 5}})), 1}});
}

QWidget* EstimatorPage::makeSources()
{
    m_publishedTable->setModel(m_published);
    m_publishedTable->setRestColumn(0);
    auto* rows = named(new QWidget, "estimatorSources");
    m_sources = spaced(new QVBoxLayout(rows), {12, 10, 12, 10}, 10);
    QScrollArea* scroll = makeScroll(rows);
    scroll->setFocusPolicy(Qt::StrongFocus); // the keyboard can scroll it
    scroll->setAccessibleName(tr("Where the numbers come from"));
    auto* copy = makeButton(m_copyTable->text(), QStringLiteral("estimatorCopyTableButton"), "",
                            m_copyTable);
    auto* column = named(
        makeLined({makeBar(40, 8, {makeLabel(tr("Published, computed, tolerance"), "dock")}),
                   m_publishedTable,
                   makeBar(36, 8, {makeLabel(tr("Where the numbers come from"), "dock")}),
                   {scroll, 1},
                   makeFoot({copy, kStretch})}),
        "estimatorDock");
    column->setMinimumWidth(kFormColumn);
    return column;
}

void EstimatorPage::connectAll()
{
    connect(m_form, &EstimatorForm::edited, this, &EstimatorPage::estimate);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& index) {
                if (!index.isValid() || !m_answer)
                    return;
                if (!m_isShowing)
                    m_chosen = index.row();
                choose(index.row());
            });
    connect(m_chart, &SceneView::pointChosen, this, [this](std::size_t point) {
        if (m_answer && point + 1 < m_answer->rows.size())
            m_table->selectRow(static_cast<int>(point) + 1);
    });
    connect(m_showSources, &QAction::toggled, this, &EstimatorPage::showColumns);
}

// A wide window shows the form and, on request, the sources. A narrow one shows only one of them.
void EstimatorPage::showColumns()
{
    m_dock->setVisible(m_showSources->isChecked());
    m_formColumn->setVisible(width() >= kFoldSources || !m_showSources->isChecked());
}

void EstimatorPage::estimate()
{
    if (const QString problem = m_form->problem(); !problem.isEmpty())
        return refuse(problem);
    auto question = profiler::questionOf(m_form->request());
    auto answer = question ? engine::bpipeGain(*question) : tl::unexpected(question.error());
    if (!answer)
        return refuse(withLabels(profiler::estimateFields(), answer.error().message));
    m_question = *std::move(question);
    m_answer = *std::move(answer);
    showAnswer();
}

void EstimatorPage::refuse(const QString& reason)
{
    m_answer.reset();
    m_question.reset();
    m_sizes->reset(sizeColumns(), {});
    m_band->show(Band::Kind::Error, tr("No estimate."), capitalized(reason) + QLatin1Char('.'));
    m_summary->clear();
    m_note->clear();
    m_steps->clear();
    m_memoryTitle->setText(tr("Memory per device"));
    m_memoryHint->clear();
    m_bars->clear(tr("The memory is shown when all fields are valid."));
    m_chart->draw(nullptr);
    m_memory.drop();
    showSources();
    for (QAction* action : {m_simulate, m_copyCommand, m_copyTable})
        action->setEnabled(false);
    Q_EMIT statusChanged();
}

void EstimatorPage::showAnswer()
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
    std::vector<double> mfus;
    for (const auto& row : m_answer->rows)
        mfus.push_back(row.stageMfu);
    m_form->showMfus(mfus);
    m_copyCommand->setEnabled(true);
    m_copyTable->setEnabled(true);
    m_isShowing = true;
    m_sizes->reset(sizeColumns(), m_answer->rows); // clears the selection
    m_table->setFixedHeight(m_table->fittingHeight());
    m_table->selectRow(std::min(m_chosen, static_cast<int>(m_answer->rows.size()) - 1)); // choose()
    m_isShowing = false;
}

void EstimatorPage::choose(int row)
{
    m_row = row;
    const auto& chosen = m_answer->rows[static_cast<std::size_t>(row)];
    m_simulate->setEnabled(true);
    m_simulateButton->setText(tr("Simulate b = %1").arg(chosen.microBatchSize));
    m_memoryTitle->setText(tr("Memory per device at b = %1").arg(chosen.microBatchSize));
    const std::vector<BpipeStep> steps = stepsOf(*m_answer);
    m_chart->draw([steps, size = chosen.microBatchSize](const ChartLook& look) {
        return speedUpChart(steps, size, look);
    });
    m_chart->select(row > 0 ? std::optional(static_cast<std::size_t>(row) - 1) : std::nullopt);
    QStringList texts;
    for (const BpipeStep& step : steps)
        texts.append(stepText(step));
    texts.append((steps.size() > 1 ? tr("Filled: this set-up (grey: its other steps in b).")
                                   : tr("Filled: this set-up."))
                 + QLatin1Char(' ')
                 + tr("Open: published; their gain in stage MFU follows from the published "
                      "speed-up."));
    QStringList published;
    for (const BpipePoint& point : publishedPoints())
        published.append(QStringLiteral("%1 %2").arg(point.mark).arg(point.text));
    texts.append(published.join(QLatin1Char('\n')));
    m_steps->setText(texts.join(QStringLiteral("\n\n")));
    showSources();
    m_memory.ask({m_form->request(), chosen.microBatchSize});
    Q_EMIT statusChanged();
}

// The constants used by the page, with their sources.
void EstimatorPage::showSources()
{
    while (QLayoutItem* old = m_sources->takeAt(0)) {
        delete old->widget();
        delete old;
    }
    if (!m_answer)
        return;
    for (const NumberSource& source :
         numberSources(*m_question, *m_answer, static_cast<std::size_t>(m_row))) {
        auto* row = new QWidget;
        QLabel *title = makeLabel(source.title, "band"), *detail = makeLabel(source.detail, "hint");
        title->setWordWrap(true);
        detail->setWordWrap(true);
        auto* texts = spaced(new QVBoxLayout, {}, 1, {title, detail});
        spaced(new QHBoxLayout(row), {}, 8,
               {{texts, 1}, {new Tag(m_theme, source.kind, row), 0, Qt::AlignTop}});
        m_sources->addWidget(row);
    }
    m_sources->addStretch(1);
}

void EstimatorPage::showMemory(const engine::Result<BpipeMemory>& memory)
{
    m_memoryHint->clear();
    if (memory)
        showBars(*memory);
    else
        m_bars->clear(capitalized(fromUtf8(memory.error().message)) + QLatin1Char('.'));
}

// Names the fullest device, which is not device 0 if the layers are uneven.
void EstimatorPage::showBars(const BpipeMemory& memory)
{
    const auto fullest = [](const std::vector<DevicePeak>& peaks) {
        return std::ranges::max_element(peaks, {}, &DevicePeak::sum) - peaks.begin();
    };
    m_bars->show({{tr("1F1B, without BPipe"), memory.oneFOneB}, {tr("BPipe"), memory.bpipe}},
                 static_cast<double>(m_question->memory.usable()));
    m_memoryHint->setText(tr("%1; fullest: device %2 of 1F1B, %3 of BPipe")
                              .arg(scaleIn(Unit::GiB).unit())
                              .arg(fullest(memory.oneFOneB))
                              .arg(fullest(memory.bpipe)));
}

void EstimatorPage::readPublished()
{
    m_reading.run([] { return profiler::reproduce(profiler::Paper::Bpipe); },
                  [this](const engine::Result<profiler::Reproduction>& all) {
                      std::vector<profiler::Reproduced> speedUps;
                      if (all)
                          std::ranges::copy_if(
                              all->rows, std::back_inserter(speedUps), [](const auto& row) {
                                  return row.what.find("speed-up") != std::string::npos;
                              });
                      m_published->reset(publishedColumns(), std::move(speedUps));
                      m_publishedTable->setFixedHeight(m_publishedTable->fittingHeight());
                  });
}

QStringList EstimatorPage::statusTexts() const
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

QString EstimatorPage::statusNote() const
{
    if (!m_answer)
        return {};
    const auto& row = m_answer->rows[static_cast<std::size_t>(m_row)];
    return tr("%1 at b = %2").arg(factorText(row.speedUp)).arg(row.microBatchSize);
}

QList<QAction*> EstimatorPage::menuActions(Menu menu) const
{
    if (menu == Menu::Run)
        return {m_simulate, m_reset};
    if (menu == Menu::View)
        return {m_showSources};
    return menu == Menu::Export ? QList<QAction*>{m_copyCommand, m_copyTable} : QList<QAction*>();
}

void EstimatorPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    showColumns();
}

QJsonObject EstimatorPage::state() const
{
    const EstimateRequest& request = m_form->request();
    return {{QStringLiteral("estimate"), fieldTexts(profiler::estimateFields(), request)},
            {QStringLiteral("hasStageMfu"), request.hasStageMfu}};
}

void EstimatorPage::restoreState(const QJsonObject& state)
{
    const QJsonValue stored = state.value(QStringLiteral("estimate"));
    if (!stored.isObject())
        return;
    EstimateRequest request;
    setFields(profiler::estimateFields(), request, stored.toObject());
    request.hasStageMfu = state.value(QStringLiteral("hasStageMfu")).toBool();
    m_form->setRequest(request);
}

} // namespace app
