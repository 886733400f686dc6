#include "app/compare/compare_model.h"

#include "app/ui/text.h"
#include "app/ui/verdict.h"
#include "engine/schedule/notation.h"

#include <limits>

namespace app {

using profiler::ComparedRun;

namespace {

// A number of each run, in the unit of the column; nullopt: unknown, which comes last.
struct RunValue
{
    std::function<std::optional<double>(std::size_t run)> value;
    std::function<QString(std::size_t run)> text; // of a known value
    std::size_t baseline = 0;
    int decimals = 0;
    bool isComparable = true;
    Verdict ofMore = Verdict::Worse;
};

// Makes a column of values, each with its difference from the baseline.
TableColumn<std::size_t> valueColumn(const ColumnTitle& title, const RunValue& of)
{
    const auto change = [of](std::size_t run) -> std::optional<double> {
        const auto own = of.value(run), base = of.value(of.baseline);
        if (run == of.baseline || !of.isComparable || !own || !base)
            return std::nullopt;
        return *own - *base;
    };
    return TableColumn<std::size_t>(
               title,
               [of](std::size_t run) { return of.value(run) ? of.text(run) : QStringLiteral("–"); })
        .sortedBy([of](std::size_t run) {
            return SortValue(of.value(run).value_or(std::numeric_limits<double>::infinity()));
        })
        .with(kDifferenceRole,
              [=](std::size_t run) {
                  const auto by = change(run);
                  return by ? signedNumber(*by, of.decimals) : QVariant();
              })
        .with(kVerdictRole, [=](std::size_t run) {
            const auto by = change(run);
            return static_cast<int>(
                by ? differenceVerdict(*by, *of.value(of.baseline), of.decimals, of.ofMore)
                   : Verdict::Neutral);
        });
}

} // namespace

int RunTable::rowOf(int run) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (static_cast<int>(at(row)) == run)
            return row;
    return -1;
}

void CompareModel::show(profiler::Comparison comparison, QStringList titles)
{
    m_comparison = std::move(comparison);
    m_titles = std::move(titles);
    std::vector<std::size_t> runs(m_comparison.runs.size());
    std::iota(runs.begin(), runs.end(), std::size_t{0});
    reset(columns(), std::move(runs));
}

// Omits columns without a number. Shows the mode only if the modes differ or a run was
// oversubscribed.
CompareModel::Columns CompareModel::columns()
{
    m_dispensable.clear();
    const auto& runs = m_comparison.runs;
    Columns columns = {
        {tr("Run"), [this](std::size_t run) { return m_titles.value(static_cast<qsizetype>(run)); },
         Qt::AlignLeft}};
    const auto mode = [this](std::size_t run) {
        const ComparedRun& compared = m_comparison.runs[run];
        const QString name = fromUtf8(engine::modeAdjective(compared.mode));
        return compared.isOversubscribed ? tr("%1, oversubscribed").arg(name) : name;
    };
    if (std::ranges::any_of(runs, [&](const ComparedRun& run) {
            return run.mode != runs[0].mode || run.isOversubscribed;
        }))
        columns.emplace_back(tr("Mode"), mode, Qt::AlignLeft).with(kHintRole, kAlways);
    const auto addIfAny = [&](const ColumnTitle& title, const Quantity& quantity) {
        if (std::ranges::any_of(
                runs, [&](const ComparedRun& run) { return quantity.value(run).has_value(); }))
            columns.push_back(column(title, quantity));
    };
    const auto addDispensable = [&](const ColumnTitle& title, const Quantity& quantity) {
        const auto before = columns.size();
        addIfAny(title, quantity);
        if (columns.size() > before)
            m_dispensable.insert(m_dispensable.begin(), static_cast<int>(before));
    };
    std::int64_t peak = 0;
    for (const ComparedRun& run : runs)
        peak = std::max(peak, run.peakBytes.value_or(0));
    const Scale bytes = byteScale(peak);
    const Quantity iteration{[](const ComparedRun& run) { return run.metrics.duration; }};
    const auto addTime = [&](const QString& name, const Quantity& quantity) {
        addIfAny(m_comparison.comparable && !runs.empty()
                     ? ColumnTitle(tr("%1, %2").arg(name, QStringLiteral("%1")),
                                   scaleOf(m_comparison.baseline, iteration))
                     : ColumnTitle(name),
                 quantity);
    };
    addTime(tr("Iteration"), iteration);
    addTime(tr("Compute"), {&ComparedRun::meanCompute});
    addTime(tr("Exposed comm."), {&ComparedRun::meanExposed});
    addTime(tr("Bubble"), {&ComparedRun::meanBubble});
    // If no run recorded bytes, the stash column replaces the peak column.
    if (std::ranges::any_of(runs, [](const ComparedRun& run) { return run.peakBytes.has_value(); }))
        addIfAny({tr("Peak, %1"), bytes}, {&ComparedRun::peakBytes, bytes});
    else
        addIfAny(tr("Stash, Mₐ"), {&ComparedRun::peakStash, Scale{1, 1, {}}});
    addDispensable(tr("Messages"),
                   {[](const ComparedRun& run) { return run.metrics.messages; }, Scale{1, 0, {}}});
    addIfAny(tr("k tokens/s"),
             {[](const ComparedRun& run) { return run.metrics.tokensPerSecond; },
              Scale{1000, 1, {}}, true});
    addDispensable(
        tr("MFU, %"),
        {[](const ComparedRun& run) { return run.metrics.mfu; }, Scale{0.01, 1, {}}, true});
    addSettings(columns);
    return columns;
}

