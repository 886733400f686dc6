#pragma once

#include "profiler/analysis/compare.h"
#include "profiler/predict/predict.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace profiler {

// The most memory that a device may use: its stashes in M_a, or everything in bytes.
struct MemoryLimit
{
    bool isInBytes = false;
    std::vector<double> of;             // one for all devices, or one for each; empty: no limit
    engine::MemoryCapacity memory = {}; // whose usable part is the limit; unknown: a given limit

    static MemoryLimit usableOf(const engine::MemoryCapacity& memory);

    // "5", "5,5,4,4", "9 GiB", "512MiB". Fails with Error::Code::InvalidArgument.
    static engine::Result<MemoryLimit> parse(std::string_view text);
    // "5 M_a", "9.0 GiB", "4 to 5 M_a", "75.2 GiB usable of 79.2 GiB: reserve 5 %"
    std::string text() const;
    std::string argument() const; // for parse(), without loss: "4,4.5", "9663676416 B"
    double on(std::size_t device) const { return of.size() == 1 ? of.front() : of[device]; }
    bool admits(const RunMetrics& metrics) const;
};
// Parses `text`; if it is empty, returns the memory of the hardware, or no limit without hardware.
engine::Result<MemoryLimit> memoryLimit(std::string_view text, const PredictionCosts& costs);

// With jitter, the length of an order is the median of this number of iterations.
inline constexpr int kJitteredIterations = 8;
// An order is chosen for those iterations, so its gain is measured in this number of others.
inline constexpr int kFreshIterations = 32;

struct SearchRequest
{
    PredictionRequest prediction;     // its scheme is not used
    std::vector<std::string> schemes; // start only from these; empty: from all that fit
    MemoryLimit limit;
    // Whether the search may start from schemes with other placements of the stages, or other
    // numbers of them, than the shortest published scheme that fits.
    bool variesPlacement = false;
    // Above 1: orders are searched within this multiple of `limit`, and stashes are evicted to host
    // memory until the order fits (addOffload()). The bound is then that of any memory.
    double offloadFrom = 1;
    double seconds = 10;     // about how long to search, which decides the number of orders
    std::int64_t orders = 0; // how many orders to try, in place of `seconds`
    int threads = 0;         // 0: one for each core
    // Of searchVaried(): how many lower limits are searched afterwards, each with an eighth of the
    // orders, down to the least memory that a published scheme needs.
    int lowerLimits = 0;
};

// A published scheme under the costs of a search.
struct PublishedSchedule
{
    std::string scheme;
    double length = 0; // in cost units, or ns
    RunMetrics metrics;
    bool fits = true;
};

// The numbers of a search, while it runs or at its end. Lengths are in cost units, or ns.
struct SearchProgress
{
    double share = 0; // of the time or of the orders
    double seconds = 0;
    std::int64_t orders = 0; // that were tried
    double best = 0;
    double bound = 0;           // no order of the same ops is shorter; 0: unknown
    std::string published = {}; // the shortest published scheme that fits; "": none
    double publishedLength = 0;
    std::optional<Amount> gain = {}; // see SearchResult
    bool inUnits = true;
    // The best order that was predicted for display, at most twice a second; nullptr: none.
    std::shared_ptr<const PredictedRun> found = {};
    // All published schemes, sorted by length. Of a search that runs: valid during the call only.
    std::span<const PublishedSchedule> schemes = {};

    double gap() const { return best / bound - 1; } // requires a known bound
};
std::string lengthText(double length, bool inUnits); // "59.50 units", "33.19 ms"

// A search in one sentence, of which `lead` is the most important part: "59.50 units, 11.3 %
// shorter" "than v-half (67.05 units), the best published scheme that fits 5 M_a; at most 21.4 %
// above the optimum of these ops". The bound is about the ops of the start, in any order: another
// scheme may split its backwards or place its stages otherwise.
struct SearchVerdict
{
    enum class Kind : std::uint8_t { Shorter, AsShort, Longer, NonePublished };

    Kind kind = Kind::NonePublished;
    std::string lead, rest;
};
SearchVerdict verdict(const SearchProgress& now, const MemoryLimit& limit);

struct SearchResult
{
    PredictedRun found;
    // Compute ops and evicts, as files and `bscope simulate --schedule` have them.
    engine::Schedule order;
    std::string start;                        // the scheme, or file, whose order was changed
    std::vector<PublishedSchedule> published; // sorted by length
    std::shared_ptr<const PredictedRun> publishedRun; // of bestPublished()
    // No order of the same ops is shorter, in cost units, or ns; 0: unknown.
    double bound = 0;
    // With jitter: the share by which the order is shorter than bestPublished(), over
    // kFreshIterations whose op times the search has not seen. nullopt: exact, or the same order.
    std::optional<Amount> gain;
    // That were tried. If the search was complete, a search of this number and the same seed gives
    // the same schedule.
    std::int64_t orders = 0;
    bool isComplete = true;
    double seconds = 0;
    // An op that starts at another time, on the timelines of publishedRun and found.
    struct Moved
    {
        std::string op; // the text begins with it
        engine::DeviceId device;
        engine::Window published, found;
    };
    struct Difference
    {
        std::string text;
        std::optional<Moved> moved = {};
    };
    std::vector<Difference> differences; // from bestPublished(), at most three, largest first
    std::string moves;                   // "121 of 192 ops start at another time"; "": none
    std::vector<std::string> warnings;

    const PublishedSchedule* bestPublished() const; // the shortest that fits; nullptr: none
    double length() const;                          // in cost units, or ns
    SearchProgress numbers() const;
};

// Looks for the shortest order of the ops of an iteration within the limit, starting from the
// published schemes that fit and from list schedules. The result is never longer than the best
// published scheme that is a start. If `stop` becomes true, the search ends with the best order so
// far, or fails with Error::Code::Cancelled before it has one. Also fails if no order fits, or if
// the costs cannot be resolved. `progress` is called by one thread at a time, first with the best
// start and then at most ten times a second.
engine::Result<SearchResult> search(const SearchRequest& request, const PredictionCosts& costs,
                                    const std::function<void(const SearchProgress&)>& progress,
                                    const std::atomic<bool>& stop);

} // namespace profiler
