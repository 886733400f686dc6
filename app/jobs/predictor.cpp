#include "app/jobs/predictor.h"

namespace app {

Predictor::Predictor(QObject* parent)
    : QObject(parent)
    , m_generation(std::make_shared<std::atomic<int>>(0))
{ }

void Predictor::startOver()
{
    m_generation->fetch_add(1);
}

void Predictor::ask(const QString& key, const PredictionRequest& request)
{
    if (estimatedOps(request.schedule) <= kInstantOps) {
        Q_EMIT answered(key, std::make_shared<const engine::Result<Prediction>>(predict(request)));
        return;
    }
    const int asked = m_generation->load();
    const auto work = [generation = m_generation, asked, request]() -> Answer {
        if (generation->load() != asked)
            return nullptr;
        return std::make_shared<const engine::Result<Prediction>>(predict(request));
    };
    m_background.run(work, [this, asked, key](const Answer& answer) {
        if (answer != nullptr && m_generation->load() == asked)
            Q_EMIT answered(key, answer);
    });
}

} // namespace app
