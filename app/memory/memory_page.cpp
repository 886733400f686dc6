#include "app/memory/memory_page.h"

#include "app/memory/memory_areas.h"
#include "app/shell/run_saver.h"
#include "app/timeline/paint/legend.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/widget/iteration_stepper.h"
#include "app/ui/empty_state.h"
#include "app/ui/row_table.h"
#include "app/ui/segment_control.h"
#include "app/ui/table_text.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>

#include <algorithm>
#include <functional>
#include <memory>
#include <ranges>
#include <utility>

namespace app {

using engine::DeviceId;

namespace {

std::vector<AliveRow> aliveRows(const MemoryReport& report, DeviceId device, std::int64_t time)
{
    using Kind = AliveRow::Kind;
    std::vector<AliveRow> rows;
    std::int64_t sum = 0;
    for (const auto& one : profiler::aliveAt(*report.run, device, time)) {
        rows.push_back({Kind::Tensor,
                        one.owner ? MemoryAreas::tr("stash of device %1").arg(one.owner->value)
                                  : memoryKindName(one.kind),
                        one.op,
                        one.op ? std::optional(one.since) : std::nullopt,
                        one.bytes,
                        {}});
        sum += one.bytes;
    }
    rows.push_back({Kind::Sum, MemoryAreas::tr("Alive"), {}, {}, sum, {}});
    for (const auto& one : profiler::evictedAt(*report.run, device, time))
        rows.push_back({Kind::Evicted,
                        one.partner
                            ? MemoryAreas::tr("evicted to device %1").arg(one.partner->value)
                            : MemoryAreas::tr("evicted to the host"),
                        one.op, one.left, one.bytes, one.back});
    if (const auto& partner = report.partners[device];
        partner && partner->device && !report.steps[*partner->device].empty())
        rows.push_back({Kind::Partner,
                        MemoryAreas::tr("device %1 at this time").arg(partner->device->value),
                        {},
                        {},
                        profiler::stepAt(report.steps[*partner->device], time).total(),
                        {}});
    return rows;
}

} // namespace

void showAlive(TableModel<AliveRow>& model, const MemoryReport& report, DeviceId device,
               std::int64_t time)
{
    const auto tr = [](const char* text) { return MemoryAreas::tr(text); };
    using Row = AliveRow;
    using Shown = TableColumn<Row>;
    std::vector<Row> rows = aliveRows(report, device, time);
    const Scale bytes = report.bytes, clock = report.time;
    // A column with what `of` returns of the op of a row; "" without an op.
    const auto ofOp = [run = report.run,
                       index = std::make_shared<const engine::OpIndex>(report.run->schedule)](
                          const QString& title, auto of, Qt::AlignmentFlag align = Qt::AlignRight) {
        return Shown(
            title,
            [=](const Row& row) {
                return row.op ? QString(of(*run, engine::opAt(run->schedule, *index, *row.op)))
                              : QString();
            },
            align);
    };
    const auto number
        = [](auto id) { return id.isValid() ? QString::number(id.value) : QString(); };
    const auto at = [clock, origin = report.window.begin](std::optional<std::int64_t> Row::*when) {
        return [=](const Row& row) {
            return row.*when ? clock.text(*(row.*when) - origin) : QString();
        };
    };
    std::int64_t largest = 1;
    bool hasEvicted = false;
    for (const Row& row : rows) {
        largest = row.kind == Row::Kind::Tensor ? std::max(largest, row.bytes) : largest;
        hasEvicted = hasEvicted || row.kind == Row::Kind::Evicted;
    }
    std::vector<Shown> columns{
        {tr("Category"), &Row::category, Qt::AlignLeft},
        ofOp(
            tr("Op"),
            [](const engine::Run& run, const engine::Op& op) { return opName(run.info, op); },
            Qt::AlignLeft)
            .flag(kCodeRole),
        ofOp(tr("Micro-batch"),
             [number](const auto&, const auto& op) { return number(op.microBatch); }),
        ofOp(tr("Stage"), [number](const auto&, const auto& op) { return number(op.stage); }),
        {{tr("Since, %1"), clock}, at(&Row::since)},
        Shown({QStringLiteral("%1"), bytes}, [bytes](const Row& row) {
            return bytes.text(row.bytes);
        }).with(kShareRole, [largest](const Row& row) {
            return row.kind == Row::Kind::Tensor
                ? QVariant(static_cast<double>(row.bytes) / static_cast<double>(largest))
                : QVariant();
        })};
    if (hasEvicted)
        columns.push_back({{tr("Back, %1"), clock}, at(&Row::back)});
    for (auto& column : columns)
        column.with(kStrongRole, [](const Row& row) { return row.kind == Row::Kind::Sum; })
            .with(kHintRole, [](const Row& row) {
                return row.kind == Row::Kind::Evicted || row.kind == Row::Kind::Partner;
            });
    model.reset(std::move(columns), std::move(rows));
}

namespace {

using Bytes = std::optional<std::int64_t>; // nullopt: unknown
using OfDevice = std::function<Bytes(DeviceId)>;

// The columns of stashes that move between devices.
void addMoves(const std::shared_ptr<const MemoryReport>& shown,
              const std::function<void(const QString& title, const OfDevice& of)>& add,
              std::vector<TableColumn<DeviceId>>& columns)
{
    add(MemoryAreas::tr("Without moves"), [=](DeviceId device) {
        Bytes highest;
        for (const auto& step : shown->steps[device])
            highest = std::max(highest.value_or(0), step.withoutMoves());
        return highest;
    });
    columns.emplace_back(MemoryAreas::tr("Moves"), [=](DeviceId device) {
        const auto& partner = shown->partners[device];
        return partner ? QString::number(partner->moves) : kNoValue;
    });
    add(MemoryAreas::tr("Moved"), [=](DeviceId device) {
        const auto& partner = shown->partners[device];
        return partner && partner->bytes > 0 ? Bytes(partner->bytes) : Bytes();
    });
}

} // namespace

void showMemory(TableModel<DeviceId>& model, const std::shared_ptr<const MemoryReport>& shown)
{
    const auto tr = [](const char* text) { return MemoryAreas::tr(text); };
    std::vector<TableColumn<DeviceId>> columns{
        {tr("Device"), [=](DeviceId device) { return tr("Device %1").arg(device.value); },
         Qt::AlignLeft}};
    const auto add = [&](const QString& title, const OfDevice& of) {
        columns.emplace_back(title, [=](DeviceId device) {
            const Bytes bytes = of(device);
            return bytes ? shown->amount(*bytes) : kNoValue;
        });
    };
    const OfDevice peak = [=](DeviceId device) {
        const auto& steps = shown->steps[device];
        return steps.empty() ? Bytes() : profiler::peakOf(steps).total();
    };
    const auto ofArena = [=](auto member) -> OfDevice {
        return [=](DeviceId device) {
            const auto* use = arenaOf(shown->run->info, device);
            return use != nullptr ? Bytes(use->*member) : Bytes();
        };
    };
    if (shown->hasPairs())
        columns.emplace_back(
            tr("Role"), [=](DeviceId device) { return shown->role(device); }, Qt::AlignLeft);
    const OfDevice live = ofArena(&engine::ArenaUse::live);
    add(tr("Predicted"), shown->isPredicted() ? peak : live);
    if (!shown->isPredicted()) {
        add(tr("Measured peak"), peak);
        columns.emplace_back(tr("Difference, bytes"), [=](DeviceId device) {
            return live(device) && peak(device)
                ? signedNumber(static_cast<double>(*peak(device) - *live(device)), 0)
                : kNoValue;
        });
        add(tr("Touched"), ofArena(&engine::ArenaUse::touched));
        add(tr("Arena"), ofArena(&engine::ArenaUse::arena));
    }
    if (shown->limit) {
        const auto share = [=](DeviceId device) {
            return static_cast<double>(peak(device).value_or(0))
                / static_cast<double>(*shown->limit);
        };
        columns
            .emplace_back(tr("Of limit, %"),
                          [=](DeviceId device) { return number(100 * share(device), 1); })
            .with(kShareRole, share)
            .onlyIf([=](DeviceId device) { return peak(device).has_value(); });
    }
    if (shown->hasPairs())
        addMoves(shown, add, columns);
    std::vector<DeviceId> rows;
    for (const DeviceId device : shown->steps.ids())
        rows.push_back(device);
    model.reset(std::move(columns), std::move(rows));
}

namespace {

constexpr int kAliveWidth = 480, kLeastAlive = 300, kTableHeight = 260, kTableTitle = 32;

class MemoryLegend : public ThemedWidget
{
public:
    explicit MemoryLegend(const ThemeController& theme)
        : ThemedWidget(theme)
    {
        setFixedHeight(28);
    }

