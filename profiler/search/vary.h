#pragma once

#include "engine/base/field.h"
#include "profiler/search/search.h"

#include <optional>
#include <string>
#include <vector>

namespace profiler {

// What a search may change besides the order of the ops.
struct Variation
{
    bool placement = false; // SearchRequest::variesPlacement
    bool recompute = false; // nothing, attention or the whole forward is repeated in the backward
    bool layers = false;    // layers per stage: even, or balanced for the order that was found
    bool offload = false;   // stashes stay on their device, or some are evicted to host memory

    friend bool operator==(const Variation&, const Variation&) = default;
};
// The choices of --vary besides order; the flags are "--vary placement" and so on.
engine::Fields<Variation> variationFields();
std::string varyText(const Variation& variation); // "order,layers", as for --vary

// A choice of recomputation, layers and offload, and what its search has found.
struct SearchChoice
{
    engine::Recompute recompute = engine::Recompute::None;
    engine::LayerLayout layout;
    double offloadFrom = 1;       // see SearchRequest
    std::optional<double> length; // in cost units, or ns; nullopt: nothing fits or it is impossible
    std::string why;              // it has no length

    // The options with which the order has this length: "--recompute full --layout 'Et*3|t*5L'".
    std::string options() const;
    // And which order it is: "an order of 2 x the limit, with evicts to the host"; "": plain.
    std::string text() const;
};

// What was found within a lower limit.
struct LowerSearch
{
    MemoryLimit limit;
    SearchResult result;
};

struct VariedSearch
{
    SearchResult result; // of the shortest choice
    std::size_t chosen = 0;
    std::vector<SearchChoice> choices; // in the order in which they were searched
    std::vector<LowerSearch> lower;    // with the chosen options, highest limit first
};

// Searches the order for every choice, each with an equal share of the seconds or orders, and
// returns the shortest. Fails with the reasons of all choices if none has a length, like
// LayoutTask::create() if the layers cannot be varied, and if no limit or no time of a copy decides
// what is evicted. The time of SearchRequest::lowerLimits is part of the seconds, but not of the
// orders. `found` is called with each of their results.
engine::Result<VariedSearch> searchVaried(
    const SearchRequest& request, Variation variation,
    const std::function<void(const SearchProgress&)>& progress, const std::atomic<bool>& stop,
    const std::function<void(const LowerSearch&)>& found = [](const LowerSearch&) {});

} // namespace profiler
