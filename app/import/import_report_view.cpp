#include "app/import/import_report_view.h"

#include "app/plan/schedule_preview.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"
#include "engine/timeline/kernel_name.h"

#include <QFileInfo>
#include <QGridLayout>
#include <QKeyEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

using engine::ImportReport;
using Rule = ImportReport::Rule;

constexpr int kRow = 26, kTallest = 260; // pixels; longer tables scroll

int levelOf(const std::string& confidence)
{
    return confidence == "high" ? 3 : confidence == "medium" ? 2 : confidence == "low" ? 1 : 0;
}

bool isClassified(const Rule& rule)
{
    return !rule.confidence.empty();
}

std::vector<TableColumn<Rule>> ruleColumns(std::int64_t all)
{
    using Column = TableColumn<Rule>;
    const Scale time = timeScale(all);
    const auto share = [all](const Rule& rule) {
        return static_cast<double>(rule.time) / static_cast<double>(std::max<std::int64_t>(1, all));
    };
    const auto isRest = [](const Rule& rule) { return QVariant(!isClassified(rule)); };
    return {
        Column(ImportReportView::tr("Rule"), &Rule::name, Qt::AlignLeft),
        Column(ImportReportView::tr("Matches"), &Rule::title, Qt::AlignLeft)
            .flag(kHintRole)
            .tip(&Rule::title),
        Column(ImportReportView::tr("Count"), &Rule::matches).onlyIf(isClassified),
        Column({ImportReportView::tr("Time, %1"), time},
               [time](const Rule& rule) { return time.text(static_cast<double>(rule.time)); }),
        Column(ImportReportView::tr("Share, %"),
               [share](const Rule& rule) { return number(100 * share(rule), 1); })
            .with(kShareRole, share),
        Column(
            ImportReportView::tr("Confidence"),
            [](const Rule& rule) {
                return isClassified(rule) ? fromUtf8(rule.confidence)
                                          : ImportReportView::tr("none");
            },
            Qt::AlignLeft)
            .with(kLevelRole, [](const Rule& rule) { return QVariant(levelOf(rule.confidence)); })
            .with(kHintRole, isRest)};
}

std::vector<TableColumn<ImportReport::LeftOut>> leftOutColumns()
{
    using Row = ImportReport::LeftOut;
    const Scale time = scaleIn(Unit::Millisecond);
    return {TableColumn<Row>(ImportReportView::tr("What and why"), &Row::what, Qt::AlignLeft)
                .tip(&Row::what),
            TableColumn<Row>(ImportReportView::tr("Count"), &Row::count),
            TableColumn<Row>(time.unit(), [time](const Row& row) {
                return time.text(static_cast<double>(row.time));
            }).onlyIf([](const Row& row) { return row.time != 0; })};
}

std::vector<TableColumn<ImportReport::Clock>> clockColumns()
{
    using Row = ImportReport::Clock;
    const Scale offset = scaleIn(Unit::Millisecond, 3), spread = scaleIn(Unit::Microsecond);
    return {
        {ImportReportView::tr("Host"), &Row::host, Qt::AlignLeft},
        {ImportReportView::tr("Offset, %1").arg(offset.unit()),
         [offset](const Row& row) { return offset.difference(static_cast<double>(row.offset)); }},
        {ImportReportView::tr("Drift, ppm"),
         [](const Row& row) { return signedNumber(row.drift, 1); }},
        {ImportReportView::tr("Spread, %1").arg(spread.unit()),
         [spread](const Row& row) { return spread.text(static_cast<double>(row.spread)); }},
        {ImportReportView::tr("Pairs"), &Row::pairs}};
}

bool isIn(const engine::Run& run, const ImportReport::Match& match)
{
    return match.device.value_or(0) < run.schedule.shape.devices
        && match.op.value_or(0) < engine::opCount(run.schedule)
        && static_cast<std::size_t>(match.iteration.value_or(0)) < run.timeline.iterations.size();
}

// "node-1", "node-1 and 3 others"; "" if there are none.
QString firstOf(QStringList names)
{
    names.removeAll(QString());
    names.removeDuplicates();
    return names.size() < 2
        ? names.value(0)
        : ImportReportView::tr("%1 and %2").arg(names.front(), countOf(names.size() - 1, "other"));
}

