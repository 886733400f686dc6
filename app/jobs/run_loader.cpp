#include "app/jobs/run_loader.h"

#include "profiler/store/trace_store.h"

#include <utility>

namespace app {
namespace {

struct Loaded
{
    std::shared_ptr<const engine::Run> run;
    QString warning, failure;
};

Loaded readWhole(const std::string& file, const std::atomic<bool>& cancelled)
{
    auto reader = profiler::TraceReader::open(file);
    if (!reader)
        return {nullptr, {}, QString::fromStdString(reader.error().message)};
    auto run = std::make_shared<engine::Run>();
    for (bool goesOn = true; goesOn && !cancelled;) {
        const engine::Result<bool> grew = reader->poll(*run);
        if (!grew)
            return {nullptr, {}, QString::fromStdString(grew.error().message)};
        goesOn = *grew;
    }
    if (const auto hasOps = profiler::checkHasOps(*run, file); !hasOps)
        return {nullptr, {}, QString::fromStdString(hasOps.error().message)};
    return {std::move(run), QString::fromStdString(reader->warning()), {}};
}

} // namespace

RunLoader::RunLoader(QObject* parent)
    : QObject(parent)
    , m_cancelled(std::make_shared<std::atomic<bool>>(false))
    , m_background(this)
{ }

RunLoader::~RunLoader()
{
    cancel();
}

void RunLoader::load(const QString& file)
{
    cancel();
    m_cancelled = std::make_shared<std::atomic<bool>>(false);
    m_background.run([path = file.toStdString(),
                      cancelled = m_cancelled] { return readWhole(path, *cancelled); },
                     [this, cancelled = m_cancelled](const Loaded& answer) {
                         if (*cancelled)
                             return;
                         if (answer.failure.isEmpty())
                             Q_EMIT loaded(answer.run, answer.warning);
                         else
                             Q_EMIT failed(answer.failure);
                     });
}

void RunLoader::cancel()
{
    *m_cancelled = true;
}

} // namespace app
