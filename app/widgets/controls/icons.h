#pragma once

#include <QColor>
#include <QIcon>
#include <QRectF>

class QPainter;

namespace app {

// The icons of the window, 16 x 16 with lines of 1.3 px: drawn from the table in icons.cpp in any
// colour and at any pixel ratio.
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
    Flow,
    Compare,
    Chip,
    Chart,
    More,
    Refresh,
    Disk,
    Note,
    ZoomIn,
};

void paintIcon(QPainter& painter, Icon icon, const QRectF& box, const QColor& colour);
QIcon makeIcon(Icon icon, const QColor& colour, const QColor& disabled = {});

// The four staggered rows of the program's mark, as in the menu bar; data colours of `dark` or
// light.
void paintLogo(QPainter& painter, const QRectF& box, bool dark);
QIcon applicationIcon();

} // namespace app
