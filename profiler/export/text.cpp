#include "profiler/export/text.h"

#include "engine/base/units.h"

#include <nlohmann/json.hpp>

namespace profiler {

std::string ticksText(std::int64_t ticks, std::int64_t ticksPerUnit)
{
    if (ticks % ticksPerUnit == 0)
        return fmt::format("{}", ticks / ticksPerUnit);
    std::string text = fmt::format("{:.9f}", engine::ratio(ticks, ticksPerUnit));
    text.erase(text.find_last_not_of('0') + 1);
    return text;
}

std::string jsonText(std::string_view text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace profiler
