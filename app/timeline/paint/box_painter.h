#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"

#include <QColor>
#include <QFont>
#include <QGlyphRun>
#include <QHash>
#include <QPolygonF>
#include <QString>

#include <array>
#include <functional>

class QPainter;

namespace app {

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
// Writes one line of text, left-aligned and vertically centred by default.
void paintText(QPainter& painter, const QRectF& area, const QString& text, const QFont& font,
               const QColor& ink, int flags = Qt::AlignLeft | Qt::AlignVCenter);
constexpr int kAtRight = Qt::AlignRight | Qt::AlignVCenter;
// Draws a frame of `width` inside the box.
void fillFrame(QPainter& painter, const QRectF& box, double width, QColor colour);

// The colours of a coverage column by kind, from the bottom, and the colour of the rest.
template<std::size_t kCount>
struct ColumnColoursOf
{
    std::array<QColor, kCount> shares;
    QColor rest; // transparent: the rest is not drawn
};
using ColumnColours = ColumnColoursOf<kShares>; // `shares` is indexed by Share
ColumnColours columnColours(const BoxColours& colours, BoxColours::Emphasis emphasis);
using KernelColumnColours = ColumnColoursOf<kKernelShares>;

template<std::size_t kCount>
struct ColumnsOf
{
    QRectF area;
    engine::Window window; // time outside of it is not counted
    ColumnColoursOf<kCount> colours;
};
using Columns = ColumnsOf<kShares>;
using KernelColumns = ColumnsOf<kKernelShares>;

// Draws one column per device pixel. The height of each colour is its exact share of the column's
// time. `busyBefore` returns the busy time before an instant, so the busy time of a column is the
// difference between the values at its edges. `busyBefore` is called with ascending times. The
// columns are written into an image, because several rectangles per column would be slow.
void paintColumns(QPainter& painter, const TimeAxis& axis, const Columns& columns,
                  const std::function<Busy(double time)>& busyBefore);
void paintColumns(QPainter& painter, const TimeAxis& axis, const KernelColumns& columns,
                  const std::function<KernelBusy(double time)>& busyBefore);

} // namespace app
