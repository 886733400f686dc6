#include "app/timeline/paint/lane_painter.h"

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/labels.h"
#include "app/ui/text.h"
#include "engine/schedule/notation.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace app {
namespace {

using engine::DeviceId;
using TrackKind = engine::Track::Kind;
using engine::OpKind;
using engine::Span;
using engine::Window;
using Emphasis = BoxColours::Emphasis;

struct SpanRow
{
    DeviceId device;
    TrackKind kind;
    double top = 0, height = 0;
    QColor colour; // of columns
};

// Draws the spans of a row in sight or, with more than one span per two pixels, columns of exact
// shares.
template<class DrawSpan>
void paintSpans(QPainter& painter, const MovesPicture& picture, const SpanRow& row, DrawSpan draw)
{
    const auto& [device, kind, top, height, colour] = row;
    const engine::Window sight = picture.axis.window();
    const auto spans = picture.view.spansAround(device, kind, sight);
    if (static_cast<double>(spans.size()) <= picture.axis.width / 2) {
        for (const engine::Span& span : spans)
            if (span.end >= sight.begin)
                draw(span);
        return;
    }
    ColumnColours colours;
    colours.shares.fill(colour);
    colours.rest = Qt::transparent;
    paintColumns(painter, picture.axis, {stretch(picture.axis, sight, top, height), sight, colours},
                 [busy = picture.view.transfers(device, kind)](double time) mutable {
                     return busy.before(time);
                 });
}

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

constexpr double kOtherBubble = 0.45;  // opacity of a bubble of another cause than the selected
constexpr double kSmallNumberFrom = 9; // least width of a box with a digit of 10 px

BoxText transferText(const engine::Op& op)
{
    using enum engine::OpKind;
    BoxText text;
    if (op.kind == AllReduce) {
        text.number = QString::number(op.stage.value);
        return text;
    }
    const bool isOut = op.kind == SendActivation || op.kind == SendGradient;
    text.name = (isOut ? QStringLiteral("to %1") : QStringLiteral("from %1")).arg(op.peer);
    return text;
}

constexpr double kKernelNameFrom = 34; // least width of a box with a name, which may be elided
constexpr double kBoxesUpTo = 4;       // spans per pixel; denser spans are drawn as columns

// Whether a kernel only moves data. Such kernels have lower boxes, because some users cannot
// distinguish their hue from the grey of the others.
bool movesData(profiler::KernelKind kind)
{
    return kind == profiler::KernelKind::Copy || kind == profiler::KernelKind::Memset;
}
constexpr double kLowInset = 3;

QRectF inSight(const TimeAxis& axis, const QRectF& box)
{
    const double left = std::max(box.left(), axis.left),
                 right = std::min(box.right(), axis.right());
    return {left, box.top(), std::max(0.0, right - left), box.height()};
}

constexpr double kSingleFrom = 3; // pixels; narrower ops are merged into one outline

const BoxColours::Look& look(const RunView& view, const BoxColours& colours, std::uint32_t op,
                             Emphasis emphasis)
{
    const engine::Op& of = view.op(op);
    return colours.look(of.kind, view.chunk(of), emphasis);
}

} // namespace

void paintMoves(QPainter& painter, const MovesPicture& picture, DeviceId device, const Lane& lane)
{
    const double top = lane.movesTop(), height = lane.movesHeight(), gap = picture.axis.gap();
    const auto ink = [&](engine::OpKind kind) {
        return picture.colours.look(kind, 0, BoxColours::Emphasis::Normal).fill;
    };
    const auto paintOf = [&](DeviceId owner) {
        paintSpans(painter, picture,
                   {owner, TrackKind::Copy, top, height, ink(engine::OpKind::Evict)},
                   [&](const engine::Span& span) {
                       const engine::OpKind kind = picture.view.op(span.op).kind;
                       QRectF box = boxRect(picture.axis, span.window(), top, height);
                       box.setWidth(std::max(box.width(), gap));
                       if (kind == engine::OpKind::Load && box.width() >= 3 * gap)
                           fillFrame(painter, box, gap, ink(kind));
                       else
                           painter.fillRect(box, ink(kind));
                   });
    };
    if (height <= 0)
        return;
    paintOf(device);
    if (const auto evictor = picture.view.evictorOf(device))
        paintOf(*evictor);
}