    // `hasMoves`: whether stashes move between devices.
    void show(const RecordedCategories& recorded, bool hasMoves)
    {
        m_recorded = recorded;
        m_hasMoves = hasMoves;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        using profiler::LegendEntry;
        const Theme& theme = this->theme();
        QPainter painter(this);
        painter.fillRect(rect(), theme.chrome.surfaceAlt);
        painter.fillRect(QRect(0, 0, width(), 1), theme.chrome.line);
        const MemoryColours colours(theme);
        const auto text = [this](const char* words) { return tr(words).toStdString(); };
        Legend legend;
        for (const auto category : profiler::kMemoryStack | std::views::reverse)
            if (m_recorded[category])
                legend.left.push_back({LegendEntry::Look::Fills,
                                       {fromQt(colours.fills[profiler::kindOf(category)])},
                                       std::string(memoryCategoryName(category)),
                                       {}});
        if (m_hasMoves)
            legend.left.push_back({LegendEntry::Look::Guest, {}, text("guest stash"), {}});
        if (m_hasMoves)
            legend.left.push_back({LegendEntry::Look::Fills,
                                   {theme.palette.communication},
                                   text("evict, load (outlined)"),
                                   {}});
        if (m_hasMoves)
            legend.note = QString::fromStdString(text("dashed: without evict and load"));
        paintLegend(painter, legend, BoxColours(theme, devicePixelRatioF()), QRectF(rect()));
    }

private:
    RecordedCategories m_recorded = {};
    bool m_hasMoves = false;
};

// Shows the memory of one run: every device over time with a common cursor, the contents at the
// cursor, and the planned and recorded peaks.
class MemoryPage : public Page
{
public:
    MemoryPage(const ThemeController& theme, std::shared_ptr<RunDocument> document)
        : m_theme(theme)
        , m_document(std::move(document))
    {
        setObjectName(QStringLiteral("memoryPage"));
        m_copy
            = makeAction("copyAlive", tr("Copy as CSV"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
                         [this] { QGuiApplication::clipboard()->setText(csvOf(m_alive->rows())); });
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
        m_columns = makeSplitter(Qt::Horizontal, {{makeCentre(), 0, 1}, {makeAlive(), 0}});
        spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_columns);
        inMenu(Menu::View, {m_previousPeak, m_nextPeak, m_open});
        inMenu(Menu::Export, {m_copy, m_export});
        setInitialFocus(m_areas);
        connectAll();
        showRun();
    }

