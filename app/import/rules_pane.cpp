#include "app/import/rules_pane.h"

#include "app/import/import_facts.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/numbers.h"
#include "app/ui/segment_control.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
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

struct Previewed
{
    engine::ImportReport report;
    QString failure;
};

bool hasRules(const std::string& toml)
{
    const QStringList lines = QString::fromStdString(toml).split(QLatin1Char('\n'));
    return std::any_of(lines.begin(), lines.end(), [](const QString& line) {
        const QString text = line.trimmed();
        return !text.isEmpty() && !text.startsWith(QLatin1Char('#'));
    });
}

Previewed preview(const std::vector<fs::path>& files, const std::string& toml,
                  const std::atomic<bool>& isDropped)
{
    const auto rules = rulesOf(toml);
    if (!rules)
        return {{}, QString::fromStdString(rules.error().message)};
    const auto imported
        = profiler::importTraces(files, *rules, [&](const auto&) { return !isDropped.load(); });
    if (!imported)
        return {{}, QString::fromStdString(imported.error().message)};
    return {*imported->run.info.import, {}};
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

RulesPreview::RulesPreview(QStringList sources, QObject* parent)
    : QObject(parent)
    , m_sources(std::move(sources))
    , m_isDropped(std::make_shared<std::atomic<bool>>(false))
    , m_background(this)
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(kPause);
    connect(&m_pause, &QTimer::timeout, this, &RulesPreview::run);
}

RulesPreview::~RulesPreview()
{
    *m_isDropped = true;
}

void RulesPreview::ask(const QString& toml)
{
    m_toml = toml;
    m_pause.start();
}

// Selects the trace files to read: the smallest ones, up to kMostBytes in total, but at least one.
RulesPreview::Sample RulesPreview::sampleOf(const QStringList& sources)
{
    std::vector<fs::path> paths;
    for (const QString& source : sources)
        paths.emplace_back(source.toStdString());
    const auto found = profiler::findTraceFiles(paths);
    if (!found)
        return {{}, {}, QString::fromStdString(found.error().message)};
    std::vector<fs::path> files = *found;
    std::ranges::stable_sort(files, {}, sizeOf);
    std::int64_t bytes = 0;
    Sample sample;
    for (const fs::path& file : files) {
        bytes += sizeOf(file);
        if (!sample.files.empty() && bytes > kMostBytes)
            break;
        sample.files.push_back(file);
    }
    const auto count = static_cast<std::int64_t>(files.size());
    const QString first = QString::fromStdString(sample.files.front().filename().string());
    if (sample.files.size() == files.size())
        sample.what = count == 1 ? first : tr("all %1").arg(countOf(count, "trace"));
    else if (sample.files.size() == 1)
        sample.what = tr("%1, 1 of %2").arg(first, countOf(count, "trace"));
    else
        sample.what
            = tr("the %1 smallest of %2").arg(sample.files.size()).arg(countOf(count, "trace"));
    std::ranges::sort(sample.files);
    return sample;
}

void RulesPreview::run()
{
    *m_isDropped = true;
    Q_EMIT started();
    if (m_hasBaseline)
        return start(m_toml, false);
    if (m_hasSample)
        return start({}, true);
    if (std::exchange(m_isWaiting, true))
        return;
    m_background.run([sources = m_sources] { return sampleOf(sources); },
                     [this](const Sample& sample) {
                         m_isWaiting = false;
                         if (!sample.failure.isEmpty())
                             return fail(sample.failure);
                         m_sample = sample;
                         m_hasSample = true;
                         Q_EMIT sampled(sample.what);
                         start({}, true);
                     });
}

void RulesPreview::start(const QString& toml, bool isBaseline)
{
    m_isDropped = std::make_shared<std::atomic<bool>>(false);
    m_background.run([files = m_sample.files, text = toml.toStdString(),
                      isDropped = m_isDropped] { return preview(files, text, *isDropped); },
                     [this, isBaseline, isDropped = m_isDropped](const Previewed& answer) {
                         if (*isDropped)
                             return;
                         if (!answer.failure.isEmpty())
                             return fail(answer.failure);
                         if (isBaseline) {
                             m_hasBaseline = true;
                             Q_EMIT baseline(answer.report);
                             start(m_toml, false);
                             return;
                         }
                         Q_EMIT previewed(answer.report);
                     });
}

void RulesPreview::fail(const QString& reason)
{
    static const QRegularExpression place(QStringLiteral("^rules: (?:line (\\d+): )?"));
    const auto match = place.match(reason);
    Q_EMIT failed(match.hasMatch() ? reason.mid(match.capturedLength()) : reason,
                  match.captured(1).toInt());
}

