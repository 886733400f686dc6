#include "app/timeline/paint/box_colours.h"

#include "app/ui/theme.h"

#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using profiler::Tint;

// The distance between lines along a pixel row. At right angles to the lines it is six pixels.
constexpr double kPeriod = 6 * 1.4142135623730951;
constexpr int kPeriods = 5; // per tile

constexpr double kDimLight = 0.44, kDimDark = 0.46, kDimOffPath = 0.65;
constexpr double kUnselectedLight = 0.56, kUnselectedDark = 0.54;
// A recompute is hatched with lines in its colour mixed with white (kHatchLight). Narrow boxes have
// one colour between fill and lines instead (kHatchShare).
constexpr double kHatchLight = 0.55, kHatchShare = 0.5;

} // namespace

Hatch::Hatch(QColor ground, QColor line, double dpr, Slope slope)
{
    const int period = static_cast<int>(std::round(kPeriod * dpr)); // device pixels
    const bool isRising = slope == Slope::Rising;
    const int width = std::max(1, static_cast<int>(std::round((isRising ? 1.0 : 2.0) * dpr)));
    QImage tile(period * kPeriods, period * kPeriods, QImage::Format_RGB32);
    tile.fill(ground);
    for (int y = 0; y < tile.height(); ++y) {
        auto* row = reinterpret_cast<QRgb*>(tile.scanLine(y));
        for (int x = 0; x < tile.width(); ++x) {
            if ((isRising ? x + y : x - y + tile.height()) % period < width)
                row[x] = line.rgb();
        }
    }
    m_tile = QPixmap::fromImage(tile);
    m_tile.setDevicePixelRatio(dpr);
}

Hatch Hatch::ofGuests(const QColor& forward, const QColor& surface, double dpr)
{
    return {mixed(forward, surface, 0.78), mixed(forward, surface, 0.25), dpr, Slope::Falling};
}

void Hatch::fill(QPainter& painter, const QRectF& rect, double originX) const
{
    const double side = m_tile.width() / m_tile.devicePixelRatio();
    double shift = std::fmod(rect.left() - originX, side);
    if (shift < 0)
        shift += side;
    const double dpr = m_tile.devicePixelRatio();
    painter.drawTiledPixmap(rect, m_tile, QPointF(std::floor(shift * dpr) / dpr, 0));
}

profiler::Colour fromQt(QColor colour)
{
    return {static_cast<std::uint8_t>(colour.red()), static_cast<std::uint8_t>(colour.green()),
            static_cast<std::uint8_t>(colour.blue())};
}

QColor mixed(QColor from, QColor to, double share)
{
    return toQt(profiler::mix(fromQt(from), fromQt(to), share));
}

BoxColours::BoxColours(const Theme& theme, double dpr)
    : m_theme(theme)
    , m_bubble(toQt(theme.palette.bubble), toQt(theme.palette.bubbleLine), dpr)
{
    for (const Emphasis emphasis :
         {Emphasis::Normal, Emphasis::Dimmed, Emphasis::OffPath, Emphasis::Unselected}) {
        for (int kind = 0; kind < engine::kOpKinds; ++kind) {
            for (int chunk = 0; chunk < kChunks; ++chunk) {
                const auto of = static_cast<engine::OpKind>(kind);
                Look& look = m_looks[kind][chunk][index(emphasis)];
                look = resolve(theme.palette.fill(of, chunk), emphasis);
                if (of == engine::OpKind::Recompute)
                    look = hatched(look, dpr);
            }
        }
        m_exposed[index(emphasis)] = resolve(theme.palette.exposed(), emphasis);
        for (int step = 0; step < profiler::kDurationSteps; ++step)
            m_durations[step][index(emphasis)]
                = resolve(profiler::durationFill(theme.palette, step), emphasis);
        for (int group = 0; group < profiler::kHues; ++group) {
            for (const Tint tint : {Tint::Backward, Tint::Forward, Tint::Recompute}) {
                Look& look = m_hues[group][static_cast<int>(tint)][index(emphasis)];
                look = resolve(profiler::hueFill(theme.palette, group, tint), emphasis);
                if (tint == Tint::Recompute)
                    look = hatched(look, dpr);
            }
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
    const bool isDark = m_theme.isDark();
    const double share = emphasis == Emphasis::OffPath ? kDimOffPath
        : emphasis == Emphasis::Unselected ? (isDark ? kUnselectedDark : kUnselectedLight)
        : emphasis == Emphasis::Dimmed     ? (isDark ? kDimDark : kDimLight)
                                           : 0;
    const profiler::Palette& palette = m_theme.palette;
    fill = profiler::mix(fill, fromQt(surface()), share);
    Look look{toQt(fill), toQt(palette.inkOn(fill)), {}, {}, toQt(fill)};
    if (emphasis == Emphasis::Normal)
        look.edge = toQt(palette.edgeOf(fill));
    return look;
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
    if (profiler::isColouredByDuration(op, m_by))
        return m_durations[profiler::durationStep(length)][index(emphasis)];
    const int group = profiler::colourGroup(op, chunk, m_by);
    return group < 0 ? look(op.kind, chunk, emphasis)
                     : m_hues[group % profiler::kHues][static_cast<int>(profiler::tintOf(op.kind))]
                             [index(emphasis)];
}

} // namespace app
