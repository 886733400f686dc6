#include "app/memory/memory_page.h"

#include "app/memory/memory_areas.h"
#include "app/memory/memory_colours.h"
#include "app/timeline/widget/iteration_stepper.h"
#include "app/ui/controls.h"
#include "app/ui/csv.h"
#include "app/ui/data_table.h"
#include "app/ui/empty_state.h"
#include "app/ui/segment_control.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>

#include <algorithm>
#include <iterator>

namespace app {

using engine::DeviceId;

namespace {

std::vector<AliveRow> rowsOf(const MemoryReport& report, DeviceId device, std::int64_t time)
{
    std::vector<AliveRow> rows;
    std::int64_t sum = 0;
    for (const auto& one : profiler::aliveAt(*report.run, device, time)) {
        QString category = memoryKindName(one.kind);
        if (one.owner)
            category = MemoryPage::tr("stash of device %1").arg(one.owner->value);
        rows.push_back({AliveRow::Kind::Tensor,
                        category,
                        one.op,
                        one.op ? std::optional(one.since) : std::nullopt,
                        one.bytes,
                        {}});
        sum += one.bytes;
    }
    rows.push_back({AliveRow::Kind::Sum, MemoryPage::tr("Alive"), {}, {}, sum, {}});
    for (const auto& one : profiler::evictedAt(*report.run, device, time))
        rows.push_back({AliveRow::Kind::Evicted,
                        MemoryPage::tr("evicted to device %1").arg(one.partner.value), one.op,
                        one.left, one.bytes, one.back});
    if (const auto& partner = report.partners[device];
        partner && !report.steps[partner->device].empty())
        rows.push_back({AliveRow::Kind::Partner,
                        MemoryPage::tr("device %1 at this time").arg(partner->device.value),
                        {},
                        {},
                        profiler::stepAt(report.steps[partner->device], time).total(),
                        {}});
    return rows;
}

} // namespace

void showAlive(TableModel<AliveRow>& model, const MemoryReport& report, DeviceId device,
               std::int64_t time)
{
    const auto tr = [](const char* text) { return MemoryPage::tr(text); };
    using Row = AliveRow;
    const engine::Run& run = *report.run;
    const auto index = std::make_shared<const engine::OpIndex>(run.schedule);
    const RunPointer shared = report.run;
    const auto opOf = [shared, index](const Row& row) -> const engine::Op* {
        return row.op ? &engine::opAt(shared->schedule, *index, *row.op) : nullptr;
    };
    std::vector<Row> rows = rowsOf(report, device, time);
    const Scale bytes = report.bytes, clock = report.time;
    const auto origin = report.window.begin;
    const auto at = [clock, origin](std::optional<std::int64_t> when) {
        return when ? clock.text(static_cast<double>(*when - origin)) : QString();
    };
    std::int64_t largest = 1;
    for (const Row& row : rows)
        if (row.kind == Row::Kind::Tensor)
            largest = std::max(largest, row.bytes);
    const bool hasEvicted
        = std::ranges::any_of(rows, [](const Row& row) { return row.kind == Row::Kind::Evicted; });
    std::vector<TableColumn<Row>> columns{
        {tr("Category"), &Row::category, Qt::AlignLeft},
        TableColumn<Row>(
            tr("Op"),
            [opOf, shared](const Row& row) {
                const engine::Op* op = opOf(row);
                return op != nullptr ? opName(shared->info, *op) : QString();
            },
            Qt::AlignLeft)
            .flag(kCodeRole),
        {tr("Micro-batch"),
         [opOf](const Row& row) {
             const engine::Op* op = opOf(row);
             return op != nullptr && op->microBatch.isValid()
                 ? QString::number(op->microBatch.value)
                 : QString();
         }},
        {tr("Stage"),
         [opOf](const Row& row) {
             const engine::Op* op = opOf(row);
             return op != nullptr && op->stage.isValid() ? QString::number(op->stage.value)
                                                         : QString();
         }},
        {{tr("Since, %1"), clock}, [at](const Row& row) { return at(row.since); }},
        TableColumn<Row>({QStringLiteral("%1"), bytes}, [bytes](const Row& row) {
            return bytes.text(static_cast<double>(row.bytes));
        }).with(kShareRole, [largest](const Row& row) {
            return row.kind == Row::Kind::Tensor
                ? QVariant(static_cast<double>(row.bytes) / static_cast<double>(largest))
                : QVariant();
        })};
    if (hasEvicted)
        columns.push_back({{tr("Back, %1"), clock}, [at](const Row& row) { return at(row.back); }});
    for (auto& column : columns)
        column.with(kStrongRole, [](const Row& row) { return row.kind == Row::Kind::Sum; })
            .with(kHintRole, [](const Row& row) {
                return row.kind == Row::Kind::Evicted || row.kind == Row::Kind::Partner;
            });
    model.reset(std::move(columns), std::move(rows));
}

namespace {

using Column = TableColumn<DeviceId>;
using ReportPointer = std::shared_ptr<const MemoryReport>;
// Returns the bytes of a device that a column shows; nullopt: unknown.
using Bytes = std::function<std::optional<std::int64_t>(DeviceId)>;

Column bytesColumn(const ReportPointer& report, const QString& title, const Bytes& bytes)
{
    return {title, [report, bytes](DeviceId device) {
                const auto value = bytes(device);
                return value ? report->amount(*value) : kNoValue;
            }};
}

// Returns columns for the planned arena and the recorded peak.
std::vector<Column> measuredColumns(const ReportPointer& shown, const Bytes& peak)
{
    const auto tr = [](const char* text) { return MemoryPage::tr(text); };
    const auto arena = [shown](DeviceId device) { return arenaOf(shown->run->info, device); };
    std::vector<Column> columns;
    columns.push_back(bytesColumn(shown, tr("Predicted"), [arena](DeviceId device) {
        const auto* use = arena(device);
        return use != nullptr ? std::optional(use->live) : std::nullopt;
    }));
    columns.push_back(bytesColumn(shown, tr("Measured peak"), peak));
    columns.emplace_back(tr("Difference, bytes"), [arena, peak](DeviceId device) {
        const auto* use = arena(device);
        const auto measured = peak(device);
        return use != nullptr && measured
            ? signedNumber(static_cast<double>(*measured - use->live), 0)
            : kNoValue;
    });
    columns.push_back(bytesColumn(shown, tr("Touched"), [arena](DeviceId device) {
        const auto* use = arena(device);
        return use != nullptr ? use->touched : std::nullopt;
    }));
    columns.push_back(bytesColumn(shown, tr("Arena"), [arena](DeviceId device) {
        const auto* use = arena(device);
        return use != nullptr ? std::optional(use->arena) : std::nullopt;
    }));
    return columns;
}

} // namespace

void showMemory(TableModel<DeviceId>& model, const std::shared_ptr<const MemoryReport>& shown)
{
    const auto tr = [](const char* text) { return MemoryPage::tr(text); };
    const Bytes peak = [shown](DeviceId device) {
        const auto& steps = shown->steps[device];
        return steps.empty() ? std::optional<std::int64_t>()
                             : std::optional(profiler::peakOf(steps).total());
    };
    std::vector<Column> columns{
        {tr("Device"), [tr](DeviceId device) { return tr("Device %1").arg(device.value); },
         Qt::AlignLeft}};
    if (shown->hasPairs())
        columns.emplace_back(
            tr("Role"), [shown](DeviceId device) { return shown->role(device); }, Qt::AlignLeft);
    if (shown->isPredicted())
        columns.push_back(bytesColumn(shown, tr("Predicted"), peak));
    else
        std::ranges::move(measuredColumns(shown, peak), std::back_inserter(columns));
    if (shown->limit) {
        const auto share = [shown, peak](DeviceId device) {
            return static_cast<double>(peak(device).value_or(0))
                / static_cast<double>(*shown->limit);
        };
        columns
            .emplace_back(tr("Of limit, %"),
                          [share](DeviceId device) { return number(100 * share(device), 1); })
            .with(kShareRole, share)
            .onlyIf([peak](DeviceId device) { return peak(device).has_value(); });
    }
    if (shown->hasPairs()) {
        columns.push_back(bytesColumn(shown, tr("Without moves"), [shown](DeviceId device) {
            if (shown->steps[device].empty())
                return std::optional<std::int64_t>();
            std::int64_t highest = 0;
            for (const auto& step : shown->steps[device])
                highest = std::max(highest, step.withoutMoves());
            return std::optional(highest);
        }));
        columns.emplace_back(tr("Moves"), [shown](DeviceId device) {
            const auto& partner = shown->partners[device];
            return partner ? QString::number(partner->moves) : kNoValue;
        });
        columns.push_back(bytesColumn(shown, tr("Moved"), [shown](DeviceId device) {
            const auto& partner = shown->partners[device];
            return partner && partner->bytes > 0 ? std::optional(partner->bytes) : std::nullopt;
        }));
    }
    std::vector<DeviceId> rows;
    for (const DeviceId device : shown->steps.ids())
        rows.push_back(device);
    model.reset(std::move(columns), std::move(rows));
}

namespace {

constexpr int kAliveWidth = 480, kLeastAlive = 300, kTableHeight = 260, kTableTitle = 32,
              kAliveRow = 24;

} // namespace

MemoryPage::MemoryPage(const ThemeController& theme, RunLibrary&,
                       std::shared_ptr<RunDocument> document, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_document(std::move(document))
    , m_stepper(new IterationStepper(theme))
    , m_orderLabel(makeLabel(tr("Order"), "small"))
    , m_order(named(new SegmentControl(theme, {tr("devices"), tr("pairs")}), "memoryOrder"))
    , m_withoutMoves(named(new QCheckBox(tr("without moves")), "withoutMoves"))
    , m_areas(new MemoryAreas(theme))
    , m_legend(new MemoryLegend(theme))
    , m_scroll(new QScrollArea)
    , m_columns(makeSplitter(Qt::Horizontal))
    , m_rows(makeSplitter(Qt::Vertical))
    , m_content(new QStackedWidget)
    , m_empty(named(new EmptyState(theme, {Icon::Chart, {}, {}, tr("New run with these settings")}),
                    "memoryEmpty"))
    , m_memoryTable(named(new DataTable(theme, 26), "memoryTable", tr("Memory by device")))
    , m_aliveTable(named(new DataTable(theme, kAliveRow), "aliveTable", tr("Alive at the cursor")))
    , m_memoryTitle(named(makeLabel({}, "dock"), "memoryTitle"))
    , m_aliveTitle(named(makeLabel({}, "heading"), "aliveTitle"))
    , m_aliveValue(named(makeLabel({}, "heading"), "aliveValue"))
    , m_aliveNote(named(makeLabel({}, "hint"), "aliveNote"))
{
    setObjectName(QStringLiteral("memoryPage"));
    m_copy = makeAction("copyAlive", tr("Copy as CSV"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
                        [this] { copy(); });
    m_previousPeak = makeAction("previousPeak", tr("Previous peak"), Qt::Key_BracketLeft,
                                [this] { m_areas->goToPeak(-1); });
    m_nextPeak = makeAction("nextPeak", tr("Next peak"), Qt::Key_BracketRight,
                            [this] { m_areas->goToPeak(1); });
    m_open = makeAction("openTimeline", tr("Show in timeline"), Qt::Key_Return, [this] {
        Q_EMIT pageRequested({"run", {m_document->file()}});
    });
    m_export = makeAction("exportMemory", tr("Export chart…"), Qt::CTRL | Qt::Key_E, [this] {
        m_saver.saveFigure(
            [scene = m_areas->scene()]() -> engine::Result<profiler::Scene> { return scene; },
            tr("memory"));
    });
    followTheme(m_copy, Icon::Copy, theme);
    followTheme(m_previousPeak, Icon::ChevronLeft, theme);
    followTheme(m_nextPeak, Icon::ChevronRight, theme);
    m_memoryTable->setModel(&m_memory);
    m_aliveTable->setModel(&m_alive);
    m_aliveTable->setDispensable({3, 2, 4});
    m_aliveTable->setRestColumn(0);
    m_columns->addWidget(makeCentre());
    m_columns->addWidget(makeAlive());
    m_columns->setStretchFactor(0, 1);
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_columns);
    setInitialFocus(m_areas);
    connectAll();
    showRun();
}

QWidget* MemoryPage::makeToolbar()
{
    m_order->setName(tr("Order"));
    m_order->setCompact();
    m_withoutMoves->setChecked(true);
    m_withoutMoves->setToolTip(tr("Also draws the memory that the run would need without evicts "
                                  "and loads, as a dashed line"));
    return makeBar(
        40, 8,
        {m_stepper, makeLine(Qt::Vertical), m_orderLabel, m_order, m_withoutMoves, kStretch});
}

QWidget* MemoryPage::makeCentre()
{
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setWidget(m_areas);
    m_scroll->viewport()->installEventFilter(this);
    m_content->addWidget(m_scroll);
    auto* empty = new QWidget;
    spaced(new QVBoxLayout(empty), {24, 24, 24, 24}, 0, {kStretch, m_empty, kStretch});
    m_content->addWidget(empty);
    auto* top = new QWidget;
    spaced(new QVBoxLayout(top), {}, 0,
           {makeToolbar(), makeLine(Qt::Horizontal), {m_content, 1}, m_legend});
    auto* bottom
        = makeLined({makeBar(kTableTitle, 8, {m_memoryTitle, kStretch}), {m_memoryTable, 1}});
    m_rows->addWidget(top);
    m_rows->addWidget(bottom);
    m_rows->setStretchFactor(0, 1);
    return m_rows;
}

QWidget* MemoryPage::makeAlive()
{
    auto* head = makeSurface("plain");
    spaced(new QHBoxLayout(head), {12, 8, 12, 2}, 8,
           {m_aliveTitle, makeToolButton(m_previousPeak), makeToolButton(m_nextPeak), kStretch,
            m_aliveValue});
    auto* note = makeSurface("plain");
    m_aliveNote->setWordWrap(true);
    m_aliveNote->setTextFormat(Qt::PlainText);
    spaced(new QHBoxLayout(note), {12, 0, 12, 8}, 0, {{m_aliveNote, 1}});
    auto* column = makeSurface("plain");
    column->setMinimumWidth(kLeastAlive);
    spaced(
        new QVBoxLayout(column), {}, 0,
        {makeBar(40, 8,
                 {makeLabel(tr("Alive at the cursor"), "dock"), kStretch,
                  makeButton(m_open->text(), QStringLiteral("openTimelineButton"), "link", m_open),
                  makeButton(m_copy->text(), QStringLiteral("copyAliveButton"), "link", m_copy)}),
         makeLine(Qt::Horizontal),
         head,
         note,
         {m_aliveTable, 1}});
    return column;
}

void MemoryPage::connectAll()
{
    connect(m_document.get(), &RunDocument::runChanged, this, &MemoryPage::showRun);
    connect(m_document.get(), &RunDocument::stateChanged, this, &Page::titleChanged);
    connect(&m_theme, &ThemeController::unitsChanged, this, &MemoryPage::showRun);
    connect(m_stepper, &IterationStepper::chosen, this, &MemoryPage::showIteration);
    connect(m_order, &SegmentControl::currentChanged, this, [this](int choice) {
        m_areas->setOrder(static_cast<MemoryReport::Order>(choice));
        fitAreas();
    });
    connect(m_withoutMoves, &QCheckBox::toggled, m_areas, &MemoryAreas::setWithoutMovesShown);
    connect(m_areas, &MemoryAreas::chosen, this, &MemoryPage::showAlive);
    connect(m_empty, &EmptyState::activated, this, [this] {
        Q_EMIT pageRequested({.kind = "setup",
                              .plan = planFromExperiment(
                                  QString::fromStdString(m_document->run()->info.experiment))});
    });
    connect(m_memoryTable, &QAbstractItemView::clicked, this, [this](const QModelIndex& index) {
        m_areas->choose(m_memory.at(index.row()), m_areas->time());
    });
}

void MemoryPage::showRun()
{
    const RunPointer run = m_document->run();
    if (!run || run->timeline.iterations.empty())
        return showParts(false);
    const int last = static_cast<int>(run->timeline.iterations.size()) - 1;
    showIteration(m_iteration >= 0 && m_iteration <= last
                      ? m_iteration
                      : engine::reportedIteration(run->timeline));
    Q_EMIT titleChanged();
}

void MemoryPage::showIteration(int iteration)
{
    const RunPointer run = m_document->run();
    m_iteration = iteration;
    m_stepper->show(run->timeline, iteration);
    m_report = std::make_shared<const MemoryReport>(memoryReport(run, iteration));
    const bool hasMemory = !m_report->isEmpty(), hasPairs = hasMemory && m_report->hasPairs();
    const bool isNew = m_order->isHidden() != !hasPairs || !m_memory.rowCount();
    m_orderLabel->setVisible(hasPairs);
    m_order->setVisible(hasPairs);
    m_withoutMoves->setVisible(hasPairs);
    if (isNew && hasPairs)
        m_order->setCurrent(static_cast<int>(MemoryReport::Order::Pairs));
    m_areas->setOrder(hasPairs ? static_cast<MemoryReport::Order>(m_order->current())
                               : MemoryReport::Order::Devices);
    const int devices = m_memory.rowCount();
    showMemory(m_memory, m_report);
    if (m_memory.rowCount() != devices)
        fitTable();
    m_memoryTitle->setText(
        (m_report->isPredicted() ? tr("Predicted, %1") : tr("Predicted and measured, %1"))
            .arg(m_report->bytes.unit()));
    showParts(hasMemory);
    m_legend->show(recordedCategories(*run), hasPairs);
    m_areas->show(m_report);
    if (!hasMemory)
        m_alive.reset({}, {});
    fitAreas();
    Q_EMIT statusChanged();
}

void MemoryPage::showParts(bool hasMemory)
{
    const RunPointer run = m_document->run();
    m_empty->button()->setVisible(run && !run->info.experiment.empty());
    if (run && run->info.mode == engine::Mode::Simulate && run->info.inUnits())
        m_empty->setTexts(tr("This run was simulated in abstract cost units"),
                          tr("Simulate a model on hardware to get bytes."));
    else
        m_empty->setTexts(tr("No memory was recorded"),
                          tr("Emulated and live runs record memory, and simulations of a model "
                             "predict it."));
    m_content->setCurrentIndex(hasMemory ? 0 : 1);
    m_legend->setVisible(hasMemory);
    m_rows->widget(1)->setVisible(hasMemory);
    m_columns->widget(1)->setVisible(hasMemory);
    for (QAction* action : {m_copy, m_export, m_previousPeak, m_nextPeak})
        action->setEnabled(hasMemory);
}

void MemoryPage::showAlive(engine::DeviceId device, std::int64_t time)
{
    const auto& steps = m_report->steps[device];
    m_aliveTitle->setText(tr("Device %1").arg(device.value));
    m_memoryTable->selectRow(device.value);
    if (steps.empty()) {
        m_alive.reset({}, {});
        m_aliveValue->clear();
        m_aliveNote->setText(tr("not recorded"));
        return Q_EMIT statusChanged();
    }
    app::showAlive(m_alive, *m_report, device, time);
    const std::int64_t total = profiler::stepAt(steps, time).total();
    const auto& peak = profiler::peakOf(steps);
    m_aliveValue->setText(m_report->bytes.withUnit(static_cast<double>(total)));
    const QString when = tr("at %1 %2").arg(m_report->at(time), m_report->time.unit());
    m_aliveNote->setText(
        total == peak.total()
            ? tr("%1, the peak").arg(when)
            : tr("%1, %2 below the peak")
                  .arg(when, m_report->bytes.withUnit(static_cast<double>(peak.total() - total))));
    Q_EMIT statusChanged();
}

void MemoryPage::fitAreas()
{
    const int width = m_scroll->viewport()->width();
    m_areas->resize(width, std::max(m_areas->heightFor(width), m_scroll->viewport()->height()));
}

bool MemoryPage::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        fitAreas();
    return Page::eventFilter(watched, event);
}

// Gives the table of devices the height that it needs and leaves the rest to the plots.
void MemoryPage::fitTable()
{
    const int needed = std::min(kTableHeight, kTableTitle + 1 + m_memoryTable->fittingHeight());
    m_rows->setSizes({height() - needed, needed});
}

// In a small window, the plots keep two thirds of the width.
void MemoryPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    fitTable();
    const int alive = std::clamp(width() / 3, kLeastAlive, kAliveWidth);
    m_columns->setSizes({width() - alive, alive});
}

void MemoryPage::copy()
{
    QGuiApplication::clipboard()->setText(csvOf(m_alive));
}

QString MemoryPage::title() const
{
    return tr("Memory: %1").arg(m_document->title());
}

QStringList MemoryPage::statusTexts() const
{
    if (!m_report)
        return {};
    QStringList texts{
        tr("<b>%1</b> %2")
            .arg(capitalized(fromUtf8(engine::modeAdjective(m_report->run->info.mode))),
                 countOf(m_report->run->schedule.shape.devices, "device"))};
    int moves = 0;
    for (const auto& partner : m_report->partners)
        moves += partner && partner->isEvictor ? partner->moves : 0;
    if (moves > 0)
        texts << tr("%1 per iteration").arg(countOf(moves, "eviction"));
    texts << (m_report->limit ? fromUtf8(m_report->memory.text()) : tr("no known limit"));
    return texts;
}

QString MemoryPage::statusNote() const
{
    return m_aliveNote->text();
}

QList<QAction*> MemoryPage::menuActions(Menu menu) const
{
    if (menu == Menu::View)
        return {m_previousPeak, m_nextPeak, m_open};
    return menu == Menu::Export ? QList<QAction*>{m_copy, m_export} : QList<QAction*>();
}

} // namespace app
