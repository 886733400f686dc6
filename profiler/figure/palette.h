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
    Colour weights, gradients, optimizerState, buffers, stash; // colours of memory by category

    // Most palettes hatch only RECOMPUTE, to distinguish it from a forward, which has the same
    // fill.
    OpHatch forwardHatch, backwardHatch, weightHatch, communicationHatch;
    OpHatch recomputeHatch{HatchLines::Rising, 1};

    Colour fill(const engine::Op& op, int chunk) const;
    // If the density is 0, the op has no hatch.
    OpHatch hatch(const engine::Op& op, int chunk) const;
    Colour hatchLine(Colour fill) const { return mix(fill, inkOn(fill), 0.6); }
    Colour exposed() const { return mix(communication, surface, exposedShare); }
    Colour laneFill(engine::Track::Kind lane) const; // of a lane of communication
    // Dark or light ink, whichever has the higher contrast to `on`. The caller must omit the text
    // if the contrast is below kSmallestInk.
    Colour inkOn(Colour on) const;
    // The colour of an op's number on its fill. If isInkByDirection is set, it is light for the up
    // direction and dark for the down direction. Otherwise it is inkOn().
    bool isInkByDirection = false;
    Colour inkOf(const engine::Op& op, Colour fill) const;
};

// Loads a palette of resources/palettes. Fails with Error::Code::NotFound; the message lists the
// palettes.
engine::Result<Palette> loadPalette(std::string_view name, ThemeMode mode);
std::vector<std::string> paletteNames(); // default first

} // namespace profiler
