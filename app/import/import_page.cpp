#include "app/import/import_page.h"

#include "app/documents/run_library.h"
#include "app/plan/schedule_preview.h"
#include "app/shell/run_saver.h"
#include "app/shell/runs_dock.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"
#include "engine/base/cancel.h"
#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "engine/timeline/kernel_name.h"
#include "profiler/import/rules.h"
#include "profiler/report/run_sheet.h"
#include "profiler/store/trace_store.h"
#include "resources/resources.h"

#include <QAction>
#include <QFileInfo>
#include <QGridLayout>
#include <QKeyEvent>
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
#include <atomic>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace app {
namespace {

using engine::Result;
constexpr int kReportMilliseconds = 100;

bool hasRules(const std::string& toml)
{
    const QStringList lines = QString::fromStdString(toml).split(QLatin1Char('\n'));
    return std::any_of(lines.begin(), lines.end(), [](const QString& line) {
        const QString text = line.trimmed();
        return !text.isEmpty() && !text.startsWith(QLatin1Char('#'));
    });
}

Result<QString> writeImported(profiler::ImportedRun imported)
{
    imported.run.info.program = engine::buildId();
    auto file = TRY(engine::NewFile::firstFree(
        runFileNames(QStringLiteral("import-%1").arg(fromUtf8(imported.run.info.scheme)))));
    const QString name = QString::fromStdString(file.target().string());
    TRY(profiler::writeRun(std::move(file), imported.run, std::move(imported.gpu)));
    return name;
}

} // namespace

engine::Result<profiler::Rules> rulesOf(const std::string& toml)
{
    return hasRules(toml) ? profiler::Rules::parse(toml, "rules") : profiler::Rules::shipped();
}

struct TraceImporter::Shared
{
    std::atomic<bool> isCancelled = false;
    std::mutex mutex;
    profiler::ImportProgress progress; // protected by `mutex`

    // Runs on the worker thread. The result does not count if the import was cancelled.
    Result<QString> import(const std::vector<std::filesystem::path>& paths, const std::string& toml)
    {
        const auto rules = TRY(rulesOf(toml));
        auto imported = TRY(profiler::importTraces(paths, rules, [this](const auto& now) {
            const std::lock_guard lock(mutex);
            progress = now;
            return !isCancelled;
        }));
        const QString file = isCancelled ? QString() : TRY(writeImported(std::move(imported)));
        std::error_code ignored;
        if (isCancelled)
            std::filesystem::remove(file.toStdString(), ignored);
        return file;
    }
};

TraceImporter::TraceImporter(QObject* parent)
    : QObject(parent)
    , m_shared(std::make_shared<Shared>())
    , m_background(this)
{
    m_clock.setInterval(kReportMilliseconds);
    connect(&m_clock, &QTimer::timeout, this, &TraceImporter::report);
}

void TraceImporter::start(const QStringList& paths, const QString& rules)
{
    std::vector<std::filesystem::path> files;
    for (const QString& path : paths)
        files.emplace_back(path.toStdString());
    m_sinceStart.start();
    m_clock.start();
    m_background.run([shared = m_shared, files,
                      toml = rules.toStdString()] { return shared->import(files, toml); },
                     [this](const Result<QString>& file) {
                         m_clock.stop();
                         if (m_shared->isCancelled)
                             return;
                         if (file)
                             Q_EMIT finished(*file);
                         else
                             Q_EMIT failed(fromUtf8(file.error().message));
                     });
}

void TraceImporter::cancel()
{
    m_clock.stop();
    m_shared->isCancelled = true;
}

void TraceImporter::report()
{
    ImportState now;
    {
        const std::lock_guard lock(m_shared->mutex);
        static_cast<profiler::ImportProgress&>(now) = m_shared->progress;
    }
    if (now.allBytes > 0 && now.bytes >= now.allBytes)
        now.file.clear();
    now.seconds = static_cast<double>(m_sinceStart.elapsed()) / 1e3;
    Q_EMIT progressed(now);
}

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
        {fromUtf8("Drift, ppm"),
         [](const Row& row) { return row.drift == 0 ? QString() : signedNumber(row.drift, 1); }},
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
    const QString memory = fromUtf8(profiler::categorizedMemory(run));
    facts.push_back({tr("Memory"), memory.isEmpty() ? tr("not recorded") : memory});
    if (engine::knowsStages(run.info))
        facts.push_back(
            {tr("Order of ops"),
             run.info.scheme == "imported" ? tr("no known scheme") : fromUtf8(run.info.label)});
    return facts;
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

