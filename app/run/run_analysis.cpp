#include "app/run/run_analysis.h"

#include "profiler/analysis/gpu_activity.h"
#include "profiler/predict/predict.h"
#include "profiler/store/trace_store.h"
#include "profiler/whatif/own_replay.h"

#include <utility>

namespace app {
namespace {

RunViewPointer assumedIteration(const engine::Run& run)
{
    auto assumed = profiler::schematic(run);
    return assumed
        ? std::make_shared<const RunView>(std::make_shared<const engine::Run>(*std::move(assumed)))
        : nullptr;
}

RunPointer predictedIteration(const engine::Run& run)
{
    const auto replay = profiler::OwnReplay::ofMedians(run);
    return replay ? std::make_shared<const engine::Run>(replay->placed()) : nullptr;
}

QString whyNoKernelsOf(const engine::Run& run)
{
    return QString::fromStdString(profiler::whyNoKernels(run.info));
}

std::pair<KernelViewPointer, QString> readKernels(const engine::Run& run, const std::string& file)
{
    auto trace = profiler::readGpuTrace(file);
    if (!trace)
        return {nullptr, QString::fromStdString(trace.error().message)};
    return {std::make_shared<const KernelView>(run, profiler::GpuActivity(run, std::move(*trace))),
            whyNoKernelsOf(run)};
}

} // namespace

RunAnalysis::RunAnalysis(QObject* parent)
    : QObject(parent)
    , m_metrics(
          this,
          [](const Request& asked, const auto&) {
              return Answer{asked, profiler::metrics(*asked.run, asked.iteration),
                            iterationRows(*asked.run, asked.first)};
          },
          [this](const Answer& answer) {
              m_reported = answer.first + answer.rows.size();
              Q_EMIT iterationsDone(answer.run, answer.first, answer.rows);
              if (answer.metrics)
                  Q_EMIT answered(answer.run, *answer.metrics);
          },
          decltype(m_metrics)::Older::Delivered)
    , m_ranges(
          this,
          [](const RangeRequest& asked, const auto&) {
              return RangeAnswer{asked.first, profiler::rangeMetrics(*asked.first, asked.second)};
          },
          [this](const RangeAnswer& answer) {
              if (answer.second)
                  Q_EMIT rangeAnswered(answer.first, *answer.second);
          })
    , m_predictions(
          this, [](const RunPointer& run, const auto&) { return predictedIteration(*run); },
          [this](const RunPointer& prediction) {
              if (prediction)
                  Q_EMIT predicted(prediction);
          })
    , m_assumed(
          this, [](const RunPointer& run, const auto&) { return assumedIteration(*run); },
          [this](const RunViewPointer& iteration) {
              if (iteration)
                  Q_EMIT assumed(iteration);
          })
    , m_kernels(
          this,
          [](const KernelRequest& asked, const auto&) {
              return readKernels(*asked.first, asked.second);
          },
          [this](const Kernels& kernels) { Q_EMIT kernelsRead(kernels.first, kernels.second); })
{ }

void RunAnalysis::ask(const RunPointer& run, int iteration)
{
    // The iteration that was delivered last is delivered again, because it may have grown.
    if (run && iteration >= 0)
        m_metrics.ask({run, iteration, m_reported > 0 ? m_reported - 1 : 0});
}

void RunAnalysis::askRange(const RunPointer& run, engine::Window range)
{
    if (run && range.duration() > 0)
        m_ranges.ask({run, range});
}

void RunAnalysis::askPrediction(const RunPointer& run, bool isComplete)
{
    if (!run || run->info.mode == engine::Mode::Simulate || m_isPredicted)
        return;
    const std::size_t iterations = run->timeline.iterations.size();
    if (iterations == 0 && !std::exchange(m_isAssumed, true))
        m_assumed.ask(run);
    if (iterations == 0 || (iterations < m_nextPrediction && !isComplete))
        return;
    m_nextPrediction = 2 * iterations;
    m_isPredicted = isComplete;
    m_predictions.ask(run);
}

void RunAnalysis::askKernels(const RunPointer& run, const RunDocument& document)
{
    const bool isComplete = document.state() == RunDocument::State::Finished
        && run == document.run() && !document.file().isEmpty();
    if (isComplete && !run->info.inUnits()) {
        if (std::exchange(m_kernelsOf, run) != run)
            m_kernels.ask({run, document.file().toStdString()});
        return;
    }
    m_kernelsOf.reset();
    m_kernels.drop();
    Q_EMIT kernelsRead(nullptr,
                       document.isRunning() ? tr("Kernels are read when the run is complete.")
                                            : whyNoKernelsOf(*run));
}

} // namespace app
