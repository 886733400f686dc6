#include "app/models/prediction.h"

#include "app/models/format.h"
#include "engine/sim/simulate.h"

#include <QMetaObject>
#include <QThreadPool>

#include <atomic>
#include <mutex>

namespace app {
namespace {

engine::RunInfo predictionInfo(const PredictionRequest& request, std::int64_t ticksPerUnit)
{
    engine::RunInfo info;
    info.scheme = request.schedule.scheme;
    const engine::Scheme* scheme = engine::findScheme(info.scheme);
    info.label
        = scheme != nullptr ? shortTitle(fromUtf8(scheme->title)).toStdString() : info.scheme;
    info.mode = engine::Mode::Simulate;
    info.outcome = engine::Outcome::Finished;
    info.ticksPerUnit = ticksPerUnit;
    info.link = "free";
    return info;
}

} // namespace

engine::Result<Prediction> predict(const PredictionRequest& request)
{
    auto schedule = engine::buildSchedule(request.schedule);
    if (!schedule)
        return tl::unexpected(schedule.error());
    Prediction result;
    result.violations = engine::validate(*schedule);
    result.computeOps = engine::opCount(*schedule);
    auto run = std::make_shared<engine::Run>();
    run->schedule = engine::lower(*schedule, request.sync);
    const auto costs = engine::unitOpCosts(run->schedule, {});
    if (!costs)
        return tl::unexpected(costs.error());
    auto timeline = engine::simulate(run->schedule, *costs);
    if (!timeline)
        return tl::unexpected(timeline.error());
    run->timeline = std::move(*timeline);
    run->info = predictionInfo(request, costs->ticksPerUnit);
    auto metrics = profiler::metrics(*run);
    if (!metrics)
        return tl::unexpected(metrics.error());
    result.metrics = std::move(*metrics);
    result.thumbnail = makeThumbnail(*run);
    result.run = std::move(run);
    return result;
}

std::int64_t estimatedOps(const engine::ScheduleRequest& request)
{
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    const int fallback = scheme != nullptr ? scheme->defaultChunks : 1;
    const std::int64_t chunks = request.chunks > 0 ? request.chunks : fallback;
    constexpr std::int64_t kKinds = 3; // F, I and W at most
    return kKinds * chunks * request.devices * request.microBatches;
}

struct Predictor::Mailbox
{
    std::mutex mutex; // guards owner
    Predictor* owner = nullptr;
    std::atomic<int> generation{0};
};

Predictor::Predictor(QObject* parent)
    : QObject(parent)
    , m_mailbox(std::make_shared<Mailbox>())
{
    m_mailbox->owner = this;
}

// A prediction under way ends by itself and finds nobody to tell: closing never waits for it.
Predictor::~Predictor()
{
    m_mailbox->generation.fetch_add(1);
    const std::lock_guard lock(m_mailbox->mutex);
    m_mailbox->owner = nullptr;
}

void Predictor::startOver()
{
    m_mailbox->generation.fetch_add(1);
}

void Predictor::ask(const QString& key, const PredictionRequest& request)
{
    if (estimatedOps(request.schedule) <= kInstantOps) {
        Q_EMIT answered(key, std::make_shared<const engine::Result<Prediction>>(predict(request)));
        return;
    }
    const int generation = m_mailbox->generation.load();
    QThreadPool::globalInstance()->start([mailbox = m_mailbox, generation, key, request] {
        if (mailbox->generation.load() != generation)
            return;
        auto answer = std::make_shared<const engine::Result<Prediction>>(predict(request));
        const std::lock_guard lock(mailbox->mutex);
        if (mailbox->owner == nullptr)
            return;
        const auto deliver = [mailbox, generation, key, answer] {
            if (mailbox->generation.load() == generation) // on the owner's thread, so it lives
                Q_EMIT mailbox->owner->answered(key, answer);
        };
        QMetaObject::invokeMethod(mailbox->owner, deliver, Qt::QueuedConnection);
    });
}

} // namespace app
