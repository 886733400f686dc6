#include "app/import/import_page.h"

#include "app/plan/schedule_preview.h"
#include "app/shell/run_saver.h"
#include "app/shell/runs_dock.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/empty_state.h"
#include "app/ui/numbers.h"
#include "app/ui/segment_control.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "app/ui/unsaved_dialog.h"
#include "engine/base/try.h"
#include "engine/timeline/kernel_name.h"
#include "profiler/export/exporters.h"
#include "profiler/import/import.h"
#include "resources/resources.h"

#include <QAction>
#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextBlock>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <set>
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
        Column(fromUtf8("Rule"), &Rule::name, Qt::AlignLeft),
        Column(fromUtf8("Matches"), &Rule::title, Qt::AlignLeft).flag(kHintRole).tip(&Rule::title),
        Column(fromUtf8("Count"), &Rule::matches).onlyIf(isClassified),
        Column({fromUtf8("Time, %1"), time},
               [time](const Rule& rule) { return time.text(static_cast<double>(rule.time)); }),
        Column(fromUtf8("Share, %"),
               [share](const Rule& rule) { return number(100 * share(rule), 1); })
            .with(kShareRole, share),
        Column(
            fromUtf8("Confidence"),
            [](const Rule& rule) {
                return isClassified(rule) ? fromUtf8(rule.confidence) : fromUtf8("none");
            },
            Qt::AlignLeft)
            .with(kLevelRole, [](const Rule& rule) { return QVariant(levelOf(rule.confidence)); })
            .with(kHintRole, isRest)};
}

std::vector<TableColumn<ImportReport::LeftOut>> leftOutColumns()
{
    using Row = ImportReport::LeftOut;
    const Scale time = scaleIn(Unit::Millisecond);
    return {TableColumn<Row>(fromUtf8("What and why"), &Row::what, Qt::AlignLeft).tip(&Row::what),
            TableColumn<Row>(fromUtf8("Count"), &Row::count),
            TableColumn<Row>(time.unit(), [time](const Row& row) {
                return time.text(static_cast<double>(row.time));
            }).onlyIf([](const Row& row) { return row.time != 0; })};
}

std::vector<TableColumn<ImportReport::Clock>> clockColumns()
{
    using Row = ImportReport::Clock;
    const Scale offset = scaleIn(Unit::Millisecond, 3), spread = scaleIn(Unit::Microsecond);
    return {
        {fromUtf8("Host"), &Row::host, Qt::AlignLeft},
        {fromUtf8("Offset, %1").arg(offset.unit()),
         [offset](const Row& row) { return offset.difference(static_cast<double>(row.offset)); }},
        {fromUtf8("Drift, ppm"), [](const Row& row) { return signedNumber(row.drift, 1); }},
        {fromUtf8("Spread, %1").arg(spread.unit()),
         [spread](const Row& row) { return spread.text(static_cast<double>(row.spread)); }},
        {fromUtf8("Pairs"), &Row::pairs}};
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
        : fromUtf8("%1 and %2").arg(names.front(), countOf(names.size() - 1, "other"));
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
    const auto tr = [](const char* text) { return fromUtf8(text); };
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
        return fromUtf8("%1 of %2 shown")
            .arg(count,
                 number(static_cast<double>(std::max<std::int64_t>(rule.matches, shown)), 0));
    return shown < static_cast<int>(ImportReport::kMostMatches)
        ? fromUtf8("All %1 shown").arg(count)
        : fromUtf8("The %1 longest shown").arg(count);
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
        Column(info.import->onGpu ? fromUtf8("Kernel") : fromUtf8("Range"), &Row::label,
               Qt::AlignLeft)
            .tip([](const Row& row) { return row.match.name; }),
        Column(
            fromUtf8("Device"),
            [](const Row& row) {
                return row.match.device ? fromUtf8("device %1").arg(*row.match.device)
                                        : fromUtf8("another copy");
            },
            Qt::AlignLeft),
        Column(fromUtf8("Op"), &Row::op, Qt::AlignLeft)
            .onlyIf([](const Row& row) { return row.match.op.has_value(); })
            .flag(kCodeRole),
        Column(fromUtf8("Iteration"), &Row::iteration),
        Column({fromUtf8("At, %1"), at},
               [at](const Row& row) { return at.text(static_cast<double>(row.begin.value_or(0))); })
            .onlyIf([](const Row& row) { return row.begin.has_value(); }),
        Column({fromUtf8("Time, %1"), time}, [time](const Row& row) {
            return time.text(static_cast<double>(row.match.window.duration()));
        })};
}

