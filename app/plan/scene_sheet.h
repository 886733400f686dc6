#pragma once

#include "app/timeline/paint/box_colours.h"
#include "profiler/figure/scene.h"

#include <QFontMetricsF>

namespace app {

// A group of a scene in the colours and fonts of the window. Texts are placed by the centre of
// their line, because a box is labelled in its middle.
struct SceneSheet
{
    using Anchor = profiler::Text::Anchor;
    struct Type
    {
        double size = 11;
        QColor ink;
        bool isBold = false;
        Anchor anchor = Anchor::Start;
    };

    static profiler::Rect rect(const QRectF& r) { return {r.x(), r.y(), r.width(), r.height()}; }
    void box(const QRectF& r, const QColor& fill, const QColor& edge = {}, double cut = 0)
    {
        group.shapes.emplace_back(profiler::Box{
            rect(r), fromQt(fill), edge.isValid() ? 1.0 : 0.0, fromQt(edge), cut, {}, {}, {}});
    }
    void line(QPointF from, QPointF to, double width, profiler::Colour colour,
              bool isDashed = false)
    {
        group.shapes.emplace_back(
            profiler::Line{from.x(), from.y(), to.x(), to.y(), width, colour, isDashed, {}});
    }
    void text(double x, double centre, const QString& text, const Type& type)
    {
        group.shapes.emplace_back(profiler::Text{x,
                                                 centre + 0.36 * type.size,
                                                 type.size,
                                                 text.toStdString(),
                                                 fromQt(type.ink),
                                                 type.anchor,
                                                 type.isBold,
                                                 {}});
    }
    // Writes a line that is elided at the right. Returns the width of the text.
    double elided(const QRectF& r, const QString& all, const Type& type)
    {
        const QFontMetricsF metrics(
            uiFont(static_cast<int>(type.size), type.isBold ? QFont::Medium : QFont::Normal));
        const QString shown = metrics.elidedText(all, Qt::ElideRight, r.width() + 1);
        text(type.anchor == Anchor::Start     ? r.left()
                 : type.anchor == Anchor::End ? r.right()
                                              : r.center().x(),
             r.center().y(), shown, type);
        return metrics.horizontalAdvance(shown);
    }

    profiler::Group group;
};

} // namespace app
