#pragma once

#include "profiler/import/classify/nested_ranges.h"
#include "profiler/import/rank_trace.h"
#include "profiler/import/rules.h"

#include <memory>
#include <vector>

namespace profiler {

// Whether the match is a message, a collective or a copy.
inline bool isTransport(const RuleMatch& match)
{
    return match.purpose == RuleMatch::Purpose::Communication
        || (match.purpose == RuleMatch::Purpose::Op && !engine::isCompute(match.ops.front().kind));
}

// A range that a rule matches.
struct Mark
{
    HostRange range;
    const RuleMatch* match = nullptr;

    bool isOp() const { return match->purpose == RuleMatch::Purpose::Op; }
    // The kind of the op that the range names (of the first one, if it names joint ops).
    engine::OpKind kind() const { return match->ops.front().kind; }
};

// The ranges of a rank that rules match, sorted by start, with lookup by time.
class MarkedRanges
{
public:
    static constexpr std::uint32_t kNone = NestedRanges::kNone;

    // `trace` must outlive this object.
    MarkedRanges(const RankTrace& trace, const Rules& rules);

    const std::vector<Mark>& all() const { return m_marks; }
    // The innermost range of a thread that contains `time` and that `accept(mark)` accepts, as an
    // index in all(); kNone if there is no such range.
    template<class Accept>
    std::uint32_t on(std::uint32_t thread, std::int64_t time, Accept accept) const
    {
        return thread >= m_onThread.size()
            ? kNone
            : m_onThread[thread].innermost(time,
                                           [&](std::uint32_t id) { return accept(m_marks[id]); });
    }
    // Like on(), but if nothing is found, also searches the 64 threads with the most ranges.
    template<class Accept>
    std::uint32_t onAny(std::uint32_t thread, std::int64_t time, Accept accept) const
    {
        std::uint32_t found = on(thread, time, accept);
        for (std::size_t i = 0; i < m_busiest.size() && found == kNone; ++i)
            if (m_busiest[i] != thread)
                found = on(m_busiest[i], time, accept);
        return found;
    }

private:
    std::vector<std::unique_ptr<const RuleMatch>> m_matches;
    std::vector<Mark> m_marks;
    std::vector<NestedRanges> m_onThread; // by thread: its ranges
    // The threads with the most ranges, which onAny() searches.
    std::vector<std::uint32_t> m_busiest;
};

} // namespace profiler
