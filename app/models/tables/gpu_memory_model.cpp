#include "app/models/tables/gpu_memory_model.h"

#include "app/models/tables/table_roles.h"
#include "app/models/text.h"

#include <algorithm>
#include <utility>

namespace app {

using engine::GpuHolder;
using engine::GpuMemory;

QString driverDifference(const GpuMemory& memory)
{
    const QString sign = memory.difference() < 0 ? QStringLiteral("\u2212") : QString();
    return sign + percent(memory.differenceShare());
}

GpuMemoryModel::GpuMemoryModel(QObject* parent)
    : QAbstractTableModel(parent)
{ }

void GpuMemoryModel::show(std::vector<GpuMemory> gpus)
{
    beginResetModel();
    m_columns = std::move(gpus);
    m_rows.clear();
    const std::string note = engine::memoryNote(m_columns);
    if (m_columns.size() > 1)
        m_columns.insert(m_columns.begin(), engine::sumOf(m_columns));
    if (!m_columns.empty())
        addRows();
    if (!note.empty())
        m_rows.push_back({Row::Kind::Note, QString::fromStdString(note)});
    endResetModel();
}

// Those who have nothing on any GPU are left out.
void GpuMemoryModel::addRows()
{
    const GpuMemory& all = m_columns.front();
    m_bytes = byteScale(std::max(all.used, all.known()));
    for (int i = 0; i < engine::kGpuHolders; ++i)
        if (const auto holder = static_cast<GpuHolder>(i); all[holder] != 0)
            m_rows.push_back(
                {Row::Kind::Holder, capitalized(fromUtf8(engine::gpuHolderName(holder))), holder});
    if (all.reserved != 0)
        m_rows.push_back({Row::Kind::Reserved, tr("(Kept free for communicators)")});
    m_rows.push_back({Row::Kind::Known, tr("All of these")});
    m_rows.push_back({Row::Kind::Used, tr("The driver says")});
    m_rows.push_back({Row::Kind::Difference, tr("Difference")});
}

int GpuMemoryModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int GpuMemoryModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_columns.empty() ? 0 : kShare + static_cast<int>(m_columns.size());
}

std::int64_t GpuMemoryModel::bytesOf(const Row& row, const GpuMemory& memory)
{
    switch (row.kind) {
    case Row::Kind::Holder:
        return memory[row.holder];
    case Row::Kind::Reserved:
        return memory.reserved;
    case Row::Kind::Known:
        return memory.known();
    default:
        return memory.used;
    }
}

double GpuMemoryModel::share(const Row& row) const
{
    const GpuMemory& all = m_columns.front();
    return all.used > 0 ? static_cast<double>(bytesOf(row, all)) / static_cast<double>(all.used)
                        : 0;
}

QString GpuMemoryModel::text(const Row& row, int column) const
{
    if (column == 0)
        return row.name;
    if (column == kShare)
        return row.kind == Row::Kind::Holder || row.kind == Row::Kind::Known
            ? number(100 * share(row), 1)
            : QString();
    if (row.kind == Row::Kind::Note)
        return {};
    const GpuMemory& memory = memoryOf(column);
    return row.kind == Row::Kind::Difference
        ? driverDifference(memory)
        : m_bytes.text(static_cast<double>(bytesOf(row, memory)));
}

// A difference beyond what is tolerated is a doubt, and stands out.
bool GpuMemoryModel::isStrong(const Row& row, int column) const
{
    if (row.kind == Row::Kind::Difference && column > 0 && column != kShare)
        return memoryOf(column).differenceShare() > engine::kMemoryTolerance;
    return row.kind == Row::Kind::Known || row.kind == Row::Kind::Used;
}

QVariant GpuMemoryModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return row.kind == Row::Kind::Note ? QVariant(row.name) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(
            (index.column() == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case kShareRole:
        return index.column() == kShare && row.kind == Row::Kind::Holder ? QVariant(share(row))
                                                                         : QVariant();
    case kStrongRole:
        return isStrong(row, index.column());
    case kHintRole:
        return row.kind == Row::Kind::Reserved || row.kind == Row::Kind::Note;
    case kSpanRole:
        return row.kind == Row::Kind::Note && index.column() == 0;
    default:
        return {};
    }
}

QVariant GpuMemoryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    if (role == Qt::TextAlignmentRole)
        return data(index(0, section), role);
    if (role != Qt::DisplayRole)
        return {};
    if (section == 0)
        return tr("At the end, %1").arg(m_bytes.unit);
    if (section == kShare)
        return tr("Share, %");
    const int gpu = memoryOf(section).gpu;
    return gpu < 0 ? tr("All GPUs") : tr("GPU %1").arg(gpu);
}

} // namespace app
