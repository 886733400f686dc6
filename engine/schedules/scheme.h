#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

// What a user asks for: --scheme --devices --micro-batches --chunks --set key=value.
struct ScheduleRequest
{
    std::string scheme = "bitpipe";
    int devices = 4, microBatches = 8;
    int chunks = 0; // 0: the scheme's default
    int dataParallel = 1;
    std::map<std::string, std::string, std::less<>> options;

    friend bool operator==(const ScheduleRequest&, const ScheduleRequest&) = default;
};

// One key of --set and the values it takes; the first is the default. The default of a number is
// spelled as a value is or as its rule ("2", "D+2").
struct SchemeOption
{
    std::string_view key, title;
    std::span<const std::string_view> values;
    std::optional<int> smallest; // every integer from this one on is a value, too
    // Values of another form: what they look like, and whether one is right. "", none: no such.
    std::string_view form = {};
    bool (*accepts)(std::string_view value) = nullptr;

    bool isOpen() const { return smallest || accepts != nullptr; } // not only one of `values`
};

// A named way to build a schedule. Each lives in its own .cpp of this folder and is listed once, in
// registry.cpp. The table is the only place that knows a scheme's name, words and limits; the
// command line and the window read them from here.
struct Scheme
{
    std::string_view name;     // "1f1b": stable, in files and on the command line
    std::string_view title;    // "1F1B (PipeDream-Flush, DAPPLE)": for people
    std::string_view summary;  // "one forward, one backward in turn": a card's second line
    std::string_view citation; // the paper that defines it
    std::string_view details;  // lines for people: the rule, a small picture, the closed forms
    std::string_view family;   // "One direction", "Two directions", "Zero bubble": groups of cards
    std::string_view accepts;  // "D >= 2, even; N a multiple of D; v = 2"
    std::string_view bubbleFormula; // closed form for people, "" when there is none
    int defaultChunks = 1;
    bool chunksFixed = true;
    bool splitsBackward = false; // I and W instead of B
    bool asynchronous = false;   // no flush: N is a window, and the weights change while it runs
    std::span<const SchemeOption> options;
    // Slices that a micro-batch is cut into, each with ops of its own; none: it is not cut.
    int (*slices)(const ScheduleRequest& request) = nullptr;
    // Why the request is impossible, with the nearest valid value; none: every D, N >= 1 is fine.
    Result<void> (*check)(const ScheduleRequest& request) = nullptr;
    // Compute ops only, and the evicts and loads of a scheme that has them. `check` has passed.
    Result<Schedule> (*build)(const ScheduleRequest& request) = nullptr;
};

std::span<const Scheme> schemes();
const Scheme* findScheme(std::string_view name);

// Limits of what is built: Op::peer counts devices in 16 bits, and a schedule with its timeline
// stays within the memory of a laptop.
constexpr int kMaxDevices = 0xFFFE;
constexpr std::int64_t kMaxOps = std::int64_t{1} << 24; // compute ops
constexpr std::int64_t kMostOps = std::int64_t{1}
    << 28; // on any machine: ops are counted in 32 bits
// Bytes of each op, all in all: of a schedule that is only summed up (sim/simulate.h: summarize()),
// and of one with its transfers, costs and spans.
constexpr int kBytesPerSummedOp = 28, kBytesPerOp = 200;

// How large a schedule may be.
struct SizeLimit
{
    std::int64_t ops = kMaxOps;
    int bytesPerOp = kBytesPerOp;
    bool isOfMachine = false; // the memory at hand, not a rule
};
// As many as fit in the memory of this machine, less a quarter for others; at most kMostOps.
SizeLimit limitOfMachine(int bytesPerOp);

// Why buildSchedule() would refuse, without building: scheme, options, counts, the scheme's rule,
// the size.
Result<void> checkRequest(const ScheduleRequest& request, const SizeLimit& limit = {});
// The one door: unknown scheme (with the nearest name), unknown option, check, build. More ops than
// the limit are an error that says so, with the bytes they would need.
Result<Schedule> buildSchedule(const ScheduleRequest& request, const SizeLimit& limit = {});

} // namespace engine
