#pragma once

#include "engine/timeline/timeline.h"

#include <cstdint>

namespace app {

// The selected item of a timeline. The view and the details panel share one value.
struct Selection
{
    enum class Kind : std::uint8_t { None, Op, Bubble, Range, Device, Kernel };

    Kind kind = Kind::None;
    int iteration = -1;      // index into Timeline::iterations
    engine::DeviceId device; // for Kind::Range: device of the NVTX range, or none
    engine::Track::Kind lane = engine::Track::Kind::Compute;
    std::uint32_t op = 0;   // OpIndex; for Kind::Op
    engine::Window window;  // of the selected item, on the timeline's clock
    std::uint32_t work = 0; // index of GpuActivity::work(); for Kind::Kernel, with `op` if known
    int row = 0;            // among the device's kernel rows; for Kind::Kernel

    friend bool operator==(const Selection&, const Selection&) = default;
};

} // namespace app
