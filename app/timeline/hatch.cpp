#include "app/timeline/hatch.h"

#include <QPainter>

#include <cmath>

namespace app {
namespace {
constexpr double kPeriod = 5 * 1.4142135623730951; // along x, for five pixels across the lines
constexpr int kPeriods = 5;                        // 5 x 7.07 is nearly whole: 35 pixels
} // namespace

Hatch::Hatch(QColor ground, QColor line, double dpr)
{
    const double side = std::round(kPeriods * kPeriod * dpr); // device pixels
    m_tile = QPixmap(static_cast<int>(side), static_cast<int>(side));
    m_tile.fill(ground);
    QPainter painter(&m_tile);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(line, dpr));
    for (int k = 0; k <= 2 * kPeriods; ++k) {
        const double x = k * side / kPeriods;
        painter.drawLine(QPointF(x + 2, -2), QPointF(x - side - 2, side + 2));
    }
    painter.end();
    m_tile.setDevicePixelRatio(dpr);
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
