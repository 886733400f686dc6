#pragma once

#include "engine/base/id_vector.h"

#include <cstdint>
#include <string_view>

namespace engine {

// The activity that a run records (`--trace`). Auto records kernels on a GPU, otherwise ops.
enum class Trace : std::uint8_t { Auto, Off, Ops, Kernels, All };
constexpr std::string_view traceName(Trace trace)
{
    constexpr EnumArray<Trace, std::string_view, 5> kNames{"auto", "off", "ops", "kernels", "all"};
    return kNames[trace];
}

} // namespace engine