QString coverageTitle(const ImportReport& report)
{
    const QString share = percent(report.classified());
    return report.onGpu ? fromUtf8("%1 of GPU time classified").arg(share)
                        : fromUtf8("%1 of op time classified").arg(share);
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

namespace {

namespace fs = std::filesystem;
constexpr int kPause = 400; // ms; a preview starts when no key was pressed for this time
// A preview reads files of at most this size on disk in total, which takes a few seconds.
constexpr std::int64_t kMostBytes = std::int64_t{48} << 20;

engine::Result<engine::ImportReport> importWith(const std::vector<fs::path>& files,
                                                const std::string& toml,
                                                const std::atomic<bool>& isDropped)
{
    const auto rules = TRY(rulesOf(toml));
    const auto imported
        = TRY(profiler::importTraces(files, rules, [&](const auto&) { return !isDropped.load(); }));
    return *imported.run.info.import;
}

double shareOf(const engine::ImportReport& report, std::int64_t time)
{
    return report.time > 0 ? static_cast<double>(time) / static_cast<double>(report.time) : 0;
}

// Returns the file of a trace. If the trace is in an archive, returns the archive.
fs::path fileOf(const fs::path& trace)
{
    std::error_code ignored;
    for (fs::path path = trace; path.has_relative_path(); path = path.parent_path())
        if (fs::is_regular_file(path, ignored))
            return path;
    return trace;
}

std::int64_t sizeOf(const fs::path& file)
{
    std::error_code error;
    const auto size = fs::file_size(file, error);
    return error ? 0 : static_cast<std::int64_t>(size);
}

// The files of an imported run that still exist: its traces, or the archives that contain them.
QStringList existingSources(const engine::ImportReport& report)
{
    QStringList sources;
    for (const auto& rank : report.ranks) {
        const auto file = fileOf(rank.file);
        std::error_code ignored;
        const QString name = QString::fromStdString(file.string());
        if (fs::is_regular_file(file, ignored) && !sources.contains(name))
            sources.append(name);
    }
    return sources;
}

// The number of files, including those that no longer exist.
int sourceCount(const engine::ImportReport& report)
{
    std::set<fs::path> files;
    for (const auto& rank : report.ranks)
        files.insert(fileOf(rank.file));
    return static_cast<int>(files.size());
}

} // namespace

// Selects the trace files to read: the smallest ones, up to kMostBytes in total, but at least one.
QString RulesPane::selectFiles(Traces& traces)
{
    std::vector<fs::path> paths;
    for (const QString& source : traces.sources)
        paths.emplace_back(source.toStdString());
    auto found = profiler::findTraceFiles(paths);
    if (!found)
        return fromUtf8(found.error().message);
    std::vector<fs::path> files = *std::move(found);
    const auto count = static_cast<std::int64_t>(files.size());
    std::ranges::stable_sort(files, {}, sizeOf);
    std::int64_t bytes = 0;
    for (const fs::path& file : files) {
        bytes += sizeOf(file);
        if (!traces.files.empty() && bytes > kMostBytes)
            break;
        traces.files.push_back(file);
    }
    const QString first = fromUtf8(traces.files.front().filename().string()),
                  all = countOf(count, "trace");
    traces.last.sample = traces.files.size() == files.size()
        ? count == 1 ? first : tr("all %1").arg(all)
        : traces.files.size() == 1 ? tr("%1, 1 of %2").arg(first, all)
                                   : tr("the %1 smallest of %2").arg(traces.files.size()).arg(all);
    std::ranges::sort(traces.files);
    return {};
}

RulesPane::Preview RulesPane::preview(Traces& traces, const std::string& toml,
                                      const std::atomic<bool>& isDropped)
{
    Preview& last = traces.last;
    last.failure = traces.files.empty() ? selectFiles(traces) : QString();
    if (!last.failure.isEmpty())
        return last;
    const auto import = [&](const std::string& rules, std::optional<engine::ImportReport>& report) {
        if (auto imported = importWith(traces.files, rules, isDropped))
            report = *std::move(imported);
        else
            last.failure = fromUtf8(imported.error().message);
    };
    if (!last.before)
        import({}, last.before);
    if (last.failure.isEmpty())
        import(toml, last.after);
    return last;
}

void RulesPane::showCoverage()
{
    const engine::ImportReport& before = *m_before;
    const engine::ImportReport& last = m_after ? *m_after : before;
    std::vector<Row> rows;
    const auto rowOf = [&](const engine::ImportReport::Rule& rule) -> Row& {
        const QString name = QString::fromStdString(rule.name);
        const auto known = std::ranges::find(rows, name, &Row::name);
        if (known != rows.end())
            return *known;
        return rows.emplace_back(Row{name, QString::fromStdString(rule.title), 0, 0, 0});
    };
    for (const engine::ImportReport::Rule& rule : last.rules) {
        Row& row = rowOf(rule);
        row.after = shareOf(last, rule.time);
        row.matches = rule.matches;
    }
    for (const engine::ImportReport::Rule& rule : before.rules)
        rowOf(rule).before = shareOf(before, rule.time);
    rows.push_back({{}, tr("No rule matches"), 1 - before.classified(), 1 - last.classified(), 0});
    using Column = TableColumn<Row>;
    const auto change = [](const Row& row) {
        const QString text = signedNumber(100 * (row.after - row.before), 1);
        return text == QStringLiteral("0") ? QVariant(QString()) : QVariant(text);
    };
    const auto verdict = [](const Row& row) {
        const bool isRest = row.name.isEmpty();
        return QVariant(static_cast<int>(!isRest                      ? Verdict::Neutral
                                             : row.after < row.before ? Verdict::Better
                                                                      : Verdict::Worse));
    };
    m_model.reset(
        {Column(
             tr("Rule"),
             [](const Row& row) { return row.name.isEmpty() ? tr("unclassified") : row.name; },
             Qt::AlignLeft)
             .with(kHintRole, [](const Row& row) { return QVariant(row.name.isEmpty()); })
             .tip(&Row::title),
         Column(tr("Matches"), &Row::matches).onlyIf([](const Row& row) {
             return !row.name.isEmpty();
         }),
         Column(tr("Before, %"), [](const Row& row) { return number(100 * row.before, 1); }),
         Column(tr("After, %"), [](const Row& row) { return number(100 * row.after, 1); })
             .with(kDifferenceRole, change)
             .with(kVerdictRole, verdict)},
        std::move(rows));
}

namespace {

constexpr int kPreviewRow = 26;

const char* const kInitialRules = "# Rules that precede the built-in ones, for example:\n"
                                  "#\n"
                                  "# [[rule]]\n"
                                  "# name = \"my-forward\"\n"
                                  "# range = '^step (?P<microbatch>\\d+) forward$'\n"
                                  "# kind = \"F\"\n";

QPlainTextEdit* makeText(const char* name, const QString& title)
{
    auto* text = named(new QPlainTextEdit, name, title);
    text->setFont(codeFont(12));
    text->setLineWrapMode(QPlainTextEdit::NoWrap);
    text->setTabChangesFocus(true);
    return text;
}

} // namespace

RulesPane::RulesPane(const ThemeController& theme, const QStringList& sources, int of,
                     QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_traces(std::make_shared<Traces>(Traces{sources}))
    , m_previews(
          this,
          [traces = m_traces](const std::string& toml, const std::atomic<bool>& isDropped) {
              return preview(*traces, toml, isDropped);
          },
          [this](const Preview& preview) { take(preview); })
    , m_choice(
          named(new SegmentControl(theme, {tr("Your rules"), tr("Built-in rules")}), "rulesChoice"))
    , m_texts(new QStackedWidget)
    , m_own(makeText("ownRules", tr("Your rules")))
    , m_shipped(makeText("shippedRules", tr("Built-in rules")))
    , m_band(named(new Band(theme, Band::Shape::State), "rulesBand"))
    , m_sample(named(makeLabel({}, "hint"), "rulesSample"))
    , m_state(named(makeLabel({}, "hint"), "rulesState"))
    , m_table(named(new DataTable(theme, kPreviewRow), "rulesPreview", tr("Coverage per rule")))
    , m_save(makeButton(tr("Save rules…"), QStringLiteral("saveRules")))
    , m_import(makeButton(tr("Import again with these rules"), QStringLiteral("importAgain")))
{
    setObjectName(QStringLiteral("rulesPane"));
    setMinimumWidth(360);
    m_table->setModel(&m_model);
    m_own->setPlainText(QString::fromUtf8(kInitialRules));
    m_shipped->setPlainText(fromUtf8(resources::find("import/rules.toml")));
    m_shipped->setReadOnly(true);
    auto* close = makeIconButton("closeRules", Icon::Close, tr("Close the rules"), theme);
    connect(close, &QToolButton::clicked, this, &RulesPane::closeRequested);
    auto* buttons = makeSurface("plain");
    spaced(new QHBoxLayout(buttons), {12, 10, 12, 10}, 8, {kStretch, m_save, m_import});
    auto* rows = makeSplitter(Qt::Vertical);
    rows->addWidget(makeEditors());
    rows->addWidget(makeCoverage());
    rows->setSizes({440, 360});
    spaced(new QVBoxLayout(this), {}, 0,
           {makeBar(40, 8, {makeLabel(tr("Rules"), "dock"), m_choice, kStretch, close}),
            makeLine(Qt::Horizontal),
            {rows, 1},
            makeLine(Qt::Horizontal),
            buttons});
    setFocusProxy(m_own);
    connect(m_choice, &SegmentControl::currentChanged, m_texts, &QStackedWidget::setCurrentIndex);
    connect(m_save, &QPushButton::clicked, this, [this] { Q_EMIT saveRequested(rules()); });
    connect(m_import, &QPushButton::clicked, this, [this] { Q_EMIT importRequested(rules()); });
    m_band->hide();
    const bool areGone = sources.isEmpty();
    m_import->setEnabled(!areGone && sources.size() == of);
    if (areGone)
        m_band->show(Band::Kind::Warning, tr("The traces of this run no longer exist,"),
                     tr("so rules cannot be tried. Import the traces again from their new "
                        "folder."));
    else if (sources.size() < of)
        m_band->show(Band::Kind::Warning,
                     tr("Only %1 of the %2 traces still exist.").arg(sources.size()).arg(of),
                     tr("The coverage refers to these."));
    if (areGone)
        return;
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPause);
    connect(&m_pause, &QTimer::timeout, this, &RulesPane::ask);
    connect(m_own, &QPlainTextEdit::textChanged, &m_pause, qOverload<>(&QTimer::start));
    m_pause.start();
}

QWidget* RulesPane::makeEditors()
{
    m_choice->setName(tr("Rules"));
    m_choice->setCompact();
    m_texts->addWidget(m_own);
    m_texts->addWidget(m_shipped);
    auto* body = makeSurface("plain");
    spaced(new QVBoxLayout(body), {12, 10, 12, 10}, 8, {{m_texts, 1}});
    auto* part = makeSurface("plain");
    part->setMinimumHeight(120);
    spaced(new QVBoxLayout(part), {}, 0, {{body, 1}, m_band});
    return part;
}

QWidget* RulesPane::makeCoverage()
{
    auto* part = makeSurface("plain");
    part->setMinimumHeight(100);
    m_sample->setContentsMargins(12, 6, 12, 6);
    m_sample->setWordWrap(true);
    spaced(new QVBoxLayout(part), {}, 0,
           {makeBar(32, 8, {makeLabel(tr("Coverage"), "dock"), kStretch, m_state}),
            makeLine(Qt::Horizontal),
            m_sample,
            {m_table, 1}});
    return part;
}

void RulesPane::ask()
{
    m_state->setText(tr("reading the traces"));
    m_previews.ask(rules().toStdString());
}

// Keeps the coverage of the last valid rules if these cannot be applied.
void RulesPane::take(const Preview& preview)
{
    static const QRegularExpression kPlace(QStringLiteral("^rules: (?:line (\\d+): )?"));
    m_sample->setText(tr("From %1").arg(preview.sample));
    m_before = preview.before;
    m_after = preview.after;
    if (m_before)
        showCoverage();
    const auto place = kPlace.match(preview.failure);
    const int line = place.captured(1).toInt();
    markLine(line);
    m_band->setVisible(!preview.failure.isEmpty());
    if (preview.failure.isEmpty())
        return m_state->setText(
            tr("%1 before, %2 after")
                .arg(percent(m_before->classified()), percent(m_after->classified())));
    m_band->show(Band::Kind::Error,
                 line > 0 ? tr("Line %1:").arg(line) : tr("The rules are not applied:"),
                 preview.failure.mid(place.capturedLength()) + QLatin1Char('.'));
    m_state->setText(tr("for the last valid rules"));
}

void RulesPane::markLine(int line)
{
    auto marks = m_own->extraSelections();
    marks.clear();
    const QTextBlock block = m_own->document()->findBlockByNumber(line - 1);
    if (line > 0 && block.isValid()) {
        auto& mark = marks.emplaceBack();
        mark.cursor = QTextCursor(block);
        mark.format.setBackground(m_theme.theme().chrome.errorTint);
        mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    }
    m_own->setExtraSelections(marks);
}

QString RulesPane::rules() const
{
    return m_own->toPlainText();
}

void RulesPane::setRules(const QString& toml)
{
    m_own->setPlainText(toml);
}

namespace {

constexpr int kProgressWidth = 460, kProgressSteps = 1000;

QString megabytes(double bytes)
{
    const Scale scale = scaleIn(Unit::MB);
    return scale.finer(bytes < 10 * scale.perUnit() ? 0 : -1).withUnit(bytes);
}

// "rank0.json and 3 others"
QString nameOfTraces(const QStringList& traces)
{
    const QString first = QFileInfo(traces.value(0)).fileName();
    return traces.size() < 2
        ? first
        : fromUtf8("%1 and %2").arg(first, countOf(traces.size() - 1, "other"));
}

// Where the match is in the run: its op or, if it has none, its time.
engine::Note placeOf(const engine::ImportReport::Match& match)
{
    engine::Note place;
    place.window = {match.window.begin, std::max(match.window.end, match.window.begin + 1)};
    if (match.op && match.iteration) {
        place.op = *match.op;
        place.iteration = *match.iteration;
    }
    return place;
}

} // namespace

ImportPage::ImportPage(const ThemeController& theme, RunLibrary& library, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_library(library)
    , m_stack(new QStackedWidget)
    , m_progressTitle(makeLabel(tr("Reading traces"), "heading"))
    , m_progressFile(named(makeLabel({}, "small"), "importFile"))
    , m_progressNumbers(named(makeLabel({}, "small"), "importNumbers"))
    , m_progressBar(named(new QProgressBar, "importBar", tr("Progress of the import")))
    , m_cancel(makeButton(tr("Cancel"), QStringLiteral("cancelImport")))
    , m_failed(named(
          new EmptyState(
              theme,
              {Icon::Error, tr("The traces cannot be imported."), {}, tr("Import other traces…")}),
          "importFailed"))
    , m_runs(new RunsDock(theme, library))
    , m_report(new ImportReportView(theme))
    , m_heading(makeLabel({}, "section"))
    , m_unchanged(makeLabel(tr("the trace files are not modified"), "small"))
    , m_open(makeButton(tr("Open run"), QStringLiteral("openImported"), "primary"))
    , m_saver(new RunSaver(this))
{
    setObjectName(QStringLiteral("importPage"));
    makeActions();
    auto* failed = new QWidget;
    spaced(new QVBoxLayout(failed), {40, 40, 40, 40}, 0, {m_failed});
    for (QWidget* part : {makeProgress(), failed, makeReportPart(theme)})
        m_stack->addWidget(part);
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_stack);
    connect(m_runs, &RunsDock::pageRequested, this, &Page::pageRequested);
    connect(m_cancel, &QPushButton::clicked, this, [this] {
        m_importer.cancel();
        Q_EMIT closeRequested();
    });
    connect(m_failed, &EmptyState::activated, this,
            [this] { Q_EMIT filesRequested(FileKind::Traces); });
    connect(m_open, &QPushButton::clicked, this, [this] {
        Q_EMIT pageRequested({"run", {m_document->file()}});
    });
    connect(m_report, &ImportReportView::openRequested, this,
            [this](const engine::ImportReport::Match& match) {
                Q_EMIT pageRequested(
                    {.kind = "run", .runs = {m_document}, .place = placeOf(match)});
            });
    connect(&m_importer, &TraceImporter::progressed, this, &ImportPage::showProgress);
    connect(&m_importer, &TraceImporter::failed, this, &ImportPage::showFailure);
    connect(&m_importer, &TraceImporter::finished, this,
            [this](const QString& file) { setDocument(m_library.open(file)); });
}

ImportPage::ImportPage(const ThemeController& theme, RunLibrary& library, const QStringList& traces,
                       const QString& rules, QWidget* parent)
    : ImportPage(theme, library, parent)
{
    m_name = nameOfTraces(traces);
    m_traces = traces;
    m_rulesText = rules;
    setInitialFocus(m_cancel);
    m_importer.start(traces, rules);
}

ImportPage::ImportPage(const ThemeController& theme, RunLibrary& library,
                       std::shared_ptr<RunDocument> document, QWidget* parent)
    : ImportPage(theme, library, parent)
{
    setDocument(std::move(document));
}

// The file, the rate and the time left, and a button to cancel the import.
QWidget* ImportPage::makeProgress()
{
    m_progressFile->setTextFormat(Qt::PlainText);
    m_progressBar->setRange(0, kProgressSteps);
    auto* box = new QWidget;
    box->setFixedWidth(kProgressWidth);
    spaced(new QVBoxLayout(box), {}, 8,
           {m_progressTitle,
            m_progressFile,
            m_progressBar,
            m_progressNumbers,
            {m_cancel, 0, Qt::AlignRight}});
    auto* progress = new QWidget;
    auto* column = spaced(new QVBoxLayout(progress), {}, 0);
    column->addStretch(2);
    column->addWidget(box, 0, Qt::AlignHCenter);
    column->addStretch(3);
    return progress;
}

void ImportPage::showProgress(const ImportState& state)
{
    const bool isRead = state.file.empty() && state.bytes > 0;
    m_progressTitle->setText(isRead ? tr("Building the run") : tr("Reading traces"));
    m_progressFile->setText(QFileInfo(fromUtf8(state.file)).fileName());
    if (state.allBytes <= 0)
        return;
    m_progressBar->setValue(static_cast<int>(kProgressSteps * state.bytes / state.allBytes));
    QString text = tr("%1 of %2")
                       .arg(megabytes(static_cast<double>(state.bytes)),
                            megabytes(static_cast<double>(state.allBytes)));
    if (!isRead && state.rate() > 0)
        text = tr("%1, %2/s, %3")
                   .arg(text, megabytes(state.rate()), remainingTime(state.secondsLeft()));
    m_progressNumbers->setText(text);
}

QWidget* ImportPage::makeReportPart(const ThemeController& theme)
{
    constexpr int kRunsWidth = 216;
    m_report->installEventFilter(this);
    m_heading->setTextFormat(Qt::PlainText);
    auto* bar = makeBar(40, 10,
                        {m_heading, new Tag(theme, tr("imported")), m_unchanged, kStretch,
                         makeActionButton(m_editRules), makeActionButton(m_saveReport), m_open});
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0, {bar, makeLine(Qt::Horizontal), {m_report, 1}});
    m_columns = makeSplitter(Qt::Horizontal);
    m_columns->addWidget(m_runs);
    m_columns->addWidget(centre);
    m_columns->setStretchFactor(1, 1);
    m_columns->setSizes({kRunsWidth, 1300});
    return m_columns;
}

