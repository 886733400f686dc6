#pragma once

#include "app/jobs/background.h"
#include "app/models/plan/model_facts.h"

#include <QObject>

#include <atomic>
#include <memory>
#include <optional>

namespace app {

// Studies the mappings of a page's prediction in the thread pool, one request at a time. Only the
// newest waiting request is kept, and a newer request cancels the one that runs. GUI thread only.
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
    std::shared_ptr<std::atomic<bool>> m_isDropped; // read by the running job
    std::optional<PredictionRequest> m_next;
    bool m_isBusy = false;
};

} // namespace app
