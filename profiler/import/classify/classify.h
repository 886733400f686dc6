#pragma once

#include "engine/timeline/import_report.h"
#include "profiler/import/match.h"
#include "profiler/import/rank_trace.h"
#include "profiler/import/rules.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace profiler {

// Whether the kind is F, B, I, W or RECOMPUTE.
inline bool isPipelineOp(engine::OpKind kind)
{
    return kind == engine::OpKind::Forward || engine::isBackward(kind)
        || kind == engine::OpKind::Recompute;
}

// Adds to a sum of times; the sum saturates instead of overflowing.
inline void addTime(std::int64_t& sum, std::int64_t more)
{
    if (__builtin_add_overflow(sum, more, &sum))
        sum = std::numeric_limits<std::int64_t>::max();
}

// One execution of an op on one rank. Times are ns.
struct Work
{
    NamedOp op;
    std::optional<NamedOp> second; // the second of two joint ops
    engine::Window host;           // the range on the host or, if there is none, the launches
    engine::Window window;         // from the first to the last of its kernels or framework ops
    int step = -1;                 // index in ClassifiedRank::steps; -1: unknown
    // Index in RankTrace::texts of the text that lists the ranks of the process group; 0: unknown.
    std::uint32_t group = 0;
    bool isSegment = false; // found by cutting the sequence of kernels
};

struct ClassifiedRank
{
    static constexpr std::uint32_t kNoWork = 0xFFFFFFFF;

    std::vector<Work> works; // in the order of `host`
    // For each kernel, copy and memset of RankTrace::gpu, its index in `works`.
    std::vector<std::uint32_t> ofKernel, ofCopy, ofMemset;
    struct Step // a range on the host that contains a whole iteration
    {
        engine::Window host;
        std::string name; // "ProfilerStep#3"
    };
    std::vector<Step> steps;
    std::vector<engine::ImportReport::Rule> rules; // the rules that matched at least once
    std::vector<engine::ImportReport::LeftOut> leftOut;
    // The longest matches of each rule, by the rule's name. The key "" has the work that no rule
    // matches.
    std::map<std::string, std::vector<Match>> matches;
    std::int64_t time = 0; // ns of all GPU work, or of all framework ops if there is no GPU work
    bool fromSegments = false; // whether F or B were found by cutting the sequence of kernels

    // Returns the index of the work to which a match belongs; kNoWork if it belongs to none.
    std::uint32_t workOf(const Match& match) const
    {
        switch (match.of) {
        case Match::Of::Kernel:
            return ofKernel[match.index];
        case Match::Of::Copy:
            return ofCopy[match.index];
        case Match::Of::Memset:
            return ofMemset[match.index];
        default:
            return match.index;
        }
    }
    // Call these after `works` was reordered; `newIndex` has the new index of every work.
    void renumberWorks(const std::vector<std::uint32_t>& newIndex)
    {
        renumberMatches(newIndex);
        for (auto* list : {&ofKernel, &ofCopy, &ofMemset})
            for (std::uint32_t& work : *list)
                work = work == kNoWork ? kNoWork : newIndex[work];
    }
    void renumberMatches(const std::vector<std::uint32_t>& newIndex)
    {
        for (auto& [rule, list] : matches)
            for (Match& match : list)
                if (match.isOfWork() && match.index != kNoWork)
                    match.index = newIndex[match.index];
    }
};

// Assigns the work of one rank to ops. Each piece of work is classified by the first of these
// criteria that applies:
//  * its name, if a rule for kernels matches it (NCCL kernels);
//  * a range that a rule matches and during which it was launched, on any thread of the process;
//  * the thread that launched it: the threads of the autograd engine launch backward ops.
//
// If no range names F and B, the sequence of kernels is cut into F and B at messages and where the
// kind changes. If ranges name F but not B, the backward kernels are cut in this way.
ClassifiedRank classify(const RankTrace& trace, const Rules& rules);

} // namespace profiler
