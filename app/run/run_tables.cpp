#include "app/run/run_tables.h"

#include "app/documents/run_document.h"
#include "app/ui/definition_text.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace app {

std::vector<Event> eventsOf(const engine::Run& run, std::optional<int> iteration,
                            const EventFilter& only, std::size_t most)
{
    std::vector<Event> events;
    const engine::OpIndex index(run.schedule);
    for (const engine::Track& track : run.timeline.tracks) {
        std::span<const engine::Span> spans = track.spans;
        if (iteration) // not by its window, which does not contain the empty spans at its end
            spans = std::ranges::equal_range(spans, static_cast<std::uint32_t>(*iteration), {},
                                             &engine::Span::iteration);
        for (const engine::Span& span : spans)
            if (events.size() < most && (!only || only(span)))
                events.push_back({span.window(), span.op, static_cast<int>(span.iteration),
                                  track.device, track.kind,
                                  engine::opAt(run.schedule, index, span.op)});
    }
    std::ranges::sort(events, {}, [](const Event& event) {
        return std::tuple(event.window.begin, event.device, event.op);
    });
    return events;
}

std::vector<TableColumn<Event>> eventColumns(const RunPointer& run, std::optional<int> iteration)
{
    using Described = TableColumn<Event>;
    const auto tr = [](const char* text) { return MetricsModel::tr(text); };
    const auto& iterations = run->timeline.iterations;
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < iterations.size(); ++i)
        if (!iteration || static_cast<int>(i) == *iteration)
            longest = std::max(longest, iterations[i].window.duration());
    const Scale scale = timeScale(run->info, longest).finer(2);
    const auto startOf = [run](const Event& event) {
        return run->timeline.iterations[static_cast<std::size_t>(event.iteration)].window.begin;
    };
    const auto sorting = [](auto valueOf) {
        return [valueOf](const Event& event) { return static_cast<double>(valueOf(event)); };
    };
    const auto whole = [=](const QString& title, auto valueOf) {
        return Described(title,
                         [valueOf](const Event& event) { return QString::number(valueOf(event)); })
            .sortedBy(sorting(valueOf));
    };
    const auto time = [=](const QString& title, auto ticks) {
        const auto valueOf = sorting(ticks);
        return Described({title, scale},
                         [=](const Event& event) { return scale.text(valueOf(event)); })
            .sortedBy(valueOf);
    };
    const auto stage = [](const Event& event) { return event.what.stage.value; };
    const auto kind = [](const Event& event) { return event.what.kind; };
    Described microBatch
        = whole(tr("Micro-batch"), [](const Event& event) { return event.what.microBatch.value; });
    microBatch.text = [run](const Event& event) {
        const engine::MicroBatchId id = event.what.microBatch;
        return id.isValid() && engine::knowsMicroBatches(run->info) ? QString::number(id.value)
                                                                    : QString();
    };
    Described stages = whole(tr("Stage"), stage);
    stages.text = [run, stage](const Event& event) {
        return engine::knowsStages(run->info) ? QString::number(stage(event)) : QString();
    };
    std::vector<Described> all{
        Described(
            tr("Op"), [run](const Event& event) { return opName(run->info, event.what); },
            Qt::AlignLeft)
            .sortedBy(sorting(stage))
            .with(kCodeRole, kAlways),
        Described(
            tr("Operation"),
            [kind](const Event& event) { return fromUtf8(engine::kindTitle(kind(event))); },
            Qt::AlignLeft)
            .sortedBy(sorting(kind)),
        whole(tr("Device"), [](const Event& event) { return event.device.value; }),
        stages,
        microBatch,
        Described(
            tr("Direction"),
            [tr](const Event& event) { return event.what.replica == 0 ? tr("down") : tr("up"); },
            Qt::AlignLeft)
            .sortedBy(sorting([](const Event& event) { return event.what.replica; }))
            .with(kHintRole, kAlways),
        time(tr("Start, %1"),
             [=](const Event& event) { return event.window.begin - startOf(event); })
            .sortedBy(sorting([](const Event& event) { return event.window.begin; })),
        time(tr("Duration, %1"), [](const Event& event) { return event.window.duration(); }),
        time(tr("End, %1"), [=](const Event& event) { return event.window.end - startOf(event); })
            .sortedBy(sorting([](const Event& event) { return event.window.end; })),
    };
    if (!iteration)
        all.push_back(Described(tr("Iteration"), [run](const Event& event) {
                          return iterationName(run->timeline, event.iteration);
                      }).sortedBy(sorting([](const Event& event) { return event.iteration; })));
    return all;
}

