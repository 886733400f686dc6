#include "app/mapping/mapping_studies.h"

#include "engine/base/try.h"

#include <utility>

namespace app {
namespace {

engine::Result<MappingStudies::Found> found(const PredictionRequest& request,
                                            const std::atomic<bool>& isDropped)
{
    const auto isCancelled = [&isDropped] { return isDropped.load(); };
    auto study = TRY(studyMappings(request, isCancelled));
    auto facts = TRY(modelFacts(request, study, isCancelled));
    return MappingStudies::Found{std::move(study), std::move(facts)};
}

} // namespace

MappingStudies::MappingStudies(QObject* parent)
    : QObject(parent)
    , m_isDropped(std::make_shared<std::atomic<bool>>(false))
{ }

MappingStudies::~MappingStudies()
{
    drop();
}

void MappingStudies::ask(const PredictionRequest& request)
{
    drop();
    if (m_isBusy)
        m_next = request;
    else
        start(request);
}

void MappingStudies::drop()
{
    m_next.reset();
    *m_isDropped = true;
}

void MappingStudies::start(const PredictionRequest& request)
{
    m_isBusy = true;
    m_isDropped = std::make_shared<std::atomic<bool>>(false);
    m_background.run(
        [request, dropped = m_isDropped]() -> Answer {
            return std::make_shared<const engine::Result<Found>>(found(request, *dropped));
        },
        [this, dropped = m_isDropped](const Answer& answer) {
            m_isBusy = false;
            if (m_next)
                start(*std::exchange(m_next, std::nullopt));
            if (!*dropped)
                Q_EMIT answered(answer);
        });
}

} // namespace app
