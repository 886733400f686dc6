#include "app/timeline/paint/box_painter.h"

#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QTextLayout>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace app {
namespace {

using profiler::Tint;

// The distance between lines along a pixel row. At right angles to the lines it is six pixels.
constexpr double kPeriod = 6 * 1.4142135623730951;
constexpr int kPeriods = 5; // per tile

constexpr double kDimLight = 0.44, kDimDark = 0.46, kDimOffPath = 0.65;
constexpr double kUnselectedLight = 0.56, kUnselectedDark = 0.54;
// A recompute is hatched with lines in its colour mixed with white (kHatchLight). Narrow boxes have
// one colour between fill and lines instead (kHatchShare).
constexpr double kHatchLight = 0.55, kHatchShare = 0.5;

} // namespace

Hatch::Hatch(QColor ground, QColor line, double dpr, Slope slope)
{
    const int period = static_cast<int>(std::round(kPeriod * dpr)); // device pixels
    const bool isRising = slope == Slope::Rising;
    const int width = std::max(1, static_cast<int>(std::round((isRising ? 1.0 : 2.0) * dpr)));
    QImage tile(period * kPeriods, period * kPeriods, QImage::Format_RGB32);
    tile.fill(ground);
    for (int y = 0; y < tile.height(); ++y) {
        auto* row = reinterpret_cast<QRgb*>(tile.scanLine(y));
        for (int x = 0; x < tile.width(); ++x) {
            if ((isRising ? x + y : x - y + tile.height()) % period < width)
                row[x] = line.rgb();
        }
    }
    m_tile = QPixmap::fromImage(tile);
    m_tile.setDevicePixelRatio(dpr);
}

Hatch Hatch::ofGuests(const QColor& forward, const QColor& surface, double dpr)
{
    return {mixed(forward, surface, 0.78), mixed(forward, surface, 0.25), dpr, Slope::Falling};
}

void Hatch::fill(QPainter& painter, const QRectF& rect, double originX) const
{
    const double side = m_tile.width() / m_tile.devicePixelRatio();
    double shift = std::fmod(rect.left() - originX, side);
    if (shift < 0)
        shift += side;
    const double dpr = m_tile.devicePixelRatio();
    painter.drawTiledPixmap(rect, m_tile, QPointF(std::floor(shift * dpr) / dpr, 0));
}

profiler::Colour fromQt(QColor colour)
{
    return {static_cast<std::uint8_t>(colour.red()), static_cast<std::uint8_t>(colour.green()),
            static_cast<std::uint8_t>(colour.blue())};
}

QColor mixed(QColor from, QColor to, double share)
{
    return toQt(profiler::mix(fromQt(from), fromQt(to), share));
}

BoxColours::BoxColours(const Theme& theme, double dpr)
    : m_theme(theme)
    , m_bubble(toQt(theme.palette.bubble), toQt(theme.palette.bubbleLine), dpr)
{
    for (const Emphasis emphasis :
         {Emphasis::Normal, Emphasis::Dimmed, Emphasis::OffPath, Emphasis::Unselected}) {
        for (int kind = 0; kind < engine::kOpKinds; ++kind) {
            for (int chunk = 0; chunk < kChunks; ++chunk) {
                const auto of = static_cast<engine::OpKind>(kind);
                Look& look = m_looks[kind][chunk][index(emphasis)];
                look = resolve(theme.palette.fill(of, chunk), emphasis);
                if (of == engine::OpKind::Recompute)
                    look = hatched(look, dpr);
            }
        }
        m_exposed[index(emphasis)] = resolve(theme.palette.exposed(), emphasis);
        for (int step = 0; step < profiler::kDurationSteps; ++step)
            m_durations[step][index(emphasis)]
                = resolve(profiler::durationFill(theme.palette, step), emphasis);
        for (int group = 0; group < profiler::kHues; ++group) {
            for (const Tint tint : {Tint::Backward, Tint::Forward, Tint::Recompute}) {
                Look& look = m_hues[group][static_cast<int>(tint)][index(emphasis)];
                look = resolve(profiler::hueFill(theme.palette, group, tint), emphasis);
                if (tint == Tint::Recompute)
                    look = hatched(look, dpr);
            }
        }
    }
    for (int kind = 0; kind < profiler::kKernelKinds; ++kind)
        m_kernels[kind] = resolve(
            kernelColour(static_cast<profiler::KernelKind>(kind), theme.palette), Emphasis::Normal);
    for (auto& byChunk : m_looks[static_cast<int>(engine::OpKind::OptimizerStep)])
        byChunk[0].edge = toQt(theme.palette.optimizerEdge);
}