    QString title() const override { return tr("Memory: %1").arg(m_document->title()); }

    QStringList statusTexts() const override
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

    QString statusNote() const override { return m_aliveNote->text(); }

    const RunDocument* document() const override { return m_document.get(); }

protected:
    // In a small window, the plots keep two thirds of the width.
    void resizeEvent(QResizeEvent* event) override
    {
        Page::resizeEvent(event);
        fitTable();
        const int alive = std::clamp(width() / 3, kLeastAlive, kAliveWidth);
        m_columns->setSizes({width() - alive, alive});
    }

private:
    QWidget* makeToolbar()
    {
        m_order->setName(tr("Order"));
        m_order->setCompact();
        m_withoutMoves->setChecked(true);
        m_withoutMoves->setToolTip(
            tr("Also draws the memory that the run would need without evicts "
               "and loads, as a dashed line"));
        return makeBar(
            40, 8,
            {m_stepper, makeLine(Qt::Vertical), m_orderLabel, m_order, m_withoutMoves, kStretch});
    }

    QWidget* makeCentre()
    {
        m_content->addWidget(makeScroll(m_areas));
        m_content->addWidget(makeColumn({24, 24, 24, 24}, 0, {kStretch, m_empty, kStretch}, ""));
        auto* top = makeColumn(
            {}, 0, {makeToolbar(), makeLine(Qt::Horizontal), {m_content, 1}, m_legend}, "");
        auto* bottom
            = makeLined({makeBar(kTableTitle, 8, {m_memoryTitle, kStretch}), {m_memory, 1}});
        return m_rows = makeSplitter(Qt::Vertical, {{top, 0, 1}, {bottom, 0}});
    }

