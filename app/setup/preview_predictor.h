#pragma once

#include "app/plan/prediction.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/latest.h"

#include <QObject>

#include <memory>

namespace app {

// Predicts a page's large preview and prepares it for painting. Small predictions are delivered
// before ask() returns. Others run in the thread pool, one at a time; of the waiting requests, only
// the newest is kept. The result of every job that was not dropped is delivered, so that the
// picture follows a slider. The built schedule, which does not depend on costs, is kept between
// requests. GUI thread only.
class PreviewPredictor : public QObject
{
    Q_OBJECT

public:
    struct Answer
    {
        std::shared_ptr<const engine::Result<Prediction>> prediction;
        RunViewPointer view;  // null if the prediction has no run
        bool isNewest = true; // false: a later request is pending
    };

    explicit PreviewPredictor(QObject* parent = nullptr);

    void ask(const PredictionRequest& request);
    void drop() { m_jobs.drop(); } // drops all earlier requests

Q_SIGNALS:
    void answered(const app::PreviewPredictor::Answer& answer);

private:
    Latest<PredictionRequest, Answer> m_jobs;
};

} // namespace app
