#pragma once

#include "app/jobs/background.h"
#include "app/models/prediction.h"

#include <QObject>

#include <atomic>
#include <memory>

namespace app {

// Predicts and answers by signal: small requests before ask() returns, others from the thread pool.
// Only what was asked since startOver() is answered. The GUI thread only.
class Predictor : public QObject
{
    Q_OBJECT

public:
    using Answer = std::shared_ptr<const engine::Result<Prediction>>;

    explicit Predictor(QObject* parent = nullptr);

    void startOver();
    void ask(const QString& key, const PredictionRequest& request);

Q_SIGNALS:
    void answered(const QString& key, const app::Predictor::Answer& answer);

private:
    Background m_background{this};
    std::shared_ptr<std::atomic<int>> m_generation; // also read in the pool, to skip what is old
};

} // namespace app
