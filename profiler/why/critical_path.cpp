#include "profiler/why/critical_path.h"

#include "engine/base/try.h"
#include "profiler/analysis/explainer.h"

#include <algorithm>

namespace profiler {

using namespace engine;

namespace {

// An op that starts before its input has arrived is reported only if the difference exceeds
// 1/kToleratedShare of the iteration, because clocks of different machines differ a little.
constexpr std::int64_t kToleratedShare = 1000;

// Builds the path backwards: parts are added from the end of the iteration to its start.
class PathBuilder
{
public:
    PathBuilder(const Run& run, CriticalPath& path)
        : m_run(run)
        , m_index(run.schedule)
        , m_path(path)
        , m_from(path.window.end)
        , m_tolerated(path.window.duration() / kToleratedShare)
    { }

    // Adds the op or transfer that precedes the earliest part. Returns false, and sets the fault,
    // if the op was not finished when that part began.
    bool add(const CauseLink& link)
    {
        if (!m_path.parts.empty()
            && (link.window.end > m_from + m_tolerated || link.window.begin > m_from)) {
            m_path.fault = m_path.parts.back().op;
            return false;
        }
        const std::uint32_t next = m_path.parts.empty() ? link.op : m_path.parts.back().op;
        addPart(PathPart::Kind::Wait, next, link.window.end);
        const bool isWork = isCompute(opAt(m_run.schedule, m_index, link.op).kind);
        addPart(isWork ? PathPart::Kind::Work : PathPart::Kind::Transfer, link.op,
                link.window.begin);
        return true;
    }

    void finish()
    {
        if (!m_path.fault && !m_path.parts.empty())
            addPart(PathPart::Kind::Wait, m_path.parts.back().op, m_path.window.begin);
        std::ranges::reverse(m_path.parts);
    }

private:
    void addPart(PathPart::Kind kind, std::uint32_t op, std::int64_t begin)
    {
        begin = std::max(begin, m_path.window.begin);
        if (begin >= m_from)
            return;
        m_path.parts.push_back({kind, op, m_index.deviceOf(op), {begin, m_from}});
        m_from = begin;
    }

    const Run& m_run;
    OpIndex m_index;
    CriticalPath& m_path;
    std::int64_t m_from; // start of the earliest part that was added
    std::int64_t m_tolerated;
};

} // namespace

Result<CriticalPath> criticalPath(const Run& run, int iteration)
{
    const auto index = TRY(iterationIndex(run, iteration));
    if (!knowsStages(run.info))
        return fail(Error::Code::InvalidArgument,
                    "the stages of this run are unknown, so its ops have no known order; import "
                    "traces that name stages");
    CriticalPath path;
    path.iteration = index;
    path.window = run.timeline.iterations[static_cast<std::size_t>(index)].window;
    auto links = Explainer(run, index).criticalPath();
    std::erase_if(links, [&](const CauseLink& link) {
        return link.window.end <= path.window.begin || link.window.begin >= path.window.end;
    });
    if (links.size() < 2)
        return fail(Error::Code::InvalidArgument,
                    "fewer than two ops of the iteration were recorded, so it has no path; choose "
                    "a whole iteration");
    PathBuilder builder(run, path);
    for (auto link = links.rbegin(); link != links.rend(); ++link)
        if (!builder.add(*link))
            break;
    builder.finish();
    return path;
}

} // namespace profiler
