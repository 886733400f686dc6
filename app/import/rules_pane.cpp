#include "app/import/rules_pane.h"

#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/numbers.h"
#include "app/ui/segment_control.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "engine/base/try.h"
#include "profiler/import/import.h"
#include "resources/resources.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSplitter>
#include <QStackedWidget>
#include <QTextBlock>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <utility>

namespace app {
namespace {

namespace fs = std::filesystem;
constexpr int kPause = 400; // ms; a preview starts when no key was pressed for this time
// A preview reads files of at most this size on disk in total, which takes a few seconds.
constexpr std::int64_t kMostBytes = std::int64_t{48} << 20;

bool hasRules(const std::string& toml)
{
    const QStringList lines = QString::fromStdString(toml).split(QLatin1Char('\n'));
    return std::any_of(lines.begin(), lines.end(), [](const QString& line) {
        const QString text = line.trimmed();
        return !text.isEmpty() && !text.startsWith(QLatin1Char('#'));
    });
}

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

} // namespace

engine::Result<profiler::Rules> rulesOf(const std::string& toml)
{
    return hasRules(toml) ? profiler::Rules::parse(toml, "rules") : profiler::Rules::shipped();
}

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

int sourceCount(const engine::ImportReport& report)
{
    std::set<fs::path> files;
    for (const auto& rank : report.ranks)
        files.insert(fileOf(rank.file));
    return static_cast<int>(files.size());
}

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

} // namespace app
