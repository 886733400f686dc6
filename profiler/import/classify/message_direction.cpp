#include "profiler/import/classify/message_direction.h"

#include "engine/base/text.h"

#include <algorithm>
#include <utility>

namespace profiler {

using engine::OpKind;

namespace {
// `group` lists the ranks of the process group, such as "[0, 1, 2]".
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
} // namespace

std::optional<OpKind> messageKind(const NcclArguments& message, const RankTrace& trace)
{
    const std::string& name = trace.text(message.collective);
    if (message.source < 0 || message.target < 0 || (name != "send" && name != "recv"))
        return std::nullopt;
    const bool down = goesToNextStage(message, trace.text(message.group));
    if (name == "send")
        return down ? OpKind::SendActivation : OpKind::SendGradient;
    return down ? OpKind::RecvActivation : OpKind::RecvGradient;
}

} // namespace profiler
