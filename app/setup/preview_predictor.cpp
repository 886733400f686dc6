#include "app/setup/preview_predictor.h"

#include <utility>

namespace app {
namespace {

// A job with more ops than this is cancelled (at its next step) when a newer request comes. A
// smaller job finishes first, so that the picture keeps moving.
constexpr std::int64_t kLong = 1'000'000;

using Predicted = std::shared_ptr<const engine::Result<Prediction>>;

PreviewPredictor::Answer answerOf(engine::Result<Prediction> result)
{
    PreviewPredictor::Answer answer;
    if (result && result->run != nullptr)
        answer.view = std::make_shared<RunView>(result->run);
    answer.prediction = std::make_shared<const engine::Result<Prediction>>(std::move(result));
    return answer;
}

} // namespace

// Predicts in the pool. It caches the schedule that was built last.
class PreviewPredictor::Worker
{
public:
    Answer predicted(const PredictionRequest& request, const std::atomic<bool>& isDropped)
    {
        if (!m_prepared || !m_request.hasSameOrder(request)) {
            m_prepared.reset();
            auto prepared = prepare(request);
            if (!prepared)
                return answerOf(tl::unexpected(prepared.error()));
            m_prepared = *std::move(prepared);
            m_request = request;
        }
        return isDropped ? Answer() : answerOf(predict(*m_prepared, request));
    }

private:
    PredictionRequest m_request;
    std::optional<PreparedSchedule> m_prepared;
};

PreviewPredictor::PreviewPredictor(QObject* parent)
    : QObject(parent)
    , m_worker(std::make_shared<Worker>())
    , m_isDropped(std::make_shared<std::atomic<bool>>(false))
{ }

void PreviewPredictor::ask(const PredictionRequest& request)
{
    if (estimatedOps(request.schedule) <= kInstantOps) {
        drop();
        Q_EMIT answered(answerOf(predict(request)));
        return;
    }
    if (!m_isBusy)
        return start(request);
    m_next = request;
    if (m_opsAtWork > kLong)
        *m_isDropped = true;
}

void PreviewPredictor::drop()
{
    m_next.reset();
    *m_isDropped = true;
}

void PreviewPredictor::start(const PredictionRequest& request)
{
    m_isBusy = true;
    m_opsAtWork = estimatedOps(request.schedule);
    m_isDropped = std::make_shared<std::atomic<bool>>(false);
    m_background.run([worker = m_worker, dropped = m_isDropped,
                      request] { return worker->predicted(request, *dropped); },
                     [this](const Answer& answer) { finished(answer); }, 1);
}

void PreviewPredictor::finished(const Answer& answer)
{
    m_isBusy = false;
    Answer given = answer;
    given.isNewest = !m_next;
    const bool isCurrent = !*m_isDropped && answer.prediction != nullptr;
    if (m_next)
        start(*std::exchange(m_next, std::nullopt));
    if (isCurrent)
        Q_EMIT answered(given);
}

} // namespace app
