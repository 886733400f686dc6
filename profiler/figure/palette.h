#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

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

Colour mix(Colour from, Colour to, double share); // share 0: from, 1: to
double contrast(Colour a, Colour b);              // WCAG ratio, 1..21
// minimum contrast of a number to its box; numbers with less are left out
constexpr double kSmallestInk = 4.5;
std::string hex(Colour colour); // "#315AC2"
engine::Result<Colour> parseColour(std::string_view hex);

enum class ThemeMode : std::uint8_t { Light, Dark };

// Lines over a fill, for print without colour. Bubbles have rising ones.
enum class HatchLines : std::uint8_t { None, Rising, Falling, Crossed, Horizontal, Vertical };

// How the ops of one colour are hatched: chunk c has `density` + c times as many lines as one.
struct OpHatch
{
    HatchLines lines = HatchLines::None;
    int density = 0; // of chunk 0; 0: plain
};

// The colours of data for the window and for figures. app/models/theme.h has the colours of the
// window itself.
struct Palette
{
    std::string name, title;
    ThemeMode mode = ThemeMode::Light;
    Colour forward, backward, weight, communication, optimizer;
    Colour optimizerEdge;
    Colour bubble, bubbleLine;
    Colour surface, ink, darkInk, lightInk;
    double exposedShare = 0.68;             // communication mixed to surface
    double chunkShare[3] = {0, 0.35, 0.60}; // fill of chunk c mixed to chunkTarget
    Colour chunkTarget;                     // white in light, surface in dark
    Colour weights, gradients, optimizerState, buffers, stash; // memory kinds

    OpHatch forwardHatch, backwardHatch, weightHatch, communicationHatch; // none in most palettes

    Colour fill(const engine::Op& op, int chunk) const;
    OpHatch hatch(const engine::Op& op, int chunk) const; // density of this chunk; 0: plain
    Colour exposed() const { return mix(communication, surface, exposedShare); }
    // The better of dark and light ink on `on`; nullopt-like: contrast below 4.5 means no text.
    Colour inkOn(Colour on) const;
};

// resources/palettes/*.json; NotFound names those there are.
engine::Result<Palette> loadPalette(std::string_view name, ThemeMode mode);
std::vector<std::string> paletteNames(); // default first

} // namespace profiler