void paintMovePair(QPainter& painter, const MovesPicture& picture, const std::vector<Lane>& lanes,
                   const Selection& selection)
{
    const auto [here, there] = moveRects(picture.view, picture.axis, lanes, selection);
    if (here.isEmpty() || there.isEmpty())
        return;
    const QColor ink = picture.colours.theme().chrome.text;
    const bool isDown = there.top() > here.top();
    const QPointF from(std::round(here.center().x()) + 0.5, isDown ? here.bottom() : here.top());
    const QPointF to(from.x(), isDown ? there.top() : there.bottom());
    for (const bool isHalo : {true, false}) {
        painter.setPen(isHalo ? QPen(picture.colours.surface(), 3.5) : QPen(ink, 1.2));
        painter.drawLine(from, to);
    }
    fillFrame(painter, there.adjusted(-1, -1, 1, 1), picture.axis.gap(), ink);
}

void paintMemoryLevels(QPainter& painter, const TimeAxis& axis, const MemoryLevels& levels)
{
    LevelImage strip(axis, levels);
    for (const engine::Window window : drawnWindows(levels.iterations, axis))
        strip.add(window);
    painter.drawImage(QPointF(axis.left, levels.top), strip.image());
}

BoxText boxText(const engine::Op& op, double width)
{
    BoxText text;
    text.width = width;
    text.isUp = op.replica == 1 && op.microBatch.isValid();
    if (width < kNumberFrom)
        return text;
    if (op.kind == OpKind::OptimizerStep) {
        text.number = QStringLiteral("O");
        return text;
    }
    text.number = microBatchText(op);
    if (width < kNameFrom)
        return text;
    engine::Op down = op; // without "u", because the corner and the underline show the direction
    down.replica = 0;
    text.name = opName(down);
    return text;
}

LanePainter::LanePainter(QPainter& painter, const RunView& view, const TimeAxis& axis,
                         const BoxColours& colours)
    : m_painter(painter)
    , m_view(view)
    , m_axis(axis)
    , m_colours(colours)
    , m_boxes(painter, axis, colours)
{ }

BoxText LanePainter::textOf(const engine::Op& op, double width) const
{
    BoxText text = boxText(op, width);
    if (width >= kNumberFrom && !engine::knowsMicroBatches(m_view.run().info)
        && engine::isCompute(op.kind))
        text.number = text.name = opName(m_view.run().info, op);
    if (m_labels != Labels::Names)
        text.name.clear();
    if (m_labels == Labels::None)
        text.number.clear();
    return text;
}

LanePainter::Labels LanePainter::labelsOf(DeviceId device, double height) const
{
    const double box = m_view.occurs().isJoint ? height / 2 : height;
    const auto fits = [this](const auto& shortest, const auto& needs) {
        for (std::size_t letters = 0; letters < shortest.size(); ++letters)
            if (shortest[letters] > 0
                && m_axis.snap(m_axis.pixels(static_cast<double>(shortest[letters])))
                    < needs(static_cast<double>(letters)))
                return false;
        return true;
    };
    const TextLengths& texts = m_view.textLengths(device);
    const double letter = QFontMetricsF(codeFont(12)).horizontalAdvance(QLatin1Char('0'));
    const auto name
        = [&](double letters) { return std::max(kNameFrom, letters * letter + 8 + m_axis.gap()); };
    constexpr double kDigit = kTwoDigitsFrom - kNumberFrom;
    const auto number = [](double letters) { return kNumberFrom + (letters - 1) * kDigit; };
    if (m_most == Labels::Names && box >= kNameNeeds && fits(texts.ofName, name))
        return Labels::Names;
    return fits(texts.ofNumber, number) ? std::min(m_most, Labels::Numbers) : Labels::None;
}

bool LanePainter::isInFlow(std::uint32_t op, int iteration) const
{
    return m_flow && m_view.op(op).microBatch == m_flow->microBatch
        && iteration == m_flow->iteration;
}

