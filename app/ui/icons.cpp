#include "app/ui/icons.h"

#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QStringList>

#include <array>
#include <string_view>

namespace app {
namespace {

// Paths in a subset of SVG's language on a 16 x 16 grid, in absolute coordinates: M L C Z, and "O x
// y r" for a circle. A path that starts with "fill" is filled instead of drawn as a line.
struct Drawing
{
    Icon icon;
    std::string_view path;
};

constexpr std::array kDrawings = {
    Drawing{Icon::Run, "fill M 5 3 L 13 8 L 5 13 Z"},
    Drawing{Icon::Stop, "fill M 4 4 L 12 4 L 12 12 L 4 12 Z"},
    Drawing{Icon::Pause, "fill M 4 3 L 7 3 L 7 13 L 4 13 Z M 9 3 L 12 3 L 12 13 L 9 13 Z"},
    Drawing{Icon::Open, "M 2 13 L 2 3.5 L 6 3.5 L 7.5 5.5 L 14 5.5 L 14 13 Z"},
    Drawing{Icon::Search, "O 7 7 4 M 10 10 L 14 14"},
    Drawing{Icon::Close, "M 4.5 4.5 L 11.5 11.5 M 11.5 4.5 L 4.5 11.5"},
    Drawing{Icon::Plus, "M 8 3.5 L 8 12.5 M 3.5 8 L 12.5 8"},
    Drawing{Icon::Check, "M 3 8.5 L 6.5 12 L 13 4.5"},
    Drawing{Icon::Warning, "M 8 2.2 L 14.6 13.6 L 1.4 13.6 Z M 8 6.4 L 8 9.8 M 8 11.3 L 8 12.1"},
    Drawing{Icon::Error, "O 8 8 6 M 5.8 5.8 L 10.2 10.2 M 10.2 5.8 L 5.8 10.2"},
    Drawing{Icon::Info, "O 8 8 6 M 8 7.2 L 8 11.2 M 8 4.8 L 8 5.6"},
    Drawing{Icon::ChevronLeft, "M 10 3.5 L 5.5 8 L 10 12.5"},
    Drawing{Icon::ChevronRight, "M 6 3.5 L 10.5 8 L 6 12.5"},
    Drawing{Icon::ChevronUp, "M 4 10 L 8 6 L 12 10"},
    Drawing{Icon::ChevronDown, "M 4 6 L 8 10 L 12 6"},
    Drawing{Icon::Copy,
            "M 5.5 5.5 L 13.5 5.5 L 13.5 13.5 L 5.5 13.5 Z M 10.5 3 L 10.5 2.5 L 2.5 2.5 "
            "L 2.5 10.5 L 3 10.5"},
    Drawing{Icon::Export,
            "M 2.5 9.5 L 2.5 13.5 L 13.5 13.5 L 13.5 9.5 M 8 10.5 L 8 2.5 M 4.8 5.7 L 8 "
            "2.5 L 11.2 5.7"},
    Drawing{Icon::Fit,
            "M 2.5 5.5 L 2.5 2.5 L 5.5 2.5 M 10.5 2.5 L 13.5 2.5 L 13.5 5.5 M 13.5 10.5 L "
            "13.5 13.5 L 10.5 13.5 M 5.5 13.5 L 2.5 13.5 L 2.5 10.5 M 5.5 8 L 10.5 8"},
    Drawing{Icon::Compare,
            "M 2.5 3.5 L 10.5 3.5 M 4.5 6.5 L 13.5 6.5 M 2.5 9.5 L 8.5 9.5 M 4.5 12.5 L "
            "11.5 12.5"},
    Drawing{Icon::Chip,
            "M 4 4 L 12 4 L 12 12 L 4 12 Z M 6.5 6.5 L 9.5 6.5 L 9.5 9.5 L 6.5 9.5 Z M 6 4 "
            "L 6 1.8 M 10 4 L 10 1.8 M 6 12 L 6 14.2 M 10 12 L 10 14.2 M 4 6 L 1.8 6 M 4 "
            "10 L 1.8 10 M 12 6 L 14.2 6 M 12 10 L 14.2 10"},
    Drawing{Icon::Chart, "M 2.5 2.5 L 2.5 13.5 L 13.5 13.5 M 4.5 10.5 L 7.5 6.5 L 10 9 L 13 4"},
    Drawing{Icon::More, "fill O 3.5 8 1.2 O 8 8 1.2 O 12.5 8 1.2"},
    Drawing{Icon::Refresh,
            "M 13 8 C 13 14.5 3 14.5 3 8 C 3 1.5 11 1.5 12.5 6 M 12.8 2.8 L 12.6 6.2 L "
            "9.3 5.8"},
    Drawing{Icon::Disk,
            "M 3 4 C 3 1.8 13 1.8 13 4 C 13 6.2 3 6.2 3 4 Z M 3 4 L 3 12 C 3 14.2 13 14.2 "
            "13 12 L 13 4"},
    Drawing{Icon::Note, "M 2.5 3 L 13.5 3 L 13.5 11 L 7.5 11 L 4.5 14 L 4.5 11 L 2.5 11 Z"},
    Drawing{Icon::Path, "M 2 12.5 L 6 12.5 L 6 8 L 10 8 L 10 3.5 L 14 3.5"},
    Drawing{Icon::ZoomIn, "O 7 7 4 M 10 10 L 14 14 M 7 5.2 L 7 8.8 M 5.2 7 L 8.8 7"},
};

QPainterPath parsePath(const QStringList& words)
{
    QPainterPath path;
    const auto number = [&](qsizetype i) { return words.at(i).toDouble(); };
    const auto point = [&](qsizetype i) { return QPointF(number(i), number(i + 1)); };
    for (qsizetype i = 0; i < words.size();) {
        const char command = words.at(i).at(0).toLatin1();
        if (command == 'M')
            path.moveTo(point(i + 1));
        if (command == 'L')
            path.lineTo(point(i + 1));
        if (command == 'C')
            path.cubicTo(point(i + 1), point(i + 3), point(i + 5));
        if (command == 'O')
            path.addEllipse(point(i + 1), number(i + 3), number(i + 3));
        if (command == 'Z')
            path.closeSubpath();
        i += command == 'C' ? 7 : command == 'O' ? 4 : command == 'Z' || command == 'f' ? 1 : 3;
    }
    return path;
}

class PathIconEngine : public QIconEngine
{
public:
    PathIconEngine(Icon icon, const QColor& colour, const QColor& disabled)
        : m_icon(icon)
        , m_colour(colour)
        , m_disabled(disabled.isValid() ? disabled : colour)
    { }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        paintIcon(*painter, m_icon, rect, mode == QIcon::Disabled ? m_disabled : m_colour);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }
    QIconEngine* clone() const override { return new PathIconEngine(*this); }

private:
    Icon m_icon;
    QColor m_colour, m_disabled;
};

} // namespace

