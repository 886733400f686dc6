#include "app/documents/run_follower.h"

#include "app/ui/text.h"
#include "engine/base/try.h"
#include "profiler/analysis/run_measures.h"

#include <algorithm>

namespace app {
namespace {

// Returns the number of leading iterations in which every op has a span. It is 0 for an imported
// run with gaps and for a file that stores its spans device by device.
std::size_t completeIterations(const engine::Run& run)
{
    std::vector<std::size_t> spans(run.timeline.iterations.size(), 0);
    for (const engine::Track& track : run.timeline.tracks) {
        for (const engine::Span& span : track.spans)
            ++spans[span.iteration];
    }
    const std::size_t ops = engine::opCount(run.schedule);
    return static_cast<std::size_t>(
        std::ranges::find_if_not(spans, [&](std::size_t count) { return count == ops; })
        - spans.begin());
}

// Returns the leading, complete iterations of a run that is being read; nullptr if there are none.
RunPointer beginningOf(const engine::Run& run)
{
    const std::size_t count = completeIterations(run);
    if (count == 0)
        return nullptr;
    auto beginning = std::make_shared<engine::Run>(run);
    engine::Timeline& timeline = beginning->timeline;
    timeline.iterations.resize(count);
    for (engine::Track& track : timeline.tracks)
        std::erase_if(track.spans, [&](const engine::Span& s) { return s.iteration >= count; });
    const std::int64_t end = timeline.iterations.back().window.end;
    std::erase_if(timeline.memory, [&](const engine::MemoryEvent& m) { return m.time > end; });
    return beginning;
}

} // namespace

struct RunLoader::Step
{
    RunPointer begun; // the first iterations; nullptr except after the first of several steps
    bool more = false;
    double share = 1;
    QString failure;
};

// The state of a load. Only one step at a time uses it.
struct RunLoader::Reading
{
    std::string file;
    std::optional<profiler::TraceReader> reader;
    std::shared_ptr<engine::Run> run = std::make_shared<engine::Run>();

    Step step();
    engine::Result<profiler::TraceReader::Chunk> next();
};

engine::Result<profiler::TraceReader::Chunk> RunLoader::Reading::next()
{
    if (!reader)
        reader = TRY(profiler::TraceReader::open(file));
    auto chunk = reader->pollChunk(*run);
    if (chunk && !chunk->more)
        TRY(profiler::checkHasOps(*run, file));
    return chunk;
}

RunLoader::Step RunLoader::Reading::step()
{
    const bool isFirst = !reader;
    const auto chunk = next();
    if (!chunk)
        return {nullptr, false, 0, QString::fromStdString(chunk.error().message)};
    Step step{nullptr, chunk->more, chunk->share, {}};
    if (isFirst && step.more)
        step.begun = beginningOf(*run);
    return step;
}

RunLoader::RunLoader(QObject* parent)
    : QObject(parent)
    , m_background(this)
{ }

void RunLoader::load(const QString& file)
{
    m_reading = std::make_shared<Reading>();
    m_reading->file = file.toStdString();
    readOn();
}

void RunLoader::readOn()
{
    m_background.run([reading = m_reading] { return reading->step(); },
                     [this, reading = m_reading](const Step& step) {
                         if (reading == m_reading)
                             take(step);
                     });
}

void RunLoader::take(const Step& step)
{
    if (step.more) {
        readOn();
        Q_EMIT progressed(step.share);
        if (step.begun)
            Q_EMIT begun(step.begun);
        return;
    }
    const auto done = std::exchange(m_reading, nullptr);
    if (step.failure.isEmpty())
        Q_EMIT loaded(done->run, QString::fromStdString(done->reader->warning()));
    else
        Q_EMIT failed(step.failure);
}

namespace {

// The time for which a read waits for the lock of another program. If the lock lasts longer, the
// read fails, the lock is reported, and the next read continues.
constexpr std::chrono::milliseconds kLockWait{1000};

} // namespace

SnapshotPool::SnapshotPool(std::filesystem::path file)
    : m_file(std::move(file))
{ }

engine::Result<std::unique_ptr<SnapshotPool::Buffer>> SnapshotPool::take()
{
    {
        const std::lock_guard lock(m_mutex);
        if (!m_free.empty()) {
            std::unique_ptr<Buffer> buffer = std::move(m_free.back());
            m_free.pop_back();
            return buffer;
        }
    }
    if (!m_opened)
        m_opened = TRY(profiler::TraceReader::open(m_file, kLockWait));
    return std::make_unique<Buffer>(Buffer{*m_opened, {}});
}

void SnapshotPool::giveBack(std::unique_ptr<Buffer> buffer)
{
    // One buffer is enough: while the window shows the newest snapshot, the buffer of the previous
    // one is reused.
    constexpr std::size_t kKept = 1;
    const std::lock_guard lock(m_mutex);
    m_free.push_back(std::move(buffer));
    if (m_free.size() > kKept)
        m_free.erase(m_free.begin());
}

engine::Result<SnapshotPool::Snapshot> SnapshotPool::next()
{
    auto buffer = TRY(take());
    const engine::Result<bool> grew = buffer->reader.poll(buffer->run);
    Snapshot snapshot{nullptr, buffer->reader.warning()};
    if (!grew || !*grew) {
        giveBack(std::move(buffer));
        if (!grew)
            return tl::unexpected(grew.error());
        return snapshot;
    }
    // The last owner of a snapshot may release it on any thread, even after the pool was destroyed.
    auto release = [pool = weak_from_this()](Buffer* done) {
        std::unique_ptr<Buffer> owned(done);
        if (const auto alive = pool.lock())
            alive->giveBack(std::move(owned));
    };
    const std::shared_ptr<Buffer> shared(buffer.release(), release);
    snapshot.run = std::shared_ptr<const engine::Run>(shared, &shared->run);
    return snapshot;
}

namespace {

// Time until a read is repeated if the file is locked although its writer has ended.
constexpr int kRetryMilliseconds = 200;

} // namespace

RunFollower::RunFollower(const QString& file, QObject* parent)
    : QObject(parent)
    , m_pool(std::make_shared<SnapshotPool>(std::filesystem::path(file.toStdString())))
    , m_reads(
          this,
          [pool = m_pool](std::monostate, const auto&) {
              auto next = pool->next();
              if (next)
                  return Answer{std::move(next->run), QString::fromStdString(next->warning), {}};
              return Answer{nullptr,
                            {},
                            QString::fromStdString(next.error().message),
                            next.error().code == engine::Error::Code::Locked};
          },
          [this](const Answer& answer) { take(answer); },
          Latest<std::monostate, Answer>::Older::Delivered)
{
    connect(&m_timer, &QTimer::timeout, this, &RunFollower::poke);
}

RunFollower::~RunFollower() = default;

void RunFollower::start(int milliseconds)
{
    m_timer.start(milliseconds);
    poke();
}

void RunFollower::finish()
{
    m_timer.stop();
    m_isLast = true;
    poke();
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
    // If the writer has ended, reads until nothing is added, because one read may not deliver all
    // rows.
    if (!m_isLast || m_reads.isBusy())
        return;
    if (answer.run)
        poke();
    else if (answer.isLocked)
        m_timer.start(kRetryMilliseconds);
    else
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
