#include "app/import/import_model.h"

#include "app/import/import_facts.h"
#include "app/ui/text.h"
#include "engine/timeline/kernel_name.h"

#include <algorithm>

namespace app {
namespace {

using engine::ImportReport;

int levelOf(const std::string& confidence)
{
    return confidence == "high" ? 3 : confidence == "medium" ? 2 : confidence == "low" ? 1 : 0;
}

bool fits(const engine::Run& run, const ImportReport::Match& match)
{
    return match.device.value_or(0) < run.schedule.shape.devices
        && match.op.value_or(0) < engine::opCount(run.schedule)
        && static_cast<std::size_t>(match.iteration.value_or(0)) < run.timeline.iterations.size();
}

ImportMatch shownMatch(const engine::Run& run, const engine::OpIndex& ops,
                       const ImportReport::Match& match)
{
    ImportMatch shown{match, {}, {}, -1, {}};
    shown.label = QString::fromStdString(run.info.import->onGpu ? engine::kernelLabel(match.name)
                                                                : match.name);
    if (match.op)
        shown.op = opName(run.info, engine::opAt(run.schedule, ops, *match.op));
    if (match.iteration) {
        const engine::Iteration& iteration
            = run.timeline.iterations[static_cast<std::size_t>(*match.iteration)];
        shown.iteration = iteration.number;
        shown.begin = match.window.begin - iteration.window.begin;
    }
    return shown;
}

const auto kIsRest = [](const CoverageRow& row) { return QVariant(!row.isClassified); };

} // namespace

CoverageModel::CoverageModel(QObject* parent)
    : TableModel(parent)
{ }

void CoverageModel::show(const ImportReport& report)
{
    std::vector<CoverageRow> rows;
    const std::vector<CoveragePart> parts = coverageParts(report);
    std::int64_t rest = report.time;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        CoverageRow row{{}, parts[i].share, parts[i].isClassified};
        if (row.isClassified)
            row.rule = report.rules[i];
        else
            row.rule
                = {parts[i].name.toStdString(), tr("No rule matches").toStdString(), {}, 0, rest};
        rest -= row.rule.time;
        rows.push_back(std::move(row));
    }
    m_time = timeScale(report.time);
    reset(columns(), std::move(rows));
}

CoverageModel::Columns CoverageModel::columns() const
{
    using Column = TableColumn<CoverageRow>;
    const auto text = [](const std::string& one) { return QString::fromStdString(one); };
    return {
        Column(
            tr("Rule"), [text](const CoverageRow& row) { return text(row.rule.name); },
            Qt::AlignLeft)
            .with(kCoverageRole,
                  [this](const CoverageRow& row) {
                      return QVariant(row.isClassified ? static_cast<int>(&row - rows().data())
                                                       : -1);
                  }),
        Column(
            tr("Matches"), [text](const CoverageRow& row) { return text(row.rule.title); },
            Qt::AlignLeft)
            .with(kHintRole, kAlways)
            .with(Qt::ToolTipRole,
                  [text](const CoverageRow& row) { return QVariant(text(row.rule.title)); }),
        Column(tr("Count"),
               [](const CoverageRow& row) {
                   return row.isClassified ? number(static_cast<double>(row.rule.matches), 0)
                                           : QString();
               }),
        Column({tr("Time, %1"), m_time},
               [time = m_time](const CoverageRow& row) {
                   return time.text(static_cast<double>(row.rule.time));
               }),
        Column(tr("Share, %"), [](const CoverageRow& row) { return number(100 * row.share, 1); })
            .with(kShareRole, [](const CoverageRow& row) { return QVariant(row.share); }),
        Column(
            tr("Confidence"),
            [text](const CoverageRow& row) {
                return row.isClassified ? text(row.rule.confidence) : tr("none");
            },
            Qt::AlignLeft)
            .with(kLevelRole,
                  [](const CoverageRow& row) { return QVariant(levelOf(row.rule.confidence)); })
            .with(kHintRole, kIsRest),
    };
}

MatchesModel::MatchesModel(QObject* parent)
    : TableModel(parent)
{ }

