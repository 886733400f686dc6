#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/theme.h"
#include "engine/schedule/schedule.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/figure/palette.h"

#include <QColor>
#include <QFont>
#include <QGlyphRun>
#include <QHash>
#include <QPixmap>
#include <QPolygonF>
#include <QString>
#include <QStringList>

#include <array>
#include <functional>
#include <type_traits>
#include <vector>

class QPainter;
class QRectF;

namespace app {

using profiler::ColourBy;
constexpr int kColourBys = 6;

inline QStringList colourByNames() // by ColourBy
{
    return {QStringLiteral("operation"), QStringLiteral("micro-batch"), QStringLiteral("stage"),
            QStringLiteral("direction"), QStringLiteral("chunk"),       QStringLiteral("duration")};
}
inline ColourBy nextColourBy(ColourBy by)
{
    return static_cast<ColourBy>((static_cast<int>(by) + 1) % kColourBys);
}

// What a timeline shows of its run, and in which colours.
struct TimelineLook
{
    // Selected: arrows follow the selected micro-batch, and the others are dimmed. All: arrows
    // follow every micro-batch.
    enum class Flow { Off, Selected, All };

    Flow flow = Flow::Selected;
    ColourBy colourBy = ColourBy::Operation;
    bool areKernelsShown = false; // shows kernels below the ops, if the run has any
    bool isPlanShown = true;      // outlines the next iteration of a growing run

    friend bool operator==(const TimelineLook&, const TimelineLook&) = default;
};

inline TimelineLook::Flow nextFlow(TimelineLook::Flow flow)
{
    return static_cast<TimelineLook::Flow>((static_cast<int>(flow) + 1) % 3);
}

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

// The colours of a lane, computed once per theme: the fill of every op and chunk, its dimmed
// variant, and the text colour with the better contrast on each. Can be read by the threads that
// paint pictures of lanes.
class BoxColours
{
public:
    // OffPath: not on the critical path. Unselected: not of the selected category of time.
    enum class Emphasis { Normal, Dimmed, OffPath, Unselected };
    struct Look
    {
        QColor fill, ink, edge; // edge: inner frame; invalid or the fill: none
        Hatch hatch = {};       // over the fill of a recompute; null for other ops
        // The colour of a box that is too narrow for a hatch: the mean of fill and lines, or the
        // fill if there is no hatch.
        QColor flat;
    };

    BoxColours(const Theme& theme, double dpr);

    const Look& look(engine::OpKind kind, int chunk, Emphasis emphasis) const
    {
        return m_looks[static_cast<int>(kind)][std::clamp(chunk, 0, kChunks - 1)][index(emphasis)];
    }
    // Returns the look of an op with the current ColourBy. `length` is the op's duration relative
    // to that of the longest op of the run.
    const Look& lookOf(const engine::Op& op, int chunk, double length, Emphasis emphasis) const;
    void setColourBy(ColourBy by) { m_by = by; }
    ColourBy colourBy() const { return m_by; }
    const Look& exposed(Emphasis emphasis) const { return m_exposed[index(emphasis)]; }
    const Theme& theme() const { return m_theme; }
    const Look& kernel(profiler::KernelKind kind) const
    {
        return m_kernels[static_cast<std::size_t>(kind)];
    }
    QColor surface() const { return m_theme.chrome.surface; }
    const Hatch& bubble() const { return m_bubble; }
    QColor bubbleSolid() const { return toQt(m_theme.palette.bubbleSolid); }
    QColor bubbleEdge() const { return toQt(m_theme.palette.bubbleLine); }

private:
    static constexpr int kChunks = 3; // chunks after the third share its colour
    static std::size_t index(Emphasis emphasis) { return static_cast<std::size_t>(emphasis); }
    Look resolve(profiler::Colour fill, Emphasis emphasis) const;
    Look hatched(Look look, double dpr) const;

    const Theme m_theme;
    static constexpr int kEmphases = 4;
    Look m_looks[engine::kOpKinds][kChunks][kEmphases];
    Look m_exposed[kEmphases], m_hues[profiler::kHues][3][kEmphases]; // by hue, Tint, emphasis
    Look m_durations[profiler::kDurationSteps][kEmphases];            // by step and emphasis
    Look m_kernels[profiler::kKernelKinds];
    ColourBy m_by = ColourBy::Operation;
    Hatch m_bubble;
};

profiler::Colour fromQt(QColor colour);
// Fills a rectangle with the colour of a look, or with its hatch.
void fillLook(QPainter& painter, const QRectF& rect, const BoxColours::Look& look, double originX);
QColor mixed(QColor from, QColor to, double share); // share 0 is `from`, 1 is `to`

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