namespace {

// The report of an import: sources and ranks, coverage by rule with the matches of the selected
// rule, clocks, replay check, what was left out, and an iteration in which the matches are
// outlined.
class ImportReportView : public QWidget
{
public:
    // `open` is called for a match that the user opens in its run.
    ImportReportView(const ThemeController& theme,
                     std::function<void(const engine::ImportReport::Match&)> open)
        : m_theme(theme)
        , m_open(std::move(open))
    {
        setObjectName(QStringLiteral("importReport"));
        m_preview->setPlaceholder(tr("Preparing the iteration"));
        m_facts->setColumnStretch(2, 1);
        for (QLabel* label : {m_noMatches, m_matchesCount})
            label->setContentsMargins(14, 6, 14, 6);
        auto* coverage = makeRow({14, 10, 14, 10}, 14, {m_coverage, m_coverageNumbers, kStretch});
        auto* facts = makeColumn(
            {}, 0, {m_facts, spaced(new QHBoxLayout, {14, 0, 14, 12}, 0, {{m_replay, 1}})});
        auto* preview = makeRow({14, 10, 14, 12}, 0, {{m_preview, 1}}, "");
        m_rulesRow
            = spaced(new QBoxLayout(QBoxLayout::LeftToRight), {}, 0,
                     {{makeSection(makeLabel(tr("Rules"), "dock"),
                                   tr("first match wins, top to bottom"), {m_rules}),
                       5},
                      makeLine(Qt::Vertical),
                      {makeSection(m_matchesTitle, tr("longest first, Enter opens it in the run"),
                                   {m_matches, m_noMatches, m_matchesCount}),
                       4}});
        m_factsRow = spaced(
            new QBoxLayout(QBoxLayout::LeftToRight), {}, 0,
            {{makeSection(makeLabel(tr("Traces, iterations and replay"), "dock"), {}, {facts}), 4},
             makeLine(Qt::Vertical),
             {makeSection(m_rankSummary, tr("clocks relative to the host of the first rank"),
                          {m_ranks, m_clocks}),
              3},
             makeLine(Qt::Vertical),
             {makeSection(makeLabel(tr("Left out"), "dock"), tr("not in the run"), {m_leftOut}),
              3}});
        auto* content = makeColumn({}, 0,
                                   {m_warnings, coverage, makeLine(Qt::Horizontal), m_rulesRow,
                                    makeLine(Qt::Horizontal), m_factsRow, makeLine(Qt::Horizontal),
                                    makeSection(m_previewHint, {}, {preview}), kStretch});
        QScrollArea* scroll = makeScroll(content);
        // A small window may be too narrow for the report beside the rules.
        scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
        spaced(new QVBoxLayout(this), {}, 0, {scroll});
        connect(m_rules->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                &ImportReportView::showMatches);
        connect(m_matches->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
                &ImportReportView::showMarks);
        connect(m_matches, &QTableView::activated, this, [this] {
            if (match() != nullptr)
                m_open(*match());
        });
        connect(
            &m_views, &ViewPreparation::ready, this,
            [this](const std::vector<RunViewPointer>& views) { m_preview->show(views.front()); });
    }

