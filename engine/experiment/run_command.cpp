#include "engine/experiment/run_command.h"

#include "engine/base/text.h"
#include "engine/experiment/experiment_fields.h"

#include <fmt/format.h>

namespace engine {

std::string commandText(std::string_view command, std::span<const std::string> arguments)
{
    std::string text = fmt::format("bscope {}", command);
    for (const std::string& word : arguments)
        text += ' ' + shellQuoted(word);
    return text;
}

std::string commandOf(const Experiment& experiment)
{
    return commandText("run", runArguments(experiment));
}

std::string describeLink(const LinkCost& link)
{
    if (link.bytesPerSecond <= 0 && link.latency.count() == 0)
        return "free";
    const std::string bandwidth = link.bytesPerSecond > 0
        ? fmt::format("{:.4g} GB/s", link.bytesPerSecond / 1e9)
        : "unlimited bandwidth";
    return fmt::format("{}, {:.4g} µs (assumed)", bandwidth, link.latency.count() / 1e3);
}

} // namespace engine