void CompareModel::addSettings(Columns& columns)
{
    for (const profiler::Difference& difference : m_comparison.differences) {
        if (difference.title == "mode")
            continue;
        m_dispensable.insert(m_dispensable.begin(), static_cast<int>(columns.size()));
        const auto value = [difference](std::size_t run) {
            const std::string& known = difference.values[run];
            const bool isOption = difference.title.starts_with('-');
            return !known.empty() ? fromUtf8(known)
                : isOption        ? tr("default")
                                  : QStringLiteral("–");
        };
        columns.push_back(
            TableColumn<std::size_t>(fromUtf8(difference.title), value, Qt::AlignLeft)
                .sortedBy([value](std::size_t run) { return settingSort(value(run)); }));
    }
}

TableColumn<std::size_t> CompareModel::column(const ColumnTitle& title,
                                              const Quantity& quantity) const
{
    const auto value = [=, this](std::size_t run) {
        auto known = quantity.value(m_comparison.runs[run]);
        return known ? std::optional(*known / scaleOf(run, quantity).perUnit()) : std::nullopt;
    };
    const auto text = [=, this](std::size_t run) {
        const Scale scale = scaleOf(run, quantity);
        const double ticks = *quantity.value(m_comparison.runs[run]);
        const bool hasOwnUnit = !quantity.scale && !m_comparison.comparable;
        return hasOwnUnit ? scale.withUnit(ticks) : scale.text(ticks);
    };
    const std::size_t baseline = m_comparison.baseline;
    return valueColumn(title,
                       {value, text, baseline, scaleOf(baseline, quantity).decimals(),
                        quantity.scale || m_comparison.comparable,
                        quantity.isMoreBetter ? Verdict::Better : Verdict::Worse});
}

// Times are shown in the unit of the baseline if the runs are comparable.
Scale CompareModel::scaleOf(std::size_t run, const Quantity& quantity) const
{
    if (quantity.scale)
        return *quantity.scale;
    const std::size_t from = m_comparison.comparable ? m_comparison.baseline : run;
    engine::RunInfo info;
    info.ticksPerUnit = m_comparison.runs[from].ticksPerUnit;
    Scale scale = timeScale(info, m_comparison.runs[from].metrics.duration);
    if (info.inUnits())
        scale = {static_cast<double>(m_comparison.runs[run].ticksPerUnit), scale.decimals(),
                 scale.unit()};
    return scale;
}

