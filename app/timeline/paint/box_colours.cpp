#include "app/timeline/paint/box_colours.h"

#include "app/timeline/paint/kernel_colours.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr double kDimLight = 0.44, kDimDark = 0.46, kDimOffPath = 0.65;
// Eight hues that also differ in lightness. The colours of forward ops are mixed with the surface.
constexpr profiler::Colour kHueColours[BoxColours::kHues]
    = {{0x31, 0x5A, 0xC2}, {0xC0, 0x56, 0x1A}, {0x23, 0xAA, 0x9C}, {0xA6, 0x24, 0x63},
       {0x9C, 0xB8, 0x2E}, {0x6A, 0x55, 0xC8}, {0xFE, 0xBD, 0x29}, {0x7D, 0x87, 0x95}};
// The lines of a recompute are mixed with white; narrow boxes have one colour in between.
constexpr double kHatchLight = 0.55, kHatchShare = 0.5;
constexpr double kForwardLight = 0.45, kForwardDark = 0.38;

} // namespace

profiler::Colour fromQt(QColor colour)
{
    return {static_cast<std::uint8_t>(colour.red()), static_cast<std::uint8_t>(colour.green()),
            static_cast<std::uint8_t>(colour.blue())};
}

QColor mixed(QColor from, QColor to, double share)
{
    return toQt(profiler::mix(fromQt(from), fromQt(to), share));
}

namespace {

// From the surface over the colour of W to that of the optimizer; `share` is from 0 to 1.
profiler::Colour lengthColour(const Theme& theme, double share)
{
    constexpr double kPalest = 0.7;
    const profiler::Colour full = theme.palette.weight;
    return share < 0.5
        ? profiler::mix(full, fromQt(theme.chrome.surface), kPalest * (1 - 2 * share))
        : profiler::mix(full, theme.palette.optimizer, 2 * share - 1);
}

} // namespace

BoxColours::BoxColours(const Theme& theme, double dpr)
    : m_theme(theme)
    , m_bubble(toQt(theme.palette.bubble), toQt(theme.palette.bubbleLine), dpr)
    , m_selected(toQt(theme.palette.bubble),
                 theme.isDark() ? QColor(0x7A, 0x83, 0x91) : QColor(0x8C, 0x93, 0x9D), dpr)
{
    for (const Emphasis emphasis : {Emphasis::Normal, Emphasis::Dimmed, Emphasis::OffPath}) {
        for (int kind = 0; kind < engine::kOpKinds; ++kind) {
            for (int chunk = 0; chunk < kChunks; ++chunk) {
                engine::Op op;
                op.kind = static_cast<engine::OpKind>(kind);
                Look& look = m_looks[kind][chunk][index(emphasis)];
                look = resolve(theme.palette.fill(op, chunk), emphasis);
                if (op.kind == engine::OpKind::Recompute)
                    look = hatched(look, dpr);
            }
        }
        m_exposed[index(emphasis)] = resolve(theme.palette.exposed(), emphasis);
        for (int step = 0; step < kLengths; ++step)
            m_lengths[step][index(emphasis)] = resolve(
                lengthColour(theme, static_cast<double>(step) / (kLengths - 1)), emphasis);
        for (int group = 0; group < kHues; ++group) {
            const profiler::Colour full = kHueColours[group];
            const profiler::Colour light = profiler::mix(
                full, fromQt(surface()), theme.isDark() ? kForwardDark : kForwardLight);
            m_hues[group][0][index(emphasis)] = resolve(full, emphasis);
            m_hues[group][1][index(emphasis)] = resolve(light, emphasis);
            m_hues[group][2][index(emphasis)] = hatched(resolve(light, emphasis), dpr);
        }
    }
    for (int kind = 0; kind < profiler::kKernelKinds; ++kind)
        m_kernels[kind] = resolve(
            kernelColour(static_cast<profiler::KernelKind>(kind), theme.palette), Emphasis::Normal);
    for (auto& byChunk : m_looks[static_cast<int>(engine::OpKind::OptimizerStep)])
        byChunk[0].edge = toQt(theme.palette.optimizerEdge);
}

BoxColours::Look BoxColours::resolve(profiler::Colour fill, Emphasis emphasis) const
{
    if (emphasis != Emphasis::Normal)
        fill = profiler::mix(fill, fromQt(surface()),
                             emphasis == Emphasis::OffPath ? kDimOffPath
                                 : m_theme.isDark()        ? kDimDark
                                                           : kDimLight);
    return {toQt(fill), toQt(m_theme.palette.inkOn(fill)), {}, {}, toQt(fill)};
}

BoxColours::Look BoxColours::hatched(Look look, double dpr) const
{
    const QColor line = mixed(look.fill, Qt::white, kHatchLight);
    look.hatch = Hatch(look.fill, line, dpr);
    look.flat = mixed(look.fill, line, kHatchShare);
    return look;
}

void fillLook(QPainter& painter, const QRectF& rect, const BoxColours::Look& look, double originX)
{
    if (look.hatch.isNull())
        painter.fillRect(rect, look.fill);
    else
        look.hatch.fill(painter, rect, originX);
}

const BoxColours::Look& BoxColours::lookOf(const engine::Op& op, int chunk, double length,
                                           Emphasis emphasis) const
{
    if (m_by == ColourBy::Duration && engine::isCompute(op.kind) && op.microBatch.isValid()) {
        const double place = std::sqrt(std::clamp(length, 0.0, 1.0)) * kLengths;
        return this->length(std::min(static_cast<int>(place), kLengths - 1), emphasis);
    }
    const int group = colourGroup(op, chunk, m_by);
    const Hue tint = op.kind == engine::OpKind::Recompute ? Hue::Recompute
        : engine::isBackward(op.kind)                     ? Hue::Backward
                                                          : Hue::Forward;
    return group < 0 ? look(op.kind, chunk, emphasis) : hue(group, tint, emphasis);
}

const BoxColours::Look& BoxColours::look(engine::OpKind kind, int chunk, Emphasis emphasis) const
{
    return m_looks[static_cast<int>(kind)][std::clamp(chunk, 0, kChunks - 1)][index(emphasis)];
}

} // namespace app