void ImportPage::makeActions()
{
    m_editRules = makeAction("editRules", tr("Edit rules…"), Qt::Key_R);
    m_editRules->setCheckable(true);
    m_editRules->setToolTip(tr("Tries your own rules on the traces (R)"));
    connect(m_editRules, &QAction::toggled, this, &ImportPage::showRules);
    m_saveReport = makeAction("saveImportReport", tr("Save report…"), QKeySequence::Save, [this] {
        m_saver->saveText({tr("Save report"), m_document->title(), tr("Reports (*.json)")},
                          [run = m_document->run()] { return profiler::importJson(*run); });
    });
    m_saveReport->setToolTip(tr("Writes the report as JSON, as bscope import --json prints it"));
    for (QAction* action : {m_editRules, m_saveReport})
        action->setEnabled(false);
}

// In a small window the rules take the place of the list of runs.
void ImportPage::showRules(bool shown)
{
    constexpr int kPaneWidth = 520, kLeastForRuns = 1280;
    if (shown && m_pane == nullptr) {
        const engine::ImportReport& report = *m_document->run()->info.import;
        const QStringList sources = m_traces.isEmpty() ? existingSources(report) : m_traces;
        const int count
            = m_traces.isEmpty() ? sourceCount(report) : static_cast<int>(m_traces.size());
        m_pane = new RulesPane(m_theme, sources, count);
        if (!m_rulesText.isEmpty())
            m_pane->setRules(m_rulesText);
        m_keptRules = m_pane->rules();
        m_columns->addWidget(m_pane);
        m_columns->setSizes({m_runs->width(), width() - m_runs->width() - kPaneWidth, kPaneWidth});
        connect(m_pane, &RulesPane::closeRequested, m_editRules,
                [this] { m_editRules->setChecked(false); });
        connect(m_pane, &RulesPane::saveRequested, this, &ImportPage::saveRules);
        connect(m_pane, &RulesPane::importRequested, this, [this, sources](const QString& rules) {
            Q_EMIT pageRequested({.kind = "import", .files = sources, .text = rules});
        });
    }
    m_runs->setVisible(!shown || width() >= kLeastForRuns);
    if (m_pane == nullptr)
        return;
    m_pane->setVisible(shown);
    if (shown)
        m_pane->setFocus();
    else
        m_open->setFocus();
}

