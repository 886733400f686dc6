#pragma once

#include "profiler/search/search.h"

#include <optional>
#include <string>
#include <vector>

namespace profiler {

// What a search may change besides the order of the ops.
struct Variation
{
    bool recompute = false; // nothing, attention or the whole forward is repeated in the backward
    bool layers = false;    // layers per stage: even, or balanced for the order that was found

    bool any() const { return recompute || layers; }
};

// A choice of recomputation and layers, and what its search has found.
struct SearchChoice
{
    engine::Recompute recompute = engine::Recompute::None;
    engine::LayerLayout layout;
    std::optional<double> length; // in cost units, or ns; nullopt: nothing fits or it is impossible
    std::string why;              // it has no length

    std::string text() const; // "--recompute full --layout 'Et*3|t*5L'"; "": neither
};

struct VariedSearch
{
    SearchResult result; // of the shortest choice
    std::size_t chosen = 0;
    std::vector<SearchChoice> choices; // in the order in which they were searched
};

// Searches the order for every choice, each with an equal share of the seconds or orders, and
// returns the shortest. Fails like search() for the first choice if none has a length, and like
// LayoutTask::create() if the layers cannot be varied.
engine::Result<VariedSearch>
searchVaried(const SearchRequest& request, Variation variation,
             const std::function<void(const SearchProgress&)>& progress,
             const std::atomic<bool>& stop);

} // namespace profiler
