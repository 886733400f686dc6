#include "app/timeline/paint/memory_levels.h"

#include "app/timeline/view/iteration_times.h"

#include <QImage>
#include <QPainter>

#include <algorithm>

namespace app {
namespace {

// The strip as an image in device pixels. It is larger than the strip by the width of a line,
// because a line may start at the right or lower edge.
class LevelImage
{
public:
    LevelImage(const TimeAxis& axis, const MemoryLevels& levels)
        : m_axis(axis)
        , m_levels(levels)
        , m_base(levels.colours.base.rgb())
        , m_stash(levels.colours.stash.rgb())
        , m_line(levels.colours.line.rgb())
        , m_top(levels.colours.top.rgb())
        , m_guest(levels.colours.guest.rgb())
        , m_guestLine(levels.colours.guestLine.rgb())
        , m_gap(pixels(axis.gap()))
        , m_bottom(row(axis.snap(levels.top + levels.height)))
        , m_image(pixels(axis.width) + m_gap, m_bottom + m_gap, QImage::Format_ARGB32_Premultiplied)
    {
        m_image.setDevicePixelRatio(axis.dpr);
        m_image.fill(Qt::transparent);
        m_pixels = reinterpret_cast<QRgb*>(m_image.bits());
        m_stride = m_image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    }

    void add(engine::Window window);
    const QImage& image() const { return m_image; }

private:
    struct Rows // y of the line, of the top of the device's own memory, and of the base
    {
        int line = 0, own = 0, base = 0;
        friend bool operator==(const Rows&, const Rows&) = default;
    };
    struct Columns
    {
        int begin = 0, end = 0;
    };

    int pixels(double logical) const { return static_cast<int>(std::lround(logical * m_axis.dpr)); }
    int row(double y) const { return pixels(y - m_levels.top); }
    Rows rowsOf(const MemorySeries::Level& level) const
    {
        return {row(m_levels.y(m_axis, level.total)), row(m_levels.y(m_axis, level.own)),
                row(m_levels.y(m_axis, level.base))};
    }
    void fill(Columns columns, int top, int bottom, QRgb colour);
    void hatch(Columns columns, int top, int bottom);
    void fillLevel(Columns columns, Rows rows, int previous);

    const TimeAxis& m_axis;
    const MemoryLevels& m_levels;
    const QRgb m_base, m_stash, m_line, m_top, m_guest, m_guestLine;
    const int m_gap, m_bottom; // width of a line; y below the strip
    QImage m_image;
    QRgb* m_pixels;
    qsizetype m_stride; // distance between rows, in pixels
};

void LevelImage::fill(Columns columns, int top, int bottom, QRgb colour)
{
    const int first = std::max(columns.begin, 0), last = std::min(columns.end, m_image.width());
    const int end = std::min(bottom, m_image.height());
    for (int y = std::max(top, 0); first < last && y < end; ++y)
        std::fill(m_pixels + y * m_stride + first, m_pixels + y * m_stride + last, colour);
}

// Draws falling lines at 45 degrees. `period` and `width` are measured along a pixel row; across
// the lines, they are 5 and 1.4 pixels. The lines of a bubble have the opposite slope.
void LevelImage::hatch(Columns columns, int top, int bottom)
{
    const int period = std::max(3, pixels(7)), width = std::max(1, pixels(2));
    const int first = std::max(columns.begin, 0), last = std::min(columns.end, m_image.width());
    for (int y = std::max(top, 0); y < std::min(bottom, m_image.height()); ++y)
        for (int x = first; x < last; ++x)
            m_pixels[y * m_stride + x]
                = (x - y + m_image.height()) % period < width ? m_guestLine : m_guest;
}

// Fills columns that have the same level. `previous` is the y of the line in the columns to the
// left; a vertical line connects both levels.
void LevelImage::fillLevel(Columns columns, Rows rows, int previous)
{
    fill(columns, rows.base, m_bottom, m_base);
    fill(columns, rows.own, rows.base, m_stash);
    if (rows.own > rows.line)
        hatch(columns, rows.line, rows.own);
    fill(columns, rows.line, rows.line + m_gap, m_line);
    fill({columns.begin, columns.begin + m_gap}, std::min(rows.line, previous),
         std::max(rows.line, previous), m_line);
}

void LevelImage::add(engine::Window window)
{
    const QRectF area = stretch(m_axis, window, m_levels.top, m_levels.height);
    const Columns seen{pixels(std::max(area.left() - m_axis.left, 0.0)),
                       pixels(std::min(area.right() - m_axis.left, m_axis.width))};
    fill({pixels(area.left() - m_axis.left), seen.end}, 0, m_gap, m_top);
    const auto timeAt = [&](int column) { return m_axis.time(m_axis.left + column / m_axis.dpr); };
    MemorySeries::Sweep sweep(m_levels.series);
    Columns level{seen.begin, seen.begin}; // columns with the same level
    Rows rows;
    int previous = m_bottom;
    for (int column = seen.begin; column < seen.end; ++column) {
        const double end = std::min(timeAt(column + 1), static_cast<double>(window.end) - 0.5);
        const Rows next = rowsOf(sweep.highest(timeAt(column), end));
        if (column > level.begin && next != rows) {
            fillLevel({level.begin, column}, rows, previous);
            previous = rows.line;
            level.begin = column;
        }
        rows = next;
    }
    if (seen.end > level.begin)
        fillLevel({level.begin, seen.end}, rows, previous);
}

} // namespace

void paintMemoryLevels(QPainter& painter, const TimeAxis& axis, const MemoryLevels& levels)
{
    LevelImage strip(axis, levels);
    const auto inSight = iterationsInSight(levels.iterations, axis);
    if (areEdgesDrawn(inSight, axis)) {
        for (const engine::Iteration& one : inSight)
            strip.add(one.window);
    } else if (!inSight.empty()) {
        strip.add({inSight.front().window.begin, inSight.back().window.end});
    }
    painter.drawImage(QPointF(axis.left, levels.top), strip.image());
}

} // namespace app
