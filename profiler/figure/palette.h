#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"
#include "engine/timeline/timeline.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace profiler {

struct Colour
{
    std::uint8_t red = 0, green = 0, blue = 0;
    friend bool operator==(Colour, Colour) = default;
};

Colour mix(Colour from, Colour to, double share); // share 0: from; 1: to
double contrast(Colour a, Colour b);              // WCAG ratio, 1..21
double linearLight(std::uint8_t channel);         // from 0 to 1
// The minimum contrast of a mark that means something to its ground (WCAG 2.1, 1.4.11).
constexpr double kMarkContrast = 3;
// The minimum contrast of a number to its box. Numbers with less contrast are omitted.
constexpr double kSmallestInk = 4.5;
std::string hex(Colour colour); // "#315AC2"
engine::Result<Colour> parseColour(std::string_view hex);

enum class ThemeMode : std::uint8_t { Light, Dark };

// Lines over a fill, for print without colour. Bubbles have rising lines.
enum class HatchLines : std::uint8_t { None, Rising, Falling, Crossed, Horizontal, Vertical };

// The hatch of ops with the same colour. On chunk c it has (density + c) times as many lines as a
// hatch of density 1.
struct OpHatch
{
    HatchLines lines = HatchLines::None;
    int density = 0; // density on chunk 0; 0: no hatch
};

// The colours of data in the window and in figures. app/ui/theme.h has the colours of the
// window itself.
struct Palette
{
    std::string name, title;
    ThemeMode mode = ThemeMode::Light;
    Colour forward, backward, weight, communication, optimizer;
    Colour optimizerEdge;
    Colour bubble, bubbleLine;
    Colour bubbleSolid; // of a bubble that is too small for its hatch
    Colour surface, ink, darkInk, lightInk;
    // Colour of exposed communication = communication colour mixed with this share of the surface.
    double exposedShare = 0.68;
    double chunkShare[3] = {0, 0.35, 0.60}; // by chunk: share of chunkTarget in the fill
    Colour chunkTarget;                     // white in light themes, surface in dark themes
    // Colours of memory by category.
    Colour weights, gradients, optimizerState, buffers, unknown, stash;

    // Most palettes hatch only RECOMPUTE, to distinguish it from a forward, which has the same
    // fill.
    OpHatch forwardHatch, backwardHatch, weightHatch, communicationHatch;
    OpHatch recomputeHatch{HatchLines::Rising, 1};

    Colour fill(engine::OpKind kind, int chunk = 0) const;
    // If the density is 0, the op has no hatch.
    OpHatch hatch(engine::OpKind kind, int chunk) const;
    Colour hatchLine(Colour fill) const { return mix(fill, inkOn(fill), 0.6); }
    Colour exposed() const { return mix(communication, surface, exposedShare); }
    Colour laneFill(engine::Track::Kind lane) const; // of a lane of communication
    // Dark or light ink, whichever has the higher contrast to `on`. The caller must omit the text
    // if the contrast is below kSmallestInk.
    Colour inkOn(Colour on) const;
    // The edge of a box: its fill, or a darker or lighter tone that has a contrast of kMarkContrast
    // to the surface.
    Colour edgeOf(Colour fill) const;
    // The colour of an op's number on its fill. If isInkByDirection is set, it is light for the up
    // direction and dark for the down direction. Otherwise it is inkOn().
    bool isInkByDirection = false;
    Colour inkOf(const engine::Op& op, Colour fill) const;
};

// The colour of a memory category. A bar stacks the categories in this order.
Colour Palette::*memoryFill(engine::MemoryCategory category);
inline constexpr engine::MemoryCategory kMemoryStack[]
    = {engine::MemoryCategory::Weights,   engine::MemoryCategory::Gradients,
       engine::MemoryCategory::Optimizer, engine::MemoryCategory::Unknown,
       engine::MemoryCategory::Buffers,   engine::MemoryCategory::Stash};

// The three causes of bubbles have greys that also stand for memory.
inline constexpr Colour Palette::*kFillCause = &Palette::optimizerState;
inline constexpr Colour Palette::*kWaitCause = &Palette::gradients;
inline constexpr Colour Palette::*kDrainCause = &Palette::weights;

// Loads a palette of resources/palettes. Fails with Error::Code::NotFound; the message lists the
// palettes.
engine::Result<Palette> loadPalette(std::string_view name, ThemeMode mode);
std::vector<std::string> paletteNames(); // default first

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