bool ImportPage::saveRules()
{
    const QString rules = m_pane->rules();
    if (m_saver
            ->saveNow({tr("Save rules"), QStringLiteral("rules"), tr("Rules (*.toml)")},
                      rules.toStdString())
            .isEmpty())
        return false;
    m_keptRules = rules;
    return true;
}

bool ImportPage::queryClose()
{
    if (m_pane == nullptr || m_pane->rules() == m_keptRules)
        return true;
    UnsavedDialog dialog(tr("The set of rules"), 0, this);
    dialog.exec();
    return dialog.choice() == UnsavedDialog::Choice::Save
        ? saveRules()
        : dialog.choice() == UnsavedDialog::Choice::Discard;
}

bool ImportPage::eventFilter(QObject* watched, QEvent* event)
{
    constexpr int kLeastForHint = 700; // pixels
    if (event->type() == QEvent::Resize)
        m_unchanged->setVisible(m_report->width() >= kLeastForHint);
    return Page::eventFilter(watched, event);
}

QList<QAction*> ImportPage::menuActions(Menu menu) const
{
    switch (menu) {
    case Menu::Analyze:
        return {m_editRules};
    case Menu::Export:
        return {m_saveReport};
    default:
        return {};
    }
}

void ImportPage::setDocument(std::shared_ptr<RunDocument> document)
{
    m_document = std::move(document);
    connect(m_document.get(), &RunDocument::stateChanged, this, &ImportPage::showDocument);
    connect(&m_theme, &ThemeController::unitsChanged, this, &ImportPage::showDocument);
    showDocument();
}

