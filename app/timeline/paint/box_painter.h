#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/lanes.h"
#include "app/timeline/view/run_view.h"

#include <QColor>
#include <QFont>
#include <QGlyphRun>
#include <QHash>
#include <QPolygonF>
#include <QString>

#include <array>
#include <functional>
#include <type_traits>
#include <vector>

class QPainter;

namespace app {

// Writes one line of text, left-aligned and vertically centred by default.
void paintText(QPainter& painter, const QRectF& area, const QString& text, const QFont& font,
               const QColor& ink, int flags = Qt::AlignLeft | Qt::AlignVCenter);
// Writes text from a point on its baseline. Returns the width of the text.
double paintText(QPainter& painter, QPointF baseline, const QString& text, const QFont& font,
                 const QColor& ink);
constexpr int kAtRight = Qt::AlignRight | Qt::AlignVCenter;

// What the painters of a run's lanes share.
struct LaneCanvas
{
    QPainter& painter;
    const RunView& view;
    const TimeAxis& axis;
    const BoxColours& colours;
    const std::vector<Lane>& lanes; // by device

    const Theme& theme() const { return colours.theme(); }
    const Chrome& chrome() const { return theme().chrome; }
    const engine::RunInfo& info() const { return view.run().info; }
    const Lane& lane(engine::DeviceId device) const
    {
        return lanes[static_cast<std::size_t>(device.value)];
    }
};

// Least height of a box with a name. Lower boxes (in comparisons and dense lanes) have a number.
constexpr double kNameNeeds = 24;

// The texts of a box. `width` determines which text is drawn.
struct BoxText
{
    double width = 0;     // widthForText()
    QString number, name; // "5", "1B5"
    // Whether the op's direction is up. If so, the text is underlined and the box has a cut corner.
    bool isUp = false;
    bool isBold = false; // the op belongs to the selected micro-batch
};

// Draws one box with the level of detail that fits its width. `stretch` is the rectangle of the
// op's time; its right edge is the border to the next box.
class BoxPainter
{
public:
    BoxPainter(QPainter& painter, const TimeAxis& axis, const BoxColours& colours);

    void draw(const QRectF& stretch, const BoxColours::Look& look, const BoxText& text);

private:
    void label(const QRectF& box, const BoxColours::Look& look, const BoxText& text);
    void fill(const QRectF& box, const BoxColours::Look& look, bool isUp);
    // A text as glyphs, relative to the left end of its baseline. Cached, because shaping takes
    // longer than drawing and many boxes have the same text.
    struct Shaped
    {
        QList<QGlyphRun> glyphs;
        double width = 0;
    };
    struct Face
    {
        explicit Face(const QFont& textFont);
        const Shaped& shaped(const QString& text);

        QFont font;
        double capHeight;
        QHash<QString, Shaped> texts;
    };
    void write(const QRectF& box, const QString& text, Face& face, bool isUp);

    QPainter& m_painter;
    const TimeAxis& m_axis;
    const BoxColours& m_colours;
    Face m_number, m_bold, m_name;
    QColor m_plate; // behind the text of a hatched box
};

// Fills a polygon with antialiasing and without an outline.
void fillPolygon(QPainter& painter, const QPolygonF& polygon, QColor colour);
// Fills the box of an op in the up direction, whose upper left corner is cut.
void fillCutBox(QPainter& painter, const QRectF& box, double cut, QColor colour);
// Draws a bubble: hatched with an edge, or solid between two lines if it is too narrow for a hatch.
void paintBubble(QPainter& painter, const BoxColours& colours, const QRectF& box, double originX);
// Draws a frame of `width` inside the box.
void fillFrame(QPainter& painter, const QRectF& box, double width, QColor colour);

// Coverage columns, one per device pixel. The height of each colour is its exact share of the time
// of the column, from the bottom in the order of `shares`.
template<std::size_t kCount>
struct Columns
{
    QRectF area;
    engine::Window window; // time outside of it is not counted
    std::array<QColor, kCount> shares;
    QColor rest = Qt::transparent; // of the time that has no kind; transparent: not drawn
};
// The colours of Columns<kShares>, indexed by Share.
std::array<QColor, kShares> shareColours(const BoxColours& colours, BoxColours::Emphasis emphasis);

// `busyBefore` returns the busy time before an instant, so the busy time of a column is the
// difference between the values at its edges. It is called with ascending times. The columns are
// written into an image, because several rectangles per column would be slow.
template<std::size_t kCount>
void paintColumns(
    QPainter& painter, const TimeAxis& axis, const Columns<kCount>& columns,
    const std::type_identity_t<std::function<std::array<double, kCount>(double)>>& busyBefore);

} // namespace app