std::vector<IterationRow> iterationRows(const engine::Run& run, std::size_t first)
{
    std::vector<IterationRow> rows;
    const bool isKnown = whyIterationUnknown(run).empty();
    for (std::size_t i = first; i < run.timeline.iterations.size(); ++i) {
        const engine::Iteration& iteration = run.timeline.iterations[i];
        IterationRow row{iteration.kind,
                         iteration.number,
                         isKnown ? std::optional(iteration.window.duration()) : std::nullopt,
                         0,
                         iteration.loss,
                         iteration.gradientNorm,
                         {}};
        if (const auto metrics = profiler::metrics(run, static_cast<int>(i))) {
            row.bubbleRatio = metrics->bubbleRatio;
            row.tokensPerSecond = metrics->tokensPerSecond;
        }
        rows.push_back(row);
    }
    return rows;
}

std::vector<TableColumn<IterationRow>> iterationColumns(const engine::RunInfo& info,
                                                        std::optional<std::int64_t> duration)
{
    using Row = IterationRow;
    using Kind = engine::Iteration::Kind;
    const auto tr = [](const char* text) { return MetricsModel::tr(text); };
    const auto optional
        = [](const QString& title, std::optional<double> Row::*value, int decimals) {
              return TableColumn<Row>(title, [=](const Row& row) {
                  const auto& known = row.*value;
                  return known ? number(*known, decimals) : kNoValue;
              });
          };
    std::vector<TableColumn<Row>> columns = {
        {tr("Iteration"), [](const Row& row) { return iterationName(row.kind, row.number); },
         Qt::AlignLeft},
        {{QStringLiteral("%1"), timeScale(info, duration.value_or(0))},
         [time = timeScale(info, duration.value_or(0))](const Row& row) {
             return row.duration ? time.text(*row.duration) : kNoValue;
         }},
        {tr("Bubble, %"), [](const Row& row) { return number(row.bubbleRatio * 100, 1); }},
        optional(tr("Loss"), &Row::loss, 2),
        optional(tr("Gradient norm"), &Row::gradientNorm, 3),
        optional(tr("Tokens/s"), &Row::tokensPerSecond, 0),
    };
    for (auto& column : columns)
        column.with(kHintRole, [](const Row& row) { return row.kind == Kind::Warmup; })
            .with(kStrongRole, [](const Row& row) { return row.kind == Kind::Replay; });
    return columns;
}

void MetricsModel::show(RunPointer run, profiler::RunMetrics metrics)
{
    m_metrics = std::move(metrics);
    std::vector<const Device*> devices;
    for (const Device& device : m_metrics.devices)
        devices.push_back(&device);
    setDevices(std::move(run), std::move(devices), m_metrics.duration, m_metrics.bubbleRatio);
    showColumns();
}

void MetricsModel::setWorkOnPath(engine::IdVector<engine::DeviceId, std::int64_t> work)
{
    if (std::exchange(m_workOnPath, work) != work && !m_metrics.devices.empty())
        showColumns();
}

MetricsModel::Columns MetricsModel::categoryColumns() const
{
    using enum profiler::TimeCategory;
    const profiler::TimeByCategory mean = profiler::timeByCategory(m_metrics);
    Columns columns;
    for (const profiler::TimeCategory category : mean.enumerators()) {
        if (category < Exposed && mean[category] <= 0)
            continue;
        columns.push_back(
            {{capitalized(fromUtf8(profiler::timeCategoryName(category))) + QStringLiteral(", %1"),
              time()},
             [this, category, mean](const Device* device) {
                 const double step = time().perUnit() * std::pow(10.0, -time().decimals());
                 const auto times
                     = device == nullptr ? mean : profiler::timeByCategory(m_metrics, *device);
                 return time().text(profiler::rounded(times, step)[category]);
             }});
        if (category == Exposed)
            columns.back().onlyIf(messagesAreKnown());
    }
    columns.push_back(bubbleShareColumn());
    return columns;
}

