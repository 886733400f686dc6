#pragma once

#include <QColor>
#include <QIcon>
#include <QRectF>

class QPainter;

namespace app {

// The icons of the window, 16 x 16 with lines of 1.3 px. A table in icons.cpp describes each icon,
// so that it can be drawn in any colour and at any pixel ratio.
enum class Icon {
    Run,
    Stop,
    Pause,
    Open,
    Search,
    Close,
    Plus,
    Check,
    Warning,
    Error,
    Info,
    ChevronLeft,
    ChevronRight,
    ChevronUp,
    ChevronDown,
    Copy,
    Export,
    Fit,
    Compare,
    Chip,
    Chart,
    More,
    Refresh,
    Disk,
    Note,
    ZoomIn,
    Path,
};

void paintIcon(QPainter& painter, Icon icon, const QRectF& box, const QColor& colour);
QIcon makeIcon(Icon icon, const QColor& colour, const QColor& disabled = {});

// Draws the logo of the menu bar: four staggered rows in the data colours of the dark or light
// theme.
void paintLogo(QPainter& painter, const QRectF& box, bool dark);
QIcon applicationIcon();

} // namespace app
