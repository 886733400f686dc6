#pragma once

#include "profiler/figure/palette.h"

#include <string_view>
#include <vector>

namespace profiler {

// The meaning of a compute box's colour in the window and in figures: by default the kind of op,
// otherwise the micro-batch, the stage, the direction or the chunk, with forward ops in a lighter
// tone, or the duration on a scale up to the longest op. Transfers, the optimizer and coverage
// columns keep the colours of their kind.
enum class ColourBy : std::uint8_t { Operation, MicroBatch, Stage, Direction, Chunk, Duration };
const std::vector<std::string_view>& colourByNames(); // [ColourBy] "operation", "micro-batch"

// The number that selects the hue of an op, whose chunk is `chunk`; -1 if its kind or its duration
// selects the colour.
int colourGroup(const engine::Op& op, int chunk, ColourBy by);
// Whether the duration selects the colour of an op.
bool isColouredByDuration(const engine::Op& op, ColourBy by);

constexpr int kHues = 8; // hues repeat: group 8 has the hue of group 0
enum class Tint : std::uint8_t { Backward, Forward, Recompute };
Tint tintOf(engine::OpKind kind);
Colour hueFill(const Palette& palette, int group, Tint tint);

// The number of colours for durations. durationStep() is proportional to the square root of the
// duration. Printed in grey, the colours differ from each other and from that of the optimizer.
constexpr int kDurationSteps = 5;
int durationStep(double share); // `share` of the longest op; values outside 0..1 are clamped
Colour durationFill(const Palette& palette, int step);

struct OpLook
{
    Colour fill;
    OpHatch hatch;
};
// `length` is the duration of the op as a share of the longest op.
OpLook opLook(const Palette& palette, const engine::Op& op, int chunk, double length, ColourBy by);

} // namespace profiler
