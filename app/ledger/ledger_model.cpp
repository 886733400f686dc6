#include "app/ledger/ledger_model.h"

#include "app/ui/settings.h"

#include <cmath>
#include <utility>

namespace app {
namespace {

constexpr int kSettings = 2;           // number of columns before those of tags and settings
constexpr double kUnknownLast = 1e300; // sort value of an unknown number; greater than all others

QString orDash(const std::optional<double>& value, const std::function<QString(double)>& text)
{
    return value ? text(*value) : QStringLiteral("–");
}

SortValue byNumber(const std::optional<double>& value)
{
    return value.value_or(kUnknownLast);
}

QString lossText(const LedgerRun& run)
{
    return run.lossFirst && run.lossLast
        ? QStringLiteral("%1 → %2").arg(number(*run.lossFirst, 2), number(*run.lossLast, 2))
        : QStringLiteral("–");
}

QString iterationCell(const LedgerRun& run)
{
    if (run.isUnderWay())
        return run.state;
    if (run.isFailed())
        return LedgerModel::tr("failed");
    const Scale time = run.time();
    return orDash(run.iteration, [&](double value) { return time.withUnit(value); });
}

QString iterationTip(const LedgerRun& run)
{
    if (run.isFailed())
        return run.problem;
    const Scale time = run.time();
    return run.least && run.most
        ? LedgerModel::tr("95 % interval %1 to %2 %3")
              .arg(time.text(*run.least), time.text(*run.most), time.unit())
        : QString();
}

} // namespace

LedgerModel::LedgerModel(QObject* parent)
    : TableModel(parent)
{
    show({}, Settings::Varying, {});
}

void LedgerModel::show(std::vector<LedgerRun> runs, Settings settings, const QDateTime& now)
{
    std::vector<const LedgerRun*> shown;
    QStringList all;
    for (const LedgerRun& run : runs) {
        shown.push_back(&run);
        for (const auto& [title, value] : run.settings)
            if (!all.contains(title))
                all.append(title);
    }
    m_settings = settings == Settings::All || runs.empty() ? all : varyingSettings(shown);
    m_settings.removeOne(QStringLiteral("mode")); // "mode" always has a separate column
    m_equal = static_cast<int>(all.size() - m_settings.size())
        - (all.contains(QStringLiteral("mode")) ? 1 : 0);
    m_hasTags = std::ranges::any_of(runs, [](const LedgerRun& run) { return !run.tags.isEmpty(); });
    reset(columns(now), std::move(runs));
}

LedgerModel::Columns LedgerModel::columns(const QDateTime& now) const
{
    using Column = TableColumn<LedgerRun>;
    Columns columns{
        Column(
            QStringLiteral("★"),
            [](const LedgerRun& run) {
                return run.isStarred ? QStringLiteral("★") : QStringLiteral("☆");
            },
            Qt::AlignHCenter)
            .with(kHintRole, [](const LedgerRun& run) { return QVariant(!run.isStarred); }),
        Column(tr("Name"), &LedgerRun::title, Qt::AlignLeft)
            .with(kThumbnailRole,
                  [](const LedgerRun& run) {
                      return QVariant::fromValue<const Thumbnail*>(
                          run.thumbnail == nullptr || run.thumbnail->isEmpty()
                              ? nullptr
                              : run.thumbnail.get());
                  })
            .with(kThumbnailWidthRole, [](const LedgerRun&) { return QVariant(1.0); })
            .with(Qt::ToolTipRole, [](const LedgerRun& run) { return QVariant(run.file); })};
    const auto tags = [](const LedgerRun& run) { return run.tags.join(tr(", ")); };
    if (m_hasTags)
        columns.push_back(Column(tr("Tags"), tags, Qt::AlignLeft)
                              .with(kHintRole, kAlways)
                              .with(Qt::ToolTipRole, tags));
    for (const QString& title : m_settings)
        columns.push_back(
            Column(
                settingTitle(title), [title](const LedgerRun& run) { return run.setting(title); },
                Qt::AlignLeft)
                .sortedBy([title](const LedgerRun& run) { return settingSort(run.setting(title)); })
                .with(Qt::ToolTipRole,
                      [title](const LedgerRun& run) { return QVariant(run.setting(title)); }));
    columns.emplace_back(
        tr("Mode"), [](const LedgerRun& run) { return run.mode; }, Qt::AlignLeft);
    columns.push_back(Column(tr("Iteration"), iterationCell)
                          .sortedBy([](const LedgerRun& run) { return byNumber(run.iteration); })
                          .with(kShareRole,
                                [](const LedgerRun& run) {
                                    return run.share < 0 ? QVariant() : QVariant(run.share);
                                })
                          .with(Qt::ToolTipRole,
                                [](const LedgerRun& run) { return QVariant(iterationTip(run)); }));
    columns.push_back(
        Column(
            tr("Iterations"), [](const LedgerRun&) { return QString(); }, Qt::AlignLeft)
            .sortedBy(
                [](const LedgerRun& run) { return static_cast<double>(run.iterations.size()); })
            .with(kSparklineRole, [](const LedgerRun& run) {
                return QVariant::fromValue(
                    QVector<double>(run.iterations.begin(), run.iterations.end()));
            }));
    columns.push_back(Column(tr("Bubble"), [](const LedgerRun& run) {
                          return orDash(run.bubble, [](double share) { return percent(share); });
                      }).sortedBy([](const LedgerRun& run) { return byNumber(run.bubble); }));
    columns.push_back(Column(tr("Peak"), [](const LedgerRun& run) {
                          return orDash(run.peakBytes, [](double bytes) {
                              return byteScale(std::llround(bytes)).withUnit(bytes);
                          });
                      }).sortedBy([](const LedgerRun& run) { return byNumber(run.peakBytes); }));
    columns.push_back(Column(tr("Loss"), lossText).sortedBy([](const LedgerRun& run) {
        return byNumber(run.lossLast);
    }));
    columns.push_back(Column(tr("When"),
                             [now](const LedgerRun& run) {
                                 return run.started.isValid()
                                     ? whenText(run.started.toLocalTime(), now)
                                     : QStringLiteral("–");
                             })
                          .sortedBy([](const LedgerRun& run) {
                              return run.isUnderWay() && !run.started.isValid()
                                  ? kUnknownLast // queued runs count as the newest
                                  : static_cast<double>(run.started.toMSecsSinceEpoch());
                          })
                          .with(kHintRole, kAlways));
    return columns;
}

std::vector<int> LedgerModel::dispensable() const
{
    std::vector<int> columns;
    const int mode = kSettings + (m_hasTags ? 1 : 0) + static_cast<int>(m_settings.size());
    for (int i = 1; i <= static_cast<int>(m_settings.size()); ++i)
        columns.push_back(mode - i);
    columns.push_back(mode + 2); // iteration times
    if (m_hasTags)
        columns.push_back(kSettings);
    return columns;
}

int LedgerModel::rowOf(const QString& file) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (at(row).file == file)
            return row;
    return -1;
}

} // namespace app
