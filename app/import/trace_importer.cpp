#include "app/import/trace_importer.h"

#include "app/documents/run_library.h"
#include "app/import/rules_pane.h"
#include "engine/base/new_file.h"
#include "engine/base/try.h"
#include "engine/base/version.h"
#include "profiler/import/import.h"
#include "profiler/store/trace_store.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace app {
namespace {

using engine::Result;
constexpr int kReportMilliseconds = 100;

struct Imported
{
    QString file, failure;
};

Result<QString> writeImported(profiler::ImportedRun imported)
{
    imported.run.info.program = engine::buildId();
    auto file = TRY(engine::NewFile::firstFree(runFileNames(
        QStringLiteral("import-%1").arg(QString::fromStdString(imported.run.info.scheme)))));
    const QString name = QString::fromStdString(file.target().string());
    TRY(profiler::writeRun(std::move(file), imported.run, std::move(imported.gpu)));
    return name;
}

} // namespace

struct TraceImporter::Shared
{
    std::atomic<bool> isCancelled = false;
    std::mutex mutex;
    profiler::ImportProgress progress; // protected by `mutex`

    // Called by the worker thread after each step. Returns false if the import is cancelled.
    bool goesOn(const profiler::ImportProgress& now)
    {
        const std::lock_guard lock(mutex);
        progress = now;
        return !isCancelled;
    }
    Imported import(const std::vector<std::filesystem::path>& paths, const std::string& toml)
    {
        const auto rules = rulesOf(toml);
        if (!rules)
            return {{}, QString::fromStdString(rules.error().message)};
        auto imported = profiler::importTraces(paths, *rules,
                                               [this](const auto& now) { return goesOn(now); });
        if (!imported)
            return {{}, QString::fromStdString(imported.error().message)};
        if (isCancelled)
            return {};
        const auto file = writeImported(*std::move(imported));
        if (!file)
            return {{}, QString::fromStdString(file.error().message)};
        if (isCancelled) {
            std::error_code ignored;
            std::filesystem::remove(file->toStdString(), ignored);
        }
        return {*file, {}};
    }
};

double ImportState::secondsLeft() const
{
    return rate() > 0 ? static_cast<double>(allBytes - bytes) / rate() : -1;
}

TraceImporter::TraceImporter(QObject* parent)
    : QObject(parent)
    , m_shared(std::make_shared<Shared>())
    , m_background(this)
{
    m_clock.setInterval(kReportMilliseconds);
    connect(&m_clock, &QTimer::timeout, this, &TraceImporter::report);
}

TraceImporter::~TraceImporter()
{
    cancel();
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
                     [this](const Imported& answer) {
                         m_clock.stop();
                         if (m_shared->isCancelled)
                             return;
                         if (answer.failure.isEmpty())
                             Q_EMIT finished(answer.file);
                         else
                             Q_EMIT failed(answer.failure);
                     });
}

void TraceImporter::cancel()
{
    m_clock.stop();
    m_shared->isCancelled = true;
}

void TraceImporter::report()
{
    profiler::ImportProgress now;
    {
        const std::lock_guard lock(m_shared->mutex);
        now = m_shared->progress;
    }
    const bool isRead = now.allBytes > 0 && now.bytes >= now.allBytes;
    Q_EMIT progressed({isRead ? QString() : QString::fromStdString(now.file), now.bytes,
                       now.allBytes, static_cast<double>(m_sinceStart.elapsed()) / 1e3});
}

} // namespace app
