#include "profiler/import/classify/message_direction.h"

#include "engine/base/text.h"

#include <algorithm>
#include <utility>

namespace profiler {

bool goesToNextStage(const NcclArguments& message, std::string_view group)
{
    const bool goesUp = message.source < message.target;
    if (!group.starts_with('[') || !group.ends_with(']') || std::ranges::count(group, ',') < 2)
        return goesUp;
    const std::size_t last = group.find_last_of(" ,") + 1;
    const auto ends
        = std::pair(engine::parseInteger<int>(group.substr(1, group.find(',') - 1)),
                    engine::parseInteger<int>(group.substr(last, group.size() - 1 - last)));
    const auto [lower, higher] = std::minmax(message.source, message.target);
    return goesUp != (ends.first == lower && ends.second == higher);
}

} // namespace profiler