void MatchesModel::show(const engine::Run& run, const std::string& rule)
{
    const engine::OpIndex ops(run.schedule);
    std::vector<ImportMatch> rows;
    std::int64_t longest = 0, last = 0;
    for (const ImportReport::Match& match : run.info.import->matches) {
        if (match.rule != rule || !fits(run, match))
            continue;
        rows.push_back(shownMatch(run, ops, match));
        longest = std::max(longest, match.window.duration());
        last = std::max(last, rows.back().begin.value_or(0));
    }
    reset(columns(run.info, longest, last), std::move(rows));
}

MatchesModel::Columns MatchesModel::columns(const engine::RunInfo& info, std::int64_t longest,
                                            std::int64_t last)
{
    using Column = TableColumn<ImportMatch>;
    using Row = ImportMatch;
    const Scale at = timeScale(info, last), time = timeScale(info, longest).finer(1);
    const QString none = QStringLiteral("–");
    return {
        Column(
            info.import->onGpu ? tr("Kernel") : tr("Range"),
            [](const Row& row) { return row.label; }, Qt::AlignLeft)
            .with(Qt::ToolTipRole,
                  [](const Row& row) { return QVariant(QString::fromStdString(row.match.name)); }),
        Column(
            tr("Device"),
            [](const Row& row) {
                return row.match.device ? tr("device %1").arg(*row.match.device)
                                        : tr("another copy");
            },
            Qt::AlignLeft),
        Column(
            tr("Op"), [none](const Row& row) { return row.match.op ? row.op : none; },
            Qt::AlignLeft)
            .with(kCodeRole, kAlways),
        Column(tr("Iteration"),
               [none](const Row& row) {
                   return row.iteration < 0 ? none : QString::number(row.iteration);
               }),
        Column({tr("At, %1"), at},
               [at, none](const Row& row) {
                   return row.begin ? at.text(static_cast<double>(*row.begin)) : none;
               }),
        Column({tr("Time, %1"), time},
               [time](const Row& row) {
                   return time.text(static_cast<double>(row.match.window.duration()));
               }),
    };
}

LeftOutModel::LeftOutModel(QObject* parent)
    : TableModel(parent)
{ }

void LeftOutModel::show(const ImportReport& report)
{
    using Column = TableColumn<ImportReport::LeftOut>;
    using Row = ImportReport::LeftOut;
    const Scale time = scaleIn(Unit::Millisecond);
    reset({Column(
               tr("What and why"), [](const Row& row) { return QString::fromStdString(row.what); },
               Qt::AlignLeft)
               .with(Qt::ToolTipRole,
                     [](const Row& row) { return QVariant(QString::fromStdString(row.what)); }),
           Column(tr("Count"),
                  [](const Row& row) { return number(static_cast<double>(row.count), 0); }),
           Column(time.unit(),
                  [time](const Row& row) {
                      return row.time == 0 ? QStringLiteral("–")
                                           : time.text(static_cast<double>(row.time));
                  })},
          report.leftOut);
}

ClocksModel::ClocksModel(QObject* parent)
    : TableModel(parent)
{ }

void ClocksModel::show(const ImportReport& report)
{
    using Column = TableColumn<ImportReport::Clock>;
    using Row = ImportReport::Clock;
    const Scale offset = scaleIn(Unit::Millisecond, 3), spread = scaleIn(Unit::Microsecond);
    reset(
        {Column(
             tr("Host"), [](const Row& row) { return QString::fromStdString(row.host); },
             Qt::AlignLeft),
         Column(tr("Offset, %1").arg(offset.unit()),
                [offset](const Row& row) {
                    return offset.difference(static_cast<double>(row.offset));
                }),
         Column(tr("Drift, ppm"), [](const Row& row) { return signedNumber(row.drift, 1); }),
         Column(tr("Spread, %1").arg(spread.unit()),
                [spread](const Row& row) { return spread.text(static_cast<double>(row.spread)); }),
         Column(tr("Pairs"), [](const Row& row) { return QString::number(row.pairs); })},
        report.clocks);
}

} // namespace app
