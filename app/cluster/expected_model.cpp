#include "app/cluster/expected_model.h"

#include "app/ui/text.h"

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using profiler::KindTimes;

QString differenceOf(const KindTimes& row)
{
    if (row.times.front() <= 0)
        return row.times.back() > 0 ? ExpectedModel::tr("new") : QString();
    const double share = row.times.back() / row.times.front() - 1;
    constexpr double kFactor = 9; // larger shares are shown as a factor
    if (share >= kFactor)
        return ExpectedModel::tr("×%1").arg(number(share + 1, 0));
    return signedPercent(share, std::abs(share) < 0.095 ? 1 : 0);
}

// Marks only differences of at least 1 % of the iteration.
Verdict verdictOf(const KindTimes& row, double iteration)
{
    constexpr double kNotable = 0.01; // share of the iteration
    const double more = row.times.back() - row.times.front();
    if (std::abs(more) < kNotable * iteration)
        return Verdict::Neutral;
    return more > 0 ? Verdict::Worse : Verdict::Better;
}

} // namespace

ExpectedModel::ExpectedModel(QObject* parent)
    : TableModel(parent)
{ }

void ExpectedModel::clear()
{
    reset({}, {});
}

void ExpectedModel::show(const profiler::ExpectedComparison& comparison, const QStringList& names)
{
    engine::RunInfo nanoseconds;
    const double longest = std::ranges::max(comparison.iterations);
    const Scale scale = timeScale(nanoseconds, static_cast<std::int64_t>(longest));
    std::vector<KindTimes> rows = comparison.kinds;
    rows.push_back({"iteration", {}, comparison.iterations});
    Columns columns{TableColumn<KindTimes>(
                        {tr("Kind, %1"), scale},
                        [](const KindTimes& row) { return fromUtf8(row.title); }, Qt::AlignLeft)
                        .with(kStrongRole, [](const KindTimes& row) {
                            return QVariant(row.title == "iteration");
                        })};
    for (qsizetype i = 0; i < names.size(); ++i)
        columns.push_back(TableColumn<KindTimes>(names.at(i), [scale, i](const KindTimes& row) {
            return scale.text(row.times[static_cast<std::size_t>(i)]);
        }));
    columns.push_back(
        TableColumn<KindTimes>(tr("Measured − %1").arg(names.value(0).toLower()),
                               [scale](const KindTimes& row) {
                                   return scale.difference(row.times.back() - row.times.front());
                               })
            .with(kDifferenceRole, [](const KindTimes& row) { return QVariant(differenceOf(row)); })
            .with(kVerdictRole, [measured = comparison.iterations.back()](const KindTimes& row) {
                return QVariant(static_cast<int>(verdictOf(row, measured)));
            }));
    reset(std::move(columns), std::move(rows));
}

} // namespace app
