#pragma once

#include "app/mapping/model_facts.h"
#include "app/ui/background.h"

#include <QObject>

#include <atomic>
#include <memory>
#include <optional>

namespace app {

// Computes a MappingStudy (predictions with different mappings of devices to nodes) for the
// prediction of a page. Works in the thread pool, one request at a time. A newer request cancels
// the running one; of the waiting requests, only the newest is kept. GUI thread only.
class MappingStudies : public QObject
{
    Q_OBJECT

public:
    struct Found
    {
        MappingStudy study;
        ModelFacts facts;
    };
    using Answer = std::shared_ptr<const engine::Result<Found>>;

    explicit MappingStudies(QObject* parent = nullptr);
    ~MappingStudies() override; // cancels without waiting

    void ask(const PredictionRequest& request);
    void drop(); // drops all earlier requests

Q_SIGNALS:
    void answered(const app::MappingStudies::Answer& answer);

private:
    void start(const PredictionRequest& request);

    Background m_background{this};
    std::shared_ptr<std::atomic<bool>> m_isDropped; // cancels the running job
    std::optional<PredictionRequest> m_next;
    bool m_isBusy = false;
};

} // namespace app
