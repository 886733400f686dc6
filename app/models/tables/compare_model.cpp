#include "app/models/tables/compare_model.h"

#include "app/models/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

using Column = CompareModel::Column;

bool isTime(Column column)
{
    return column >= Column::Iteration && column <= Column::Bubble;
}

bool moreIsBetter(Column column)
{
    return column == Column::Tokens || column == Column::Mfu;
}

QString title(Column column)
{
    switch (column) {
    case Column::Run:
        return CompareModel::tr("Run");
    case Column::Mode:
        return CompareModel::tr("Mode");
    case Column::Iteration:
        return CompareModel::tr("Iteration");
    case Column::Compute:
        return CompareModel::tr("Compute");
    case Column::Exposed:
        return CompareModel::tr("Exposed comm.");
    case Column::Bubble:
        return CompareModel::tr("Bubble");
    case Column::Peak:
        return CompareModel::tr("Peak, %1");
    case Column::Stash:
        return CompareModel::tr("Stash, Mₐ");
    case Column::Messages:
        return CompareModel::tr("Messages");
    case Column::Tokens:
        return CompareModel::tr("k tokens/s");
    case Column::Mfu:
        return CompareModel::tr("MFU, %");
    }
    return {};
}

} // namespace

CompareModel::CompareModel(QObject* parent)
    : QAbstractTableModel(parent)
{ }

void CompareModel::show(profiler::Comparison comparison, QStringList titles)
{
    beginResetModel();
    m_comparison = std::move(comparison);
    m_titles = std::move(titles);
    std::int64_t peak = 0;
    for (const auto& run : m_comparison.runs)
        peak = std::max(peak, run.peakBytes.value_or(0));
    m_bytes = byteScale(peak);
    chooseColumns();
    endResetModel();
}

void CompareModel::clear()
{
    show({}, {});
}

// Columns in which no run has a number are left out; the mode stands in a column of its own only
// where it differs, or where threads took turns.
void CompareModel::chooseColumns()
{
    m_columns = {Column::Run};
    const auto& runs = m_comparison.runs;
    if (std::ranges::any_of(runs, [&](const auto& run) {
            return run.mode != runs[0].mode || run.isOversubscribed;
        }))
        m_columns.push_back(Column::Mode);
    // The stash stands in for the peak where no bytes were recorded.
    const bool hasBytes
        = std::ranges::any_of(runs, [](const auto& run) { return run.peakBytes.has_value(); });
    for (const Column column :
         {Column::Iteration, Column::Compute, Column::Exposed, Column::Bubble,
          hasBytes ? Column::Peak : Column::Stash, Column::Messages, Column::Tokens, Column::Mfu}) {
        bool hasAny = false;
        for (std::size_t run = 0; run < runs.size(); ++run)
            hasAny = hasAny || value(run, column);
        if (hasAny)
            m_columns.push_back(column);
    }
}

std::optional<double> CompareModel::value(std::size_t run, Column column) const
{
    const profiler::ComparedRun& compared = m_comparison.runs[run];
    switch (column) {
    case Column::Run:
    case Column::Mode:
        return {};
    case Column::Iteration:
        return static_cast<double>(compared.metrics.duration);
    case Column::Compute:
        return compared.meanCompute;
    case Column::Exposed:
        return compared.meanExposed;
    case Column::Bubble:
        return compared.meanBubble;
    case Column::Peak:
        return compared.peakBytes ? std::optional(static_cast<double>(*compared.peakBytes))
                                  : std::nullopt;
    case Column::Stash:
        return compared.peakStash;
    case Column::Messages:
        return compared.metrics.messages;
    case Column::Tokens:
        return compared.metrics.tokensPerSecond;
    case Column::Mfu:
        return compared.metrics.mfu;
    }
    return {};
}

Scale CompareModel::scaleOf(std::size_t run, Column column) const
{
    if (isTime(column)) {
        // One unit for all rows: the baseline's, where the runs can be compared at all.
        const std::size_t from = m_comparison.comparable ? m_comparison.baseline : run;
        engine::RunInfo info;
        info.ticksPerUnit = m_comparison.runs[from].ticksPerUnit;
        Scale scale = timeScale(info, m_comparison.runs[from].metrics.duration);
        if (info.inUnits())
            scale.perUnit = static_cast<double>(m_comparison.runs[run].ticksPerUnit);
        return scale;
    }
    switch (column) {
    case Column::Peak:
        return m_bytes;
    case Column::Tokens:
        return {1000, 1, {}};
    case Column::Mfu:
        return {0.01, 1, {}};
    case Column::Stash:
        return {1, 1, {}};
    default:
        return {1, 0, {}};
    }
}

QString CompareModel::text(std::size_t run, Column column) const
{
    if (column == Column::Run)
        return m_titles.value(static_cast<qsizetype>(run));
    if (column == Column::Mode) {
        const profiler::ComparedRun& compared = m_comparison.runs[run];
        const QString mode = fromUtf8(engine::modeAdjective(compared.mode));
        return compared.isOversubscribed ? tr("%1, oversubscribed").arg(mode) : mode;
    }
    const auto number = value(run, column);
    if (!number)
        return QStringLiteral("–");
    const Scale scale = scaleOf(run, column);
    return isTime(column) && !m_comparison.comparable ? scale.withUnit(*number)
                                                      : scale.text(*number);
}

std::optional<double> CompareModel::difference(std::size_t run, Column column) const
{
    const bool isOfOneUnit = m_comparison.comparable || !isTime(column);
    if (run == m_comparison.baseline || !isOfOneUnit)
        return {};
    const auto own = value(run, column), base = value(m_comparison.baseline, column);
    if (!own || !base)
        return {};
    const double perUnit = scaleOf(run, column).perUnit;
    return *own / perUnit - *base / scaleOf(m_comparison.baseline, column).perUnit;
}

Verdict CompareModel::verdict(std::size_t run, Column column) const
{
    const auto change = difference(run, column);
    if (!change)
        return Verdict::Neutral;
    const double base
        = *value(m_comparison.baseline, column) / scaleOf(m_comparison.baseline, column).perUnit;
    if (std::abs(*change) <= 0.01 * std::abs(base))
        return Verdict::Neutral;
    return (*change > 0) == moreIsBetter(column) ? Verdict::Better : Verdict::Worse;
}

int CompareModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_comparison.runs.size());
}

int CompareModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant CompareModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const Column column = columnAt(index.column());
    const auto run = static_cast<std::size_t>(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(run, column);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(
            (column <= Column::Mode ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    case kDifferenceRole: {
        const auto change = difference(run, column);
        return change ? signedNumber(*change, scaleOf(run, column).decimals) : QVariant();
    }
    case kVerdictRole:
        return static_cast<int>(verdict(run, column));
    case kHintRole:
        return column == Column::Mode;
    default:
        return {};
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const Column column = columnAt(section);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(
            (column <= Column::Mode ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    if (column == Column::Peak)
        return title(column).arg(m_bytes.unit);
    if (column == Column::Iteration && m_comparison.comparable && !m_comparison.runs.empty())
        return tr("Iteration, %1").arg(scaleOf(m_comparison.baseline, column).unit);
    return title(column);
}

} // namespace app
