#pragma once

#include <QColor>
#include <QPixmap>

class QPainter;
class QRectF;

namespace app {

// The hatch of a bubble: lines at 45 degrees, one pixel wide, five pixels apart. It is drawn once
// into a tile per device pixel ratio. The caller sets the origin, so that the hatch moves with the
// timeline.
class Hatch
{
public:
    Hatch() = default;
    enum class Slope { Rising, Falling }; // Falling, with wider lines: the stash of a partner
    Hatch(QColor ground, QColor line, double dpr, Slope slope = Slope::Rising);
    // The hatch of a partner's stash in tints of `forward`, the colour of the forwards that made
    // it.
    static Hatch ofGuests(const QColor& forward, const QColor& surface, double dpr);

    bool isNull() const { return m_tile.isNull(); }
    void fill(QPainter& painter, const QRectF& rect, double originX) const;

private:
    QPixmap m_tile;
};

} // namespace app
