#pragma once

#include "app/jobs/background.h"
#include "app/models/prediction.h"

#include <QObject>

#include <atomic>
#include <deque>
#include <memory>

namespace app {

// Predicts and answers by signal. Only what was asked since startOver() is answered. The GUI thread
// only.
class Predictor : public QObject
{
    Q_OBJECT

public:
    using Answer = std::shared_ptr<const engine::Result<Prediction>>;

    enum class Keep {
        Run,     // whole; small requests are answered before ask() returns, others from the pool
        Summary, // without the run: always from the pool, and remembered
    };

    explicit Predictor(Keep keep, QObject* parent = nullptr);

    void startOver();
    void ask(const QString& key, const PredictionRequest& request);

Q_SIGNALS:
    void answered(const QString& key, const app::Predictor::Answer& answer);

private:
    Answer known(const PredictionRequest& request) const; // null: not remembered
    void remember(const PredictionRequest& request, const Answer& answer);

    Background m_background{this};
    std::shared_ptr<std::atomic<int>> m_generation; // also read in the pool, to skip what is old
    Keep m_keep;
    std::deque<std::pair<PredictionRequest, Answer>> m_known; // newest first
};

} // namespace app