    // `run` must be an imported run
    void show(const RunPointer& shown)
    {
        constexpr double kGoodCoverage = 0.9;
        // The same run is shown again when units change.
        const bool isNew = std::exchange(m_run, shown) != shown;
        const int selected = m_rules->currentIndex().row();
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
        clearLayout(*m_warnings);
        for (const std::string& warning : report.warnings) {
            auto* band = named(new Band(m_theme, Band::Shape::State), "importWarning");
            m_warnings->addWidget(band);
            band->show(Band::Kind::Warning, {}, fromUtf8(warning));
        }
        constexpr int kFew = 4, kMost = 16, kTall = 40, kLow = 24; // rows; pixels
        const int rows = std::clamp(m_run->schedule.shape.devices, kFew, kMost);
        m_preview->setRowsHeight(rows * (rows > kFew ? kLow : kTall));
        m_views.ask({m_run});
        // Selects the first rule or, if the coverage is low, the unclassified time, which is then
        // of most interest.
        const int last = m_rules->rows().rowCount() - 1;
        const bool isLow
            = last >= 0 && report.classified() < kGoodCoverage && !isClassified(m_rules->at(last));
        if (const int row = !isNew ? selected : isLow ? last : std::min(0, last); row >= 0)
            m_rules->selectRow(row);
        else
            showMatches();
    }

protected:
    // Esc deselects the rule
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event->key() == Qt::Key_Escape && m_rules->currentIndex().isValid())
            m_rules->selectionModel()->clear();
        else
            QWidget::keyPressEvent(event);
    }

    // Places the parts below each other in a narrow window.
    void resizeEvent(QResizeEvent*) override
    {
        constexpr int kNarrow = 1000, kNarrowest = 700; // pixels
        for (QBoxLayout* row : {m_rulesRow, m_factsRow})
            row->setDirection(width() < kNarrow ? QBoxLayout::TopToBottom
                                                : QBoxLayout::LeftToRight);
        for (QLabel* hint : findChildren<QLabel*>(QStringLiteral("sectionHint")))
            hint->setVisible(width() >= kNarrowest);
    }

