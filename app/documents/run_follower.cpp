#include "app/documents/run_follower.h"

#include "app/documents/snapshot_pool.h"

#include <utility>

namespace app {

namespace {

// Time until a read is repeated if the file is locked although its writer has ended.
constexpr int kRetryMilliseconds = 200;

} // namespace

struct RunFollower::Answer
{
    RunPointer run;
    QString warning, failure;
    bool isLocked = false;
};

RunFollower::RunFollower(const QString& file, QObject* parent)
    : QObject(parent)
    , m_pool(std::make_shared<SnapshotPool>(std::filesystem::path(file.toStdString())))
    , m_background(this)
{
    connect(&m_timer, &QTimer::timeout, this, &RunFollower::poke);
}

RunFollower::~RunFollower() = default;

void RunFollower::start(int milliseconds)
{
    m_timer.start(milliseconds);
    poke();
}

void RunFollower::poke()
{
    if (m_isReading)
        m_isPoked = true;
    else
        read();
}

void RunFollower::finish()
{
    m_timer.stop();
    m_isLast = true;
    poke();
}

void RunFollower::read()
{
    m_isReading = true;
    m_isPoked = false;
    m_background.run(
        [pool = m_pool] {
            auto next = pool->next();
            if (next)
                return Answer{std::move(next->run), QString::fromStdString(next->warning), {}};
            return Answer{nullptr,
                          {},
                          QString::fromStdString(next.error().message),
                          next.error().code == engine::Error::Code::Locked};
        },
        [this](const Answer& answer) { take(answer); });
}

void RunFollower::take(const Answer& answer)
{
    if (m_isLast)
        m_timer.stop();
    if (!answer.warning.isEmpty() && answer.warning != std::exchange(m_lastWarning, answer.warning))
        Q_EMIT warned(answer.warning);
    report(answer);
    if (answer.run)
        Q_EMIT grown(answer.run);
    m_isReading = false; // only now, so that a slot that calls poke() or finish() starts no read
    // Reads again if rows arrived during this read. If the writer has ended, reads until nothing is
    // added, because one read may not deliver all rows.
    if (m_isPoked || (m_isLast && answer.run))
        read();
    else if (m_isLast && answer.isLocked)
        m_timer.start(kRetryMilliseconds);
    else if (m_isLast)
        Q_EMIT finished();
}

void RunFollower::report(const Answer& answer)
{
    const QString before = std::exchange(m_failure, answer.failure);
    if (m_failure == before)
        return;
    if (m_failure.isEmpty())
        Q_EMIT recovered();
    else if (answer.isLocked)
        Q_EMIT locked();
    else
        Q_EMIT failed(m_failure);
}

} // namespace app
