#include "profiler/import/readers/nsight_names.h"

#include "engine/base/text.h"

namespace profiler {

std::string_view withoutOpNumbers(std::string_view text)
{
    for (const std::string_view part : {", seq = ", ", op_id = ", ", sizes = "})
        text = text.substr(0, text.find(part));
    return text;
}

std::optional<int> mpiRank(std::string_view thread)
{
    constexpr std::string_view kBefore = "MPI Rank ";
    constexpr int kMostRanks = 1'000'000;
    if (!thread.starts_with(kBefore))
        return std::nullopt;
    const auto rank = engine::parseInteger<int>(thread.substr(kBefore.size()));
    return rank && 0 <= *rank && *rank < kMostRanks ? rank : std::nullopt;
}

std::vector<std::string> workColumns(std::initializer_list<const char*> more)
{
    std::vector<std::string> all{"start",    "end",           "deviceId", "contextId",
                                 "streamId", "correlationId", "globalPid"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

} // namespace profiler