BoxColours::Look BoxColours::resolve(profiler::Colour fill, Emphasis emphasis) const
{
    const bool isDark = m_theme.isDark();
    const double share = emphasis == Emphasis::OffPath ? kDimOffPath
        : emphasis == Emphasis::Unselected ? (isDark ? kUnselectedDark : kUnselectedLight)
        : emphasis == Emphasis::Dimmed     ? (isDark ? kDimDark : kDimLight)
                                           : 0;
    const profiler::Palette& palette = m_theme.palette;
    fill = profiler::mix(fill, fromQt(surface()), share);
    Look look{toQt(fill), toQt(palette.inkOn(fill)), {}, {}, toQt(fill)};
    if (emphasis == Emphasis::Normal)
        look.edge = toQt(palette.edgeOf(fill));
    return look;
}

BoxColours::Look BoxColours::hatched(Look look, double dpr) const
{
    const QColor line = mixed(look.fill, Qt::white, kHatchLight);
    look.hatch = Hatch(look.fill, line, dpr);
    look.flat = mixed(look.fill, line, kHatchShare);
    return look;
}

void fillLook(QPainter& painter, const QRectF& rect, const BoxColours::Look& look, double originX)
{
    if (look.hatch.isNull())
        painter.fillRect(rect, look.fill);
    else
        look.hatch.fill(painter, rect, originX);
}

const BoxColours::Look& BoxColours::lookOf(const engine::Op& op, int chunk, double length,
                                           Emphasis emphasis) const
{
    if (profiler::isColouredByDuration(op, m_by))
        return m_durations[profiler::durationStep(length)][index(emphasis)];
    const int group = profiler::colourGroup(op, chunk, m_by);
    return group < 0 ? look(op.kind, chunk, emphasis)
                     : m_hues[group % profiler::kHues][static_cast<int>(profiler::tintOf(op.kind))]
                             [index(emphasis)];
}

namespace {

constexpr double kTextNeeds = 11; // least height in pixels of a box with text
constexpr double kThinGap = 0.6;

QPolygonF cutBox(const QRectF& box, double cut)
{
    return {{box.left() + cut, box.top()},
            box.topRight(),
            box.bottomRight(),
            box.bottomLeft(),
            {box.left(), box.top() + cut}};
}

// Fills a column from the bottom with stacked shares, rounded to rows; the remaining rows get the
// last colour. `top` is the first pixel of the column, `stride` the number of pixels per row.
template<std::size_t kCount>
void fillColumn(QRgb* top, qsizetype stride, int rows, const std::array<double, kCount>& shares,
                const std::array<QRgb, kCount + 1>& colours)
{
    QRgb* const bottom = top + rows * stride; // below the last row
    QRgb* pixel = bottom;
    const auto fillTo = [&](int height, QRgb colour) {
        for (const QRgb* const last = bottom - height * stride; pixel > last;)
            *(pixel -= stride) = colour;
    };
    double sum = 0;
    for (std::size_t k = 0; k < kCount; ++k) {
        if (shares[k] <= 0)
            continue;
        sum += shares[k];
        fillTo(std::min(qRound(sum * rows), rows), colours[k]);
    }
    fillTo(rows, colours[kCount]);
}

// The format has no alpha if all colours are opaque, because copying is faster than blending.
QImage::Format formatOf(std::span<const QRgb> colours)
{
    const bool isOpaque = std::ranges::all_of(colours, [](QRgb c) { return qAlpha(c) == 255; });
    return isOpaque ? QImage::Format_RGB32 : QImage::Format_ARGB32_Premultiplied;
}

} // namespace

BoxPainter::BoxPainter(QPainter& painter, const TimeAxis& axis, const BoxColours& colours)
    : m_painter(painter)
    , m_axis(axis)
    , m_colours(colours)
    , m_number(uiFont(11, QFont::Medium))
    , m_bold(uiFont(11, QFont::Bold))
    , m_name(codeFont(12))
{ }

BoxPainter::Face::Face(const QFont& textFont)
    : font(textFont)
    , capHeight(QFontMetricsF(font).capHeight())
{ }

