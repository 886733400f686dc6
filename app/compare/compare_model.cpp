#include "app/compare/compare_model.h"

#include "app/ui/text.h"
#include "app/ui/verdict.h"

#include <limits>

namespace app {

using profiler::ComparedRun;

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
    return TableColumn<std::size_t>(title,
                                    [=, this](std::size_t run) { return text(run, quantity); })
        .sortedBy([=, this](std::size_t run) {
            // Sorts by the value in the unit in which it is shown. Unknown values come last.
            const auto value = quantity.value(m_comparison.runs[run]);
            return SortValue(value ? *value / scaleOf(run, quantity).perUnit()
                                   : std::numeric_limits<double>::infinity());
        })
        .with(kDifferenceRole,
              [=, this](std::size_t run) {
                  const auto change = difference(run, quantity);
                  return change ? signedNumber(*change, scaleOf(run, quantity).decimals())
                                : QVariant();
              })
        .with(kVerdictRole,
              [=, this](std::size_t run) { return static_cast<int>(verdict(run, quantity)); });
}

int CompareModel::rowOf(int run) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (static_cast<int>(at(row)) == run)
            return row;
    return -1;
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

QString CompareModel::text(std::size_t run, const Quantity& quantity) const
{
    const auto number = quantity.value(m_comparison.runs[run]);
    if (!number)
        return QStringLiteral("–");
    const Scale scale = scaleOf(run, quantity);
    const bool hasOwnUnit = !quantity.scale && !m_comparison.comparable;
    return hasOwnUnit ? scale.withUnit(*number) : scale.text(*number);
}

std::optional<double> CompareModel::difference(std::size_t run, const Quantity& quantity) const
{
    const std::size_t baseline = m_comparison.baseline;
    if (run == baseline || (!quantity.scale && !m_comparison.comparable))
        return {};
    const auto own = quantity.value(m_comparison.runs[run]);
    const auto base = quantity.value(m_comparison.runs[baseline]);
    if (!own || !base)
        return {};
    return *own / scaleOf(run, quantity).perUnit() - *base / scaleOf(baseline, quantity).perUnit();
}

Verdict CompareModel::verdict(std::size_t run, const Quantity& quantity) const
{
    const auto change = difference(run, quantity);
    if (!change)
        return Verdict::Neutral;
    const std::size_t baseline = m_comparison.baseline;
    const double base
        = *quantity.value(m_comparison.runs[baseline]) / scaleOf(baseline, quantity).perUnit();
    return differenceVerdict(*change, base, scaleOf(run, quantity).decimals(),
                             quantity.isMoreBetter ? Verdict::Better : Verdict::Worse);
}

} // namespace app