std::int64_t reportedDuration(const engine::Run& run)
{
    const int reported = engine::reportedIteration(run.timeline);
    return reported < 0
        ? 0
        : run.timeline.iterations[static_cast<std::size_t>(reported)].window.duration();
}

struct ImportFact
{
    QString title, value, note{};
};

std::vector<ImportFact> importFacts(const engine::Run& run)
{
    const auto tr = [](const char* text) { return ImportReportView::tr(text); };
    const ImportReport& report = *run.info.import;
    const engine::Shape& shape = run.schedule.shape;
    QStringList files, hosts;
    for (const ImportReport::Rank& rank : report.ranks) {
        files.append(QFileInfo(fromUtf8(rank.file)).fileName());
        hosts.append(fromUtf8(rank.host));
    }
    files.removeDuplicates();
    hosts.removeDuplicates();
    hosts.removeAll(QString());
    const auto duration = reportedDuration(run);
    std::vector<ImportFact> facts{
        {tr("Source"), countOf(files.size(), "file"), firstOf(files)},
        {tr("Recorded by"), fromUtf8(report.program),
         report.onGpu ? tr("%1 on GPUs").arg(countOf(report.kernels, "kernel"))
                      : tr("ops on CPUs")},
        {tr("Hosts"), hosts.isEmpty() ? tr("unknown") : countOf(hosts.size(), "host"),
         hosts.isEmpty() ? tr("not named in the traces") : firstOf(hosts)},
        {tr("Iterations"), tr("%1 found").arg(run.timeline.iterations.size()),
         report.iterationsFrom.empty() ? tr("the whole trace")
                                       : tr("by %1").arg(fromUtf8(report.iterationsFrom))},
        {tr("Reported iteration"),
         timeScale(run.info, duration).withUnit(static_cast<double>(duration))},
        {tr("Stages"),
         engine::knowsStages(run.info) ? QString::number(shape.stages) : tr("unknown")},
        {tr("Micro-batches"),
         engine::knowsMicroBatches(run.info) ? QString::number(shape.microBatches)
                                             : tr("unknown")}};
    if (engine::knowsStages(run.info))
        facts.push_back(
            {tr("Order of ops"),
             run.info.scheme == "imported" ? tr("no known scheme") : fromUtf8(run.info.label)});
    return facts;
}

// Shows the table with as many rows as fit into `tallest` pixels.
void fitRows(DataTable& table, int tallest = kTallest)
{
    table.setVisible(table.model()->rowCount() > 0);
    table.setFixedHeight(std::min(table.fittingHeight(), tallest));
}

// "1 000 of 5 420 shown" or, for the unclassified time, whose total is unknown, "All 12 shown".
QString shownText(int shown, const Rule& rule)
{
    const QString count = number(shown, 0);
    if (isClassified(rule))
        return ImportReportView::tr("%1 of %2 shown")
            .arg(count,
                 number(static_cast<double>(std::max<std::int64_t>(rule.matches, shown)), 0));
    return shown < static_cast<int>(ImportReport::kMostMatches)
        ? ImportReportView::tr("All %1 shown").arg(count)
        : ImportReportView::tr("The %1 longest shown").arg(count);
}

void removeAll(QLayout& layout)
{
    while (QLayoutItem* item = layout.takeAt(0)) {
        if (item->widget() != nullptr)
            item->widget()->deleteLater();
        delete item;
    }
}

} // namespace

std::vector<ImportMatch> importMatches(const engine::Run& run, const std::string& rule)
{
    const engine::OpIndex ops(run.schedule);
    std::vector<ImportMatch> rows;
    for (const ImportReport::Match& match : run.info.import->matches) {
        if (match.rule != rule || !isIn(run, match))
            continue;
        ImportMatch& row = rows.emplace_back(ImportMatch{match});
        row.label = fromUtf8(run.info.import->onGpu ? engine::kernelLabel(match.name) : match.name);
        if (match.op)
            row.op = opName(run.info, engine::opAt(run.schedule, ops, *match.op));
        if (match.iteration) {
            const engine::Iteration& iteration
                = run.timeline.iterations[static_cast<std::size_t>(*match.iteration)];
            row.iteration = iteration.number;
            row.begin = match.window.begin - iteration.window.begin;
        }
    }
    return rows;
}