namespace {

using engine::ImportReport;

double shareOf(const ImportReport& report, std::int64_t time)
{
    return report.time > 0 ? static_cast<double>(time) / static_cast<double>(report.time) : 0;
}

} // namespace

RulesPreviewModel::RulesPreviewModel(QObject* parent)
    : TableModel(parent)
{ }

void RulesPreviewModel::show(const ImportReport& before, const std::optional<ImportReport>& after)
{
    std::vector<RulePreviewRow> rows;
    const auto rowOf = [&](const ImportReport::Rule& rule) -> RulePreviewRow& {
        const QString name = QString::fromStdString(rule.name);
        const auto known = std::ranges::find(rows, name, &RulePreviewRow::name);
        if (known != rows.end())
            return *known;
        return rows.emplace_back(RulePreviewRow{name, QString::fromStdString(rule.title), 0, 0, 0});
    };
    const ImportReport& last = after ? *after : before;
    for (const ImportReport::Rule& rule : last.rules) {
        RulePreviewRow& row = rowOf(rule);
        row.after = shareOf(last, rule.time);
        row.matches = rule.matches;
    }
    for (const ImportReport::Rule& rule : before.rules)
        rowOf(rule).before = shareOf(before, rule.time);
    rows.push_back({{}, tr("No rule matches"), 1 - before.classified(), 1 - last.classified(), 0});
    using Column = TableColumn<RulePreviewRow>;
    const auto change = [](const RulePreviewRow& row) {
        const QString text = signedNumber(100 * (row.after - row.before), 1);
        return text == QStringLiteral("0") ? QVariant(QString()) : QVariant(text);
    };
    const auto verdict = [](const RulePreviewRow& row) {
        const bool isRest = row.name.isEmpty();
        return QVariant(static_cast<int>(!isRest                      ? Verdict::Neutral
                                             : row.after < row.before ? Verdict::Better
                                                                      : Verdict::Worse));
    };
    reset(
        {Column(
             tr("Rule"),
             [](const RulePreviewRow& row) {
                 return row.name.isEmpty() ? tr("unclassified") : row.name;
             },
             Qt::AlignLeft)
             .with(kHintRole,
                   [](const RulePreviewRow& row) { return QVariant(row.name.isEmpty()); })
             .with(Qt::ToolTipRole, [](const RulePreviewRow& row) { return QVariant(row.title); }),
         Column(tr("Matches"),
                [](const RulePreviewRow& row) {
                    return row.name.isEmpty() ? QString()
                                              : number(static_cast<double>(row.matches), 0);
                }),
         Column(tr("Before, %"),
                [](const RulePreviewRow& row) { return number(100 * row.before, 1); }),
         Column(tr("After, %"),
                [](const RulePreviewRow& row) { return number(100 * row.after, 1); })
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
    , m_model(new RulesPreviewModel(this))
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
    m_table->setModel(m_model);
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
    if (!areGone)
        m_preview = std::make_unique<RulesPreview>(sources, nullptr);
    if (areGone)
        m_band->show(Band::Kind::Warning, tr("The traces of this run no longer exist,"),
                     tr("so rules cannot be tried. Import the traces again from their new "
                        "folder."));
    else if (sources.size() < of)
        m_band->show(Band::Kind::Warning,
                     tr("Only %1 of the %2 traces still exist.").arg(sources.size()).arg(of),
                     tr("The coverage refers to these."));
    connectPreview();
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

void RulesPane::connectPreview()
{
    if (m_preview == nullptr)
        return;
    connect(m_own, &QPlainTextEdit::textChanged, this, [this] { m_preview->ask(rules()); });
    connect(m_preview.get(), &RulesPreview::started, this,
            [this] { m_state->setText(tr("reading the traces")); });
    connect(m_preview.get(), &RulesPreview::sampled, this,
            [this](const QString& what) { m_sample->setText(tr("From %1").arg(what)); });
    connect(m_preview.get(), &RulesPreview::failed, this, &RulesPane::showFailure);
    connect(m_preview.get(), &RulesPreview::baseline, this,
            [this](const engine::ImportReport& report) {
                m_before = report;
                showCoverage();
            });
    connect(m_preview.get(), &RulesPreview::previewed, this,
            [this](const engine::ImportReport& report) {
                m_after = report;
                m_band->hide();
                markLine(0);
                showCoverage();
                m_state->setText(
                    tr("%1 before, %2 after")
                        .arg(percent(m_before->classified()), percent(report.classified())));
            });
    m_preview->ask(rules());
}

void RulesPane::showCoverage()
{
    m_model->show(*m_before, m_after);
}

void RulesPane::showFailure(const QString& reason, int line)
{
    m_band->show(Band::Kind::Error,
                 line > 0 ? tr("Line %1:").arg(line) : tr("The rules are not applied:"),
                 reason + QLatin1Char('.'));
    markLine(line);
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
