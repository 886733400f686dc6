#pragma once

#include "engine/base/id_vector.h"

#include <cstdint>
#include <string_view>

namespace engine {

// Settings that parts of the engine take without the rest of an Experiment.

// The summation of micro-batch gradients. Exact rounds each gradient to a multiple of 2^-40 and
// adds the multiples as int64, so that the sum does not depend on the order.
enum class Accumulate : std::uint8_t { Float, Exact };

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

// The activity that a run records (`--trace`). Auto records kernels on a GPU, otherwise ops.
enum class Trace : std::uint8_t { Auto, Off, Ops, Kernels, All };
constexpr std::string_view traceName(Trace trace)
{
    constexpr EnumArray<Trace, std::string_view, 5> kNames{"auto", "off", "ops", "kernels", "all"};
    return kNames[trace];
}

} // namespace engine
