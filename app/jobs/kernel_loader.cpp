#include "app/jobs/kernel_loader.h"

#include "profiler/store/trace_store.h"

#include <utility>

namespace app {
namespace {

struct Answer
{
    KernelViewPointer kernels;
    QString failure;
};

Answer read(const engine::Run& run, const std::string& file)
{
    auto trace = profiler::readGpuTrace(file);
    if (!trace)
        return {nullptr, QString::fromStdString(trace.error().message)};
    return {std::make_shared<const KernelView>(run, profiler::GpuActivity(run, std::move(*trace))),
            {}};
}

} // namespace

KernelLoader::KernelLoader(QObject* parent)
    : QObject(parent)
    , m_background(this)
{ }

void KernelLoader::load(const RunPointer& run, const QString& file)
{
    m_background.run([run, path = file.toStdString()] { return read(*run, path); },
                     [this, asked = ++m_asked](const Answer& answer) {
                         if (asked == m_asked)
                             Q_EMIT loaded(answer.kernels, answer.failure);
                     });
}

} // namespace app