void paintIcon(QPainter& painter, Icon icon, const QRectF& box, const QColor& colour)
{
    for (const Drawing& drawing : kDrawings) {
        if (drawing.icon != icon)
            continue;
        const QString text
            = QString::fromLatin1(drawing.path.data(), static_cast<qsizetype>(drawing.path.size()));
        const bool filled = text.startsWith(QStringLiteral("fill"));
        painter.save();
        painter.setRenderHint(QPainter::Antialiasing);
        painter.translate(box.topLeft());
        painter.scale(box.width() / 16, box.height() / 16);
        painter.setPen(filled ? QPen(Qt::NoPen)
                              : QPen(colour, 1.3, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(filled ? QBrush(colour) : QBrush(Qt::NoBrush));
        painter.drawPath(parsePath(text.split(QLatin1Char(' '))));
        painter.restore();
    }
}

QIcon makeIcon(Icon icon, const QColor& colour, const QColor& disabled)
{
    return QIcon(new PathIconEngine(icon, colour, disabled));
}

void paintLogo(QPainter& painter, const QRectF& box, bool dark)
{
    struct Bar
    {
        double x, y, width;
        QRgb light, dark;
    };
    // The rows of a small pipeline: forward in blue, backward in teal, weight gradient in yellow.
    constexpr Bar kBars[] = {{0, 1, 6, 0x315AC2, 0x5B7CDE},  {7, 1, 8, 0x315AC2, 0x5B7CDE},
                             {1, 5, 4, 0x315AC2, 0x5B7CDE},  {6, 5, 6, 0x23AA9C, 0x3CC2BB},
                             {13, 5, 3, 0x315AC2, 0x5B7CDE}, {2, 9, 5, 0x23AA9C, 0x3CC2BB},
                             {8, 9, 4, 0x315AC2, 0x5B7CDE},  {13, 9, 3, 0x23AA9C, 0x3CC2BB},
                             {3, 13, 4, 0xFEBD29, 0xF5C549}, {8, 13, 8, 0x23AA9C, 0x3CC2BB}};
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    const double sx = box.width() / 16, sy = box.height() / 16;
    for (const Bar& bar : kBars)
        painter.fillRect(QRectF(box.x() + bar.x * sx, box.y() + bar.y * sy, bar.width * sx, 3 * sy),
                         QColor::fromRgb(dark ? bar.dark : bar.light));
    painter.restore();
}

QIcon applicationIcon()
{
    QIcon icon;
    for (const int size : {16, 32, 48, 64, 128}) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paintLogo(painter, QRectF(0, 0, size, size), false);
        icon.addPixmap(pixmap);
    }
    return icon;
}

} // namespace app