std::vector<TableColumn<ImportMatch>> matchColumns(const engine::RunInfo& info,
                                                   const std::vector<ImportMatch>& matches)
{
    using Row = ImportMatch;
    using Column = TableColumn<Row>;
    std::int64_t longest = 0, last = 0;
    for (const Row& row : matches) {
        longest = std::max(longest, row.match.window.duration());
        last = std::max(last, row.begin.value_or(0));
    }
    const Scale at = timeScale(info, last), time = timeScale(info, longest).finer(1);
    return {
        Column(info.import->onGpu ? ImportReportView::tr("Kernel") : ImportReportView::tr("Range"),
               &Row::label, Qt::AlignLeft)
            .tip([](const Row& row) { return row.match.name; }),
        Column(
            ImportReportView::tr("Device"),
            [](const Row& row) {
                return row.match.device ? ImportReportView::tr("device %1").arg(*row.match.device)
                                        : ImportReportView::tr("another copy");
            },
            Qt::AlignLeft),
        Column(ImportReportView::tr("Op"), &Row::op, Qt::AlignLeft)
            .onlyIf([](const Row& row) { return row.match.op.has_value(); })
            .flag(kCodeRole),
        Column(ImportReportView::tr("Iteration"), &Row::iteration),
        Column({ImportReportView::tr("At, %1"), at},
               [at](const Row& row) { return at.text(static_cast<double>(row.begin.value_or(0))); })
            .onlyIf([](const Row& row) { return row.begin.has_value(); }),
        Column({ImportReportView::tr("Time, %1"), time}, [time](const Row& row) {
            return time.text(static_cast<double>(row.match.window.duration()));
        })};
}

QString coverageTitle(const ImportReport& report)
{
    const QString share = percent(report.classified());
    return report.onGpu ? ImportReportView::tr("%1 of GPU time classified").arg(share)
                        : ImportReportView::tr("%1 of op time classified").arg(share);
}