    QWidget* makeAlive()
    {
        auto* head = makeRow({12, 8, 12, 2}, 8,
                             {m_aliveTitle, makeToolButton(m_previousPeak),
                              makeToolButton(m_nextPeak), kStretch, m_aliveValue});
        auto* note = makeSurface("plain");
        spaced(new QHBoxLayout(note), {12, 0, 12, 8}, 0, {{m_aliveNote, 1}});
        auto* column = makeColumn({}, 0,
                                  {makeBar(40, 8,
                                           {makeLabel(tr("Alive at the cursor"), "dock"), kStretch,
                                            makeButton(m_open, "openTimelineButton", "link"),
                                            makeButton(m_copy, "copyAliveButton", "link")}),
                                   makeLine(Qt::Horizontal),
                                   head,
                                   note,
                                   {m_alive, 1}});
        column->setMinimumWidth(kLeastAlive);
        return column;
    }

    void connectAll()
    {
        connect(m_document.get(), &RunDocument::runChanged, this, &MemoryPage::showRun);
        connect(m_document.get(), &RunDocument::stateChanged, this, &Page::titleChanged);
        connect(&m_theme, &ThemeController::unitsChanged, this, &MemoryPage::showRun);
        connect(m_stepper, &IterationStepper::chosen, this, &MemoryPage::showIteration);
        connect(m_order, &SegmentControl::currentChanged, this, [this](int choice) {
            m_areas->setOrder(static_cast<MemoryReport::Order>(choice));
        });
        connect(m_withoutMoves, &QCheckBox::toggled, m_areas, &MemoryAreas::setWithoutMovesShown);
        connect(m_areas, &MemoryAreas::chosen, this, &MemoryPage::showAlive);
        connect(m_empty, &EmptyState::activated, this, [this] {
            Q_EMIT pageRequested({.kind = "setup",
                                  .plan = planFromExperiment(
                                      QString::fromStdString(m_document->run()->info.experiment))});
        });
        connect(m_memory, &QAbstractItemView::clicked, this, [this](const QModelIndex& index) {
            m_areas->choose(m_memory->at(index.row()), m_areas->time());
        });
    }

    void showRun()
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

    void showIteration(int iteration)
    {
        const RunPointer run = m_document->run();
        m_iteration = iteration;
        m_stepper->show(run->timeline, iteration);
        m_report = std::make_shared<const MemoryReport>(memoryReport(run, iteration));
        const bool hasMemory = !m_report->isEmpty(), hasPairs = hasMemory && m_report->hasGuests();
        const bool isNew = m_order->isHidden() != !hasPairs || !m_memory->rows().rowCount();
        m_orderLabel->setVisible(hasPairs);
        m_order->setVisible(hasPairs);
        m_withoutMoves->setVisible(hasMemory && m_report->hasPairs());
        if (isNew && hasPairs)
            m_order->setCurrent(static_cast<int>(MemoryReport::Order::Pairs));
        m_areas->setOrder(hasPairs ? static_cast<MemoryReport::Order>(m_order->current())
                                   : MemoryReport::Order::Devices);
        const int devices = m_memory->rows().rowCount();
        showMemory(m_memory->rows(), m_report);
        if (m_memory->rows().rowCount() != devices)
            fitTable();
        m_memoryTitle->setText(
            (m_report->isPredicted() ? tr("Predicted, %1") : tr("Predicted and measured, %1"))
                .arg(m_report->bytes.unit()));
        showParts(hasMemory);
        m_legend->show(recordedCategories(*run), hasPairs);
        m_areas->show(m_report);
        if (!hasMemory)
            m_alive->show({}, {});
        Q_EMIT statusChanged();
    }

