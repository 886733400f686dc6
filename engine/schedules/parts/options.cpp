#include "engine/schedules/parts/options.h"

#include "engine/base/text.h"

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

} // namespace engine::parts
