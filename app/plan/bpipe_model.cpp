#include "app/plan/bpipe_model.h"

#include "app/ui/numbers.h"
#include "app/ui/text.h"

namespace app {
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

QString BpipeModel::text(const BpipeRow& row, Column column) const
{
    switch (column) {
    case Column::Size:
        return QString::number(row.microBatchSize);
    case Column::Count:
        return number(row.microBatches, 0);
    case Column::StageMfu:
        return number(100 * row.stageMfu, 1);
    case Column::Kernels:
        return fromUtf8(row.kernels.name);
    case Column::Mfu:
        return number(100 * row.mfu, 1);
    case Column::SpeedUp:
        return factorText(row.speedUp);
    case Column::BreakEven:
        return &row == &rows().front() ? QStringLiteral("–")
                                       : number(100 * row.breakEven * m_firstMfu, 1);
    case Column::Without:
        return inGibibytes(row.memory.oneFOneB);
    case Column::With:
        return row.memory.bpipe ? inGibibytes(*row.memory.bpipe) : QStringLiteral("–");
    case Column::Transfer:
        return tr("%1 of %2").arg(inMilliseconds(row.transfer), inMilliseconds(row.forward));
    }
    return {};
}

BpipeModel::Columns BpipeModel::columns() const
{
    const auto column
        = [this](Column which, const QString& title, Qt::AlignmentFlag align = Qt::AlignRight) {
              return TableColumn<BpipeRow>(
                  title, [this, which](const BpipeRow& row) { return text(row, which); }, align);
          };
    const auto withVerdict = [this](TableColumn<BpipeRow> memory, auto bytesOf) {
        memory
            .with(kDifferenceRole,
                  [this, bytesOf](const BpipeRow& row) -> QVariant {
                      const std::optional<double> bytes = bytesOf(row);
                      if (!bytes)
                          return QString();
                      return *bytes <= m_usable
                          ? tr("fits")
                          : tr("over by %1").arg(inGibibytes(*bytes - m_usable));
                  })
            .with(kVerdictRole, [this, bytesOf](const BpipeRow& row) {
                const std::optional<double> bytes = bytesOf(row);
                return QVariant(static_cast<int>(bytes && *bytes <= m_usable ? Verdict::Better
                                                                             : Verdict::Worse));
            });
        for (const int role : {kExceedsRole, kStrongRole})
            memory.with(role, [this, bytesOf](const BpipeRow& row) {
                const std::optional<double> bytes = bytesOf(row);
                return QVariant(bytes && *bytes > m_usable);
            });
        return memory;
    };
    const auto explained = [](TableColumn<BpipeRow> of, const QString& tip) {
        return of.with(Qt::ToolTipRole, [tip](const BpipeRow&) { return QVariant(tip); });
    };
    return {
        column(Column::Size, tr("b")),
        column(Column::Count, tr("N")),
        column(Column::StageMfu, tr("Stage MFU, %")),
        column(Column::Kernels, tr("Attention kernels"), Qt::AlignLeft),
        column(Column::Mfu, tr("MFU, %")),
        column(Column::SpeedUp, tr("Speed-up")).with(kStrongRole, kAlways),
        explained(column(Column::BreakEven, tr("Break-even, %")),
                  tr("Stage MFU that the micro-batch size needs")),
        withVerdict(column(Column::Without, labelled(tr("1F1B, %1"), Unit::GiB)),
                    [](const BpipeRow& row) { return std::optional(row.memory.oneFOneB); }),
        withVerdict(column(Column::With, labelled(tr("BPipe, %1"), Unit::GiB)),
                    [](const BpipeRow& row) { return row.memory.bpipe; }),
        explained(column(Column::Transfer, labelled(tr("Transfer of F, %1"), Unit::Millisecond)),
                  tr("One stash over the link in a node, and the forward that hides it"))};
}

} // namespace app
