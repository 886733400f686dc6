#include "app/documents/run_loader.h"

#include "engine/base/try.h"
#include "profiler/store/trace_store.h"

#include <algorithm>
#include <optional>
#include <utility>

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

} // namespace app