const BoxPainter::Shaped& BoxPainter::Face::shaped(const QString& text)
{
    Shaped& shaped = texts[text];
    if (!shaped.glyphs.isEmpty())
        return shaped;
    QTextLayout layout(text, font);
    layout.beginLayout();
    layout.createLine();
    layout.endLayout();
    const double ascent = layout.lineAt(0).ascent();
    shaped.width = QFontMetricsF(font).horizontalAdvance(text);
    for (QGlyphRun& run : shaped.glyphs = layout.glyphRuns()) {
        QList<QPointF> positions = run.positions();
        for (QPointF& position : positions)
            position.ry() -= ascent;
        run.setPositions(positions);
    }
    return shaped;
}

void BoxPainter::draw(const QRectF& stretch, const BoxColours::Look& look, const BoxText& text)
{
    QRectF box = stretch;
    if (stretch.width() < kThinBelow) {
        box.setWidth(std::max(box.width(), m_axis.devicePixel()));
        m_painter.fillRect(box, look.flat);
        // Draws a border of 0.6 pixels as a whole pixel in a mixed colour.
        if (box.width() > 2)
            m_painter.fillRect(
                QRectF(box.right() - m_axis.gap(), box.top(), m_axis.gap(), box.height()),
                mixed(look.flat, m_colours.surface(), kThinGap));
        return;
    }
    box.setWidth(std::max(box.width() - m_axis.gap(), m_axis.devicePixel()));
    fill(box, look, text.isUp);
    label(box, look, text);
}

void BoxPainter::fill(const QRectF& box, const BoxColours::Look& look, bool isUp)
{
    const double cut = box.width() < 20 || box.height() < 22 ? 4 : 5, gap = m_axis.gap();
    const bool hasEdge = look.edge.isValid() && look.edge != look.fill && box.width() >= 3;
    if (!isUp) {
        fillLook(m_painter, box, look, m_axis.snap(m_axis.x(0)));
    } else if (look.hatch.isNull()) {
        fillCutBox(m_painter, box, cut, hasEdge ? look.edge : look.fill);
        if (hasEdge)
            fillCutBox(m_painter, box.adjusted(gap, gap, -gap, -gap), cut, look.fill);
        return;
    } else {
        m_painter.save();
        m_painter.setClipRegion(QRegion(cutBox(box, cut).toPolygon()), Qt::IntersectClip);
        fillLook(m_painter, box, look, m_axis.snap(m_axis.x(0)));
        m_painter.restore();
    }
    if (hasEdge)
        fillFrame(m_painter, box, gap, look.edge);
}

void BoxPainter::label(const QRectF& box, const BoxColours::Look& look, const BoxText& text)
{
    if (text.width < kNumberFrom || box.height() < kTextNeeds || text.number.isEmpty())
        return;
    m_painter.setPen(look.ink);
    m_plate = look.hatch.isNull() ? QColor() : look.fill;
    if (text.width >= kNameFrom && box.height() >= kNameNeeds && !text.name.isEmpty()
        && m_name.shaped(text.name).width + 8 <= text.width - m_axis.gap()) {
        write(box, text.name, m_name, text.isUp);
        return;
    }
    Face& face = text.isBold ? m_bold : m_number;
    const double needs = text.number.size() == 1 ? kNumberFrom
        : text.number.size() == 2                ? kTwoDigitsFrom
                                                 : face.shaped(text.number).width + 5;
    if (text.width >= needs)
        write(box, text.number, face, text.isUp);
}

void BoxPainter::write(const QRectF& box, const QString& text, Face& face, bool isUp)
{
    const auto& [glyphs, width] = face.shaped(text);
    const double x = std::round(box.center().x() - width / 2);
    const double baseline = std::round(box.center().y() + face.capHeight / 2);
    if (m_plate.isValid())
        m_painter.fillRect(QRectF(x - 2, std::round(baseline - face.capHeight) - 3,
                                  std::round(width) + 4, std::ceil(face.capHeight) + 6),
                           m_plate);
    for (const QGlyphRun& run : glyphs)
        m_painter.drawGlyphRun(QPointF(x, baseline), run);
    if (isUp)
        m_painter.fillRect(QRectF(x, m_axis.snap(baseline + 2), std::round(width), m_axis.gap()),
                           m_painter.pen().color());
}

void fillPolygon(QPainter& painter, const QPolygonF& polygon, QColor colour)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(polygon);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void fillCutBox(QPainter& painter, const QRectF& box, double cut, QColor colour)
{
    fillPolygon(painter, cutBox(box, cut), colour);
}

