#include "app/setup/preview_predictor.h"

#include <utility>

namespace app {
namespace {

// A job with more ops than this is cancelled (at its next step) when a newer request comes. A
// smaller job finishes first, so that the picture keeps moving.
constexpr std::int64_t kLong = 1'000'000;

PreviewPredictor::Answer answerOf(engine::Result<Prediction> result)
{
    PreviewPredictor::Answer answer;
    if (result && result->run != nullptr)
        answer.view = std::make_shared<RunView>(result->run);
    answer.prediction = std::make_shared<const engine::Result<Prediction>>(std::move(result));
    return answer;
}

// Caches the schedule that was built last. Only one job at a time uses it.
class Worker
{
public:
    PreviewPredictor::Answer predicted(const PredictionRequest& request,
                                       const std::atomic<bool>& isDropped)
    {
        if (!m_prepared || !m_request.hasSameOrder(request)) {
            m_prepared.reset();
            auto prepared = prepare(request);
            if (!prepared)
                return answerOf(tl::unexpected(prepared.error()));
            m_prepared = *std::move(prepared);
            m_request = request;
        }
        return isDropped ? PreviewPredictor::Answer() : answerOf(predict(*m_prepared, request));
    }

private:
    PredictionRequest m_request;
    std::optional<PreparedSchedule> m_prepared;
};

} // namespace

PreviewPredictor::PreviewPredictor(QObject* parent)
    : QObject(parent)
    , m_jobs(
          this,
          [worker = std::make_shared<Worker>()](const PredictionRequest& request,
                                                const std::atomic<bool>& isDropped) {
              return worker->predicted(request, isDropped);
          },
          [this](Answer answer) {
              answer.isNewest = !m_jobs.isBusy();
              Q_EMIT answered(answer);
          },
          decltype(m_jobs)::Older::Delivered, *QThreadPool::globalInstance(), 1)
{ }

void PreviewPredictor::ask(const PredictionRequest& request)
{
    const std::int64_t ops = estimatedOps(request.schedule);
    if (ops <= kInstantOps) {
        drop();
        Q_EMIT answered(answerOf(predict(request)));
        return;
    }
    if (ops > kLong)
        m_jobs.dropRunning();
    m_jobs.ask(request);
}

} // namespace app
