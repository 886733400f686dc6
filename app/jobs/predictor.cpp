#include "app/jobs/predictor.h"

#include <algorithm>

namespace app {
namespace {

constexpr std::size_t kRemembered = 400; // a dozen settings of all schemes
constexpr std::size_t kLargest = 20'000; // boxes of a picture that is worth remembering

Predictor::Answer work(const PredictionRequest& request, Predictor::Keep keep)
{
    auto result = predict(request);
    if (result && keep == Predictor::Keep::Summary)
        result->run.reset();
    return std::make_shared<const engine::Result<Prediction>>(std::move(result));
}

} // namespace

Predictor::Predictor(Keep keep, QObject* parent)
    : QObject(parent)
    , m_generation(std::make_shared<std::atomic<int>>(0))
    , m_keep(keep)
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
    if (m_keep != Keep::Summary || !answer->has_value()
        || (*answer)->thumbnail.boxes.size() > kLargest)
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
    if (m_keep == Keep::Run && estimatedOps(request.schedule) <= kInstantOps) {
        Q_EMIT answered(key, work(request, m_keep));
        return;
    }
    const int asked = m_generation->load();
    const auto job = [generation = m_generation, asked, request, keep = m_keep]() -> Answer {
        return generation->load() == asked ? work(request, keep) : nullptr;
    };
    m_background.run(
        job,
        [this, asked, key, request](const Answer& answer) {
            if (answer == nullptr)
                return;
            remember(request, answer);
            if (m_generation->load() == asked)
                Q_EMIT answered(key, answer);
        },
        m_keep == Keep::Run ? 1 : 0);
}

} // namespace app
