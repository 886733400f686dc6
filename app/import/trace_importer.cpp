#include "app/import/trace_importer.h"

#include "app/documents/run_library.h"
#include "app/ui/text.h"
#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "profiler/store/trace_store.h"

#include <atomic>
#include <mutex>
#include <utility>

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

} // namespace app
