#pragma once

#include "profiler/figure/palette.h"

#include <string_view>
#include <vector>

namespace profiler {

// What the colour of a compute box means, in the window and in figures. By default it is the kind
// of op. With MicroBatch, Stage, Direction and Chunk, each value has a hue, and forward ops have a
// lighter tone of it. With Duration, the colour is on a scale up to the longest op. Transfers, the
// optimizer and coverage columns always keep the colours of their kind.
enum class ColourBy : std::uint8_t { Operation, MicroBatch, Stage, Direction, Chunk, Duration };
const std::vector<std::string_view>& colourByNames(); // [ColourBy] "operation", "micro-batch"

// The number from which the hue of an op is derived; -1 if the colour depends on the kind or the
// duration of the op.
int colourGroup(const engine::Op& op, int chunk, ColourBy by);
bool isColouredByDuration(const engine::Op& op, ColourBy by);

constexpr int kHues = 8; // hues repeat: group 8 has the hue of group 0
enum class Tint : std::uint8_t { Backward, Forward, Recompute };
Tint tintOf(engine::OpKind kind);
Colour hueFill(const Palette& palette, int group, Tint tint);

// The number of colours for durations. durationStep() returns the index of the colour: it grows
// with the square root of the duration. Printed in grey, the colours differ from each other and
// from that of the optimizer.
constexpr int kDurationSteps = 5;
int durationStep(double share); // `share`: duration / longest op, clamped to 0..1
Colour durationFill(const Palette& palette, int step);

struct OpLook
{
    Colour fill;
    OpHatch hatch;
};
// `length`: duration of the op / duration of the longest op.
OpLook opLook(const Palette& palette, const engine::Op& op, int chunk, double length, ColourBy by);

} // namespace profiler
