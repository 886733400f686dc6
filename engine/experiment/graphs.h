#pragma once

#include <cstdint>
#include <string_view>

namespace engine {

// Whether ops are launched as CUDA graphs (`--graphs`), with one call for all kernels of an op.
enum class Graphs : std::uint8_t {
    Off,
    Auto, // only ops whose launch takes about as long as their execution
    On,   // all ops that support it
};
constexpr std::string_view graphsName(Graphs graphs)
{
    return graphs == Graphs::Off ? "off" : graphs == Graphs::On ? "on" : "auto";
}

} // namespace engine