// Omits columns of ops that do not occur in the run.
void MetricsModel::showColumns()
{
    Columns columns{nameColumn(), Column(tr("Stages"), [this](const Device* device) {
                                      return device != nullptr ? stagesText(run(), device->device)
                                                               : QString();
                                  }).with(kHintRole, kAlways)};
    if (whyUnknown(run().info).empty()) {
        append(columns, categoryColumns());
    } else {
        append(columns, workColumns());
        append(columns, bubbleColumns());
    }
    if (m_workOnPath.size() == m_metrics.devices.size())
        // The last row has the sum and not the mean, because all devices share one critical path.
        columns.push_back(column(
            {tr("On the path, %1"), time()}, time(),
            [this](const Device& one) { return m_workOnPath[one.device]; }, Total::Sum));
    append(columns, peakColumn());
    if (const Ticks allReduce = ticksOf(engine::OpKind::AllReduce); sum(allReduce) > 0)
        columns.push_back(timeColumn(tr("All-reduce"), allReduce));
    append(columns, stashColumn());
    append(columns, {messagesColumn(), countColumn(tr("Local"), &Device::localCopies)});
    for (auto column = columns.begin() + 2; column != columns.end(); ++column)
        column->onlyIf([this](const Device* device) {
            return device == nullptr || hasTrace(run(), device->device);
        });
    DeviceTable::show(std::move(columns));
}

void MetricsModel::setSelected(std::optional<profiler::TimeCategory> category)
{
    if (std::exchange(m_selected, category) != category && columnCount() > 0)
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

QVariant MetricsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != kStrongRole || orientation != Qt::Horizontal)
        return DeviceTable::headerData(section, orientation, role);
    return m_selected
        && headerData(section, orientation).toString()
        == capitalized(fromUtf8(profiler::timeCategoryName(*m_selected))) + QStringLiteral(", ")
            + time().unit();
}

// Returns the definition of the metric with its value for all devices, taken from the last row.
QVariant MetricsModel::headerToolTip(int section, const QString& title) const
{
    const QString unit = title.section(QLatin1String(", "), 1);
    const QString value = rowCount() == 0
        ? QString()
        : (index(rowCount() - 1, section).data().toString() + QLatin1Char(' ') + unit).trimmed();
    const QString text = definitionText(title, value);
    return text.isEmpty() ? QVariant() : QVariant(toolTipText(text));
}

using profiler::KernelRow;

