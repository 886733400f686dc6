#pragma once

#include "app/plan/prediction.h"
#include "app/ui/background.h"

#include <QObject>

#include <atomic>
#include <deque>
#include <memory>

namespace app {

// Predicts many requests in the background. Caches the results, but not the simulated runs.
// startOver() drops the pending requests. Uses sideThreads(), so that the large preview of a page
// is not delayed. GUI thread only.
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
    Answer known(const PredictionRequest& request) const; // nullptr if it is not cached
    void remember(const PredictionRequest& request, const Answer& answer);

    Background m_background;
    // Counts calls of startOver(). Jobs in the pool read it to skip outdated requests.
    std::shared_ptr<std::atomic<int>> m_generation;
    std::deque<std::pair<PredictionRequest, Answer>> m_known; // newest first
};

} // namespace app
