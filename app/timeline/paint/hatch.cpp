#include "app/timeline/paint/hatch.h"

#include "app/timeline/paint/box_colours.h"

#include <QImage>
#include <QPainter>

#include <cmath>

namespace app {
namespace {
// The distance between lines along a pixel row. At right angles to the lines it is six pixels.
constexpr double kPeriod = 6 * 1.4142135623730951;
constexpr int kPeriods = 5; // per tile
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

} // namespace app
