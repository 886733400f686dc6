#include "app/jobs/predictor.h"

#include <algorithm>
#include <utility>

namespace app {
namespace {

constexpr std::size_t kRemembered = 400; // a dozen settings of all schemes
constexpr std::size_t kLargest = 20'000; // boxes of a picture that is worth remembering

Predictor::Answer summaryOf(const PredictionRequest& request)
{
    auto result = predict(request);
    if (result)
        result->run.reset();
    return std::make_shared<const engine::Result<Prediction>>(std::move(result));
}

} // namespace

Predictor::Predictor(QObject* parent)
    : QObject(parent)
    , m_generation(std::make_shared<std::atomic<int>>(0))
{ }

void Predictor::startOver()
{
    m_generation->fetch_add(1);
    m_waiting.clear();
}

Predictor::Answer Predictor::known(const PredictionRequest& request) const
{
    const auto found = std::ranges::find(
        m_known, request, [](const auto& pair) -> const auto& { return pair.first; });
    return found == m_known.end() ? nullptr : found->second;
}

void Predictor::remember(const PredictionRequest& request, const Answer& answer)
{
    if (!answer->has_value() || (*answer)->thumbnail.boxes.size() > kLargest)
        return;
    m_known.emplace_front(request, answer);
    if (m_known.size() > kRemembered)
        m_known.pop_back();
}

void Predictor::ask(const QString& key, const PredictionRequest& request)
{
    if (const Answer answer = known(request)) {
        Q_EMIT answered(key, answer);
        return;
    }
    m_waiting.push_back({key, request});
    startNext();
}

void Predictor::startNext()
{
    const int most = std::max(1, QThreadPool::globalInstance()->maxThreadCount() - 1);
    while (m_atWork < most && !m_waiting.empty()) {
        const Asked next = std::move(m_waiting.front());
        m_waiting.pop_front();
        start(next);
    }
}

void Predictor::start(const Asked& asked)
{
    ++m_atWork;
    const int since = m_generation->load();
    const auto job = [generation = m_generation, since, request = asked.request]() -> Answer {
        return generation->load() == since ? summaryOf(request) : nullptr;
    };
    m_background.run(job, [this, since, asked](const Answer& answer) {
        --m_atWork;
        if (answer != nullptr)
            remember(asked.request, answer);
        if (answer != nullptr && m_generation->load() == since)
            Q_EMIT answered(asked.key, answer);
        startNext();
    });
}

} // namespace app