void paintBubble(QPainter& painter, const BoxColours& colours, const QRectF& box, double originX)
{
    constexpr double kHatchedFrom = 8, kEdgeFrom = 10; // least width of a hatch, height of an edge
    const double dpr = painter.device()->devicePixelRatioF();
    const double edge = std::max(1.0, std::round(dpr)) / dpr;
    const bool hasEdge = box.height() >= kEdgeFrom, isHatched = box.width() >= kHatchedFrom;
    if (hasEdge && isHatched) {
        colours.bubble().fill(painter, box, originX);
        fillFrame(painter, box, edge, colours.bubbleEdge());
        return;
    }
    painter.fillRect(box, colours.bubbleSolid());
    if (hasEdge)
        for (const double y : {box.top(), box.bottom() - edge})
            painter.fillRect(QRectF(box.left(), y, box.width(), edge), colours.bubbleEdge());
}

void paintText(QPainter& painter, const QRectF& area, const QString& text, const QFont& font,
               const QColor& ink, int flags)
{
    painter.setFont(font);
    painter.setPen(ink);
    painter.drawText(area, flags | Qt::TextSingleLine, text);
}

double paintText(QPainter& painter, QPointF baseline, const QString& text, const QFont& font,
                 const QColor& ink)
{
    painter.setFont(font);
    painter.setPen(ink);
    painter.drawText(baseline, text);
    return QFontMetricsF(font).horizontalAdvance(text);
}

void fillFrame(QPainter& painter, const QRectF& box, double width, QColor colour)
{
    painter.fillRect(QRectF(box.left(), box.top(), box.width(), width), colour);
    painter.fillRect(QRectF(box.left(), box.bottom() - width, box.width(), width), colour);
    painter.fillRect(QRectF(box.left(), box.top(), width, box.height()), colour);
    painter.fillRect(QRectF(box.right() - width, box.top(), width, box.height()), colour);
}

std::array<QColor, kShares> shareColours(const BoxColours& colours, BoxColours::Emphasis emphasis)
{
    using enum engine::OpKind;
    constexpr engine::OpKind kKinds[]
        = {Backward, Forward, Recompute, BackwardWeight, SendActivation, OptimizerStep};
    std::array<QColor, kShares> shares;
    for (std::size_t k = 0; k < kShares; ++k)
        shares[k] = colours.look(kKinds[k], 0, emphasis).flat;
    shares[static_cast<std::size_t>(Share::Communication)] = colours.exposed(emphasis).fill;
    return shares;
}

template<std::size_t kCount>
void paintColumns(
    QPainter& painter, const TimeAxis& axis, const Columns<kCount>& columns,
    const std::type_identity_t<std::function<std::array<double, kCount>(double)>>& busyBefore)
{
    const QRectF& area = columns.area;
    const int count = static_cast<int>(std::lround(area.width() * axis.dpr));
    const int rows = static_cast<int>(std::lround(area.height() * axis.dpr));
    if (count <= 0 || rows <= 0)
        return;
    std::array<QRgb, kCount + 1> inks{};
    std::ranges::transform(columns.shares, inks.begin(),
                           [](const QColor& colour) { return qPremultiply(colour.rgba()); });
    inks[kCount] = qPremultiply(columns.rest.rgba());
    QImage image(count, rows, formatOf(inks));
    auto* pixels = reinterpret_cast<QRgb*>(image.bits());
    const qsizetype stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    const auto edge = [&](int column) {
        return std::clamp(axis.time(area.left() + column / axis.dpr),
                          static_cast<double>(columns.window.begin),
                          static_cast<double>(columns.window.end));
    };
    double begin = edge(0);
    auto before = busyBefore(begin);
    for (int column = 0; column < count; ++column) {
        const double end = edge(column + 1);
        const auto after = busyBefore(end);
        std::array<double, kCount> shares{};
        for (std::size_t k = 0; end > begin && k < kCount; ++k)
            if (after[k] != before[k]) // skips the division: most are equal
                shares[k] = (after[k] - before[k]) / (end - begin);
        fillColumn(pixels + column, stride, rows, shares, inks);
        begin = end;
        before = after;
    }
    image.setDevicePixelRatio(axis.dpr);
    painter.drawImage(area.topLeft(), image);
}

template void paintColumns(QPainter&, const TimeAxis&, const Columns<kShares>&,
                           const std::function<Busy(double)>&);
template void paintColumns(QPainter&, const TimeAxis&, const Columns<kKernelShares>&,
                           const std::function<KernelBusy(double)>&);

} // namespace app
