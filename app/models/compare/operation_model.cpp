#include "app/models/compare/operation_model.h"

#include "engine/schedule/notation.h"

#include <cmath>

namespace app {
namespace {

using engine::OpKind;
using profiler::ComparedRun;

constexpr OpKind kShownKinds[] = {OpKind::Forward,        OpKind::Backward,  OpKind::BackwardInput,
                                  OpKind::BackwardWeight, OpKind::Recompute, OpKind::OptimizerStep};
constexpr int kMostDeviceColumns = 16;
constexpr double kColouredFrom = 0.01; // smaller differences from the baseline have no colour

std::vector<std::size_t> allRuns(const CompareNumbersPointer& numbers)
{
    std::vector<std::size_t> runs(numbers ? numbers->comparison.runs.size() : 0);
    std::iota(runs.begin(), runs.end(), std::size_t{0});
    return runs;
}

TableColumn<std::size_t> runColumn(const QStringList& titles)
{
    return {OperationModel::tr("Run"),
            [titles](std::size_t run) { return titles.value(static_cast<qsizetype>(run)); },
            Qt::AlignLeft};
}

int placeOf(const TableModel<std::size_t>& model, int run)
{
    for (int row = 0; row < model.rowCount(); ++row)
        if (static_cast<int>(model.at(row)) == run)
            return row;
    return -1;
}

double meanOf(const ComparedRun& run, OpKind kind)
{
    double sum = 0;
    for (const profiler::DeviceMetrics& device : run.metrics.devices)
        sum += static_cast<double>(device.byKind[kind]);
    return run.metrics.devices.empty() ? 0 : sum / static_cast<double>(run.metrics.devices.size());
}

double bubbleShare(const ComparedRun& run, int device)
{
    const engine::DeviceId id{device};
    return run.metrics.devices.has(id) && run.metrics.duration > 0
        ? static_cast<double>(run.metrics.devices[id].bubble)
            / static_cast<double>(run.metrics.duration)
        : -1;
}

// A column of shares, which sorts by its values. A value below 0 is not known.
template<class ValueOf>
TableColumn<std::size_t> shareColumn(const QString& title, ValueOf value)
{
    return TableColumn<std::size_t>(title,
                                    [value](std::size_t run) {
                                        return value(run) < 0 ? QStringLiteral("–")
                                                              : number(100 * value(run), 1);
                                    })
        .sortedBy([value](std::size_t run) { return SortValue(value(run)); });
}

} // namespace

void OperationModel::show(CompareNumbersPointer numbers, const QStringList& titles)
{
    m_numbers = std::move(numbers);
    Columns columns{runColumn(titles)};
    for (const OpKind kind : kShownKinds) {
        const bool occurs = m_numbers
            && std::ranges::any_of(m_numbers->comparison.runs,
                                   [&](const ComparedRun& run) { return meanOf(run, kind) > 0; });
        if (occurs)
            columns.push_back(column(kind));
    }
    reset(std::move(columns), allRuns(m_numbers));
}

int OperationModel::rowOf(int run) const
{
    return placeOf(*this, run);
}

double OperationModel::timeOf(std::size_t run, OpKind kind) const
{
    return m_numbers->inTime(run, meanOf(m_numbers->comparison.runs[run], kind));
}

QString OperationModel::toolTip(std::size_t run, OpKind kind) const
{
    const auto median = m_numbers->ops[run].median(kind);
    if (!median)
        return {};
    const QString text = number(m_numbers->inTime(run, *median), m_numbers->time().decimals + 1);
    return tr("%1 ops, median %2 %3")
        .arg(m_numbers->ops[run].of[kind].size())
        .arg(text, m_numbers->time().unit);
}

TableColumn<std::size_t> OperationModel::column(OpKind kind) const
{
    const std::size_t baseline = m_numbers->comparison.baseline;
    const int decimals = m_numbers->time().decimals;
    const auto difference = [=, this](std::size_t run) {
        return m_numbers->comparison.comparable ? timeOf(run, kind) - timeOf(baseline, kind) : 0;
    };
    return TableColumn<std::size_t>(
               tr("%1, %2").arg(fromUtf8(engine::kindTitle(kind)), m_numbers->time().unit),
               [=, this](std::size_t run) {
                   return timeOf(run, kind) > 0 ? number(timeOf(run, kind), decimals)
                                                : QStringLiteral("–");
               })
        .sortedBy([=, this](std::size_t run) { return SortValue(timeOf(run, kind)); })
        .with(Qt::ToolTipRole, [=, this](std::size_t run) { return toolTip(run, kind); })
        .with(kDifferenceRole,
              [=, this](std::size_t run) {
                  const bool isShown = run != baseline && timeOf(run, kind) > 0
                      && timeOf(baseline, kind) > 0 && m_numbers->comparison.comparable;
                  return isShown ? signedNumber(difference(run), decimals) : QVariant();
              })
        .with(kVerdictRole, [=, this](std::size_t run) {
            const bool isSmall
                = std::abs(difference(run)) <= kColouredFrom * timeOf(baseline, kind);
            return static_cast<int>(isSmall                   ? Verdict::Neutral
                                        : difference(run) < 0 ? Verdict::Better
                                                              : Verdict::Worse);
        });
}

void DeviceModel::show(CompareNumbersPointer numbers, const QStringList& titles)
{
    m_numbers = std::move(numbers);
    Columns columns{runColumn(titles)};
    int devices = 0;
    for (const std::size_t run : allRuns(m_numbers))
        devices = std::max(
            devices, static_cast<int>(m_numbers->comparison.runs[run].metrics.devices.size()));
    if (m_numbers)
        std::ranges::move(devices > kMostDeviceColumns ? summaryColumns() : deviceColumns(devices),
                          std::back_inserter(columns));
    reset(std::move(columns), allRuns(m_numbers));
}

int DeviceModel::rowOf(int run) const
{
    return placeOf(*this, run);
}

DeviceModel::Columns DeviceModel::deviceColumns(int devices) const
{
    Columns columns;
    for (int device = 0; device < devices; ++device)
        columns.push_back(
            shareColumn(tr("Device %1, %").arg(device), [this, device](std::size_t run) {
                return bubbleShare(m_numbers->comparison.runs[run], device);
            }));
    return columns;
}

DeviceModel::Columns DeviceModel::summaryColumns() const
{
    const auto extreme = [this](std::size_t run, bool isLargest) {
        const ComparedRun& compared = m_numbers->comparison.runs[run];
        double found = isLargest ? 0 : 1;
        for (int d = 0; d < static_cast<int>(compared.metrics.devices.size()); ++d)
            found = isLargest ? std::max(found, bubbleShare(compared, d))
                              : std::min(found, bubbleShare(compared, d));
        return found;
    };
    return {shareColumn(tr("Least bubble, %"),
                        [extreme](std::size_t run) { return extreme(run, false); }),
            shareColumn(tr("Mean, %"),
                        [this](std::size_t run) {
                            return m_numbers->comparison.runs[run].metrics.bubbleRatio;
                        }),
            shareColumn(tr("Largest bubble, %"),
                        [extreme](std::size_t run) { return extreme(run, true); })};
}

} // namespace app
