#pragma once

#include "engine/base/field.h"
#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// The arguments of --scheme --devices --micro-batches --chunks --set key=value --data-parallel
// --mapping.
struct ScheduleRequest
{
    std::string scheme = "bitpipe";
    int devices = 4, microBatches = 8;
    int chunks = 0; // 0: the scheme's default
    int dataParallel = 1;
    std::map<std::string, std::string, std::less<>> options;
    std::string mapping{kDefaultMapping}; // a name or a file
    int windows = 1;                      // see Shape::windows; asStream() sets it

    friend bool operator==(const ScheduleRequest&, const ScheduleRequest&) = default;
};

// A key of --set and its values; the first value is the default. For a numeric option the default
// is a number or a rule ("2", "D+2").
struct SchemeOption
{
    std::string_view key, title;
    std::span<const std::string_view> values;
    std::optional<int> smallest; // all integers from this one on are valid as well
    // The form of other accepted values, and a function that checks one. "" and nullptr if only
    // `values` and integers are accepted.
    std::string_view form = {};
    bool (*accepts)(std::string_view value) = nullptr;
    std::string_view help = {}; // explains a short title; "": no explanation

    bool isOpen() const
    {
        return smallest || accepts != nullptr;
    } // whether values other than `values` are valid
};

// A way to build a schedule. Each scheme has its own .cpp in this folder and one line in
// registry.cpp. This struct is the only source of the scheme's name, texts and limits for the
// command line and the window.
struct Scheme
{
    std::string_view name;     // "1f1b": stable, used in files and on the command line
    std::string_view title;    // "1F1B (PipeDream-Flush, DAPPLE)", for display
    std::string_view summary;  // "alternating forwards and backwards", for display
    std::string_view citation; // the paper that defines it
    std::string_view details;  // the rule, a small picture and the closed forms, for display
    // The heading of the scheme in the window: "One direction", "Two directions", "Zero bubble".
    std::string_view family;
    std::string_view accepts = "D >= 1; N >= 1; v = 1"; // as text, for display
    std::string_view bubbleFormula{};                   // closed form for display, "" if none
    int defaultChunks = 1;
    bool chunksFixed = true;
    bool splitsBackward = false; // I and W ops instead of B
    bool asynchronous = false;   // no flush: N is a window, and weights are updated within it
    std::span<const SchemeOption> options = {};
    // Number of slices with separate ops per micro-batch; nullptr: micro-batches are not sliced.
    int (*slices)(const ScheduleRequest& request) = nullptr;
    // Fails if the request is invalid; the message has the nearest valid value. nullptr: all D, N
    // >= 1 are valid.
    Result<void> (*check)(const ScheduleRequest& request) = nullptr;
    // Builds the compute ops (and the evicts and loads of BPipe). Requires a successful `check`.
    Result<Schedule> (*build)(const ScheduleRequest& request) = nullptr;
};

std::span<const Scheme> schemes();
const Scheme* findScheme(std::string_view name);
// "unknown scheme 'interleaved'; did you mean 'interleaved-1f1b', 'interleaved-zb' or
// 'grouped-interleaved'?" Also other names find their schemes, such as Schedule1F1B and DAPPLE.
std::string unknownScheme(std::string_view name);

// Limits of a schedule: Op::peer has 16 bits, and a schedule with its timeline must fit in the
// memory of a laptop.
constexpr int kMaxDevices = 0xFFFE;
constexpr std::int64_t kMaxOps = std::int64_t{1} << 24; // compute ops
constexpr std::int64_t kMostOps = std::int64_t{1}
    << 28; // absolute limit: ops are counted in 32 bits
// Bytes per op of a schedule that is only summarized (sim/simulate.h: summarize()), and of one with
// transfers, costs and spans.
constexpr int kBytesPerSummedOp = 28, kBytesPerOp = 200;

// The largest number of ops that may be built.
struct SizeLimit
{
    std::int64_t ops = kMaxOps;
    int bytesPerOp = kBytesPerOp;
    bool isOfMachine = false; // true: derived from the available memory
};
// The ops that fit in three quarters of the available memory, at most kMostOps.
SizeLimit limitOfMachine(int bytesPerOp);

// Checks scheme, options, counts, the scheme's rule and the size, without building.
Result<void> checkRequest(const ScheduleRequest& request, const SizeLimit& limit = {});
// Checks and builds a schedule. Error messages name the closest scheme or option, or the bytes that
// a schedule above the limit would need.
Result<Schedule> buildSchedule(const ScheduleRequest& request, const SizeLimit& limit = {});

// The numbers of warm-up and of measured windows of a stream. asStream() raises `warmup` to the
// windows that the pipeline needs to fill, and appends windowsToDrain() windows, in which the
// pipeline drains, and the windows that complete the last update.
struct StreamLength
{
    int warmup = 0, measured = 1;
};
// Asynchronous schemes are simulated and trained as one stream of windows without a flush. Returns
// the request with the number of windows of its stream. Requests for other schemes, and requests
// that are invalid or above the limit, are returned unchanged.
ScheduleRequest asStream(ScheduleRequest request, const StreamLength& length,
                         const SizeLimit& limit = {});

// The options --scheme, --devices, --micro-batches, --chunks, --set, --data-parallel and --mapping.
Fields<ScheduleRequest> requestFields();

} // namespace engine
