#pragma once

#include <cstdint>
#include <string_view>

namespace engine {

// What a run records of its devices (`--trace`). Auto records kernels on a GPU, otherwise ops.
enum class Trace : std::uint8_t { Auto, Off, Ops, Kernels, All };
constexpr std::string_view traceName(Trace trace)
{
    constexpr std::string_view kNames[]{"auto", "off", "ops", "kernels", "all"};
    return kNames[static_cast<std::uint8_t>(trace)];
}

} // namespace engine