QString kernelsCsv(const TableModel<KernelRow>& table, const KernelView& kernels)
{
    QStringList lines = {QStringLiteral("op,kernel,kind,count,total_ns,mean_ns,min_ns,max_ns,"
                                        "share_of_op_percent")};
    for (int i = 0; i < table.rowCount(); ++i) {
        const KernelRow& row = table.at(i);
        const profiler::KernelName& name = kernels.activity().names()[row.name];
        const QStringList cells{fromUtf8(engine::kindShortName(row.op)),
                                quotedCell(QString::fromStdString(name.full)),
                                fromUtf8(profiler::kernelKindName(name.kind)),
                                QString::number(row.count),
                                QString::number(row.total),
                                QString::number(row.mean(), 'f', 1),
                                QString::number(row.shortest),
                                QString::number(row.longest),
                                QString::number(100 * row.share, 'f', 3)};
        lines.append(cells.join(QLatin1Char(',')));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

std::vector<TableColumn<KernelRow>> kernelColumns(const KernelViewPointer& kernels)
{
    using Row = KernelRow;
    using Described = TableColumn<Row>;
    const auto tr = [](const char* text) { return MetricsModel::tr(text); };
    const auto nameOf = [kernels](const Row& row) -> const profiler::KernelName& {
        return kernels->activity().names()[row.name];
    };
    const auto numeric = [](const QString& title, auto valueOf, const Scale& scale) {
        const auto value = [valueOf](const Row& row) { return static_cast<double>(valueOf(row)); };
        return Described(title, [=](const Row& row) { return scale.text(value(row)); })
            .sortedBy(value);
    };
    const Scale time = scaleIn(Unit::Microsecond), count{1, 0, {}}, share{0.01, 1, {}};
    const auto timed = [&](const QString& title, auto nanoseconds) {
        return numeric(title.arg(time.unit()), nanoseconds, time);
    };
    const auto kind = [nameOf](const Row& row) { return nameOf(row).kind; };
    return {
        Described(
            tr("Kernel"), [nameOf](const Row& row) { return fromUtf8(nameOf(row).label); },
            Qt::AlignLeft)
            .with(Qt::ToolTipRole, [nameOf](const Row& row) { return fromUtf8(nameOf(row).full); })
            .with(kCodeRole, kAlways)
            .with(kKernelKindRole, [kind](const Row& row) { return static_cast<int>(kind(row)); }),
        Described(
            tr("Kind"),
            [kind](const Row& row) { return fromUtf8(profiler::kernelKindName(kind(row))); },
            Qt::AlignLeft)
            .sortedBy([kind](const Row& row) { return static_cast<double>(kind(row)); })
            .with(kHintRole, kAlways),
        Described(
            tr("Op type"), [](const Row& row) { return fromUtf8(engine::kindTitle(row.op)); },
            Qt::AlignLeft)
            .sortedBy([](const Row& row) { return static_cast<double>(row.op); })
            .with(kHintRole, kAlways),
        numeric(tr("Count"), std::mem_fn(&Row::count), count),
        timed(tr("Total, %1"), std::mem_fn(&Row::total)),
        timed(tr("Mean, %1"), std::mem_fn(&Row::mean)),
        timed(tr("Min, %1"), std::mem_fn(&Row::shortest)),
        timed(tr("Max, %1"), std::mem_fn(&Row::longest)),
        numeric(tr("Share of the op type's time, %"), std::mem_fn(&Row::share), share)
            .with(kShareRole, [](const Row& row) { return row.share; }),
    };
}

namespace {

using engine::GpuMemory;
using Row = GpuMemoryRow;

bool isNote(const Row& row)
{
    return row.measure == nullptr;
}

// Of an owner, which has no row if it has no memory.
bool isOwned(const Row& row)
{
    return !isNote(row) && (row.measure->shown & profiler::kIfAny) != 0;
}

bool isSize(const Row& row)
{
    return !isNote(row) && row.measure->unit == profiler::Unit::Bytes;
}

double sizeOf(const Row& row, const GpuMemory& memory)
{
    return (*row.measure)(memory).number().value_or(0);
}

// Emphasizes a difference above kMemoryTolerance.
TableColumn<Row> memoryColumn(const GpuMemory& memory, const Scale& bytes)
{
    return TableColumn<Row>(
               memory.gpu < 0 ? QCoreApplication::translate("GpuMemory", "All GPUs")
                              : QCoreApplication::translate("GpuMemory", "GPU %1").arg(memory.gpu),
               [=](const Row& row) {
                   return isSize(row) ? bytes.text(sizeOf(row, memory))
                       : isNote(row)  ? QString()
                                      : percent(sizeOf(row, memory));
               })
        .with(kStrongRole, [memory](const Row& row) {
            return isSize(row) ? QVariant()
                               : QVariant(memory.differenceShare() > engine::kMemoryTolerance);
        });
}

TableColumn<Row> shareColumn(const GpuMemory& all)
{
    const auto share = [all](const Row& row) {
        return all.used > 0 ? sizeOf(row, all) / static_cast<double>(all.used) : 0;
    };
    return TableColumn<Row>(QCoreApplication::translate("GpuMemory", "Share, %"),
                            [share](const Row& row) {
                                return isSize(row) ? number(100 * share(row), 1) : QString();
                            })
        .with(kShareRole,
              [share](const Row& row) { return isOwned(row) ? QVariant(share(row)) : QVariant(); });
}

} // namespace

void showGpuMemory(TableModel<GpuMemoryRow>& model, const std::vector<GpuMemory>& gpus)
{
    if (gpus.empty())
        return model.reset({}, {});
    const GpuMemory all = gpus.size() > 1 ? engine::sumOf(gpus) : gpus.front();
    const Scale bytes = byteScale(std::max(all.used, all.known()));
    std::vector<Row> rows;
    for (const auto& measure : profiler::gpuMemoryMeasures()) {
        const Row row{&measure, capitalized(fromUtf8(measure.title))};
        const bool isColumn = (measure.shown & profiler::kColumn) != 0;
        if (isColumn && measure.unit != profiler::Unit::None
            && (!isOwned(row) || sizeOf(row, all) != 0))
            rows.push_back(row);
    }
    if (const std::string note = engine::memoryNote(gpus); !note.empty())
        rows.push_back({nullptr, fromUtf8(note)});
    std::vector<TableColumn<Row>> columns{
        TableColumn<Row>({QCoreApplication::translate("GpuMemory", "At the end, %1"), bytes},
                         &Row::title, Qt::AlignLeft)
            .with(kSpanRole, isNote),
        memoryColumn(all, bytes), shareColumn(all)};
    if (gpus.size() > 1)
        for (const GpuMemory& gpu : gpus)
            columns.push_back(memoryColumn(gpu, bytes));
    for (TableColumn<Row>& column : columns)
        column
            .with(Qt::ToolTipRole,
                  [](const Row& row) { return isNote(row) ? QVariant(row.title) : QVariant(); })
            .with(kStrongRole, [](const Row& row) { return isSize(row) && !isOwned(row); })
            .with(kHintRole, isNote);
    model.reset(std::move(columns), std::move(rows));
}

} // namespace app
