#include "app/estimator/estimator_page.h"

#include "app/estimator/estimator_form.h"
#include "app/plan/cost_state.h"
#include "app/ui/band.h"
#include "app/ui/bound_fields.h"
#include "app/ui/controls.h"
#include "app/ui/csv.h"
#include "app/ui/data_table.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "profiler/analysis/ticks.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QPainter>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

constexpr int kLeft = 40, kRight = 64, kTop = 22, kBottom = 36;
constexpr double kRadius = 5;

} // namespace

SpeedUpChart::SpeedUpChart(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setMinimumSize(300, 190);
}

void SpeedUpChart::show(const std::vector<BpipeStep>& steps, int size)
{
    m_steps = steps;
    m_size = size;
    scale();
    QStringList texts;
    for (const BpipeStep& step : steps)
        texts.append(tr("b %1 to %2: a gain of %3 in stage MFU gives %4")
                         .arg(step.from)
                         .arg(step.to)
                         .arg(factorText(step.gain), factorText(step.speedUp())));
    for (const BpipePoint& point : publishedPoints())
        texts.append(point.text);
    setAccessibleDescription(texts.join(QStringLiteral("; ")));
    update();
}

void SpeedUpChart::scale()
{
    double left = 1, right = 1, bottom = 1, top = 1;
    const auto include = [&](double gain, double speedUp) {
        left = std::min(left, gain);
        right = std::max(right, gain);
        bottom = std::min(bottom, speedUp);
        top = std::max(top, speedUp);
    };
    for (const BpipePoint& point : publishedPoints())
        include(point.gain, point.speedUp);
    for (const BpipeStep& step : m_steps)
        include(step.gain, step.speedUp());
    constexpr double kMargin = 0.05;
    m_left = left - kMargin;
    m_right = right + kMargin;
    m_bottom = bottom - kMargin;
    m_top = top + kMargin;
}

QPointF SpeedUpChart::place(double gain, double speedUp) const
{
    return {m_plot.left() + m_plot.width() * (gain - m_left) / (m_right - m_left),
            m_plot.bottom() - m_plot.height() * (speedUp - m_bottom) / (m_top - m_bottom)};
}

void SpeedUpChart::paintGround(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    const double even = std::round(place(1, 1).y());
    painter.fillRect(QRectF(m_plot.left(), even, m_plot.width(), m_plot.bottom() - even),
                     chrome.surfaceAlt);
    painter.setFont(uiFont(11));
    constexpr double kMost = 8; // ticks of an axis
    const auto x = profiler::ticks(m_left, m_right, (m_right - m_left) / kMost);
    const auto y = profiler::ticks(m_bottom, m_top, (m_top - m_bottom) / kMost);
    for (const double at : y.major) {
        const double top = std::round(place(1, at).y());
        painter.fillRect(QRectF(m_plot.left(), top, m_plot.width(), 1), chrome.grid);
        painter.setPen(chrome.text3);
        painter.drawText(QRectF(0, top - 8, kLeft - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                         number(at, y.decimals));
    }
    painter.fillRect(QRectF(m_plot.left(), m_plot.bottom(), m_plot.width(), 1), chrome.line);
    for (const double at : x.major) {
        const double left = std::round(place(at, 1).x());
        painter.fillRect(QRectF(left, m_plot.bottom(), 1, 4), chrome.line);
        painter.setPen(chrome.text3);
        painter.drawText(QRectF(left - 24, m_plot.bottom() + 4, 48, 14), Qt::AlignCenter,
                         number(at, x.decimals));
    }
    painter.setPen(chrome.text2);
    painter.drawText(QRectF(m_plot.left(), m_plot.bottom() + 18, m_plot.width(), 16),
                     Qt::AlignCenter, tr("gain in stage MFU, ×"));
    painter.drawText(QPointF(8, 14), tr("speed-up, ×"));
    QPen dashed(chrome.text2, 1);
    dashed.setDashPattern({4, 3});
    painter.setPen(dashed);
    painter.drawLine(QPointF(m_plot.left(), even + 0.5), QPointF(m_plot.right(), even + 0.5));
}

void SpeedUpChart::paintLines(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    double lastLabel = -1e9; // y
    for (const BpipeStep& step : m_steps) {
        const bool isShown = step.to == m_size;
        painter.save();
        painter.setClipRect(m_plot);
        painter.setPen(QPen(isShown ? chrome.text : chrome.text3, isShown ? 1.6 : 1.2));
        const QPointF end = place(m_right, m_right / step.needed);
        painter.drawLine(place(m_left, m_left / step.needed), end);
        painter.restore();
        const double y = std::clamp(end.y(), m_plot.top() + 4, m_plot.bottom());
        if (y - lastLabel < 13)
            continue;
        lastLabel = y;
        painter.setPen(isShown ? chrome.text : chrome.text2);
        const bool isCut = end.y() < m_plot.top();
        const double x = isCut ? std::min(place(m_top * step.needed, m_top).x() + 4, m_plot.right())
                               : m_plot.right() + 5;
        painter.drawText(QPointF(x, y + 4), tr("b %1 → %2").arg(step.from).arg(step.to));
    }
}

void SpeedUpChart::paintMarks(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    for (const BpipeStep& step : m_steps) {
        const QPointF at = place(step.gain, step.speedUp());
        const bool isShown = step.to == m_size;
        painter.setPen(Qt::NoPen);
        painter.setBrush(isShown ? chrome.text : chrome.text3);
        painter.drawEllipse(at, kRadius - 1, kRadius - 1);
        if (!isShown)
            continue;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(chrome.text, 1.4));
        painter.drawEllipse(at, kRadius + 3, kRadius + 3);
        painter.setPen(QPen(chrome.text2, 1, Qt::DotLine));
        painter.drawLine(at + QPointF(0, kRadius + 3), QPointF(at.x(), m_plot.bottom()));
    }
    painter.setPen(chrome.text);
    painter.setFont(uiFont(15));
    for (const BpipePoint& point : publishedPoints())
        painter.drawText(
            QRectF(place(point.gain, point.speedUp), QSizeF()).adjusted(-12, -12, 12, 12),
            Qt::AlignCenter, QString(point.mark));
}

void SpeedUpChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().chrome.surface);
    m_plot = QRectF(rect()).adjusted(kLeft, kTop, -kRight, -kBottom);
    paintGround(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    paintLines(painter);
    paintMarks(painter);
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

BpipeModel::BpipeModel(QObject* parent)
    : TableModel(parent)
{
    reset(columns(), {});
}

void BpipeModel::show(const std::vector<BpipeRow>& shown, double usableMemory)
{
    m_usable = usableMemory;
    m_firstMfu = shown.empty() ? 0 : shown.front().stageMfu;
    reset(columns(), shown);
}

BpipeModel::Columns BpipeModel::columns() const
{
    using Shown = TableColumn<BpipeRow>;
    const auto percents = [](double BpipeRow::*share) {
        return [share](const BpipeRow& row) { return number(100 * (row.*share), 1); };
    };
    const auto memory = [this](const QString& title, auto bytesOf) {
        Shown column(labelled(title, Unit::GiB), [bytesOf](const BpipeRow& row) {
            const std::optional<double> bytes = bytesOf(row);
            return bytes ? inGibibytes(*bytes) : QStringLiteral("–");
        });
        const auto excess = [this, bytesOf](const BpipeRow& row) {
            return bytesOf(row).value_or(m_usable) - m_usable;
        };
        column.with(kDifferenceRole, [excess, bytesOf](const BpipeRow& row) -> QVariant {
            return !bytesOf(row)   ? QString()
                : excess(row) <= 0 ? tr("fits")
                                   : tr("over by %1").arg(inGibibytes(excess(row)));
        });
        column.with(kVerdictRole, [excess, bytesOf](const BpipeRow& row) {
            const bool fits = bytesOf(row) && excess(row) <= 0;
            return QVariant(static_cast<int>(fits ? Verdict::Better : Verdict::Worse));
        });
        for (const int role : {kExceedsRole, kStrongRole})
            column.with(role, [excess](const BpipeRow& row) { return QVariant(excess(row) > 0); });
        return column;
    };
    const auto explained = [](Shown of, const QString& tip) {
        return of.with(Qt::ToolTipRole, [tip](const BpipeRow&) { return QVariant(tip); });
    };
    return {
        Shown(tr("b"), [](const BpipeRow& row) { return QString::number(row.microBatchSize); }),
        Shown(tr("N"), [](const BpipeRow& row) { return number(row.microBatches, 0); }),
        Shown(tr("Stage MFU, %"), percents(&BpipeRow::stageMfu)),
        Shown(
            tr("Attention kernels"), [](const BpipeRow& row) { return fromUtf8(row.kernels.name); },
            Qt::AlignLeft),
        Shown(tr("MFU, %"), percents(&BpipeRow::mfu)),
        Shown(tr("Speed-up"), [](const BpipeRow& row) { return factorText(row.speedUp); })
            .with(kStrongRole, kAlways),
        explained(Shown(tr("Break-even, %"),
                        [this](const BpipeRow& row) {
                            return &row == &rows().front()
                                ? QStringLiteral("–")
                                : number(100 * row.breakEven * m_firstMfu, 1);
                        }),
                  tr("Stage MFU that the micro-batch size needs")),
        memory(tr("1F1B, %1"),
               [](const BpipeRow& row) { return std::optional(row.memory.oneFOneB); }),
        memory(tr("BPipe, %1"), [](const BpipeRow& row) { return row.memory.bpipe; }),
        explained(
            Shown(labelled(tr("Transfer of F, %1"), Unit::Millisecond),
                  [](const BpipeRow& row) {
                      return tr("%1 of %2")
                          .arg(inMilliseconds(row.transfer), inMilliseconds(row.forward));
                  }),
            tr("One stash over the slowest link between partners, and the forward that hides it"))};
}

// Published and computed speed-ups, one row per case.
class PublishedCases : public TableModel<profiler::Reproduced>
{
public:
    using Row = profiler::Reproduced;

    explicit PublishedCases(QObject* parent)
        : TableModel(parent)
    {
        show({});
    }
    void show(std::vector<Row> rows)
    {
        // "GPT-3 96B, attention recomputed, b 1 -> 2: speed-up (...)"
        const auto tip = [](const Row& row) {
            return QVariant(fromUtf8(row.what)
                                .section(QLatin1Char(':'), 0, 0)
                                .replace(QStringLiteral("->"), QStringLiteral("→")));
        };
        const auto title = [tip](const Row& row) {
            const auto known = std::ranges::find(bpipeCases(), row.published, &BpipeCase::speedUp);
            return known == bpipeCases().end() ? tip(row).toString() : known->title;
        };
        const auto verdict = [](const Row& row) {
            return QVariant(static_cast<int>(row.isWithin() ? Verdict::Better : Verdict::Worse));
        };
        reset({TableColumn<Row>(QStringLiteral("Case"), title, Qt::AlignLeft)
                   .with(Qt::ToolTipRole, tip),
               TableColumn<Row>(QStringLiteral("Published"),
                                [](const Row& row) { return factorText(row.published); }),
               TableColumn<Row>(QStringLiteral("Computed"),
                                [](const Row& row) { return factorText(row.computed); })
                   .with(kStrongRole, kAlways),
               TableColumn<Row>(QStringLiteral("Tolerance"),
                                [](const Row& row) {
                                    return QStringLiteral("± %1 %2").arg(
                                        number(row.tolerance, 2),
                                        row.isWithin() ? QStringLiteral("✓") : QStringLiteral("✗"));
                                })
                   .with(Qt::ToolTipRole,
                         [](const Row& row) {
                             return QVariant(row.isWithin()
                                                 ? QStringLiteral("Within the tolerance")
                                                 : QStringLiteral("Outside the tolerance"));
                         })
                   .with(kVerdictRole, verdict)},
              std::move(rows));
    }
};

namespace {

constexpr int kFormColumn = 300, kSourcesColumn = 380, kFoldSources = 1280; // px
constexpr int kSizeRow = 30, kStepsColumn = 210;

QLabel* makeParagraph(const char* name)
{
    QLabel* label = named(makeLabel({}, "hint"), name);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

} // namespace

EstimatorPage::EstimatorPage(const ThemeController& theme, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_model(new BpipeModel(this))
    , m_form(named(new EstimatorForm(theme), "estimatorForm"))
    , m_table(named(new DataTable(theme, kSizeRow), "estimatorTable", tr("Micro-batch sizes")))
    , m_band(named(new Band(theme, Band::Shape::Verdict), "estimatorVerdict"))
    , m_summary(named(makeLabel({}, "hint"), "estimatorSummary"))
    , m_note(makeParagraph("estimatorNote"))
    , m_memoryTitle(makeLabel({}, "dock"))
    , m_memoryHint(named(makeLabel({}, "hint"), "estimatorMemoryHint"))
    , m_steps(makeParagraph("estimatorSteps"))
    , m_bars(named(new MemoryBars(theme), "estimatorMemory", tr("Memory per device")))
    , m_chart(named(new SpeedUpChart(theme), "estimatorChart",
                    tr("Speed-up against gain in stage MFU")))
    , m_published(new PublishedCases(this))
    , m_publishedTable(named(new DataTable(theme, kSizeRow), "estimatorPublished",
                             tr("Published, computed, tolerance")))
{
    setObjectName(QStringLiteral("estimatorPage"));
    makeActions();
    for (QLabel* label : {m_memoryHint, m_summary})
        label->setMinimumWidth(1); // lets a narrow window clip the text
    m_table->setModel(m_model);
    using enum BpipeModel::Column;
    m_table->setDispensable({static_cast<int>(Transfer), static_cast<int>(BreakEven),
                             static_cast<int>(Kernels), static_cast<int>(Mfu),
                             static_cast<int>(Count)});
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
                     [this] { QGuiApplication::clipboard()->setText(csvOf(*m_model)); });
    m_reset = makeAction("estimatorReset", tr("Reset"), {},
                         [this] { m_form->setRequest(defaultEstimate()); });
    m_showSources = makeAction("estimatorShowSources", tr("Sources of the numbers"), {});
    m_showSources->setCheckable(true);
    m_showSources->setChecked(true);
}

QWidget* EstimatorPage::makeForm()
{
    m_simulateButton
        = makeButton({}, QStringLiteral("estimatorSimulateButton"), "primary", m_simulate);
    auto* buttons = makeSurface("plain");
    buttons->setFixedHeight(53);
    spaced(new QHBoxLayout(buttons), {14, 0, 14, 0}, 8,
           {{m_simulateButton, 1},
            makeButton(m_copyCommand->text(), QStringLiteral("estimatorCommandButton"), "",
                       m_copyCommand)});
    auto* head = makeBar(
        40, 8,
        {makeLabel(tr("Estimator"), "dock"), kStretch,
         makeButton(m_reset->text(), QStringLiteral("estimatorResetButton"), "link", m_reset)});
    auto* column = makeSurface("plain");
    column->setMinimumWidth(kFormColumn);
    spaced(new QVBoxLayout(column), {}, 0,
           {head, makeLine(Qt::Horizontal), {m_form, 1}, makeLine(Qt::Horizontal), buttons});
    return column;
}

QWidget* EstimatorPage::makeMemory()
{
    auto* part = makeSurface("plain");
    auto* head = makeBar(
        36, 8, {m_memoryTitle, new Tag(m_theme, tr("simulated"), part), kStretch, m_memoryHint});
    spaced(new QVBoxLayout(part), {}, 0,
           {makeLine(Qt::Horizontal), head, makeLine(Qt::Horizontal), {m_bars, 1}});
    return part;
}

QWidget* EstimatorPage::makeChart()
{
    auto* part = makeSurface("plain");
    auto* head = makeBar(36, 8,
                         {makeLabel(tr("Speed-up against gain in stage MFU"), "dock"), kStretch,
                          makeLabel(tr("shaded: the larger micro-batch is slower"), "hint")});
    m_steps->setFixedWidth(kStepsColumn);
    m_steps->setAlignment(Qt::AlignTop);
    auto* row = spaced(new QHBoxLayout, {0, 0, 12, 0}, 8, {{m_chart, 1}, m_steps});
    m_steps->setContentsMargins(0, 14, 0, 0);
    spaced(new QVBoxLayout(part), {}, 0,
           {makeLine(Qt::Horizontal), head, makeLine(Qt::Horizontal), {row, 1}});
    return part;
}

QWidget* EstimatorPage::makeCentre()
{
    auto* content = makeSurface("plain");
    auto* band = makeSurface("plain");
    spaced(new QVBoxLayout(band), {12, 12, 12, 8}, 0, {m_band});
    m_note->setContentsMargins(12, 6, 12, 10);
    spaced(new QVBoxLayout(content), {}, 0,
           {band, m_table, m_note, {makeMemory(), 4}, {makeChart(), 5}});
    auto* head = makeBar(
        40, 8, {makeLabel(tr("Larger micro-batches with BPipe"), "dock"), kStretch, m_summary});
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0,
           {head, makeLine(Qt::Horizontal), {makeScroll(content), 1}});
    return centre;
}

QWidget* EstimatorPage::makeSources()
{
    auto* column = named(makeSurface("plain"), "estimatorDock");
    column->setMinimumWidth(kFormColumn);
    auto* published = makeBar(40, 8, {makeLabel(tr("Published, computed, tolerance"), "dock")});
    auto* sources = makeBar(36, 8, {makeLabel(tr("Where the numbers come from"), "dock")});
    auto* buttons = makeSurface("plain");
    buttons->setFixedHeight(53);
    spaced(new QHBoxLayout(buttons), {12, 0, 12, 0}, 8,
           {makeButton(m_copyTable->text(), QStringLiteral("estimatorCopyTableButton"), "",
                       m_copyTable),
            kStretch});
    m_publishedTable->setModel(m_published);
    m_publishedTable->setRestColumn(0);
    auto* rows = named(new QWidget, "estimatorSources");
    m_sources = spaced(new QVBoxLayout(rows), {12, 10, 12, 10}, 10);
    QScrollArea* scroll = makeScroll(rows);
    scroll->setFocusPolicy(Qt::StrongFocus); // the keyboard can scroll it
    scroll->setAccessibleName(tr("Where the numbers come from"));
    spaced(new QVBoxLayout(column), {}, 0,
           {published,
            makeLine(Qt::Horizontal),
            m_publishedTable,
            makeLine(Qt::Horizontal),
            sources,
            makeLine(Qt::Horizontal),
            {scroll, 1},
            makeLine(Qt::Horizontal),
            buttons});
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
    connect(m_showSources, &QAction::toggled, this, &EstimatorPage::showColumns);
}

// A wide window shows the form and, on request, the sources. A narrow one shows only one of them.
void EstimatorPage::showColumns()
{
    m_dock->setVisible(m_showSources->isChecked());
    m_formColumn->setVisible(m_hasRoom || !m_showSources->isChecked());
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
    m_model->show({}, 0);
    m_band->show(Band::Kind::Error, tr("No estimate."), capitalized(reason) + QLatin1Char('.'));
    m_summary->clear();
    m_note->clear();
    m_steps->clear();
    m_memoryTitle->setText(tr("Memory per device"));
    m_memoryHint->clear();
    m_bars->clear(tr("The memory is shown when all fields are valid."));
    m_chart->show({}, 0);
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
        tr("Memory of device 0, capacity %1. Speed-up: upper bound, compared with the first "
           "row.")
            .arg(scaleIn(Unit::GiB).withUnit(m_question->usableMemory)));
    std::vector<double> mfus;
    for (const auto& row : m_answer->rows)
        mfus.push_back(row.stageMfu);
    m_form->showMfus(mfus);
    m_copyCommand->setEnabled(true);
    m_copyTable->setEnabled(true);
    m_isShowing = true;
    m_model->show(m_answer->rows, m_question->usableMemory); // clears the selection
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
    m_chart->show(steps, chosen.microBatchSize);
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
                 m_question->usableMemory);
    m_memoryHint->setText(tr("%1; fullest: device %2 of 1F1B, %3 of BPipe")
                              .arg(scaleIn(Unit::GiB).unit())
                              .arg(fullest(memory.oneFOneB))
                              .arg(fullest(memory.bpipe)));
}

void EstimatorPage::readPublished()
{
    m_reading.run([] { return profiler::reproduce(profiler::Paper::Bpipe); },
                  [this](const engine::Result<std::vector<profiler::Reproduced>>& all) {
                      std::vector<profiler::Reproduced> speedUps;
                      if (all)
                          std::ranges::copy_if(
                              *all, std::back_inserter(speedUps), [](const auto& row) {
                                  return row.what.find("speed-up") != std::string::npos;
                              });
                      m_published->show(std::move(speedUps));
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
    const bool hasRoom = event->size().width() >= kFoldSources;
    if (hasRoom != std::exchange(m_hasRoom, hasRoom)) {
        m_showSources->setChecked(hasRoom);
        showColumns();
    }
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
