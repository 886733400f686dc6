#pragma once

#include "engine/timeline/import_report.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace profiler {

// A piece of work that the classifier assigned to a rule, or to none.
struct Match
{
    // What was matched. Range: an op of the framework, or an annotation. Recompute: the part of a
    // backward that recomputes activations.
    enum class Of : std::uint8_t { Kernel, Copy, Memset, Range, Recompute };

    engine::Window window; // ns
    Of of = Of::Kernel;
    // Kernel, Copy and Memset: index in that table of RankTrace::gpu. Otherwise: index in
    // ClassifiedRank::works, or kNoWork.
    std::uint32_t index = 0;
    std::uint32_t name = 0; // index in RankTrace::texts; 0: no name
    std::uint32_t rank = 0; // index in Job::ranks; set only in lists over several ranks

    bool isOfWork() const { return of == Of::Range || of == Of::Recompute; }
};

// Keeps the ImportReport::kMostMatches longest of the added matches.
class LongestMatches
{
public:
    void add(const Match& match)
    {
        if (match.window.duration() <= m_least)
            return;
        m_matches.push_back(match);
        if (m_matches.size() >= 2 * engine::ImportReport::kMostMatches)
            trim();
    }
    std::vector<Match> take() // sorted, longest first
    {
        trim();
        return std::exchange(m_matches, {});
    }

private:
    void trim()
    {
        std::ranges::stable_sort(m_matches, {}, [](const Match& match) {
            return std::tuple(-match.window.duration(), match.window.begin);
        });
        if (m_matches.size() >= engine::ImportReport::kMostMatches) {
            m_matches.resize(engine::ImportReport::kMostMatches);
            m_least = m_matches.back().window.duration();
        }
    }

    std::vector<Match> m_matches;
    std::int64_t m_least = -1; // shortest match that is kept, in ns; a new match must be longer
};

} // namespace profiler
