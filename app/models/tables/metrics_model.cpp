#include "app/models/tables/metrics_model.h"

#include "app/models/tables/table_roles.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

namespace app {
namespace {

using Column = MetricsModel::Column;
using profiler::DeviceMetrics;

std::int64_t ofKind(const DeviceMetrics& device, engine::OpKind kind)
{
    return device.byKind[static_cast<std::size_t>(kind)];
}

// The columns that are a time per device; all others are words or counts.
std::function<std::int64_t(const DeviceMetrics&)> timeOf(Column column)
{
    const auto kind = [](engine::OpKind k) {
        return [k](const DeviceMetrics& device) { return ofKind(device, k); };
    };
    switch (column) {
    case Column::Compute:
        return &DeviceMetrics::compute;
    case Column::Forward:
        return kind(engine::OpKind::Forward);
    case Column::Backward:
        return kind(engine::OpKind::Backward);
    case Column::InputGradient:
        return kind(engine::OpKind::BackwardInput);
    case Column::WeightGradient:
        return kind(engine::OpKind::BackwardWeight);
    case Column::Exposed:
        return &DeviceMetrics::exposedCommunication;
    case Column::Bubble:
        return &DeviceMetrics::bubble;
    case Column::AllReduce:
        return kind(engine::OpKind::AllReduce);
    case Column::Optimizer:
        return kind(engine::OpKind::OptimizerStep);
    default:
        return {};
    }
}

QString title(Column column)
{
    switch (column) {
    case Column::Device:
        return MetricsModel::tr("Device");
    case Column::Stages:
        return MetricsModel::tr("Stages");
    case Column::Compute:
        return MetricsModel::tr("Compute");
    case Column::Forward:
        return MetricsModel::tr("F");
    case Column::Backward:
        return MetricsModel::tr("B");
    case Column::InputGradient:
        return MetricsModel::tr("I");
    case Column::WeightGradient:
        return MetricsModel::tr("W");
    case Column::Exposed:
        return MetricsModel::tr("Exposed comm.");
    case Column::Bubble:
        return MetricsModel::tr("Bubble");
    case Column::BubbleShare:
        return MetricsModel::tr("Bubble, %");
    case Column::AllReduce:
        return MetricsModel::tr("All-reduce");
    case Column::Optimizer:
        return MetricsModel::tr("Optimizer");
    case Column::Peak:
        return MetricsModel::tr("Peak, %1");
    case Column::Stash:
        return MetricsModel::tr("Stash, Mₐ");
    case Column::Messages:
        return MetricsModel::tr("Sent / received");
    case Column::LocalCopies:
        return MetricsModel::tr("Local");
    }
    return {};
}

} // namespace

QString stagesText(const engine::Schedule& schedule, engine::DeviceId device)
{
    std::set<int> stages;
    for (const auto& placement : schedule.deviceOf)
        for (std::size_t stage = 0; stage < placement.size(); ++stage)
            if (placement[stage] == device)
                stages.insert(static_cast<int>(stage));
    QStringList words;
    for (const int stage : stages)
        words.append(QString::number(stage));
    return words.join(QStringLiteral(", "));
}

MetricsModel::MetricsModel(QObject* parent)
    : QAbstractTableModel(parent)
{ }

void MetricsModel::show(RunPointer run, profiler::RunMetrics metrics)
{
    beginResetModel();
    m_run = std::move(run);
    m_metrics = std::move(metrics);
    m_time = timeScale(m_run->info, m_metrics.duration);
    std::int64_t peak = 0;
    for (const DeviceMetrics& device : m_metrics.devices)
        peak = std::max(peak, device.peakBytes.value_or(0));
    m_bytes = byteScale(peak);
    chooseColumns();
    endResetModel();
}

void MetricsModel::clear()
{
    beginResetModel();
    m_run.reset();
    m_metrics = {};
    m_columns.clear();
    endResetModel();
}

// Columns of ops that do not occur would only be zeros: they are left out.
void MetricsModel::chooseColumns()
{
    m_columns = {Column::Device, Column::Stages, Column::Compute};
    const auto addIfAny = [this](Column column) {
        const auto time = timeOf(column);
        if (std::ranges::any_of(m_metrics.devices, [&](const auto& d) { return time(d) != 0; }))
            m_columns.push_back(column);
    };
    for (const Column column :
         {Column::Forward, Column::Backward, Column::InputGradient, Column::WeightGradient})
        addIfAny(column);
    m_columns.insert(m_columns.end(), {Column::Exposed, Column::Bubble, Column::BubbleShare});
    addIfAny(Column::AllReduce);
    addIfAny(Column::Optimizer);
    if (std::ranges::any_of(m_metrics.devices,
                            [](const auto& d) { return d.peakBytes.has_value(); }))
        m_columns.push_back(Column::Peak);
    m_columns.insert(m_columns.end(), {Column::Stash, Column::Messages, Column::LocalCopies});
}

int MetricsModel::rowCount(const QModelIndex& parent) const
{
    const auto devices = static_cast<int>(m_metrics.devices.size());
    return parent.isValid() || devices == 0 ? 0 : devices + 1;
}

int MetricsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QString MetricsModel::keyNumbers() const
{
    if (m_metrics.devices.empty())
        return {};
    double exposed = 0;
    std::int64_t peak = 0;
    for (const DeviceMetrics& device : m_metrics.devices) {
        exposed += static_cast<double>(device.exposedCommunication);
        peak = std::max(peak, device.peakBytes.value_or(0));
    }
    exposed /= static_cast<double>(m_metrics.devices.size());
    QString text
        = tr("bubble %1, exposed %2").arg(percent(m_metrics.bubbleRatio), m_time.withUnit(exposed));
    if (m_metrics.mfu)
        text += tr(", MFU %1").arg(percent(*m_metrics.mfu));
    if (peak > 0)
        text += tr(", peak %1").arg(m_bytes.withUnit(static_cast<double>(peak)));
    return text;
}

double MetricsModel::bubbleShareOf(int row) const
{
    if (row == static_cast<int>(m_metrics.devices.size()))
        return m_metrics.bubbleRatio;
    const auto bubble = m_metrics.devices[static_cast<std::size_t>(row)].bubble;
    return m_metrics.duration > 0
        ? static_cast<double>(bubble) / static_cast<double>(m_metrics.duration)
        : 0;
}

QString MetricsModel::deviceText(const DeviceMetrics& device, Column column) const
{
    if (const auto time = timeOf(column))
        return m_time.text(static_cast<double>(time(device)));
    switch (column) {
    case Column::Device:
        return tr("Device %1").arg(device.device.value);
    case Column::Stages:
        return stagesText(m_run->schedule, device.device);
    case Column::Peak:
        return device.peakBytes ? m_bytes.text(static_cast<double>(*device.peakBytes))
                                : QStringLiteral("–");
    case Column::Stash:
        return number(device.peakStash, 1);
    case Column::Messages:
        return tr("%1 / %2").arg(device.messagesSent).arg(device.messagesReceived);
    case Column::LocalCopies:
        return number(device.localCopies, 0);
    default:
        return {};
    }
}

QString MetricsModel::totalText(Column column) const
{
    const auto& devices = m_metrics.devices;
    if (const auto time = timeOf(column)) {
        double sum = 0;
        for (const DeviceMetrics& device : devices)
            sum += static_cast<double>(time(device));
        return m_time.text(sum / static_cast<double>(devices.size()));
    }
    switch (column) {
    case Column::Device:
        return tr("All devices");
    case Column::Peak:
        return m_bytes.text(static_cast<double>(
            *std::ranges::max_element(devices, {}, &DeviceMetrics::peakBytes)->peakBytes));
    case Column::Stash:
        return number(std::ranges::max_element(devices, {}, &DeviceMetrics::peakStash)->peakStash,
                      1);
    case Column::Messages:
        return number(m_metrics.messages, 0);
    case Column::LocalCopies:
        return number(m_metrics.localCopies, 0);
    default:
        return {};
    }
}

QVariant MetricsModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Column column = columnAt(index.column());
    const bool isTotal = index.row() == static_cast<int>(m_metrics.devices.size());
    switch (role) {
    case Qt::DisplayRole:
        if (column == Column::BubbleShare)
            return number(bubbleShareOf(index.row()) * 100, 1);
        return isTotal
            ? totalText(column)
            : deviceText(m_metrics.devices[static_cast<std::size_t>(index.row())], column);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(
            (column == Column::Device ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case kShareRole:
        return column == Column::BubbleShare ? QVariant(bubbleShareOf(index.row())) : QVariant();
    case kStrongRole:
        return isTotal;
    case kHintRole:
        return column == Column::Stages;
    default:
        return {};
    }
}

QVariant MetricsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const Column column = columnAt(section);
    if (role == Qt::TextAlignmentRole)
        return data(index(0, section), role);
    if (role != Qt::DisplayRole)
        return {};
    return column == Column::Peak ? title(column).arg(m_bytes.unit) : title(column);
}

} // namespace app