namespace {

using engine::OpKind;
using profiler::ComparedRun;

constexpr int kMostDeviceColumns = 16;

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

double meanOf(const ComparedRun& run, const std::vector<OpKind>& kinds)
{
    double sum = 0;
    for (const OpKind kind : kinds)
        sum += run.metrics.mean(
            [kind](const profiler::DeviceMetrics& device) { return device.byKind[kind]; });
    return sum;
}

// Returns -1 for a device that the run does not have or that has no trace.
double bubbleShare(const ComparedRun& run, int device)
{
    const engine::DeviceId id{device};
    return run.metrics.devices.has(id) && run.metrics.devices[id].isRecorded()
        ? static_cast<double>(run.metrics.devices[id].bubble)
            / static_cast<double>(run.metrics.duration)
        : -1;
}

// Makes a column of shares in per cent, which is sorted by value. A value below 0 means unknown.
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
    const std::vector<std::pair<QString, Kinds>> shown{
        {tr("Forward"), {OpKind::Forward}},
        {tr("Backward"), {OpKind::Backward, OpKind::BackwardInput, OpKind::BackwardWeight}},
        {tr("of which W"), {OpKind::BackwardWeight}},
        {tr("Recompute"), {OpKind::Recompute}},
        {tr("Optimizer"), {OpKind::OptimizerStep}}};
    for (const auto& [title, kinds] : shown) {
        const bool occurs = m_numbers
            && std::ranges::any_of(m_numbers->comparison.runs,
                                   [&](const ComparedRun& run) { return meanOf(run, kinds) > 0; });
        if (occurs)
            columns.push_back(column(title, kinds));
    }
    reset(std::move(columns), allRuns(m_numbers));
}

double OperationModel::timeOf(std::size_t run, const Kinds& kinds) const
{
    return m_numbers->inTime(run, meanOf(m_numbers->comparison.runs[run], kinds));
}

QString OperationModel::toolTip(std::size_t run, const Kinds& kinds) const
{
    QStringList lines;
    for (const OpKind kind : kinds) {
        const auto median = m_numbers->ops[run].median(kind);
        if (!median)
            continue;
        const int decimals = m_numbers->time().decimals() + 1;
        lines << tr("%1: %2 ops, median %3 %4")
                     .arg(fromUtf8(engine::kindTitle(kind)))
                     .arg(m_numbers->ops[run].of[kind].size())
                     .arg(number(m_numbers->inTime(run, *median), decimals),
                          m_numbers->time().unit());
    }
    return lines.join(QLatin1Char('\n'));
}

TableColumn<std::size_t> OperationModel::column(const QString& title, const Kinds& kinds) const
{
    const int decimals = m_numbers->time().decimals();
    const auto value = [=, this](std::size_t run) {
        const double time = timeOf(run, kinds);
        return time > 0 ? std::optional(time) : std::nullopt;
    };
    const auto text = [=](std::size_t run) { return number(value(run).value_or(0), decimals); };
    return valueColumn({tr("%1, %2").arg(title, QStringLiteral("%1")), m_numbers->time()},
                       {value, text, m_numbers->comparison.baseline, decimals,
                        m_numbers->comparison.comparable})
        .with(Qt::ToolTipRole, [=, this](std::size_t run) { return toolTip(run, kinds); });
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

DeviceModel::Columns DeviceModel::deviceColumns(int devices) const
{
    Columns columns;
    for (int device = 0; device < devices; ++device)
        columns.push_back(
            shareColumn(tr("Device %1, bubble %").arg(device), [this, device](std::size_t run) {
                return bubbleShare(m_numbers->comparison.runs[run], device);
            }));
    return columns;
}

DeviceModel::Columns DeviceModel::summaryColumns() const
{
    const auto extreme = [this](std::size_t run, bool isLargest) {
        const ComparedRun& compared = m_numbers->comparison.runs[run];
        double found = -1;
        for (int d = 0; d < static_cast<int>(compared.metrics.devices.size()); ++d) {
            const double share = bubbleShare(compared, d);
            if (share >= 0 && (found < 0 || isLargest == (share > found)))
                found = share;
        }
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
