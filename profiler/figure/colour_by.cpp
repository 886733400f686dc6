#include "profiler/figure/colour_by.h"

#include <algorithm>
#include <cmath>

namespace profiler {
namespace {

// Eight hues that also differ in lightness. The colours of forward ops are mixed with the surface.
constexpr Colour kHueColours[kHues]
    = {{0x31, 0x5A, 0xC2}, {0xC0, 0x56, 0x1A}, {0x23, 0xAA, 0x9C}, {0xA6, 0x24, 0x63},
       {0x9C, 0xB8, 0x2E}, {0x6A, 0x55, 0xC8}, {0xFE, 0xBD, 0x29}, {0x7D, 0x87, 0x95}};
constexpr double kForwardLight = 0.45, kForwardDark = 0.38;

bool hasMicroBatch(const engine::Op& op)
{
    return engine::isCompute(op.kind) && op.kind != engine::OpKind::OptimizerStep
        && op.microBatch.isValid();
}

} // namespace

const std::vector<std::string_view>& colourByNames()
{
    static const std::vector<std::string_view> kNames{"operation", "micro-batch", "stage",
                                                      "direction", "chunk",       "duration"};
    return kNames;
}

int colourGroup(const engine::Op& op, int chunk, ColourBy by)
{
    if (!hasMicroBatch(op))
        return -1;
    switch (by) {
    case ColourBy::Operation:
    case ColourBy::Duration:
        break;
    case ColourBy::Chunk:
        return chunk;
    case ColourBy::MicroBatch:
        return op.microBatch.value;
    case ColourBy::Stage:
        return op.stage.value;
    case ColourBy::Direction:
        return op.replica;
    }
    return -1;
}

bool isColouredByDuration(const engine::Op& op, ColourBy by)
{
    return by == ColourBy::Duration && hasMicroBatch(op);
}

Tint tintOf(engine::OpKind kind)
{
    return kind == engine::OpKind::Recompute ? Tint::Recompute
        : engine::isBackward(kind)           ? Tint::Backward
                                             : Tint::Forward;
}

Colour hueFill(const Palette& palette, int group, Tint tint)
{
    const Colour full = kHueColours[group % kHues];
    const double light = palette.mode == ThemeMode::Dark ? kForwardDark : kForwardLight;
    return tint == Tint::Backward ? full : mix(full, palette.surface, light);
}

int durationStep(double share)
{
    const double place = std::sqrt(std::clamp(share, 0.0, 1.0)) * kDurationSteps;
    return std::min(static_cast<int>(place), kDurationSteps - 1);
}

// The longer the op, the higher is the contrast to the surface: long ops are dark in light themes
// and bright in dark themes.
Colour durationFill(const Palette& palette, int step)
{
    constexpr double kPalestLight = 0.7, kPalestDark = 0.5, kSteps = kDurationSteps - 1;
    const bool isDark = palette.mode == ThemeMode::Dark;
    if (step == 0)
        return isDark ? mix(palette.optimizer, palette.surface, kPalestDark)
                      : mix(palette.weight, palette.surface, kPalestLight);
    return mix(palette.weight, palette.optimizer, (isDark ? kSteps - step : step - 1) / kSteps);
}

OpLook opLook(const Palette& palette, const engine::Op& op, int chunk, double length, ColourBy by)
{
    if (isColouredByDuration(op, by))
        return {durationFill(palette, durationStep(length)), {}};
    const int group = colourGroup(op, chunk, by);
    if (group < 0)
        return {palette.fill(op, chunk), palette.hatch(op, chunk)};
    const Tint tint = tintOf(op.kind);
    return {hueFill(palette, group, tint),
            tint == Tint::Recompute ? palette.recomputeHatch : OpHatch{}};
}

} // namespace profiler
