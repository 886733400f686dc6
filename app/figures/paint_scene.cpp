#include "app/figures/paint_scene.h"

#include "app/ui/theme.h"
#include "profiler/figure/scene.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>

namespace app {

namespace {

// Text is laid out at this many pixels per em and then scaled down. At this size, Qt's advances
// equal those in the font file on every paint device.
constexpr int kEmPixels = 200;

QFont figureFont(const QString& family, bool bold)
{
    QFont font(family);
    font.setPixelSize(kEmPixels);
    font.setBold(bold);
    font.setKerning(false); // because the layout measures text without kerning
    font.setHintingPreference(QFont::PreferNoHinting);
    font.setStyleStrategy(QFont::ForceOutline);
    return font;
}

QPolygonF polygonOf(const std::vector<std::pair<double, double>>& points)
{
    QPolygonF polygon;
    for (const auto& [x, y] : points)
        polygon << QPointF(x, y);
    return polygon;
}

QPen solidPen(profiler::Colour colour, double width)
{
    QPen pen(app::toQt(colour), width);
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::MiterJoin);
    return pen;
}

class ScenePainter
{
public:
    ScenePainter(QPainter& painter, const QString& family)
        : m_painter(painter)
        , m_regular(figureFont(family, false))
        , m_bold(figureFont(family, true))
    { }

    void draw(const profiler::Box& box)
    {
        m_painter.setPen(box.stroke > 0 ? solidPen(box.strokeColour, box.stroke) : QPen(Qt::NoPen));
        m_painter.setBrush(app::toQt(box.fill));
        if (box.cut > 0)
            m_painter.drawPolygon(polygonOf(profiler::outline(box)));
        else
            m_painter.drawRect(app::toQt(box.rect));
    }

    void draw(const profiler::Hatch& hatch)
    {
        if (hatch.hasGround)
            m_painter.fillRect(app::toQt(hatch.rect), app::toQt(hatch.fill));
        QPainterPath lines;
        for (const profiler::Segment& s : profiler::hatchLines(hatch)) {
            lines.moveTo(s.x1, s.y1);
            lines.lineTo(s.x2, s.y2);
        }
        m_painter.strokePath(lines, solidPen(hatch.line, hatch.width));
    }

    void draw(const profiler::Line& line)
    {
        QPen pen = solidPen(line.colour, line.width);
        if (line.dashed)
            pen.setDashPattern({profiler::kDash, profiler::kDash});
        m_painter.setPen(pen);
        m_painter.drawLine(QPointF(line.x1, line.y1), QPointF(line.x2, line.y2));
    }

    void draw(const profiler::Text& text)
    {
        const QFont& font = text.bold ? m_bold : m_regular;
        const QString string = QString::fromStdString(text.text);
        const double shift[] = {0, 0.5, 1};
        const double width = QFontMetricsF(font).horizontalAdvance(string);
        const double scale = text.size / kEmPixels;
        m_painter.save();
        m_painter.translate(text.x, text.baseline);
        m_painter.scale(scale, scale);
        m_painter.setFont(font);
        m_painter.setPen(app::toQt(text.colour));
        m_painter.drawText(QPointF(-width * shift[static_cast<int>(text.anchor)], 0), string);
        m_painter.restore();
    }

    void draw(const profiler::Polygon& polygon)
    {
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(app::toQt(polygon.fill));
        m_painter.drawPolygon(polygonOf(polygon.points));
    }

private:
    QPainter& m_painter;
    QFont m_regular, m_bold;
};

} // namespace

void paintScene(QPainter& painter, const profiler::Scene& scene)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    ScenePainter to(painter, QString::fromStdString(scene.font));
    for (const auto& group : scene.groups)
        for (const auto& shape : group.shapes)
            std::visit([&to](const auto& s) { to.draw(s); }, shape);
    painter.restore();
}

} // namespace app
