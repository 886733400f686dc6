#include "profiler/figure/figure_parts.h"

#include <algorithm>
#include <iterator>

namespace profiler {
namespace {

// Sizes of a note's flag and of the strip, in multiples of the font size.
constexpr double kFlagWidth = 1.1, kFlagBody = 1.05, kFlagTip = 0.45, kStrip = 1.9;

// Removes whole UTF-8 characters from the end of the text until it fits. Returns "" if not even
// three characters fit.
std::string fitting(const std::string& words, const FigureStyle& style, double room)
{
    constexpr std::size_t kLeast = 3, kMost = 1024; // bytes; no page has room for more
    if (style.width(words, style.size) <= room)
        return words;
    std::string cut = words.substr(0, kMost);
    while (cut.size() > kLeast) {
        while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0U) == 0x80U)
            cut.pop_back();
        if (cut.empty()) // damaged text
            break;
        cut.pop_back();
        std::string shown = cut + "\xE2\x80\xA6";
        if (style.width(shown, style.size) <= room)
            return shown;
    }
    return {};
}

Polygon flag(double x, double top, const FigureStyle& style)
{
    const double half = kFlagWidth * style.size / 2, body = top + kFlagBody * style.size;
    return {.points = {{x - half, top},
                       {x + half, top},
                       {x + half, body},
                       {x, body + kFlagTip * style.size},
                       {x - half, body}},
            .fill = style.palette.ink,
            .cls = "note-flag"};
}

} // namespace

std::vector<engine::Note> notesOf(const FigureRun& run, std::span<const engine::Note> notes)
{
    std::vector<engine::Note> within;
    std::ranges::copy_if(notes, std::back_inserter(within), [&run](const engine::Note& note) {
        const bool isOfAnother = note.iteration >= 0 && note.iteration != run.iteration;
        return !isOfAnother && note.window.begin >= run.window.begin
            && note.window.begin < run.window.end;
    });
    return within;
}

double noteStripHeight(const FigureStyle& style)
{
    return kStrip * style.size;
}

Group layoutNotes(std::span<const engine::Note> notes, const FigureStyle& style,
                  const NotePlace& place)
{
    Group group{.id = place.prefix + "notes", .shapes = {}};
    const double half = kFlagWidth * style.size / 2, gap = 0.3 * style.size;
    const double middle = place.top + kFlagBody * style.size / 2;
    for (std::size_t i = 0; i < notes.size(); ++i) {
        const double x = place.scale.x(notes[i].window.begin);
        const double next = i + 1 < notes.size()
            ? place.scale.x(notes[i + 1].window.begin) - half - gap
            : place.right;
        group.shapes.emplace_back(Line{.x1 = x,
                                       .y1 = place.rows,
                                       .x2 = x,
                                       .y2 = place.bottom,
                                       .width = 0.4,
                                       .colour = style.palette.ink,
                                       .dashed = true,
                                       .cls = "note-line"});
        group.shapes.emplace_back(flag(x, place.top, style));
        if (notes[i].text.empty())
            continue;
        group.shapes.emplace_back(Text{.x = x,
                                       .baseline = style.baseline(middle, style.digitSize),
                                       .size = style.digitSize,
                                       .text = std::to_string(i + 1),
                                       .colour = style.palette.surface,
                                       .anchor = Text::Anchor::Middle,
                                       .cls = "note-number"});
        const std::string words = fitting(notes[i].text, style, next - x - half - gap);
        if (!words.empty())
            group.shapes.emplace_back(Text{.x = x + half + gap,
                                           .baseline = style.baseline(middle, style.size),
                                           .size = style.size,
                                           .text = words,
                                           .colour = style.palette.ink,
                                           .cls = "note-words"});
    }
    return group;
}

} // namespace profiler
