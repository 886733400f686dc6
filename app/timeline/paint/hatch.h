#pragma once

#include <QColor>
#include <QPixmap>

class QPainter;
class QRectF;

namespace app {

// A hatch of lines at 45 degrees, six pixels apart, as in bubbles. It is drawn once into a tile
// for a device pixel ratio. The caller sets the origin, so that the hatch moves with the timeline.
class Hatch
{
public:
    Hatch() = default;
    // Falling lines are also wider. They mark the stashes of a BPipe partner.
    enum class Slope { Rising, Falling };
    Hatch(QColor ground, QColor line, double dpr, Slope slope = Slope::Rising);
    // Returns the hatch for the stashes of a BPipe partner, in tints of `forward`, the colour of
    // forwards.
    static Hatch ofGuests(const QColor& forward, const QColor& surface, double dpr);

    bool isNull() const { return m_tile.isNull(); }
    void fill(QPainter& painter, const QRectF& rect, double originX) const;

private:
    QPixmap m_tile;
};

} // namespace app