    // Without memory, shows only the stepper and an empty state.
    void showParts(bool hasMemory)
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

    void showAlive(engine::DeviceId device, std::int64_t time)
    {
        const auto& steps = m_report->steps[device];
        m_aliveTitle->setText(tr("Device %1").arg(device.value));
        m_memory->selectRow(device.value);
        if (steps.empty()) {
            m_alive->show({}, {});
            m_aliveValue->clear();
            m_aliveNote->setText(tr("not recorded"));
            return Q_EMIT statusChanged();
        }
        app::showAlive(m_alive->rows(), *m_report, device, time);
        const std::int64_t total = profiler::stepAt(steps, time).total();
        const auto& peak = profiler::peakOf(steps);
        m_aliveValue->setText(m_report->bytes.withUnit(total));
        const QString when = tr("at %1 %2").arg(m_report->at(time), m_report->time.unit());
        m_aliveNote->setText(total == peak.total()
                                 ? tr("%1, the peak").arg(when)
                                 : tr("%1, %2 below the peak")
                                       .arg(when, m_report->bytes.withUnit(peak.total() - total)));
        Q_EMIT statusChanged();
    }

    // Gives the table of devices the height that it needs and leaves the rest to the plots.
    void fitTable()
    {
        const int needed = std::min(kTableHeight, kTableTitle + 1 + m_memory->fittingHeight());
        m_rows->setSizes({height() - needed, needed});
    }

    const ThemeController& m_theme;
    std::shared_ptr<RunDocument> m_document;
    std::shared_ptr<const MemoryReport> m_report;
    int m_iteration = -1;
    IterationStepper* m_stepper = new IterationStepper(m_theme);
    QLabel* m_orderLabel = makeLabel(tr("Order"), "small");
    SegmentControl* m_order
        = named(new SegmentControl(m_theme, {tr("devices"), tr("pairs")}), "memoryOrder");
    QCheckBox* m_withoutMoves = named(new QCheckBox(tr("without moves")), "withoutMoves");
    MemoryAreas* m_areas = new MemoryAreas(m_theme);
    MemoryLegend* m_legend = new MemoryLegend(m_theme);
    QSplitter *m_columns, *m_rows;                  // m_rows: the plots above the table
    QStackedWidget* m_content = new QStackedWidget; // m_areas or m_empty
    EmptyState* m_empty
        = named(new EmptyState(m_theme, {Icon::Chart, {}, {}, tr("New run with these settings")}),
                "memoryEmpty");
    RunSaver m_saver{this};
    RowTable<DeviceId>* m_memory
        = new RowTable<DeviceId>(m_theme, 26, "memoryTable", tr("Memory by device"));
    RowTable<AliveRow>* m_alive
        = new RowTable<AliveRow>(m_theme, 24, "aliveTable", tr("Alive at the cursor"), 0);
    QLabel *m_memoryTitle = named(makeLabel({}, "dock"), "memoryTitle"),
           *m_aliveTitle = named(makeLabel({}, "heading"), "aliveTitle"),
           *m_aliveValue = named(makeLabel({}, "heading"), "aliveValue"),
           *m_aliveNote = makeWrapped("hint", "aliveNote");
    QAction *m_copy, *m_export, *m_open, *m_previousPeak, *m_nextPeak;
};

} // namespace

Page* makeMemory(const ThemeController& theme, RunLibrary& /*library*/,
                 const std::shared_ptr<RunDocument>& document)
{
    return new MemoryPage(theme, document);
}

} // namespace app
