#include "profiler/import/classify/message_kind.h"

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

OpKind kindOf(bool sends, bool goesDown)
{
    if (sends)
        return goesDown ? OpKind::SendActivation : OpKind::SendGradient;
    return goesDown ? OpKind::RecvActivation : OpKind::RecvGradient;
}
} // namespace

std::optional<OpKind> messageKind(const NcclArguments& message, const RankTrace& trace)
{
    const std::string& name = trace.text(message.collective);
    if (message.source < 0 || message.target < 0 || (name != "send" && name != "recv"))
        return std::nullopt;
    return kindOf(name == "send", goesToNextStage(message, trace.text(message.group)));
}

std::optional<OpKind> messageKind(std::string_view range)
{
    const bool sends = range.starts_with("nccl:send ");
    const std::size_t arrow = range.find(sends ? "->" : "<-");
    constexpr std::size_t kPrefix = std::string_view("nccl:send ").size();
    if ((!sends && !range.starts_with("nccl:recv ")) || arrow == std::string_view::npos)
        return std::nullopt;
    const auto own = engine::parseInteger<int>(range.substr(kPrefix, arrow - kPrefix));
    const std::string_view rest = range.substr(arrow + 2);
    const auto other = engine::parseInteger<int>(rest.substr(0, rest.find_first_of(", ")));
    if (!own || !other || *own == *other)
        return std::nullopt;
    return kindOf(sends, sends == (*own < *other));
}

} // namespace profiler