// A search dims ops that do not match, a critical path dims ops off it, and a flow dims other
// micro-batches.
Emphasis LanePainter::emphasis(const engine::Span& span) const
{
    if (m_category != nullptr && m_found == nullptr)
        return m_category->has(m_view.op(span.op), span.iteration) ? Emphasis::Normal
                                                                   : Emphasis::Unselected;
    if (m_path != nullptr && m_found == nullptr)
        return m_path->has(span) ? Emphasis::Normal : Emphasis::OffPath;
    const bool isOther = m_found != nullptr ? !m_found->has(span)
                                            : m_flow && m_view.op(span.op).microBatch.isValid()
            && !isInFlow(span.op, static_cast<int>(span.iteration));
    return isOther ? Emphasis::Dimmed : Emphasis::Normal;
}

void LanePainter::paint(DeviceId device, const Lane& lane, int iteration)
{
    if (!lane.group.devices.empty()) {
        paintGroup(lane);
        return;
    }
    paintCompute(device, lane.computeTop(), lane.compute);
    paintMoves(m_painter, {m_view, m_axis, m_colours}, device, lane);
    if (lane.kind != LaneKind::Full)
        return;
    using enum engine::Track::Kind;
    paintTransfers(device, Send, lane.sendTop());
    paintTransfers(device, Receive, lane.receiveTop());
    paintTransfers(device, AllReduce, lane.reduceTop());
    paintMemory(device, lane, iteration);
}

void LanePainter::paintCompute(DeviceId device, double top, double height)
{
    if (!hasTrace(m_view.run(), device)) {
        paintText(m_painter, QRectF(m_axis.left + 16, top, m_axis.width - 24, height),
                  QCoreApplication::translate("app::Lane", "no trace of this rank"), uiFont(11),
                  m_colours.theme().chrome.text3);
        return;
    }
    m_labels = labelsOf(device, height);
    walkLane(m_view, device, m_axis,
             [&](const Piece& piece) { paintPiece(device, piece, top, height); });
}

void LanePainter::paintPiece(DeviceId device, const Piece& piece, double top, double height)
{
    const bool isOther = m_category != nullptr && !m_category->has(device, piece);
    switch (piece.kind) {
    case Piece::Kind::Op:
        paintOp(piece, top, height);
        break;
    case Piece::Kind::Exposed:
        m_boxes.draw(stretch(m_axis, piece.window, top, height),
                     m_colours.exposed(isOther                 ? Emphasis::Unselected
                                           : m_path != nullptr ? Emphasis::OffPath
                                                               : Emphasis::Normal),
                     {});
        break;
    case Piece::Kind::Bubble:
        m_painter.setOpacity(isOther ? kOtherBubble : 1);
        paintBubble(m_painter, m_colours, boxRect(m_axis, piece.window, top, height),
                    m_axis.snap(m_axis.x(0)));
        m_painter.setOpacity(1);
        break;
    case Piece::Kind::Dense:
        paintDense(device, piece.window, top, height);
        break;
    case Piece::Kind::Outside:
        break;
    }
}

void LanePainter::paintOp(const Piece& piece, double top, double height)
{
    const QRectF box = stretch(m_axis, piece.window, top, height);
    const double width = widthForText(m_axis, piece.window);
    const double length = static_cast<double>(piece.window.duration())
        / static_cast<double>(std::max<std::int64_t>(1, m_view.occurs().longestOp));
    const auto draw = [&](std::uint32_t number, const QRectF& cell) {
        const engine::Op& op = m_view.op(number);
        const Emphasis how = emphasis({piece.window.begin, piece.window.end, number,
                                       static_cast<std::uint32_t>(piece.iteration)});
        BoxText text = textOf(op, width);
        text.isBold = isInFlow(number, piece.iteration);
        m_boxes.draw(cell, m_colours.lookOf(op, m_view.chunk(op), length, how), text);
    };
    if (piece.joint == piece.op)
        return draw(piece.op, box);
    // A joint F and B share one cell, with F in the upper half.
    const bool isForwardFirst = m_view.op(piece.op).kind == OpKind::Forward;
    const double half = m_axis.snap(box.height() / 2);
    for (const std::uint32_t number : {piece.op, piece.joint}) {
        const bool isUpper = (number == piece.op) == isForwardFirst;
        draw(number,
             QRectF(box.left(), isUpper ? box.top() : box.top() + half, box.width(),
                    isUpper ? half - m_axis.gap() : box.height() - half));
    }
}

void LanePainter::paintDense(DeviceId device, engine::Window window, double top, double height)
{
    paintShares(window, top, height,
                [shares = RunView::SharesSweep(m_view, device)](double time) mutable {
                    return shares.before(time);
                });
}

