#include "engine/base/available_memory.h"
#include "engine/base/text.h"
#include "engine/base/try.h"
#include "engine/schedule/check/weight_versions.h"
#include "engine/schedules/parts/limits.h"
#include "engine/schedules/scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace engine {
namespace {

Result<void> checkValue(const Scheme& scheme, const SchemeOption& option, std::string_view value)
{
    if (std::ranges::find(option.values, value) != option.values.end())
        return {};
    const std::string refused
        = fmt::format("{} does not accept {}={}", scheme.name, option.key, value);
    if (option.accepts != nullptr)
        return option.accepts(value) ? Result<void>{}
                                     : invalid("{}; write {}", refused, option.form);
    if (!option.smallest)
        return invalid(refused + "; " + didYouMean(value, option.values));
    const auto number = parseInteger<int>(value);
    if (number && *number >= *option.smallest)
        return {};
    return invalid("{}; use {}, or an integer of at least {}", refused, joined(option.values),
                   *option.smallest);
}

Result<void> checkOption(const Scheme& scheme, std::string_view key, std::string_view value)
{
    if (scheme.options.empty())
        return invalid("{} has no options; remove --set {}={}", scheme.name, key, value);
    const auto option = std::ranges::find(scheme.options, key, &SchemeOption::key);
    if (option == scheme.options.end()) {
        std::vector<std::string_view> keys;
        for (const SchemeOption& known : scheme.options)
            keys.push_back(known.key);
        return invalid("{} has no option '{}'; {}", scheme.name, key, didYouMean(key, keys));
    }
    return checkValue(scheme, *option, value);
}

Result<void> checkCounts(const Scheme& scheme, const ScheduleRequest& request)
{
    if (request.devices < 1)
        return invalid("{} devices: there must be at least 1", request.devices);
    if (request.devices > kMaxDevices)
        return invalid("{} devices are too many; the limit is {}", request.devices, kMaxDevices);
    if (request.microBatches < 1)
        return invalid("{} micro-batches: there must be at least 1", request.microBatches);
    if (request.dataParallel < 1)
        return invalid("data-parallel width {}: it must be at least 1", request.dataParallel);
    if (request.chunks < 0)
        return invalid("{} chunks: there must be at least 1", request.chunks);
    if (scheme.chunksFixed && request.chunks != 0 && request.chunks != scheme.defaultChunks)
        return invalid("{} always has {} chunk{} per device{}, not {}; remove --chunks",
                       scheme.name, scheme.defaultChunks, scheme.defaultChunks == 1 ? "" : "s",
                       scheme.family == "Two directions" ? " and direction" : "", request.chunks);
    return {};
}

// 128 bits, because products of unchecked input may overflow 64 bits.
__extension__ using Wide = __int128;

// Checks the size before anything is allocated. Counts one forward and one backward (or I and W)
// per micro-batch, slice, chunk and device.
Result<void> checkSize(const Scheme& scheme, const ScheduleRequest& request, const SizeLimit& limit)
{
    const int slices = scheme.slices != nullptr ? scheme.slices(request) : 1;
    const Wide perMicroBatch
        = Wide{scheme.splitsBackward ? 3 : 2} * parts::chunksOf(request) * request.devices * slices;
    const Wide ops = perMicroBatch * request.microBatches;
    if (ops <= limit.ops)
        return {};
    const auto gibi = [&limit](Wide count) {
        return static_cast<double>(count) * limit.bytesPerOp / (1 << 30);
    };
    const std::string most = limit.isOfMachine && limit.ops < kMostOps
        ? fmt::format("the {:.1f} GiB available", gibi(limit.ops))
        : fmt::format("the limit of {} ops", limit.ops);
    return invalid("{} micro-batches{} on {} devices would be {} ops and need {:.1f} GiB, more "
                   "than {}; use fewer devices{} or micro-batches",
                   request.microBatches, slices > 1 ? fmt::format(" of {} slices", slices) : "",
                   request.devices, ops, gibi(ops), most, slices > 1 ? ", slices" : "");
}

// Merges all windows of a stream into one.
ScheduleRequest asOneWindow(ScheduleRequest request)
{
    const std::int64_t all = std::int64_t{request.microBatches} * std::max(1, request.windows);
    request.microBatches
        = static_cast<int>(std::min<std::int64_t>(all, std::numeric_limits<int>::max()));
    request.windows = 1;
    return request;
}

std::int64_t ceilDiv(std::int64_t number, std::int64_t by)
{
    return (number + by - 1) / by;
}

// The number of windows after which an asynchronous pipeline is full and keeps all its weight
// versions.
std::int64_t windowsToFill(const Shape& shape)
{
    const std::int64_t needed = std::max<std::int64_t>(shape.devices, 2LL * shape.updateEvery);
    return ceilDiv(needed, shape.microBatches);
}

} // namespace

SizeLimit limitOfMachine(int bytesPerOp)
{
    const Bytes memory = availableMemory();
    const std::int64_t fits = memory == 0 ? kMostOps : memory / 4 * 3 / bytesPerOp;
    return {std::min(fits, kMostOps), bytesPerOp, true};
}

Result<void> checkRequest(const ScheduleRequest& request, const SizeLimit& limit)
{
    if (request.windows > 1)
        return withAdvice(
            checkRequest(asOneWindow(request), limit),
            fmt::format(", or fewer iterations: the stream has {} windows of {} micro-batches",
                        request.windows, request.microBatches));
    const Scheme* scheme = findScheme(request.scheme);
    if (scheme == nullptr)
        return invalid(unknownScheme(request.scheme));
    for (const auto& [key, value] : request.options)
        TRY(checkOption(*scheme, key, value));
    TRY(checkCounts(*scheme, request));
    if (scheme->check != nullptr)
        TRY(scheme->check(request));
    return checkSize(*scheme, request, limit);
}

Result<Schedule> buildSchedule(const ScheduleRequest& request, const SizeLimit& limit)
{
    TRY(checkRequest(request, limit));
    auto schedule = findScheme(request.scheme)->build(asOneWindow(request));
    if (schedule && request.windows > 1) {
        schedule->shape.microBatches = request.microBatches;
        schedule->shape.windows = request.windows;
    }
    return schedule;
}

ScheduleRequest asStream(ScheduleRequest request, const StreamLength& length,
                         const SizeLimit& limit)
{
    const Scheme* scheme = findScheme(request.scheme);
    if (scheme == nullptr || !scheme->asynchronous || request.microBatches < 1)
        return request;
    request.windows = 1;
    const auto one = buildSchedule(request, limit); // gives the micro-batches per update
    if (!one)
        return request;
    const Shape& shape = one->shape;
    const std::int64_t windows = std::max<std::int64_t>(length.warmup, windowsToFill(shape))
        + length.measured + windowsToDrain(shape);
    // The last update is complete if the number of windows is a multiple of `step`.
    const int step = shape.updateEvery / std::gcd(shape.updateEvery, request.microBatches);
    request.windows = static_cast<int>(
        std::min<std::int64_t>(ceilDiv(windows, step) * step, std::numeric_limits<int>::max()));
    return request;
}

} // namespace engine
