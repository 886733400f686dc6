#include "app/run/kernels_model.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

namespace app {

using profiler::KernelRow;

KernelsModel::KernelsModel(QObject* parent)
    : TableModel(parent)
{
    reset(columns(), {});
}

void KernelsModel::show(const engine::Run& run,
                        std::shared_ptr<const profiler::GpuActivity> activity,
                        const profiler::KernelFilter& filter)
{
    m_activity = std::move(activity);
    auto table
        = m_activity ? profiler::kernelTable(run, *m_activity, filter) : profiler::KernelTable();
    m_ops = std::move(table.ops);
    reset(columns(), std::move(table.rows));
}

QString KernelsModel::csv() const
{
    QStringList lines = {QStringLiteral("op,kernel,kind,count,total_ns,mean_ns,min_ns,max_ns,"
                                        "share_of_op_percent")};
    for (int i = 0; i < rowCount(); ++i) {
        const KernelRow& row = at(i);
        const QStringList cells{fromUtf8(engine::kindShortName(row.op)),
                                quotedCell(QString::fromStdString(nameOf(row).full)),
                                fromUtf8(profiler::kernelKindName(nameOf(row).kind)),
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

KernelsModel::Columns KernelsModel::columns() const
{
    using Row = KernelRow;
    using Described = TableColumn<Row>;
    const auto numeric = [](const QString& title, auto valueOf, const Scale& scale) {
        const auto value = [valueOf](const Row& row) { return static_cast<double>(valueOf(row)); };
        return Described(title, [=](const Row& row) { return scale.text(value(row)); })
            .sortedBy(value);
    };
    const Scale time = scaleIn(Unit::Microsecond), count{1, 0, {}}, share{0.01, 1, {}};
    const auto timed = [&](const QString& title, auto nanoseconds) {
        return numeric(title.arg(time.unit()), nanoseconds, time);
    };
    const auto kind = [this](const Row& row) { return nameOf(row).kind; };
    return {
        Described(
            tr("Kernel"), [this](const Row& row) { return fromUtf8(nameOf(row).label); },
            Qt::AlignLeft)
            .with(Qt::ToolTipRole, [this](const Row& row) { return fromUtf8(nameOf(row).full); })
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

} // namespace app
