#include "app/setup/predictor.h"

#include "app/ui/side_threads.h"

#include <algorithm>

namespace app {
namespace {

// The largest number of cached results. It is enough for a dozen settings with all schemes.
constexpr std::size_t kRemembered = 400;
// Results whose thumbnail has more boxes than this are not cached.
constexpr std::size_t kLargest = 20'000;

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
    , m_background(this, sideThreads())
    , m_generation(std::make_shared<std::atomic<int>>(0))
{ }

void Predictor::startOver()
{
    m_generation->fetch_add(1);
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
    const int since = m_generation->load();
    const auto job = [generation = m_generation, since, request]() -> Answer {
        return generation->load() == since ? summaryOf(request) : nullptr;
    };
    m_background.run(job, [this, since, key, request](const Answer& answer) {
        if (answer == nullptr)
            return;
        remember(request, answer);
        if (m_generation->load() == since)
            Q_EMIT answered(key, answer);
    });
}

} // namespace app
