#include "app/run/kernel_loader.h"

#include "profiler/analysis/kernel_table.h"
#include "profiler/store/trace_store.h"

#include <utility>

namespace app {

KernelLoader::Answer KernelLoader::read(const Request& request)
{
    auto trace = profiler::readGpuTrace(request.file);
    if (!trace)
        return {nullptr, QString::fromStdString(trace.error().message)};
    const engine::Run& run = *request.run;
    return {std::make_shared<const KernelView>(run, profiler::GpuActivity(run, std::move(*trace))),
            QString::fromStdString(profiler::whyNoKernels(run.info))};
}

KernelLoader::KernelLoader(QObject* parent)
    : QObject(parent)
{ }

void KernelLoader::ask(const RunPointer& run, const RunDocument& document)
{
    const bool isComplete = document.state() == RunDocument::State::Finished
        && run == document.run() && !document.file().isEmpty();
    if (!isComplete || run->info.inUnits()) {
        m_run.reset();
        m_reading.drop();
        Q_EMIT missing(document.isRunning()
                           ? tr("Kernels are read when the run is complete.")
                           : QString::fromStdString(profiler::whyNoKernels(run->info)));
        return;
    }
    if (std::exchange(m_run, run) != run)
        m_reading.ask({run, document.file().toStdString()});
}

} // namespace app
