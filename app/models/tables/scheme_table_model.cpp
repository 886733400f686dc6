#include "app/models/tables/scheme_table_model.h"

#include "app/models/numbers.h"
#include "app/models/tables/table_roles.h"
#include "app/models/text.h"

#include <algorithm>

namespace app {
namespace {

using Column = SchemeTableModel::Column;
using Row = SchemeTableModel::Row;

// visual-design.md, "Card": one scale unless a picture is longer than this.
constexpr double kThumbnailUnits = 21;
// More than the median by this much: cut, so that one long scheme does not squeeze the others.
constexpr double kOutlier = 1.25;

double valueOf(const Prediction& prediction, Column column)
{
    const profiler::RunMetrics& metrics = prediction.metrics;
    switch (column) {
    case Column::Iteration:
        return prediction.thumbnail.duration;
    case Column::Memory:
        return static_cast<double>(largestMemory(metrics).value_or(0));
    case Column::Bubble:
        return metrics.bubbleRatio * 100;
    case Column::Stash:
        return largestStash(metrics);
    case Column::Weights:
        return largestWeights(metrics);
    case Column::Messages:
        return metrics.messages;
    case Column::Local:
        return metrics.localCopies;
    case Column::Scheme:
        break;
    }
    return 0;
}

// Numbers first, then what is still on its way, then what is refused.
int rank(const Row& row)
{
    return row.prediction() != nullptr ? 0 : row.reason().isEmpty() ? 1 : 2;
}

double thumbnailScale(std::vector<double> durations)
{
    if (durations.empty())
        return 1;
    const auto middle = durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2);
    std::nth_element(durations.begin(), middle, durations.end());
    const double typical = *middle * kOutlier;
    return std::min(*std::ranges::max_element(durations), std::max(kThumbnailUnits, typical));
}

} // namespace

QString SchemeTableModel::Row::reason() const
{
    if (!condition.isEmpty() || answer == nullptr)
        return condition;
    if (!answer->has_value())
        return fromUtf8(answer->error().message);
    return (*answer)->violations.empty() ? QString()
                                         : fromUtf8((*answer)->violations.front().message);
}

SchemeTableModel::SchemeTableModel(QObject* parent)
    : QAbstractTableModel(parent)
{
    arrange();
}

void SchemeTableModel::setRows(std::vector<Row> rows)
{
    m_order.clear();
    for (Row& row : rows) {
        m_order.push_back(row.scheme);
        const int before = rowOf(row.scheme);
        if (before >= 0 && row.answer == nullptr && row.condition.isEmpty())
            row.answer = at(before).answer;
    }
    const bool isSame = rows.size() == m_rows.size()
        && std::ranges::all_of(rows, [this](const Row& row) { return rowOf(row.scheme) >= 0; });
    if (!isSame)
        beginResetModel();
    if (isSame) { // in the order that is shown; arrange() sorts
        for (Row& row : rows) {
            const auto shown = static_cast<std::size_t>(rowOf(row.scheme));
            m_rows[shown] = std::move(row);
        }
    } else {
        m_rows = std::move(rows);
        endResetModel();
    }
    arrange();
}

void SchemeTableModel::answer(const QString& scheme, Answer answer)
{
    this->answer({{scheme, std::move(answer)}});
}

void SchemeTableModel::answer(std::vector<std::pair<QString, Answer>> answers)
{
    for (auto& one : answers)
        if (const int row = rowOf(one.first); row >= 0)
            m_rows[static_cast<std::size_t>(row)].answer = std::move(one.second);
    arrange();
}