void LanePainter::paintMean(std::span<const int> devices, engine::Window window, double top,
                            double height)
{
    RunView::MeanSweep mean;
    for (const int device : devices)
        if (hasTrace(m_view.run(), DeviceId{device}))
            mean.devices.emplace_back(m_view, DeviceId{device});
    if (!mean.devices.empty())
        paintShares(window, top, height, [mean](double time) mutable { return mean.before(time); });
}

void LanePainter::paintGroup(const Lane& lane)
{
    for (const engine::Window window : drawnWindows(m_view.timeline().iterations, m_axis))
        paintMean(lane.group.devices, window, lane.computeTop(), lane.compute);
}

// Returns the columns with the colour of the selected category undimmed.
ColumnColours LanePainter::selectedColours(ColumnColours dimmed,
                                           profiler::TimeCategory category) const
{
    const ColumnColours full = columnColours(m_colours, Emphasis::Normal);
    for (const OpKind kind :
         {OpKind::Forward, OpKind::Recompute, OpKind::Backward, OpKind::BackwardInput,
          OpKind::BackwardWeight, OpKind::OptimizerStep, OpKind::SendActivation}) {
        const bool isSelected = kind == OpKind::SendActivation
            ? category == profiler::TimeCategory::Exposed
            : profiler::isOf(category, kind);
        const auto share = static_cast<std::size_t>(shareOf(kind));
        if (isSelected)
            dimmed.shares[share] = full.shares[share];
    }
    return dimmed;
}

void LanePainter::paintShares(engine::Window window, double top, double height,
                              const std::function<Busy(double time)>& before)
{
    const Emphasis how = m_found != nullptr ? Emphasis::Dimmed
        : m_category != nullptr             ? Emphasis::Unselected
        : m_path != nullptr                 ? Emphasis::OffPath
        : m_flow                            ? Emphasis::Dimmed
                                            : Emphasis::Normal;
    ColumnColours colours = columnColours(m_colours, how);
    if (m_category != nullptr && m_found == nullptr)
        colours = selectedColours(colours, m_category->category());
    else if (m_found == nullptr && m_path == nullptr) // a flow does not dim optimizer steps
        colours.shares[static_cast<std::size_t>(Share::Optimizer)]
            = m_colours.look(OpKind::OptimizerStep, 0, Emphasis::Normal).fill;
    const bool isBubbleSelected
        = m_category == nullptr || m_category->category() > profiler::TimeCategory::Exposed;
    colours.rest = isBubbleSelected
        ? m_colours.bubbleSolid()
        : mixed(m_colours.surface(), m_colours.bubbleSolid(), kOtherBubble);
    QRectF area = stretch(m_axis, window, top, height);
    area.setWidth(std::max(area.width(), m_axis.devicePixel()));
    paintColumns(m_painter, m_axis, {area, window, colours}, before);
}

void LanePainter::paintTransfers(DeviceId device, engine::Track::Kind kind, double top)
{
    const QColor colour = m_colours.look(OpKind::SendActivation, 0, Emphasis::Normal).fill;
    paintSpans(m_painter, {m_view, m_axis, m_colours}, {device, kind, top, Lane::kTransfer, colour},
               [&](const engine::Span& span) { paintTransfer(span, top); });
}

void LanePainter::paintTransfer(const engine::Span& span, double top)
{
    const auto& op = m_view.op(span.op);
    const auto& look = m_colours.look(op.kind, 0, emphasis(span));
    QRectF box = boxRect(m_axis, span.window(), top, Lane::kTransfer);
    box.setWidth(std::max(box.width(), m_axis.gap()));
    m_painter.fillRect(box, look.fill);
    BoxText text = transferText(op);
    if (op.kind == engine::OpKind::AllReduce && !engine::knowsStages(m_view.run().info))
        text.number.clear();
    const QString& shown = text.number.isEmpty() ? text.name : text.number;
    const double needs = text.number.isEmpty() ? kNameFrom : kSmallNumberFrom;
    if (widthForText(m_axis, span.window()) < needs)
        return;
    paintText(m_painter, box, shown, uiFont(10, QFont::Medium), look.ink, Qt::AlignCenter);
}

