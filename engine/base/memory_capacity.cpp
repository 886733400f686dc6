#include "engine/base/memory_capacity.h"

#include "engine/base/field.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace engine {

Bytes MemoryCapacity::usable() const
{
    return static_cast<Bytes>(std::floor(static_cast<double>(bytes) * (1 - reserve / 100)));
}

Bytes MemoryCapacity::left(double needed) const
{
    return usable() - std::llround(std::ceil(needed));
}

std::string MemoryCapacity::text() const
{
    return fmt::format("{} usable of {}: reserve {:.4g} %", bytesText(usable()), bytesText(bytes),
                       reserve);
}

FieldFacts reserveOption(std::string_view table)
{
    FieldFacts facts = option(table, "--reserve", "Reserve, %",
                              "Percent of a device's memory that is kept free for contexts and "
                              "buffers",
                              "%")
                           .between(0, 100);
    facts.kind = FieldKind::Real;
    return facts;
}

std::string bytesText(Bytes bytes)
{
    static constexpr std::array kNames{"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t name = 0;
    while (std::fabs(value) >= 1024 && name + 1 < kNames.size()) {
        value /= 1024;
        ++name;
    }
    return fmt::format("{:.{}f} {}", value, name == 0 ? 0 : 1, kNames[name]);
}

} // namespace engine