void SchemeTableModel::arrange()
{
    std::vector<double> durations;
    m_largestStash = 1;
    m_largestMemory = 0;
    engine::RunInfo info;
    std::int64_t longest = 0;
    for (const Row& row : m_rows) {
        if (const Prediction* prediction = row.prediction()) {
            durations.push_back(prediction->thumbnail.duration);
            m_largestStash = std::max(m_largestStash, largestStash(prediction->metrics));
            m_largestMemory
                = std::max(m_largestMemory, largestMemory(prediction->metrics).value_or(0));
            longest = std::max(longest, prediction->metrics.duration);
            info.ticksPerUnit = prediction->info.ticksPerUnit;
        }
    }
    m_isInUnits = durations.empty() || info.inUnits();
    m_time = m_isInUnits ? Scale{1, 2, tr("units")} : timeScale(info, longest);
    m_bytes = byteScale(m_largestMemory);
    m_thumbnailUnits = thumbnailScale(std::move(durations));
    Q_EMIT headerDataChanged(Qt::Horizontal, 0, kColumns - 1);
    sort(m_sortColumn, m_sortOrder);
}

void SchemeTableModel::sort(int column, Qt::SortOrder order)
{
    m_sortColumn = column;
    m_sortOrder = order;
    const auto listed = [this](const Row& row) {
        return std::ranges::find(m_order, row.scheme) - m_order.begin();
    };
    const auto before = [&](const Row& a, const Row& b) {
        if (rank(a) != rank(b))
            return rank(a) < rank(b);
        const Prediction *pa = a.prediction(), *pb = b.prediction();
        const auto key = static_cast<Column>(column);
        if (column > 0 && pa != nullptr && pb != nullptr) {
            const double va = valueOf(*pa, key), vb = valueOf(*pb, key);
            if (va != vb)
                return order == Qt::AscendingOrder ? va < vb : va > vb;
        }
        if (column == 0 && a.title != b.title)
            return (a.title.compare(b.title, Qt::CaseInsensitive) < 0)
                == (order == Qt::AscendingOrder);
        return listed(a) < listed(b);
    };
    std::vector<QString> old;
    for (const Row& row : m_rows)
        old.push_back(row.scheme);
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    std::ranges::stable_sort(m_rows, before);
    const QModelIndexList from = persistentIndexList();
    QModelIndexList to;
    for (const QModelIndex& place : from)
        to.append(index(rowOf(old[static_cast<std::size_t>(place.row())]), place.column()));
    changePersistentIndexList(from, to);
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

int SchemeTableModel::rowOf(const QString& scheme) const
{
    const auto found = std::ranges::find(m_rows, scheme, &Row::scheme);
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

void SchemeTableModel::setChosen(const QString& scheme)
{
    m_chosen = scheme;
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

int SchemeTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int SchemeTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QString SchemeTableModel::text(const Row& row, Column column) const
{
    if (column == Column::Scheme)
        return row.title;
    const Prediction* prediction = row.prediction();
    if (prediction == nullptr)
        return column == Column::Iteration ? row.reason() : QString();
    const double value = valueOf(*prediction, column);
    switch (column) {
    case Column::Iteration:
        return m_isInUnits ? unitsText(value) : m_time.text(value);
    case Column::Weights:
        return unitsText(value);
    case Column::Memory:
        return largestMemory(prediction->metrics) ? m_bytes.text(value) : QString();
    case Column::Bubble:
    case Column::Stash:
        return number(value, 1);
    default:
        return number(value, 0);
    }
}

double SchemeTableModel::share(const Row& row, Column column) const
{
    const double value = valueOf(*row.prediction(), column);
    return column == Column::Bubble ? value / 100 : value / m_largestStash;
}

double SchemeTableModel::thumbnailUnits() const
{
    return m_thumbnailUnits;
}

QString SchemeTableModel::csv() const
{
    QStringList lines = {QStringLiteral("scheme,iteration_%1,bubble_percent,peak_stash_ma,"
                                        "weights_mtheta,messages,local_copies,refused")
                             .arg(m_isInUnits ? QStringLiteral("units") : QStringLiteral("ns"))};
    if (hasMemory())
        lines.front() += QStringLiteral(",peak_memory_bytes");
    const auto cell = [](const Row& row, Column column) {
        const Prediction* prediction = row.prediction();
        return prediction == nullptr ? QString()
                                     : QString::number(valueOf(*prediction, column), 'g', 12);
    };
    for (const Row& row : m_rows) {
        QStringList cells = {row.scheme};
        for (const Column column : {Column::Iteration, Column::Bubble, Column::Stash,
                                    Column::Weights, Column::Messages, Column::Local})
            cells.append(cell(row, column));
        cells.append(quotedCell(row.reason()));
        if (hasMemory())
            cells.append(cell(row, Column::Memory));
        lines.append(cells.join(QLatin1Char(',')));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QVariant SchemeTableModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Row& row = at(index.row());
    const auto column = static_cast<Column>(index.column());
    const Prediction* prediction = row.prediction();
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::TextAlignmentRole:
        return headerData(row.reason().isEmpty() ? index.column() : 0, Qt::Horizontal, role);
    case Qt::ToolTipRole:
        return row.reason().isEmpty() ? row.title : row.reason();
    case kStrongRole:
        return row.scheme == m_chosen && column == Column::Scheme;
    case kHintRole:
        return prediction == nullptr;
    case kSpanRole:
        return !row.reason().isEmpty() && column == Column::Iteration;
    case kThumbnailRole:
        if (column == Column::Scheme)
            return QVariant::fromValue(prediction == nullptr ? nullptr : &prediction->thumbnail);
        return {};
    case kThumbnailWidthRole:
        return prediction == nullptr ? 0 : prediction->thumbnail.duration / m_thumbnailUnits;
    case kShareRole:
        if (prediction != nullptr && (column == Column::Bubble || column == Column::Stash))
            return share(row, column);
        return {};
    default:
        return {};
    }
}

QVariant SchemeTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter | (section == 0 ? Qt::AlignLeft : Qt::AlignRight)));
    if (role != Qt::DisplayRole)
        return {};
    const QStringList titles = {tr("Scheme"),      tr("Iteration, %1").arg(m_time.unit),
                                tr("Bubble, %"),   tr("Peak stash, Mₐ"),
                                tr("Weights, Mθ"), tr("Memory, %1").arg(m_bytes.unit),
                                tr("Messages"),    tr("Local")};
    return titles.value(section);
}

