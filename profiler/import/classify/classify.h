#pragma once

#include "engine/timeline/import_report.h"
#include "profiler/import/rank_trace.h"
#include "profiler/import/rules.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

// ImportReport::LeftOut::what of named ops that executed nothing.
inline constexpr const char* kRangesWithoutWork = "Ranges of ops without GPU work";

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
    // A named op that launched kernels of which none was recorded: its window is unknown.
    bool isLost = false;
    bool lacksKernels = false; // some of its launches have no kernel
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
    std::vector<engine::ImportReport::Rule> rules; // that matched, and all of the rules file
    std::vector<engine::ImportReport::LeftOut> leftOut;
    // The longest matches of each rule, by the rule's name. The key "" has the work that no rule
    // matches.
    std::map<std::string, std::vector<Match>> matches;
    std::int64_t time = 0; // ns of all GPU work, or of all framework ops if there is no GPU work
    bool fromSegments = false;    // whether F or B were found by cutting the sequence of kernels
    bool fromStageFrames = false; // whether they are frames of PyTorch's stages, one stage per rank
    // Calls that launch kernels, and those of which no kernel was recorded.
    std::int64_t launches = 0, lostLaunches = 0;
    std::int64_t lostOutsideOps = 0; // those of lostLaunches that damage no op

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

// Whether a range is a frame of torch/utils/checkpoint.py that recomputes activations: the
// unpack_hook of a saved tensor, or the function that it calls.
bool isCheckpointFrame(std::string_view name);

// Activation checkpointing runs forward ops within a backward. Divides every such backward into a
// RECOMPUTE and the rest. The recomputation is the time that a backward spends in frames of
// torch/utils/checkpoint.py and in ops that only a forward calls (aten::linear, aten::layer_norm,
// ...). PyTorch recomputes layer by layer, so only the total time is exact: the RECOMPUTE is placed
// first, with its kernels. Does not change joint ops, or traces that do not name their backwards.
void splitRecompute(const RankTrace& trace, ClassifiedRank& rank);

} // namespace profiler
