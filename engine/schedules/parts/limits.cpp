#include "engine/schedules/parts/limits.h"

#include "engine/base/text.h"

#include <algorithm>

namespace engine::parts {

int chunksOf(const ScheduleRequest& request)
{
    return request.chunks == 0 ? findScheme(request.scheme)->defaultChunks : request.chunks;
}

std::string_view chosen(const ScheduleRequest& request, const SchemeOption& option)
{
    const auto set = request.options.find(option.key);
    return set == request.options.end() ? option.values.front() : std::string_view(set->second);
}

int chosenNumber(const ScheduleRequest& request, const SchemeOption& option, int byDefault)
{
    const std::string_view value = chosen(request, option);
    return value == option.values.front() ? byDefault : parseInteger<int>(value).value();
}

Result<void> checkEvenDevices(const ScheduleRequest& request)
{
    if (request.devices % 2 == 0)
        return {};
    return invalid("{} needs an even number of devices, not {}; the nearest is {}", request.scheme,
                   request.devices, request.devices + 1);
}

Result<void> checkUnits(const ScheduleRequest& request, const Unit& unit)
{
    const std::int64_t microBatches = request.microBatches;
    const std::int64_t size = unit.microBatches;
    if (microBatches % size == 0)
        return {};
    const std::int64_t units = std::max<std::int64_t>(1, (microBatches + size / 2) / size);
    return invalid("{} needs a number of micro-batches that is a multiple of {} ({}), not "
                   "{}; the nearest is {}",
                   request.scheme, unit.of, size, microBatches, units * size);
}

Result<void> checkEvenChunks(const ScheduleRequest& request, std::string_view chunks)
{
    const int number = chunksOf(request);
    if (number % 2 == 0)
        return {};
    return invalid("{} needs an even number of {}, not {}; the nearest is {}", request.scheme,
                   chunks, number, number + 1);
}

Result<void> checkWholeVs(const ScheduleRequest& request)
{
    return checkEvenChunks(request, "chunks per device and direction (two for each V)");
}

Result<void> checkAtLeastTwiceTheDevices(const ScheduleRequest& request)
{
    if (request.microBatches / 2 >= request.devices)
        return {};
    return invalid("{} needs at least twice as many micro-batches as devices ({}), not {}",
                   request.scheme, 2 * request.devices, request.microBatches);
}

} // namespace engine::parts
