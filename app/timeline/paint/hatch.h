#pragma once

#include <QColor>
#include <QPixmap>

class QPainter;
class QRectF;

namespace app {

// Lines at 45 degrees, one pixel wide, every five, on a ground: a bubble. Drawn once into a tile
// for one device pixel ratio; the origin lies where the caller says, so that the hatch moves with
// the time and never swims inside its box.
class Hatch
{
public:
    Hatch() = default;
    Hatch(QColor ground, QColor line, double dpr);

    void fill(QPainter& painter, const QRectF& rect, double originX) const;

private:
    QPixmap m_tile;
};

} // namespace app
