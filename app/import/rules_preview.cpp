#include "app/import/rules_preview.h"

#include "app/ui/numbers.h"
#include "profiler/import/import.h"

#include <QRegularExpression>

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

} // namespace app