void ImportPage::showDocument()
{
    if (m_document->state() == RunDocument::State::Failed) {
        showFailure(m_document->notice().text);
        return;
    }
    const RunPointer run = m_document->run();
    if (!run || !run->info.import || m_document->state() != RunDocument::State::Finished)
        return;
    m_runs->setCurrent(m_document.get());
    m_report->show(run);
    m_heading->setText(title());
    for (QAction* action : {m_editRules, m_saveReport})
        action->setEnabled(true);
    m_stack->setCurrentIndex(2);
    setInitialFocus(m_open);
    if (isVisible())
        m_open->setFocus();
    Q_EMIT titleChanged();
    Q_EMIT statusChanged();
}

void ImportPage::showFailure(const QString& reason)
{
    m_failed->setTexts(tr("The traces cannot be imported."), reason);
    m_stack->setCurrentIndex(1);
    setInitialFocus(m_failed->button());
    if (isVisible())
        m_failed->button()->setFocus();
    Q_EMIT statusChanged();
}

QString ImportPage::title() const
{
    return tr("Import: %1").arg(m_document ? m_document->title() : m_name);
}

QStringList ImportPage::statusTexts() const
{
    const RunPointer run = m_document ? m_document->run() : nullptr;
    if (!run || !run->info.import)
        return {m_stack->currentIndex() == 1 ? tr("not imported") : tr("importing")};
    const auto ops = static_cast<std::int64_t>(engine::opCount(run->schedule));
    return {tr("<b>Imported</b> %1").arg(countOf(run->schedule.shape.devices, "device")),
            countOf(ops, "op"),
            countOf(static_cast<std::int64_t>(run->info.import->warnings.size()), "warning")};
}

QString ImportPage::statusNote() const
{
    const RunPointer run = m_document ? m_document->run() : nullptr;
    return run && run->info.import ? coverageTitle(*run->info.import) : QString();
}

} // namespace app
