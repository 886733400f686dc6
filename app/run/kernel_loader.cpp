#include "app/run/kernel_loader.h"

#include "profiler/analysis/kernel_table.h"
#include "profiler/store/trace_store.h"

#include <utility>

namespace app {
namespace {

struct Answer
{
    KernelViewPointer kernels;
    QString reason;
};

Answer read(const engine::Run& run, const std::string& file)
{
    auto trace = profiler::readGpuTrace(file);
    if (!trace)
        return {nullptr, QString::fromStdString(trace.error().message)};
    return {std::make_shared<const KernelView>(run, profiler::GpuActivity(run, std::move(*trace))),
            QString::fromStdString(profiler::whyNoKernels(run.info))};
}

} // namespace

KernelLoader::KernelLoader(QObject* parent)
    : QObject(parent)
    , m_background(this)
{ }

void KernelLoader::ask(const RunPointer& run, const RunDocument& document)
{
    const bool isComplete = document.state() == RunDocument::State::Finished
        && run == document.run() && !document.file().isEmpty();
    if (!isComplete || run->info.inUnits()) {
        m_run.reset();
        Q_EMIT missing(document.isRunning()
                           ? tr("Kernels are read when the run is complete.")
                           : QString::fromStdString(profiler::whyNoKernels(run->info)));
        return;
    }
    if (std::exchange(m_run, run) == run)
        return;
    m_background.run([run, path = document.file().toStdString()] { return read(*run, path); },
                     [this, run](const Answer& answer) {
                         if (run == m_run)
                             Q_EMIT loaded(answer.kernels, answer.reason);
                     });
}

} // namespace app
