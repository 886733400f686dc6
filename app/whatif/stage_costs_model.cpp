#include "app/whatif/stage_costs_model.h"

#include "app/ui/table_roles.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"
#include "profiler/whatif/stage_times.h"

#include <cmath>

namespace app {
namespace {

using engine::OpKind;
using engine::StageId;
constexpr OpKind kKinds[]
    = {OpKind::Forward, OpKind::Backward, OpKind::BackwardInput, OpKind::BackwardWeight};

std::vector<int> messagesOf(const engine::Schedule& schedule)
{
    std::vector<int> messages(static_cast<std::size_t>(schedule.shape.stages), 0);
    for (const auto& program : schedule.program)
        for (const engine::Op& op : program)
            if (engine::isTransfer(op.kind))
                ++messages[static_cast<std::size_t>(op.stage.value)];
    return messages;
}

} // namespace

StageCostsModel::StageCostsModel(QObject* parent)
    : QAbstractTableModel(parent)
{ }

void StageCostsModel::show(const engine::Run& run, const profiler::MeasuredTimes& times)
{
    beginResetModel();
    m_times = times;
    m_messages = messagesOf(run.schedule);
    m_edits = {};
    m_columns = {{What::Stage}};
    std::int64_t longest = 0;
    for (const OpKind kind : kKinds) {
        std::int64_t most = 0;
        for (const StageId stage : m_times.stages.ids())
            most = std::max(most, (m_times.stages[stage].*profiler::samplesOf(kind)).median());
        if (most > 0)
            m_columns.push_back({What::Time, kind});
        longest = std::max(longest, most);
    }
    for (const What what : {What::WeightShare, What::Messages, What::Spread})
        m_columns.push_back({what});
    m_time = timeScale(longest);
    endResetModel();
}

int StageCostsModel::rowCount(const QModelIndex& parent) const
{
    const auto stages = static_cast<int>(m_times.stages.size());
    return parent.isValid() || stages == 0 ? 0 : stages + 1;
}

int StageCostsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

double StageCostsModel::measured(int stage, OpKind kind) const
{
    return static_cast<double>(
        (m_times.stages[StageId{stage}].*profiler::samplesOf(kind)).median());
}

double StageCostsModel::value(int stage, OpKind kind) const
{
    const auto edited = m_edits.times.find({stage, kind});
    return edited == m_edits.times.end() ? measured(stage, kind)
                                         : static_cast<double>(edited->second);
}

double StageCostsModel::weightShareOf(int row) const
{
    double input = 0, weight = 0;
    const auto stages = static_cast<int>(m_times.stages.size());
    for (int stage = 0; stage < stages; ++stage)
        if (isSum(row) || stage == row) {
            input += value(stage, OpKind::BackwardInput);
            weight += value(stage, OpKind::BackwardWeight);
        }
    if (weight > 0)
        return weight / (input + weight);
    return m_times.backwardIsSplit ? -1 : m_edits.weightShare.value_or(1 - m_times.inputShare);
}

QString StageCostsModel::text(const QModelIndex& index) const
{
    const Column& column = m_columns[static_cast<std::size_t>(index.column())];
    const int row = index.row();
    const auto stages = static_cast<int>(m_times.stages.size());
    const auto sumOver = [&](const auto& of) {
        double sum = 0;
        for (int stage = 0; stage < stages; ++stage)
            sum += isSum(row) || stage == row ? static_cast<double>(of(stage)) : 0;
        return sum;
    };
    switch (column.what) {
    case What::Stage:
        return isSum(row) ? tr("Sum") : QString::number(row);
    case What::Time: {
        const double sum = sumOver([&](int stage) { return value(stage, column.kind); });
        return sum > 0 ? m_time.text(sum) : QStringLiteral("–");
    }
    case What::WeightShare: {
        const double share = weightShareOf(row);
        return share < 0 ? QStringLiteral("–") : number(100 * share, 1);
    }
    case What::Messages:
        return number(
            sumOver([&](int stage) { return m_messages[static_cast<std::size_t>(stage)]; }), 0);
    case What::Spread:
        return isSum(row) ? QString()
                          : number(100 * m_times.stages[StageId{row}].forward.spread(), 1);
    }
    return {};
}

QString StageCostsModel::before(const QModelIndex& index) const
{
    const Column& column = m_columns[static_cast<std::size_t>(index.column())];
    if (isSum(index.row()))
        return {};
    if (column.what == What::Time && m_edits.times.contains({index.row(), column.kind}))
        return m_time.text(measured(index.row(), column.kind));
    if (column.what == What::WeightShare && m_edits.weightShare)
        return number(100 * (1 - m_times.inputShare), 1);
    return {};
}

bool StageCostsModel::isEditable(const QModelIndex& index) const
{
    if (!index.isValid() || isSum(index.row()))
        return false;
    const Column& column = m_columns[static_cast<std::size_t>(index.column())];
    return (column.what == What::Time && measured(index.row(), column.kind) > 0)
        || (column.what == What::WeightShare && !m_times.backwardIsSplit);
}

Qt::ItemFlags StageCostsModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    return isEditable(index) ? flags | Qt::ItemIsEditable : flags;
}

