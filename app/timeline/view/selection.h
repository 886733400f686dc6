#pragma once

#include "engine/timeline/timeline.h"

#include <cstdint>

namespace app {

// The selection in a timeline; one value, shared by the view and the details panel.
struct Selection
{
    enum class Kind : std::uint8_t { None, Op, Bubble, Range, Device, Kernel };

    Kind kind = Kind::None;
    int iteration = -1;      // index into Timeline::iterations
    engine::DeviceId device; // of kind Range: the device whose host marked it (NVTX), or none
    engine::Track::Kind lane = engine::Track::Kind::Compute;
    std::uint32_t op = 0;   // OpIndex; kind Op
    engine::Window window;  // of what is selected, on the timeline's clock
    std::uint32_t work = 0; // GpuActivity::work(); kind Kernel, of `op` if known
    int row = 0;            // of the device's kernel lanes; kind Kernel

    friend bool operator==(const Selection&, const Selection&) = default;
};

} // namespace app