ImportReportView::ImportReportView(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_facts(spaced(new QGridLayout, {14, 10, 14, 12}, 6))
    , m_warnings(spaced(new QVBoxLayout, {}, 0))
    , m_coverage(named(makeLabel({}, "heading"), "coverageTitle"))
    , m_coverageNumbers(makeLabel({}, "small"))
    , m_matchesTitle(named(new ElidedLabel("dock"), "matchesTitle"))
    , m_noMatches(named(makeLabel({}, "small"), "noMatches"))
    , m_matchesCount(named(makeLabel({}, "hint"), "matchesCount"))
    , m_rankSummary(named(makeLabel({}, "dock"), "rankSummary"))
    , m_previewHint(named(makeLabel({}, "dock"), "previewHint"))
    , m_replay(named(new Band(theme, Band::Shape::Verdict), "replayBand"))
    , m_preview(named(new SchedulePreview(theme), "importPreview", tr("Preview")))
{
    const auto table = [&](QAbstractItemModel& model, const char* name, const QString& title) {
        auto* made = named(new DataTable(theme, kRow), name, title);
        made->setModel(&model);
        return made;
    };
    m_rulesTable = table(m_rules, "rulesTable", tr("Rules"));
    m_rulesTable->setRestColumn(1);
    m_matchesTable = table(m_matches, "matchesTable", tr("Matches of the rule"));
    m_matchesTable->setRestColumn(0);
    m_matchesTable->setDispensable({3, 4}); // iteration, start
    m_ranksTable = table(m_ranks, "ranksTable", tr("Ranks"));
    m_ranksTable->setRestColumn(2);
    m_clocksTable = table(m_clocks, "clocksTable", tr("Clock alignment"));
    m_leftOutTable = table(m_leftOut, "leftOutTable", tr("Left out"));
    m_leftOutTable->setRestColumn(0);
    m_preview->setPlaceholder(tr("Preparing the iteration"));
    m_facts->setColumnStretch(2, 1);
    m_noMatches->setWordWrap(true);
    for (QLabel* label : {m_noMatches, m_matchesCount})
        label->setContentsMargins(14, 6, 14, 6);
    auto* coverage = makeSurface("plain");
    spaced(new QHBoxLayout(coverage), {14, 10, 14, 10}, 14,
           {m_coverage, m_coverageNumbers, kStretch});
    auto* facts = makeSurface("plain");
    spaced(new QVBoxLayout(facts), {}, 0,
           {m_facts, spaced(new QHBoxLayout, {14, 0, 14, 12}, 0, {{m_replay, 1}})});
    auto* preview = new QWidget;
    spaced(new QHBoxLayout(preview), {14, 10, 14, 12}, 0, {{m_preview, 1}});
    m_rulesRow
        = spaced(new QBoxLayout(QBoxLayout::LeftToRight), {}, 0,
                 {{makeSection(makeLabel(tr("Rules"), "dock"),
                               tr("first match wins, top to bottom"), {m_rulesTable}),
                   5},
                  makeLine(Qt::Vertical),
                  {makeSection(m_matchesTitle, tr("longest first, Enter opens it in the run"),
                               {m_matchesTable, m_noMatches, m_matchesCount}),
                   4}});
    m_factsRow = spaced(
        new QBoxLayout(QBoxLayout::LeftToRight), {}, 0,
        {{makeSection(makeLabel(tr("Traces, iterations and replay"), "dock"), {}, {facts}), 4},
         makeLine(Qt::Vertical),
         {makeSection(m_rankSummary, tr("clocks relative to the host of the first rank"),
                      {m_ranksTable, m_clocksTable}),
          3},
         makeLine(Qt::Vertical),
         {makeSection(makeLabel(tr("Left out"), "dock"), tr("not in the run"), {m_leftOutTable}),
          3}});
    auto* content = makeSurface("plain");
    spaced(new QVBoxLayout(content), {}, 0,
           {m_warnings, coverage, makeLine(Qt::Horizontal), m_rulesRow, makeLine(Qt::Horizontal),
            m_factsRow, makeLine(Qt::Horizontal), makeSection(m_previewHint, {}, {preview}),
            kStretch});
    QScrollArea* scroll = makeScroll(content);
    scroll->setHorizontalScrollBarPolicy(
        Qt::ScrollBarAsNeeded); // a small window may be too narrow for the report beside the rules
    spaced(new QVBoxLayout(this), {}, 0, {scroll});
    connect(m_rulesTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ImportReportView::showMatches);
    connect(m_matchesTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ImportReportView::showMarks);
    connect(m_matchesTable, &QTableView::activated, this, [this] {
        if (match() != nullptr)
            Q_EMIT openRequested(*match());
    });
    connect(&m_views, &ViewPreparation::ready, this,
            [this](const std::vector<RunViewPointer>& views) { m_preview->show(views.front()); });
}

QWidget* ImportReportView::makeSection(QWidget* title, const QString& hint,
                                       std::initializer_list<QWidget*> parts)
{
    auto* section = makeSurface("plain");
    auto* column
        = spaced(new QVBoxLayout(section), {}, 0,
                 {makeBar(34, 8, {title, kStretch, named(makeLabel(hint, "hint"), "sectionHint")}),
                  makeLine(Qt::Horizontal)});
    for (QWidget* part : parts)
        column->addWidget(part);
    column->addStretch(1);
    return section;
}

// Places the parts below each other in a narrow window.
void ImportReportView::resizeEvent(QResizeEvent*)
{
    constexpr int kNarrow = 1000, kNarrowest = 700; // pixels
    for (QBoxLayout* row : {m_rulesRow, m_factsRow})
        row->setDirection(width() < kNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    for (QLabel* hint : findChildren<QLabel*>(QStringLiteral("sectionHint")))
        hint->setVisible(width() >= kNarrowest);
}

void ImportReportView::show(const RunPointer& shown)
{
    constexpr double kGoodCoverage = 0.9;
    // The same run is shown again when units change.
    const bool isNew = std::exchange(m_run, shown) != shown;
    const int selected = m_rulesTable->currentIndex().row();
    const Report& report = *m_run->info.import;
    const Scale time = timeScale(report.time);
    m_coverage->setText(coverageTitle(report));
    m_coverageNumbers->setText(
        tr("%1 of %2, all ranks and iterations")
            .arg(time.text(report.classified() * static_cast<double>(report.time)),
                 time.withUnit(static_cast<double>(report.time))));
    showFacts();
    showTables();
    showReplay();
    removeAll(*m_warnings);
    for (const std::string& warning : report.warnings) {
        auto* band = named(new Band(m_theme, Band::Shape::State), "importWarning");
        m_warnings->addWidget(band);
        band->show(Band::Kind::Warning, {}, fromUtf8(warning));
    }
    constexpr int kFew = 4, kMost = 16, kTall = 40, kLow = 24; // rows; pixels
    const int rows = std::clamp(m_run->schedule.shape.devices, kFew, kMost);
    m_preview->setRowsHeight(rows * (rows > kFew ? kLow : kTall));
    m_views.ask({m_run});
    // Selects the first rule or, if the coverage is low, the unclassified time, which is then of
    // most interest.
    const int last = m_rules.rowCount() - 1;
    const bool isLow
        = last >= 0 && report.classified() < kGoodCoverage && !isClassified(m_rules.at(last));
    if (const int row = !isNew ? selected : isLow ? last : std::min(0, last); row >= 0)
        m_rulesTable->selectRow(row);
    else
        showMatches();
}

void ImportReportView::showFacts()
{
    removeAll(*m_facts);
    int row = 0;
    for (const ImportFact& fact : importFacts(*m_run)) {
        auto* note = named(new ElidedLabel("hint"), "factNote");
        note->setText(fact.note);
        QLabel* value = makeLabel(fact.value);
        value->setTextFormat(Qt::PlainText);
        m_facts->addWidget(makeLabel(fact.title, "hint"), row, 0);
        m_facts->addWidget(value, row, 1);
        m_facts->addWidget(note, row++, 2);
    }
}

void ImportReportView::showTables()
{
    const Report& report = *m_run->info.import;
    std::vector<Report::Rule> rules = report.rules;
    std::int64_t rest = report.time;
    for (const Report::Rule& rule : rules)
        rest -= rule.time;
    constexpr double kLeast = 0.0005; // smaller shares are rounded to 0.0 %
    if (report.time > 0 && static_cast<double>(rest) >= kLeast * static_cast<double>(report.time))
        rules.push_back({"unclassified", tr("No rule matches").toStdString(), {}, 0, rest});
    m_rules.reset(ruleColumns(report.time), std::move(rules));
    std::vector<RankRow> ranks;
    for (const Report::Rank& rank : report.ranks) {
        const QString comma = rank.host.empty() || rank.deviceName.empty() ? QString() : tr(", ");
        ranks.push_back({rank.rank, fromUtf8(rank.host) + comma + fromUtf8(rank.deviceName),
                         fromUtf8(rank.file)});
    }
    QStringList missing;
    for (const int rank : report.missingRanks) {
        ranks.push_back({rank, tr("no trace was imported"), {}});
        missing.append(tr("rank %1").arg(rank));
    }
    std::ranges::stable_sort(ranks, {}, &RankRow::rank);
    m_rankSummary->setText(missing.isEmpty()
                               ? tr("All ranks are present")
                               : tr("Missing: %1").arg(missing.join(QStringLiteral(", "))));
    using Rank = TableColumn<RankRow>;
    m_ranks.reset(
        {Rank(tr("Rank"), &RankRow::rank),
         Rank(tr("Host"), &RankRow::place, Qt::AlignLeft)
             .with(kExceedsRole, [](const RankRow& row) { return QVariant(row.file.isEmpty()); }),
         Rank(
             tr("Trace"), [](const RankRow& row) { return QFileInfo(row.file).fileName(); },
             Qt::AlignLeft)
             .flag(kHintRole)
             .tip(&RankRow::file)},
        std::move(ranks));
    m_clocks.reset(clockColumns(), report.clocks);
    m_leftOut.reset(leftOutColumns(), report.leftOut);
    for (DataTable* table : {m_rulesTable, m_ranksTable, m_clocksTable, m_leftOutTable})
        fitRows(*table);
}

// States how well a simulation with the median op times of the trace reproduces the measured
// iteration.
void ImportReportView::showReplay()
{
    constexpr double kGood = 0.05, kFair = 0.1;
    const auto& error = m_run->info.import->replayError;
    const std::string why = engine::whyUnknown(m_run->info);
    if (!error)
        return m_replay->show(Band::Kind::Warning, tr("No replay."),
                              why.empty() ? tr("The traces have no complete pipeline.")
                                          : tr("Unknown: %1.").arg(QString::fromStdString(why)));
    const auto measured = static_cast<double>(reportedDuration(*m_run));
    const Scale scale = timeScale(m_run->info, reportedDuration(*m_run));
    const double size = std::abs(*error);
    m_replay->show(size <= kGood       ? Band::Kind::Ok
                       : size <= kFair ? Band::Kind::Warning
                                       : Band::Kind::Error,
                   tr("Replayed."),
                   tr("A simulation with the median op times takes %1, %2 %3 than the measured %4.")
                       .arg(scale.withUnit(measured * (1 + *error)), percent(size),
                            *error < 0 ? tr("less") : tr("more"), scale.withUnit(measured)));
}

const ImportReport::Rule* ImportReportView::rule() const
{
    const int row = m_rulesTable->currentIndex().row();
    return row < 0 ? nullptr : &m_rules.at(row);
}

const ImportReport::Match* ImportReportView::match() const
{
    const int row = m_matchesTable->currentIndex().row();
    return row < 0 || row >= m_matches.rowCount() ? nullptr : &m_matches.at(row).match;
}

void ImportReportView::showMatches()
{
    constexpr int kTallestMatches = 212; // pixels: seven rows
    const Report::Rule* chosen = rule();
    std::vector<ImportMatch> rows;
    if (chosen != nullptr)
        rows = importMatches(*m_run, isClassified(*chosen) ? chosen->name : "");
    const int count = static_cast<int>(rows.size());
    auto columns = matchColumns(m_run->info, rows);
    m_matches.reset(std::move(columns), std::move(rows));
    m_matchesTitle->setText(chosen == nullptr ? tr("Matches")
                                              : tr("Matches: %1").arg(fromUtf8(chosen->name)));
    m_noMatches->setText(m_run->info.import->matches.empty()
                             ? tr("This file has no list of matches, because an older version "
                                  "wrote it. Import the traces again.")
                             : chosen == nullptr ? tr("Select a rule to list what it matches.")
                                                 : tr("No match of this rule is in this file."));
    m_noMatches->setVisible(count == 0);
    m_matchesCount->setVisible(count > 0);
    if (chosen != nullptr)
        m_matchesCount->setText(shownText(count, *chosen));
    fitRows(*m_matchesTable, kTallestMatches);
    m_matchesTable->scrollToTop();
    showMarks();
}

// Previews the iteration of the current match, or the reported iteration if there is none.
void ImportReportView::showMarks()
{
    const Report::Match* current = match();
    const int reported = engine::reportedIteration(m_run->timeline);
    SchedulePreview::Marks marks;
    marks.iteration = current != nullptr ? current->iteration.value_or(reported) : reported;
    if (marks.iteration < 0) // the run has no iteration
        return m_preview->setMarks({});
    const engine::Iteration& iteration
        = m_run->timeline.iterations[static_cast<std::size_t>(marks.iteration)];
    for (int row = 0; row < m_matches.rowCount(); ++row)
        if (const Report::Match& one = m_matches.at(row).match;
            one.device && one.window.intersects(iteration.window))
            marks.parts.push_back({*one.device, one.window});
    if (current != nullptr && current->device)
        marks.current = {*current->device, current->window};
    marks.areUncertain = rule() != nullptr && !isClassified(*rule());
    m_previewHint->setText(
        marks.parts.empty()
            ? tr("Preview of iteration %1").arg(iteration.number)
            : tr("Preview of iteration %1, matches outlined").arg(iteration.number));
    m_preview->setMarks(std::move(marks));
}

void ImportReportView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_rulesTable->currentIndex().isValid())
        m_rulesTable->selectionModel()->clear();
    else
        QWidget::keyPressEvent(event);
}

} // namespace app