MemoryLevels LanePainter::levelsOf(DeviceId device, const Lane& lane) const
{
    const Theme& theme = m_colours.theme();
    const QColor forward = toQt(theme.palette.forward), surface = m_colours.surface();
    return {m_view.memory(device),
            m_view.timeline().iterations,
            m_axis.snap(lane.memoryTop()),
            lane.memory,
            m_view.memoryScale(),
            {mixed(toQt(theme.palette.optimizerState), surface, 0.25),
             mixed(forward, surface, theme.isDark() ? 0.45 : 0.58), forward, theme.chrome.line,
             mixed(forward, surface, 0.78), mixed(forward, surface, 0.25)}};
}

void LanePainter::paintMemory(DeviceId device, const Lane& lane, int iteration)
{
    if (!m_view.knowsMemory())
        return;
    const MemoryLevels levels = levelsOf(device, lane);
    paintMemoryLevels(m_painter, m_axis, levels);
    if (iteration >= 0 && !levels.series.isEmpty())
        paintPeak(levels, iteration);
}

// Marks the peak of an iteration; the memory column states it.
void LanePainter::paintPeak(const MemoryLevels& levels, int iteration)
{
    const auto time
        = static_cast<double>(levels.series.timeOfPeak(m_view.iteration(iteration).window));
    const QPointF at(m_axis.x(time), levels.y(m_axis, levels.series.at(time).total));
    if (at.x() < m_axis.left || at.x() > m_axis.right())
        return;
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(m_colours.theme().chrome.text);
    m_painter.drawEllipse(at + QPointF(0, 0.5), 2.5, 2.5);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintKernelWait(QPainter& painter, const BoxColours& colours, const QRectF& part,
                     double origin, double edge)
{
    const QColor frame = colours.kernel(profiler::KernelKind::Nccl).fill;
    colours.bubble().fill(painter, part, origin);
    painter.fillRect(QRectF(part.left(), part.top(), part.width(), edge), frame);
    painter.fillRect(QRectF(part.left(), part.bottom() - edge, part.width(), edge), frame);
    painter.fillRect(QRectF(part.left(), part.top(), edge, part.height()), frame);
}

KernelPainter::KernelPainter(QPainter& painter, const KernelView& kernels, const TimeAxis& axis,
                             const BoxColours& colours)
    : m_painter(painter)
    , m_kernels(kernels)
    , m_axis(axis)
    , m_colours(colours)
{
    for (int kind = 0; kind < profiler::kKernelKinds; ++kind)
        m_columns.shares[static_cast<std::size_t>(kind)]
            = colours.kernel(static_cast<profiler::KernelKind>(kind)).fill;
    m_columns.shares[kWaitShare] = colours.bubbleSolid();
    m_columns.rest = Qt::transparent;
}

void KernelPainter::paint(engine::DeviceId device, const Lane& lane)
{
    m_painter.setFont(uiFont(10));
    for (int row = 0; row < lane.kernels; ++row)
        paintRow({device, row, lane.kernelTop(row), lane.kernel});
}

void KernelPainter::paintRow(const Row& row)
{
    const Window sight = m_axis.window();
    const auto spans = m_kernels.around(row.device, row.row, sight);
    if (spans.empty())
        return;
    if (static_cast<double>(spans.size()) > kBoxesUpTo * m_axis.width)
        paintColumnsOf(row, sight);
    else
        paintBoxes(row, spans);
}

// Adjacent kernels that are too narrow for boxes share one stretch of columns.
void KernelPainter::paintBoxes(const Row& row, std::span<const Span> spans)
{
    const double narrow = kCoverageBelow * m_axis.ticksPerPixel();
    constexpr Window kNothing{std::numeric_limits<std::int64_t>::max(), 0};
    Window dense = kNothing;
    const auto flush = [&] {
        if (dense.end > dense.begin)
            paintColumnsOf(row, dense);
        dense = kNothing;
    };
    for (const Span& span : spans) {
        if (static_cast<double>(span.end - span.begin) >= narrow) {
            flush();
            paintBox(row, span);
            continue;
        }
        // A gap of more than three pixels ends the stretch of columns.
        if (dense.end > 0 && static_cast<double>(span.begin - dense.end) > narrow)
            flush();
        dense = {std::min(dense.begin, span.begin), std::max(dense.end, span.end)};
    }
    flush();
}

void KernelPainter::paintBox(const Row& row, const Span& span)
{
    const auto& look = m_colours.kernel(m_kernels.kindOf(span.op));
    const bool isLow = movesData(m_kernels.kindOf(span.op));
    const double inset = isLow ? kLowInset : 0;
    const QRectF box = boxRect(m_axis, span.window(), row.top + inset, row.height - 2 * inset);
    m_painter.fillRect(box, look.fill);
    QRectF busy = box, waiting;
    if (const auto wait = m_kernels.waitOf(span.op); wait && wait->duration() > 0) {
        busy.setLeft(
            std::min(stretch(m_axis, *wait, box.top(), box.height()).right(), box.right()));
        waiting = QRectF(box.topLeft(), QPointF(busy.left(), box.bottom()));
        paintKernelWait(m_painter, m_colours, waiting, m_axis.snap(m_axis.x(0)), m_axis.gap());
    }
    busy = inSight(m_axis, busy);
    waiting = inSight(m_axis, waiting);
    if (isLow)
        return;
    if (busy.width() >= kKernelNameFrom)
        paintName(span.op, busy, look.ink);
    else if (waiting.width() >= kKernelNameFrom)
        paintName(span.op, waiting, {});
}

// Paints the name of a kernel. If `ink` is invalid, the box is hatched, so the name gets a plain
// background.
void KernelPainter::paintName(std::uint32_t work, const QRectF& within, QColor ink)
{
    const QFontMetricsF metrics(m_painter.font());
    const QString shown
        = metrics.elidedText(m_kernels.label(work), Qt::ElideRight, within.width() - 6);
    if (!ink.isValid()) {
        ink = m_colours.theme().chrome.text;
        m_painter.fillRect(QRectF(within.left() + 1, within.top() + m_axis.gap(),
                                  std::ceil(metrics.horizontalAdvance(shown)) + 4,
                                  within.height() - 2 * m_axis.gap()),
                           toQt(m_colours.theme().palette.bubble));
    }
    m_painter.setPen(ink);
    m_painter.drawText(
        QPointF(within.left() + 3, std::round(within.center().y() + metrics.capHeight() / 2)),
        shown);
}

void KernelPainter::paintColumnsOf(const Row& row, Window window)
{
    const Window sight = m_axis.window();
    const Window seen{std::max(window.begin, sight.begin), std::min(window.end, sight.end)};
    if (seen.end <= seen.begin)
        return;
    QRectF area = stretch(m_axis, seen, row.top, row.height);
    area.setWidth(std::max(area.width(), m_axis.devicePixel()));
    paintColumns(m_painter, m_axis, KernelColumns{area, seen, m_columns},
                 [busy = m_kernels.busy(row.device, row.row)](double time) mutable {
                     return busy.before(time);
                 });
}

Plan::Plan(std::shared_ptr<const engine::Run> run)
    : m_run(std::move(run))
    , m_index(m_run->schedule)
{ }

std::int64_t Plan::duration() const
{
    const auto& iterations = m_run->timeline.iterations;
    return iterations.empty() ? 0 : iterations.front().window.duration();
}

std::span<const engine::Span> Plan::ops(engine::DeviceId device) const
{
    const auto* track = m_run->timeline.track(device, engine::Track::Kind::Compute);
    return track == nullptr ? std::span<const engine::Span>() : track->spans;
}

int PlanView::done(engine::DeviceId device) const
{
    if (isComplete)
        return INT_MAX;
    const auto at = static_cast<std::size_t>(device.value);
    return at < devices.size() ? devices[at] : 0;
}

std::size_t PlanView::next(engine::DeviceId device) const
{
    const auto ops = plan->ops(device);
    const auto found
        = std::ranges::lower_bound(ops, done(device), {}, [this](const engine::Span& span) {
              return plan->positionOf(span.op);
          });
    return static_cast<std::size_t>(found - ops.begin());
}

std::int64_t PlanView::reached() const
{
    if (!isUnderWay())
        return begin;
    std::int64_t reached = window().end;
    for (const engine::DeviceId device : plan->run().schedule.program.ids()) {
        const auto ops = plan->ops(device);
        if (const std::size_t first = next(device); first < ops.size())
            reached = std::min(reached, begin + ops[first].begin);
    }
    return reached;
}

const engine::Span* PlanView::at(engine::DeviceId device, double time) const
{
    if (plan == nullptr)
        return nullptr;
    const auto ops = plan->ops(device);
    const double wanted = time - static_cast<double>(begin);
    const auto after = std::ranges::upper_bound(
        ops, wanted, {}, [](const engine::Span& span) { return static_cast<double>(span.begin); });
    if (after == ops.begin() || wanted >= static_cast<double>((after - 1)->end))
        return nullptr;
    return &*(after - 1);
}

PlanPainter::PlanPainter(QPainter& painter, const RunView& view, const TimeAxis& axis,
                         const BoxColours& colours)
    : m_painter(painter)
    , m_view(view)
    , m_axis(axis)
    , m_colours(colours)
    , m_boxes(painter, axis, colours)
{ }

void PlanPainter::paint(const PlanView& plan, engine::DeviceId device, const Lane& lane)
{
    const engine::Window sight = m_axis.window();
    if (plan.plan == nullptr || !lane.hasBoxes() || !plan.window().intersects(sight))
        return;
    const auto ops = plan.plan->ops(device);
    const std::size_t next = plan.isUnderWay() ? plan.next(device) : 0;
    const auto first = std::ranges::lower_bound(ops, sight.begin - plan.begin + 1, {},
                                                [](const engine::Span& op) { return op.end; });
    auto at = static_cast<std::size_t>(first - ops.begin());
    for (; at < ops.size(); ++at) {
        const engine::Window window = plan.windowOf(ops[at]);
        if (window.begin >= sight.end)
            break;
        const QRectF box = boxRect(m_axis, window, lane.computeTop(), lane.compute);
        const bool isNarrow = box.width() < kSingleFrom;
        if (at == next || !isNarrow || box.left() - m_merged.right() > kSingleFrom)
            flush(at <= next); // the merged ops precede `at`, so they have run if at <= next
        if (isNarrow)
            m_merged = m_merged.united(box);
        else if (at < next)
            fill(ops[at], window, lane);
        else if (at == next && plan.isUnderWay())
            outline(box, look(m_view, m_colours, ops[at].op, Emphasis::Normal).flat);
        else
            outline(box, m_colours.theme().chrome.lineStrong);
    }
    flush(at <= next);
}

void PlanPainter::paintHover(const PlanView& plan, const engine::Span& op, const Lane& lane)
{
    outline(boxRect(m_axis, plan.windowOf(op), lane.computeTop(), lane.compute),
            m_colours.theme().chrome.text);
}

void PlanPainter::outline(const QRectF& box, const QColor& colour)
{
    m_painter.setPen(QPen(colour, 1));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
}

void PlanPainter::fill(const engine::Span& op, engine::Window window, const Lane& lane)
{
    m_boxes.draw(stretch(m_axis, window, lane.computeTop(), lane.compute),
                 look(m_view, m_colours, op.op, Emphasis::Dimmed),
                 boxText(m_view.op(op.op), widthForText(m_axis, window)));
}

void PlanPainter::flush(bool isDone)
{
    const QRectF box = std::exchange(m_merged, {});
    if (isDone)
        m_painter.fillRect(box, m_colours.theme().chrome.lineStrong);
    else if (!box.isNull())
        outline(box, m_colours.theme().chrome.lineStrong);
}

void paintNow(QPainter& painter, const NowLine& now, const TimeAxis& axis, const Theme& theme)
{
    constexpr double kWidth = 54, kHeight = 18, kLine = 2;
    const double x = std::round(axis.x(now.time));
    if (x < axis.left || x > axis.right())
        return;
    painter.fillRect(QRectF(x - kLine / 2, now.lanes.top(), kLine, now.lanes.height()),
                     theme.chrome.text);
    const QFont font = uiFont(11, QFont::Medium);
    const double width = std::max(kWidth, QFontMetricsF(font).horizontalAdvance(now.text) + 12);
    QRectF plate(x - width / 2, now.ruler.bottom() - kHeight - 1, width, kHeight);
    plate.moveLeft(std::clamp(plate.left(), now.ruler.left(),
                              std::max(now.ruler.left(), now.ruler.right() - width)));
    painter.fillRect(plate, theme.chrome.primary);
    painter.setFont(font);
    painter.setPen(theme.chrome.primaryText);
    painter.drawText(plate, Qt::AlignCenter, now.text);
}

} // namespace app