QVariant StageCostsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Column& column = m_columns[static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole:
        return text(index);
    case Qt::EditRole:
        return text(index).remove(kNarrowSpace);
    case Qt::TextAlignmentRole:
        return headerData(index.column(), Qt::Horizontal, role);
    case kStrongRole:
        return isSum(index.row()) || column.what == What::Stage || !before(index).isEmpty();
    case kHintRole:
        return column.what == What::WeightShare && !m_times.backwardIsSplit && !m_edits.weightShare;
    case kBeforeRole:
        return before(index).isEmpty() ? QVariant() : QVariant(before(index));
    case Qt::ToolTipRole:
        if (column.what == What::WeightShare && !m_times.backwardIsSplit)
            return toolTipText(
                tr("Assumed, because the run has only B; double-click to change it"));
        return isEditable(index) ? QVariant(toolTipText(tr("Double-click or F2 to change it")))
                                 : QVariant();
    default:
        return {};
    }
}

QVariant StageCostsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const Column& column = m_columns[static_cast<std::size_t>(section)];
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(
            (column.what == What::Stage ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    switch (column.what) {
    case What::Stage:
        return tr("Stage");
    case What::Time:
        return fromUtf8(engine::kindName(column.kind));
    case What::WeightShare:
        return tr("W, %");
    case What::Messages:
        return tr("Msg.");
    case What::Spread:
        return tr("±, %");
    }
    return {};
}

bool StageCostsModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    bool isNumber = false;
    const double entered = value.toString()
                               .replace(QLatin1Char(','), QLatin1Char('.'))
                               .trimmed()
                               .toDouble(&isNumber);
    if (role != Qt::EditRole || !isEditable(index) || !isNumber || !(entered > 0)
        || !std::isfinite(entered))
        return false;
    if (value.toString() == index.data(Qt::EditRole).toString())
        return true; // the text was not changed, so its rounded number is not stored
    const Column& column = m_columns[static_cast<std::size_t>(index.column())];
    Edits edits = m_edits;
    if (column.what == What::WeightShare) {
        if (entered >= 100)
            return false;
        edits.weightShare = entered / 100;
    } else {
        const double ns = entered * m_time.perUnit();
        if (ns < 1 || ns > 1e15)
            return false;
        edits.times[{index.row(), column.kind}] = std::llround(ns);
    }
    set(edits);
    Q_EMIT edited();
    return true;
}

void StageCostsModel::set(const Edits& edits)
{
    Q_EMIT layoutAboutToBeChanged(); // the view measures the columns again: edited cells are wider
    m_edits = edits;
    Q_EMIT layoutChanged();
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void StageCostsModel::setEdits(const std::map<WhatIfChanges::Cell, std::int64_t>& times,
                               std::optional<double> weightShare)
{
    if (const Edits edits{times, weightShare}; edits != m_edits)
        set(edits);
}

QString StageCostsModel::editsText() const
{
    const auto count
        = static_cast<std::int64_t>(m_edits.times.size()) + (m_edits.weightShare ? 1 : 0);
    return count == 0 ? QString() : tr("%1 edited").arg(countOf(count, "cell"));
}

} // namespace app
