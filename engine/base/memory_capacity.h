#pragma once

#include "engine/base/units.h"

#include <string>
#include <string_view>

namespace engine {

struct FieldFacts;

// The memory of a device, of which `reserve` percent are kept free for contexts and buffers. Every
// comparison of a need with the memory of a device is holds().
struct MemoryCapacity
{
    static constexpr double kDefaultReserve = 5;

    Bytes bytes = 0; // 0: unknown, and everything fits
    double reserve = kDefaultReserve;

    bool isKnown() const { return bytes > 0; }
    Bytes usable() const;
    bool holds(double needed) const { return !isKnown() || needed <= usable(); }
    // Usable bytes that are left; negative if `needed` does not fit.
    Bytes left(double needed) const;
    std::string text() const; // "75.2 GiB usable of 79.2 GiB: reserve 5 %"

    friend bool operator==(const MemoryCapacity&, const MemoryCapacity&) = default;
};

// The option --reserve, which every command with a limit has. `table` is its table in TOML.
FieldFacts reserveOption(std::string_view table);

std::string bytesText(Bytes bytes); // "512 B", "3.2 KiB", "17.4 MiB"

} // namespace engine
