#pragma once

#include "app/jobs/background.h"
#include "app/models/plan/prediction.h"
#include "app/timeline/view/run_view.h"

#include <QObject>

#include <atomic>
#include <memory>
#include <optional>

namespace app {

// The prediction of a page's large preview, with its view prepared for painting. Small ones are
// answered before ask() returns; others come from the thread pool: one is computed, the newest
// waits, those between are dropped. Every answer is delivered, so that the picture follows a
// slider. What does not depend on costs is kept between requests. GUI thread only.
class PreviewPredictor : public QObject
{
    Q_OBJECT

public:
    struct Answer
    {
        std::shared_ptr<const engine::Result<Prediction>> prediction;
        RunViewPointer view;  // null: no run
        bool isNewest = true; // false: the one that was asked last is still on its way
    };

    explicit PreviewPredictor(QObject* parent = nullptr);

    void ask(const PredictionRequest& request);
    void drop(); // what was asked so far is not answered

Q_SIGNALS:
    void answered(const app::PreviewPredictor::Answer& answer);

private:
    class Worker; // one job at a time uses it
    void start(const PredictionRequest& request);
    void finished(const Answer& answer);

    Background m_background{this};
    std::shared_ptr<Worker> m_worker;
    std::shared_ptr<std::atomic<bool>> m_isDropped; // of the job at work
    std::optional<PredictionRequest> m_next;
    std::int64_t m_opsAtWork = 0;
    bool m_isBusy = false;
};

} // namespace app