private:
    using Report = engine::ImportReport;
    // A rank of the job, and where its trace is from; without a file it is missing.
    struct RankRow
    {
        int rank = 0;
        QString place{}, file{};
    };

    QWidget* makeSection(QWidget* title, const QString& hint, std::initializer_list<QWidget*> parts)
    {
        auto* section = makeSurface("plain");
        auto* column = spaced(
            new QVBoxLayout(section), {}, 0,
            {makeBar(34, 8, {title, kStretch, named(makeLabel(hint, "hint"), "sectionHint")}),
             makeLine(Qt::Horizontal)});
        for (QWidget* part : parts)
            column->addWidget(part);
        column->addStretch(1);
        return section;
    }

    void showFacts()
    {
        clearLayout(*m_facts);
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

    void showTables()
    {
        const Report& report = *m_run->info.import;
        std::vector<Report::Rule> rules = report.rules;
        std::int64_t rest = report.time;
        for (const Report::Rule& rule : rules)
            rest -= rule.time;
        constexpr double kLeast = 0.0005; // smaller shares are rounded to 0.0 %
        if (report.share(rest) >= kLeast)
            rules.push_back({"unclassified", tr("No rule matches").toStdString(), {}, 0, rest});
        m_rules->show(ruleColumns(report.time), std::move(rules));
        std::vector<RankRow> ranks;
        for (const Report::Rank& rank : report.ranks) {
            const QString comma
                = rank.host.empty() || rank.deviceName.empty() ? QString() : tr(", ");
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
        m_ranks->show(
            {Rank(tr("Rank"), &RankRow::rank),
             Rank(tr("Host"), &RankRow::place, Qt::AlignLeft)
                 .with(kExceedsRole,
                       [](const RankRow& row) { return QVariant(row.file.isEmpty()); }),
             Rank(
                 tr("Trace"), [](const RankRow& row) { return QFileInfo(row.file).fileName(); },
                 Qt::AlignLeft)
                 .flag(kHintRole)
                 .tip(&RankRow::file)},
            std::move(ranks));
        m_clocks->show(clockColumns(), report.clocks);
        m_leftOut->show(leftOutColumns(), report.leftOut);
        m_rules->fit(kTallest);
        m_ranks->fit(kTallest);
        m_clocks->fit(kTallest);
        m_leftOut->fit(kTallest);
    }

    // States how well a simulation with the median op times of the trace reproduces the measured
    // iteration.
    void showReplay()
    {
        constexpr double kGood = 0.05, kFair = 0.1;
        const auto& error = m_run->info.import->replayError;
        const std::string why = engine::whyUnknown(m_run->info);
        if (!error)
            return m_replay->show(Band::Kind::Warning, tr("No replay."),
                                  why.empty()
                                      ? tr("The traces have no complete pipeline.")
                                      : tr("Unknown: %1.").arg(QString::fromStdString(why)));
        const auto measured = static_cast<double>(reportedDuration(*m_run));
        const Scale scale = timeScale(m_run->info, reportedDuration(*m_run));
        const double size = std::abs(*error);
        m_replay->show(
            size <= kGood       ? Band::Kind::Ok
                : size <= kFair ? Band::Kind::Warning
                                : Band::Kind::Error,
            tr("Replayed."),
            tr("A simulation with the median op times takes %1, %2 %3 than the measured %4.")
                .arg(scale.withUnit(measured * (1 + *error)), percent(size),
                     *error < 0 ? tr("less") : tr("more"), scale.withUnit(measured)));
    }

    const Report::Rule* rule() const { return m_rules->current(); }

    const Report::Match* match() const
    {
        const ImportMatch* current = m_matches->current();
        return current == nullptr ? nullptr : &current->match;
    }

    void showMatches()
    {
        constexpr int kTallestMatches = 212; // pixels: seven rows
        const Report::Rule* chosen = rule();
        std::vector<ImportMatch> rows;
        if (chosen != nullptr)
            rows = importMatches(*m_run, isClassified(*chosen) ? chosen->name : "");
        const int count = static_cast<int>(rows.size());
        auto columns = matchColumns(m_run->info, rows);
        m_matches->show(std::move(columns), std::move(rows));
        m_matchesTitle->setText(chosen == nullptr ? tr("Matches")
                                                  : tr("Matches: %1").arg(fromUtf8(chosen->name)));
        m_noMatches->setText(m_run->info.import->matches.empty()
                                 ? tr("This file has no list of matches, because an older version "
                                      "wrote it. Import the traces again.")
                                 : chosen == nullptr
                                 ? tr("Select a rule to list what it matches.")
                                 : tr("No match of this rule is in this file."));
        m_noMatches->setVisible(count == 0);
        m_matchesCount->setVisible(count > 0);
        if (chosen != nullptr)
            m_matchesCount->setText(shownText(count, *chosen));
        m_matches->fit(kTallestMatches);
        m_matches->scrollToTop();
        showMarks();
    }

    // Previews the iteration of the current match, or the reported iteration if there is none.
    void showMarks()
    {
        const Report::Match* current = match();
        const int reported = engine::reportedIteration(m_run->timeline);
        SchedulePreview::Marks marks;
        marks.iteration = current != nullptr ? current->iteration.value_or(reported) : reported;
        if (marks.iteration < 0) // the run has no iteration
            return m_preview->setMarks({});
        const engine::Iteration& iteration
            = m_run->timeline.iterations[static_cast<std::size_t>(marks.iteration)];
        for (int row = 0; row < m_matches->rows().rowCount(); ++row)
            if (const Report::Match& one = m_matches->at(row).match;
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

    const ThemeController& m_theme;
    RunPointer m_run; // the shown run; null before the first
    ViewPreparation m_views{this};
    std::function<void(const Report::Match&)> m_open;
    template<class Row>
    RowTable<Row>* makeTable(const char* name, const QString& title, int rest = -1)
    {
        return new RowTable<Row>(m_theme, kRow, name, title, rest);
    }
    // A rule without a confidence is the time that no rule matches.
    RowTable<Report::Rule>* m_rules = makeTable<Report::Rule>("rulesTable", tr("Rules"), 1);
    RowTable<ImportMatch>* m_matches
        = makeTable<ImportMatch>("matchesTable", tr("Matches of the rule"), 0);
    RowTable<RankRow>* m_ranks = makeTable<RankRow>("ranksTable", tr("Ranks"), 2);
    RowTable<Report::Clock>* m_clocks
        = makeTable<Report::Clock>("clocksTable", tr("Clock alignment"));
    RowTable<Report::LeftOut>* m_leftOut
        = makeTable<Report::LeftOut>("leftOutTable", tr("Left out"), 0);
    QGridLayout* m_facts = spaced(new QGridLayout, {14, 10, 14, 12}, 6);
    QBoxLayout *m_rulesRow, *m_factsRow;
    QVBoxLayout* m_warnings = spaced(new QVBoxLayout, {}, 0);
    QLabel *m_coverage = named(makeLabel({}, "heading"), "coverageTitle"),
           *m_coverageNumbers = makeLabel({}, "small"),
           *m_matchesTitle = named(new ElidedLabel("dock"), "matchesTitle"),
           *m_noMatches = makeWrapped("small", "noMatches"),
           *m_matchesCount = named(makeLabel({}, "hint"), "matchesCount"),
           *m_rankSummary = named(makeLabel({}, "dock"), "rankSummary"),
           *m_previewHint = named(makeLabel({}, "dock"), "previewHint");
    Band* m_replay = named(new Band(m_theme, Band::Shape::Verdict), "replayBand");
    SchedulePreview* m_preview
        = named(new SchedulePreview(m_theme), "importPreview", tr("Preview"));
};

namespace fs = std::filesystem;
constexpr int kPause = 400; // ms; a preview starts when no key was pressed for this time
// A preview reads files of at most this size on disk in total, which takes a few seconds.
constexpr std::int64_t kMostBytes = std::int64_t{48} << 20;

engine::Result<engine::ImportReport> importWith(const std::vector<fs::path>& files,
                                                const std::string& toml)
{
    const auto rules = TRY(rulesOf(toml));
    const auto imported = TRY(profiler::importTraces(
        files, rules,
        [isDropped = engine::CancelScope::flag()](const auto&) { return !*isDropped; }));
    return *imported.run.info.import;
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

// The user's rules, with the coverage that they would give, next to the built-in rules, which are
// read-only.
class RulesPane : public QWidget
{
public:
    // `sources`: the traces of the import that still exist; `of`: the number of imported traces.
    RulesPane(const ThemeController& theme, const QStringList& sources, int of)
        : m_theme(theme)
        , m_traces(std::make_shared<Traces>(Traces{sources}))
        , m_previews(
              this, [traces = m_traces](const std::string& toml) { return preview(*traces, toml); },
              [this](const Preview& preview) { take(preview); })

    {
        setObjectName(QStringLiteral("rulesPane"));
        setMinimumWidth(360);
        m_own->setPlainText(QString::fromUtf8(kInitialRules));
        m_shipped->setPlainText(fromUtf8(resources::find("import/rules.toml")));
        m_shipped->setReadOnly(true);
        m_close = makeIconButton("closeRules", Icon::Close, tr("Close the rules"), theme);
        auto* buttons = makeRow({12, 10, 12, 10}, 8, {kStretch, m_save, m_import});
        auto* rows = makeSplitter(Qt::Vertical, {{makeEditors(), 440}, {makeCoverage(), 360}});
        spaced(new QVBoxLayout(this), {}, 0,
               {makeBar(40, 8, {makeLabel(tr("Rules"), "dock"), m_choice, kStretch, m_close}),
                makeLine(Qt::Horizontal),
                {rows, 1},
                makeLine(Qt::Horizontal),
                buttons});
        setFocusProxy(m_own);
        connect(m_choice, &SegmentControl::currentChanged, m_texts,
                &QStackedWidget::setCurrentIndex);
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
        connect(m_own, &QPlainTextEdit::textChanged, &m_pause, qOverload<>(&QTimer::start));
        m_pause.start();
    }

    QString rules() const { return m_own->toPlainText(); }

    void setRules(const QString& toml) { m_own->setPlainText(toml); }

private:
    QWidget* makeEditors()
    {
        m_choice->setName(tr("Rules"));
        m_choice->setCompact();
        m_texts->addWidget(m_own);
        m_texts->addWidget(m_shipped);
        auto* body = makeColumn({12, 10, 12, 10}, 8, {{m_texts, 1}});
        auto* part = makeColumn({}, 0, {{body, 1}, m_band});
        part->setMinimumHeight(120);
        return part;
    }

    QWidget* makeCoverage()
    {
        m_sample->setContentsMargins(12, 6, 12, 6);
        auto* part
            = makeColumn({}, 0,
                         {makeBar(32, 8, {makeLabel(tr("Coverage"), "dock"), kStretch, m_state}),
                          makeLine(Qt::Horizontal),
                          m_sample,
                          {m_coverageTable, 1}});
        part->setMinimumHeight(100);
        return part;
    }

    void ask()
    {
        m_state->setText(tr("reading the traces"));
        m_previews.ask(rules().toStdString());
    }

    void markLine(int line)
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

    void showCoverage()
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
            row.after = last.share(rule.time);
            row.matches = rule.matches;
        }
        for (const engine::ImportReport::Rule& rule : before.rules)
            rowOf(rule).before = before.share(rule.time);
        rows.push_back(
            {{}, tr("No rule matches"), 1 - before.classified(), 1 - last.classified(), 0});
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
        m_coverageTable->show(
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

    // What rules classify. The traces are imported again, without writing a run, and only some of
    // them if reading all would take long.
    struct Preview
    {
        QString sample{}; // "all 4 traces", "rank0.json, 1 of 8 traces"
        std::optional<engine::ImportReport> before{}, after{}; // without and with the user's rules
        QString failure{};
    };
    struct Traces // kept between previews
    {
        QStringList sources;
        std::vector<std::filesystem::path> files{};
        Preview last{};
    };

    static Preview preview(Traces& traces, const std::string& toml)
    {
        Preview& last = traces.last;
        last.failure = traces.files.empty() ? selectFiles(traces) : QString();
        if (!last.failure.isEmpty())
            return last;
        const auto import
            = [&](const std::string& rules, std::optional<engine::ImportReport>& report) {
                  if (auto imported = importWith(traces.files, rules))
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

    // Selects the trace files to read: the smallest ones, up to kMostBytes, at least one. Returns
    // why none can be read; "" on success.
    static QString selectFiles(Traces& traces)
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
            : traces.files.size() == 1
            ? tr("%1, 1 of %2").arg(first, all)
            : tr("the %1 smallest of %2").arg(traces.files.size()).arg(all);
        std::ranges::sort(traces.files);
        return {};
    }

    // Keeps the coverage of the last valid rules if these cannot be applied.
    void take(const Preview& preview)
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

    // The share of time that a rule classifies. A row without a name is the time that no rule
    // matches.
    struct Row
    {
        QString name, title;
        double before = 0, after = 0;
        std::int64_t matches = 0; // with the user's rules
    };

    const ThemeController& m_theme;
    std::shared_ptr<Traces> m_traces;
    std::optional<engine::ImportReport> m_before, m_after;
    Later m_pause{kPause, [this] { ask(); }};
    Latest<std::string, Preview> m_previews;
    SegmentControl* m_choice = named(
        new SegmentControl(m_theme, {tr("Your rules"), tr("Built-in rules")}), "rulesChoice");
    QStackedWidget* m_texts = new QStackedWidget;
    QPlainTextEdit *m_own = makeText("ownRules", tr("Your rules")),
                   *m_shipped = makeText("shippedRules", tr("Built-in rules"));
    Band* m_band = named(new Band(m_theme, Band::Shape::State), "rulesBand");
    QLabel *m_sample = makeWrapped("hint", "rulesSample"),
           *m_state = named(makeLabel({}, "hint"), "rulesState");
    RowTable<Row>* m_coverageTable
        = new RowTable<Row>(m_theme, kRow, "rulesPreview", tr("Coverage per rule"));

public:
    QPushButton *m_save = makeButton(tr("Save rules…"), "saveRules"),
                *m_import = makeButton(tr("Import again with these rules"), "importAgain");
    QToolButton* m_close = nullptr;
};

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

// Imports traces and shows the progress, then the report of the imported run. Also shows the report
// of a run that was imported earlier.
class ImportPage : public Page
{
public:
    // Starts to import the traces of one job, given as files or folders. `rules` are the user's
    // rules as TOML; "": none.
    ImportPage(const ThemeController& theme, RunLibrary& library, const QStringList& traces,
               const QString& rules)
        : ImportPage(theme, library)
    {
        m_name = nameOfTraces(traces);
        m_traces = traces;
        m_rulesText = rules;
        setInitialFocus(m_cancel);
        m_importer.start(traces, rules);
    }

    // Shows the report of a run that was imported earlier.
    ImportPage(const ThemeController& theme, RunLibrary& library,
               std::shared_ptr<RunDocument> document)
        : ImportPage(theme, library)
    {
        setDocument(std::move(document));
    }

    QString title() const override
    {
        return tr("Import: %1").arg(m_document ? m_document->title() : m_name);
    }

    QStringList statusTexts() const override
    {
        const RunPointer run = m_document ? m_document->run() : nullptr;
        if (!run || !run->info.import)
            return {m_stack->currentIndex() == 1 ? tr("not imported") : tr("importing")};
        const auto ops = static_cast<std::int64_t>(engine::opCount(run->schedule));
        return {tr("<b>Imported</b> %1").arg(countOf(run->schedule.shape.devices, "device")),
                countOf(ops, "op"),
                countOf(static_cast<std::int64_t>(run->info.import->warnings.size()), "warning")};
    }

    QString statusNote() const override
    {
        const RunPointer run = m_document ? m_document->run() : nullptr;
        return run && run->info.import ? coverageTitle(*run->info.import) : QString();
    }

    // Asks before rules are lost that were typed and not saved.
    bool queryClose() override
    {
        return m_pane == nullptr || m_pane->rules() == m_keptRules
            || mayDiscard(tr("The set of rules"), 0, this, [this] { return saveRules(); });
    }

    // nullptr: not imported yet.
    const RunDocument* document() const override { return m_document.get(); }

private:
    ImportPage(const ThemeController& theme, RunLibrary& library)
        : m_theme(theme)
        , m_library(library)
    {
        setObjectName(QStringLiteral("importPage"));
        makeActions();
        for (QWidget* part :
             {makeProgress(), makeColumn({40, 40, 40, 40}, 0, {m_failed}, ""), makeReportPart()})
            m_stack->addWidget(part);
        spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_stack);
        connect(m_runs, &RunsDock::pageRequested, this, &Page::pageRequested);
        connect(m_failed, &EmptyState::activated, this,
                [this] { Q_EMIT filesRequested(FileKind::Traces); });
        connect(&m_importer, &TraceImporter::progressed, this, &ImportPage::showProgress);
        connect(&m_importer, &TraceImporter::failed, this, &ImportPage::showFailure);
        connect(&m_importer, &TraceImporter::finished, this,
                [this](const QString& file) { setDocument(m_library.open(file)); });
    }

    // The file, the rate and the time left, and a button to cancel the import.
    QWidget* makeProgress()
    {
        m_progressBar->setRange(0, kProgressSteps);
        auto* box = makeColumn({}, 8,
                               {m_progressTitle,
                                m_progressFile,
                                m_progressBar,
                                m_progressNumbers,
                                {m_cancel, 0, Qt::AlignRight}},
                               "");
        box->setFixedWidth(kProgressWidth);
        return makeColumn({}, 0, {kStretch, {box, 0, Qt::AlignHCenter}, kStretch}, "");
    }

    void showProgress(const ImportState& state)
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

    QWidget* makeReportPart()
    {
        m_unchanged->setText(tr("the trace files are not modified"));
        auto* bar = makeBar(40, 10,
                            {m_heading,
                             new Tag(m_theme, tr("imported")),
                             {m_unchanged, 1},
                             makeActionButton(m_editRules),
                             makeActionButton(m_saveReport),
                             m_open});
        auto* centre = makeColumn({}, 0, {bar, makeLine(Qt::Horizontal), {m_report, 1}});
        return m_columns = makeSplitter(Qt::Horizontal, {{m_runs, 216}, {centre, 1300, 1}});
    }

    void makeActions()
    {
        m_editRules = makeAction("editRules", tr("Edit rules…"), Qt::Key_R, {},
                                 tr("try your own rules on the traces"));
        m_editRules->setCheckable(true);
        connect(m_editRules, &QAction::toggled, this, &ImportPage::showRules);
        m_saveReport = makeAction(
            "saveImportReport", tr("Save report…"), QKeySequence::Save,
            [this] {
                m_saver.saveText(
                    {tr("Save report"), m_document->title(), tr("Reports (*.json)")},
                    [run = m_document->run()] { return profiler::importSheet(*run).json(); });
            },
            tr("write the report as JSON, as bscope import --json prints it"));
        inMenu(Menu::Analyze, {m_editRules});
        inMenu(Menu::Export, {m_saveReport});
        for (QAction* action : {m_editRules, m_saveReport})
            action->setEnabled(false);
    }

    // In a small window the rules take the place of the list of runs.
    void showRules(bool shown)
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
            m_columns->setSizes(
                {m_runs->width(), width() - m_runs->width() - kPaneWidth, kPaneWidth});
            connect(m_pane->m_close, &QToolButton::clicked, m_editRules, &QAction::toggle);
            connect(m_pane->m_save, &QPushButton::clicked, this, &ImportPage::saveRules);
            connect(m_pane->m_import, &QPushButton::clicked, this, [this, sources] {
                Q_EMIT pageRequested({.kind = "import", .files = sources, .text = m_pane->rules()});
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

    // Returns false if the user cancelled or the file cannot be written.
    bool saveRules()
    {
        const QString rules = m_pane->rules();
        if (m_saver
                .saveNow({tr("Save rules"), QStringLiteral("rules"), tr("Rules (*.toml)")},
                         rules.toStdString())
                .isEmpty())
            return false;
        m_keptRules = rules;
        return true;
    }

    void setDocument(std::shared_ptr<RunDocument> document)
    {
        m_document = std::move(document);
        connect(m_document.get(), &RunDocument::stateChanged, this, &ImportPage::showDocument);
        connect(&m_theme, &ThemeController::unitsChanged, this, &ImportPage::showDocument);
        showDocument();
    }

    void showDocument()
    {
        if (m_document->state() == RunDocument::State::Failed)
            return showFailure(m_document->notice().text);
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

    void showFailure(const QString& reason)
    {
        m_failed->setTexts(tr("The traces cannot be imported."), reason);
        m_stack->setCurrentIndex(1);
        setInitialFocus(m_failed->button());
        if (isVisible())
            m_failed->button()->setFocus();
        Q_EMIT statusChanged();
    }

    const ThemeController& m_theme;
    RunLibrary& m_library;
    QString m_name, m_rulesText; // name of the traces; the user's rules
    QString m_keptRules;         // as last saved, or the initial ones
    QStringList m_traces;        // empty if the run was imported earlier
    TraceImporter m_importer;
    std::shared_ptr<RunDocument> m_document;
    QStackedWidget* m_stack = new QStackedWidget;
    QLabel *m_progressTitle = makeLabel(tr("Reading traces"), "heading"),
           *m_progressFile = named(makeLabel({}, "small"), "importFile"),
           *m_progressNumbers = named(makeLabel({}, "small"), "importNumbers");
    QProgressBar* m_progressBar
        = named(new QProgressBar, "importBar", tr("Progress of the import"));
    QPushButton *m_cancel = makeButton(tr("Cancel"), "cancelImport", "", this,
                                       [this] {
                                           m_importer.cancel();
                                           Q_EMIT closeRequested();
                                       }),
                *m_open = makeButton(tr("Open run"), "openImported", "primary", this, [this] {
                    Q_EMIT pageRequested({"run", {m_document->file()}});
                });
    EmptyState* m_failed = named(
        new EmptyState(
            m_theme,
            {Icon::Error, tr("The traces cannot be imported."), {}, tr("Import other traces…")}),
        "importFailed");
    RunsDock* m_runs = new RunsDock(m_theme, m_library);
    ImportReportView* m_report
        = new ImportReportView(m_theme, [this](const engine::ImportReport::Match& match) {
              Q_EMIT pageRequested({.kind = "run", .runs = {m_document}, .place = placeOf(match)});
          });
    QLabel* m_heading = makeLabel({}, "section");
    ElidedLabel* m_unchanged = new ElidedLabel("small");
    QAction *m_editRules, *m_saveReport;
    RulesPane* m_pane = nullptr; // created on first use
    QSplitter* m_columns = nullptr;
    RunSaver m_saver{this};
};

} // namespace

Page* makeImport(const ThemeController& theme, RunLibrary& library, const QStringList& traces,
                 const QString& rules)
{
    return new ImportPage(theme, library, traces, rules);
}

Page* makeImport(const ThemeController& theme, RunLibrary& library,
                 const std::shared_ptr<RunDocument>& document)
{
    return new ImportPage(theme, library, document);
}

} // namespace app