double largestStash(const profiler::RunMetrics& metrics)
{
    double largest = 0;
    for (const profiler::DeviceMetrics& device : metrics.devices)
        largest = std::max(largest, device.peakStash);
    return largest;
}

std::optional<std::int64_t> largestMemory(const profiler::RunMetrics& metrics)
{
    std::optional<std::int64_t> largest;
    for (const profiler::DeviceMetrics& device : metrics.devices)
        if (device.peakBytes)
            largest = std::max(largest.value_or(0), *device.peakBytes);
    return largest;
}

QString memoryExcess(const Prediction& prediction)
{
    const std::int64_t has = prediction.deviceMemory;
    const auto& devices = prediction.metrics.devices;
    const auto fullest = std::ranges::max_element(
        devices, {}, [](const auto& device) { return device.peakBytes.value_or(0); });
    if (has <= 0 || fullest == devices.end() || fullest->peakBytes.value_or(0) <= has)
        return {};
    const Scale scale = byteScale(has);
    return SchemeTableModel::tr("Device %1 needs %2 at its peak, and %3 has %4. More devices, "
                                "tensor parallelism or recomputation need less.")
        .arg(fullest->device.value)
        .arg(scale.withUnit(static_cast<double>(*fullest->peakBytes)),
             QString::fromStdString(prediction.info.deviceName),
             scale.text(static_cast<double>(has)));
}

double largestWeights(const profiler::RunMetrics& metrics)
{
    double largest = 0;
    for (const profiler::DeviceMetrics& device : metrics.devices)
        largest = std::max(largest, device.weights);
    return largest;
}

} // namespace app
