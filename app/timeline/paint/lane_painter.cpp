#include "app/timeline/paint/lane_painter.h"

#include "app/timeline/view/run_view.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"
#include "engine/schedule/notation.h"
#include "profiler/analysis/run_measures.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QImage>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

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
void paintSpans(const LaneCanvas& on, const SpanRow& row, DrawSpan draw)
{
    const auto& [device, kind, top, height, colour] = row;
    const engine::Window sight = on.axis.window();
    const auto spans = on.view.spansAround(device, kind, sight);
    if (static_cast<double>(spans.size()) <= on.axis.width / 2) {
        for (const engine::Span& span : spans)
            if (span.end >= sight.begin)
                draw(span);
        return;
    }
    Columns<kShares> columns{stretch(on.axis, sight, top, height), sight, {}};
    columns.shares.fill(colour);
    paintColumns(on.painter, on.axis, columns,
                 [busy = on.view.transfers(device, kind)](double time) mutable {
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
        , m_gap(pixels(axis.gap()))
        , m_bottom(row(axis.snap(levels.top + levels.height)))
        , m_image(pixels(axis.width) + m_gap, m_bottom + m_gap, QImage::Format_ARGB32_Premultiplied)
    {
        m_image.setDevicePixelRatio(axis.dpr);
        m_image.fill(Qt::transparent);
        m_pixels = reinterpret_cast<QRgb*>(m_image.bits());
        m_stride = m_image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    }

    void add(engine::Window window)
    {
        const QRectF area = stretch(m_axis, window, m_levels.top, m_levels.height);
        const Columns seen{pixels(std::max(area.left() - m_axis.left, 0.0)),
                           pixels(std::min(area.right() - m_axis.left, m_axis.width))};
        fill({pixels(area.left() - m_axis.left), seen.end}, 0, m_gap, m_levels.colours.top);
        const auto timeAt
            = [&](int column) { return m_axis.time(m_axis.left + column / m_axis.dpr); };
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
    void fill(Columns columns, int top, int bottom, const QColor& colour)
    {
        const int first = std::max(columns.begin, 0), last = std::min(columns.end, m_image.width());
        const int end = std::min(bottom, m_image.height());
        const QRgb ink = colour.rgb();
        for (int y = std::max(top, 0); first < last && y < end; ++y)
            std::fill(m_pixels + y * m_stride + first, m_pixels + y * m_stride + last, ink);
    }
    // Draws falling lines at 45 degrees. `period` and `width` are measured along a pixel row;
    // across the lines, they are 5 and 1.4 pixels. The lines of a bubble have the opposite slope.
    void hatch(Columns columns, int top, int bottom)
    {
        const int period = std::max(3, pixels(7)), width = std::max(1, pixels(2));
        const QRgb ground = m_levels.colours.guest.rgb(), line = m_levels.colours.guestLine.rgb();
        const int first = std::max(columns.begin, 0), last = std::min(columns.end, m_image.width());
        for (int y = std::max(top, 0); y < std::min(bottom, m_image.height()); ++y)
            for (int x = first; x < last; ++x)
                m_pixels[y * m_stride + x]
                    = (x - y + m_image.height()) % period < width ? line : ground;
    }
    // Fills columns that have the same level. `previous` is the y of the line in the columns to the
    // left; a vertical line connects both levels.
    void fillLevel(Columns columns, Rows rows, int previous)
    {
        const LevelColours& colours = m_levels.colours;
        fill(columns, rows.base, m_bottom, colours.base);
        fill(columns, rows.own, rows.base, colours.stash);
        if (rows.own > rows.line)
            hatch(columns, rows.line, rows.own);
        fill(columns, rows.line, rows.line + m_gap, colours.line);
        fill({columns.begin, columns.begin + m_gap}, std::min(rows.line, previous),
             std::max(rows.line, previous), colours.line);
    }

    const TimeAxis& m_axis;
    const MemoryLevels& m_levels;
    const int m_gap, m_bottom; // width of a line; y below the strip
    QImage m_image;
    QRgb* m_pixels;
    qsizetype m_stride; // distance between rows, in pixels
};

constexpr double kOtherBubble = 0.45;  // opacity of a bubble of another cause than the selected
constexpr double kSmallNumberFrom = 9; // least width of a box with a digit of 10 px

constexpr double kKernelNameFrom = 34; // least width of a box with a name, which may be elided
constexpr double kBoxesUpTo = 4;       // spans per pixel; denser spans are drawn as columns

// Writes into a narrow box, in the font of the painter.
void paintInside(QPainter& painter, const QRectF& box, const QString& text, const QColor& ink)
{
    const QFontMetricsF metrics(painter.font());
    painter.setPen(ink);
    painter.drawText(
        QPointF(box.left() + 3, std::round(box.center().y() + metrics.capHeight() / 2)),
        metrics.elidedText(text, Qt::ElideRight, box.width() - 6));
}

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

// The lanes of one frame.
class Lanes : LaneCanvas
{
public:
    Lanes(const LaneCanvas& on, const Highlights& highlights, Labels most)
        : LaneCanvas(on)
        , m_boxes(painter, axis, colours)
        , m_lit(highlights)
        , m_most(most)
    { }

    void paint(DeviceId device, int iteration)
    {
        const Lane& lane = this->lane(device);
        if (!lane.group.devices.empty()) {
            for (const Window window : drawnWindows(view.timeline().iterations, axis))
                paintMean(lane.group.devices, window, lane.computeTop(), lane.compute);
            return;
        }
        paintBoxes(device);
        paintMoves(*this, device);
        if (lane.kind != LaneKind::Full)
            return;
        using enum engine::Track::Kind;
        paintTransfers(device, Send, lane.sendTop());
        paintTransfers(device, Receive, lane.receiveTop());
        paintTransfers(device, AllReduce, lane.reduceTop());
        paintMemory(device, iteration);
    }
    void paintBoxes(DeviceId device)
    {
        m_device = device;
        m_top = lane(device).computeTop();
        m_height = lane(device).compute;
        if (!hasTrace(view.run(), device))
            return paintText(painter, QRectF(axis.left + 16, m_top, axis.width - 24, m_height),
                             tr("no trace of this rank"), uiFont(11), chrome().text3);
        m_labels = longestLabels();
        walkLane(view, device, axis, [&](const Piece& piece) { paintPiece(piece); });
    }
    void paintMean(std::span<const int> devices, engine::Window window, double top, double height)
    {
        RunView::MeanSweep mean;
        for (const int device : devices)
            if (hasTrace(view.run(), DeviceId{device}))
                mean.devices.emplace_back(view, DeviceId{device});
        if (!mean.devices.empty())
            paintShares(window, top, height,
                        [mean](double time) mutable { return mean.before(time); });
    }

private:
    BoxText textOf(const engine::Op& op, double width) const
    {
        BoxText text = boxText(op, width);
        if (width >= kNumberFrom && !engine::knowsMicroBatches(info())
            && engine::isCompute(op.kind))
            text.number = text.name = opName(info(), op);
        if (m_labels != Labels::Names)
            text.name.clear();
        if (m_labels == Labels::None)
            text.number.clear();
        return text;
    }
    Labels longestLabels() const
    {
        const double box = view.occurs().isJoint ? m_height / 2 : m_height;
        const auto fits = [this](const auto& shortest, const auto& needs) {
            for (std::size_t letters = 0; letters < shortest.size(); ++letters)
                if (shortest[letters] > 0
                    && axis.snap(axis.pixels(static_cast<double>(shortest[letters])))
                        < needs(static_cast<double>(letters)))
                    return false;
            return true;
        };
        const TextLengths& texts = view.textLengths(m_device);
        const double letter = QFontMetricsF(codeFont(12)).horizontalAdvance(QLatin1Char('0'));
        const auto name = [&](double letters) {
            return std::max(kNameFrom, letters * letter + 8 + axis.gap());
        };
        constexpr double kDigit = kTwoDigitsFrom - kNumberFrom;
        const auto number = [](double letters) { return kNumberFrom + (letters - 1) * kDigit; };
        if (m_most == Labels::Names && box >= kNameNeeds && fits(texts.ofName, name))
            return Labels::Names;
        return fits(texts.ofNumber, number) ? std::min(m_most, Labels::Numbers) : Labels::None;
    }
    bool isInFlow(std::uint32_t op, int iteration) const
    {
        return m_lit.flow && view.op(op).microBatch == m_lit.flow->microBatch
            && iteration == m_lit.flow->iteration;
    }
    // A search dims ops that do not match, a critical path dims ops off it, and a flow dims other
    // micro-batches.
    Emphasis emphasis(const engine::Span& span) const
    {
        if (m_lit.category != nullptr && m_lit.found == nullptr)
            return m_lit.category->has(view.op(span.op), span.iteration) ? Emphasis::Normal
                                                                         : Emphasis::Unselected;
        if (m_lit.path != nullptr && m_lit.found == nullptr)
            return m_lit.path->has(span) ? Emphasis::Normal : Emphasis::OffPath;
        const bool isOther = m_lit.found != nullptr
            ? !m_lit.found->has(span)
            : m_lit.flow && view.op(span.op).microBatch.isValid()
                && !isInFlow(span.op, static_cast<int>(span.iteration));
        return isOther ? Emphasis::Dimmed : Emphasis::Normal;
    }
    void paintPiece(const Piece& piece)
    {
        const bool isOther = m_lit.category != nullptr && !m_lit.category->has(m_device, piece);
        switch (piece.kind) {
        case Piece::Kind::Op:
            return paintOp(piece);
        case Piece::Kind::Exposed:
            return m_boxes.draw(stretch(axis, piece.window, m_top, m_height),
                                colours.exposed(isOther                     ? Emphasis::Unselected
                                                    : m_lit.path != nullptr ? Emphasis::OffPath
                                                                            : Emphasis::Normal),
                                {});
        case Piece::Kind::Bubble:
            painter.setOpacity(isOther ? kOtherBubble : 1);
            paintBubble(painter, colours, boxRect(axis, piece.window, m_top, m_height),
                        axis.snap(axis.x(0)));
            return painter.setOpacity(1);
        case Piece::Kind::Dense:
            return paintShares(piece.window, m_top, m_height,
                               [shares = RunView::SharesSweep(view, m_device)](
                                   double time) mutable { return shares.before(time); });
        case Piece::Kind::Outside:
            return;
        }
    }
    void paintOp(const Piece& piece)
    {
        const QRectF box = stretch(axis, piece.window, m_top, m_height);
        const double width = widthForText(axis, piece.window);
        const double length = static_cast<double>(piece.window.duration())
            / static_cast<double>(std::max<std::int64_t>(1, view.occurs().longestOp));
        const auto draw = [&](std::uint32_t number, const QRectF& cell) {
            const engine::Op& op = view.op(number);
            const Emphasis how = emphasis({piece.window.begin, piece.window.end, number,
                                           static_cast<std::uint32_t>(piece.iteration)});
            BoxText text = textOf(op, width);
            text.isBold = isInFlow(number, piece.iteration);
            m_boxes.draw(cell, colours.lookOf(op, view.chunk(op), length, how), text);
        };
        if (piece.joint == piece.op)
            return draw(piece.op, box);
        // A joint F and B share one cell, with F in the upper half.
        const bool isForwardFirst = view.op(piece.op).kind == OpKind::Forward;
        const double half = axis.snap(box.height() / 2);
        for (const std::uint32_t number : {piece.op, piece.joint}) {
            const bool isUpper = (number == piece.op) == isForwardFirst;
            draw(number,
                 QRectF(box.left(), isUpper ? box.top() : box.top() + half, box.width(),
                        isUpper ? half - axis.gap() : box.height() - half));
        }
    }
    void paintShares(Window window, double top, double height,
                     const std::function<Busy(double time)>& before)
    {
        const Emphasis how = m_lit.found != nullptr ? Emphasis::Dimmed
            : m_lit.category != nullptr             ? Emphasis::Unselected
            : m_lit.path != nullptr                 ? Emphasis::OffPath
            : m_lit.flow                            ? Emphasis::Dimmed
                                                    : Emphasis::Normal;
        const auto full = shareColours(colours, Emphasis::Normal);
        Columns<kShares> columns{stretch(axis, window, top, height), window,
                                 shareColours(colours, how)};
        columns.area.setWidth(std::max(columns.area.width(), axis.devicePixel()));
        const auto undim = [&](Share share) {
            columns.shares[static_cast<std::size_t>(share)] = full[static_cast<std::size_t>(share)];
        };
        if (how == Emphasis::Unselected) {
            const profiler::TimeCategory category = m_lit.category->category();
            for (const OpKind kind :
                 {OpKind::Forward, OpKind::Recompute, OpKind::Backward, OpKind::BackwardInput,
                  OpKind::BackwardWeight, OpKind::OptimizerStep})
                if (profiler::isOf(category, kind))
                    undim(shareOf(kind));
            if (category == profiler::TimeCategory::Exposed)
                undim(Share::Communication);
        } else if (m_lit.found == nullptr && m_lit.path == nullptr) {
            undim(Share::Optimizer); // a flow does not dim optimizer steps
        }
        const bool isBubbleSelected = m_lit.category == nullptr
            || m_lit.category->category() > profiler::TimeCategory::Exposed;
        columns.rest = isBubbleSelected
            ? colours.bubbleSolid()
            : mixed(colours.surface(), colours.bubbleSolid(), kOtherBubble);
        paintColumns(painter, axis, columns, before);
    }
    void paintTransfers(DeviceId device, engine::Track::Kind kind, double top)
    {
        const QColor colour = colours.look(OpKind::SendActivation, 0, Emphasis::Normal).fill;
        paintSpans(*this, {device, kind, top, Lane::kTransfer, colour},
                   [&](const engine::Span& span) { paintTransfer(span, top); });
    }
    void paintTransfer(const Span& span, double top)
    {
        const engine::Op& op = view.op(span.op);
        const auto& look = colours.look(op.kind, 0, emphasis(span));
        QRectF box = boxRect(axis, span.window(), top, Lane::kTransfer);
        box.setWidth(std::max(box.width(), axis.gap()));
        painter.fillRect(box, look.fill);
        const bool isMessage = op.kind != OpKind::AllReduce;
        if (widthForText(axis, span.window()) < (isMessage ? kNameFrom : kSmallNumberFrom))
            return;
        const bool isOut = op.kind == OpKind::SendActivation || op.kind == OpKind::SendGradient;
        const QString text = isMessage
            ? (isOut ? QStringLiteral("to %1") : QStringLiteral("from %1")).arg(op.peer)
            : engine::knowsStages(info()) ? QString::number(op.stage.value)
                                          : QString();
        paintText(painter, box, text, uiFont(10, QFont::Medium), look.ink, Qt::AlignCenter);
    }
    void paintMemory(DeviceId device, int iteration)
    {
        if (!view.knowsMemory())
            return;
        const QColor forward = toQt(theme().palette.forward), surface = colours.surface();
        const MemoryLevels levels{view.memory(device),
                                  view.timeline().iterations,
                                  axis.snap(lane(device).memoryTop()),
                                  lane(device).memory,
                                  view.memoryScale(),
                                  {mixed(toQt(theme().palette.optimizerState), surface, 0.25),
                                   mixed(forward, surface, theme().isDark() ? 0.45 : 0.58), forward,
                                   chrome().line, mixed(forward, surface, 0.78),
                                   mixed(forward, surface, 0.25)}};
        paintMemoryLevels(painter, axis, levels);
        if (iteration >= 0 && !levels.series.isEmpty())
            paintPeak(levels, iteration);
    }
    // Marks the peak of an iteration; the memory column states it.
    void paintPeak(const MemoryLevels& levels, int iteration)
    {
        const auto time
            = static_cast<double>(levels.series.timeOfPeak(view.iteration(iteration).window));
        const QPointF at(axis.x(time), levels.y(axis, levels.series.at(time).total));
        if (at.x() < axis.left || at.x() > axis.right())
            return;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(chrome().text);
        painter.drawEllipse(at + QPointF(0, 0.5), 2.5, 2.5);
        painter.setRenderHint(QPainter::Antialiasing, false);
    }

    BoxPainter m_boxes;
    const Highlights& m_lit;
    const Labels m_most;
    // The lane being painted: its device, its boxes and the form of their texts.
    DeviceId m_device;
    double m_top = 0, m_height = 0;
    Labels m_labels = Labels::Names;
};

// The kernels of one frame.
class Kernels : LaneCanvas
{
public:
    Kernels(const LaneCanvas& on, const KernelView& kernels)
        : LaneCanvas(on)
        , m_kernels(kernels)
    {
        painter.setFont(uiFont(10));
        for (std::size_t kind = 0; kind < profiler::kKernelKinds; ++kind)
            m_shares[kind] = colours.kernel(static_cast<profiler::KernelKind>(kind)).fill;
        m_shares[kWaitShare] = colours.bubbleSolid();
    }

    struct Row
    {
        DeviceId device;
        int row = 0;
        double top = 0, height = 0;
    };
    void paintRow(const Row& row)
    {
        const Window sight = axis.window();
        const auto spans = m_kernels.around(row.device, row.row, sight);
        if (spans.empty())
            return;
        if (static_cast<double>(spans.size()) > kBoxesUpTo * axis.width)
            paintColumnsOf(row, sight);
        else
            paintBoxes(row, spans);
    }

private:
    // Adjacent kernels that are too narrow for boxes share one stretch of columns.
    void paintBoxes(const Row& row, std::span<const Span> spans)
    {
        const double narrow = kCoverageBelow * axis.ticksPerPixel();
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
    void paintBox(const Row& row, const Span& span)
    {
        const auto& look = colours.kernel(m_kernels.kindOf(span.op));
        const bool isLow = movesData(m_kernels.kindOf(span.op));
        const double inset = isLow ? kLowInset : 0;
        const QRectF box = boxRect(axis, span.window(), row.top + inset, row.height - 2 * inset);
        painter.fillRect(box, look.fill);
        QRectF busy = box, waiting;
        if (const auto wait = m_kernels.waitOf(span.op); wait && wait->duration() > 0) {
            busy.setLeft(
                std::min(stretch(axis, *wait, box.top(), box.height()).right(), box.right()));
            waiting = QRectF(box.topLeft(), QPointF(busy.left(), box.bottom()));
            paintKernelWait(painter, colours, waiting, axis.snap(axis.x(0)), axis.gap());
        }
        busy = inSight(axis, busy);
        waiting = inSight(axis, waiting);
        if (isLow)
            return;
        if (busy.width() >= kKernelNameFrom)
            paintName(span.op, busy, look.ink);
        else if (waiting.width() >= kKernelNameFrom)
            paintName(span.op, waiting, {});
    }
    // Paints the name of a kernel. If `ink` is invalid, the box is hatched, so the name gets a
    // plain background.
    void paintName(std::uint32_t work, const QRectF& within, QColor ink)
    {
        const QFontMetricsF metrics(painter.font());
        const QString shown
            = metrics.elidedText(m_kernels.label(work), Qt::ElideRight, within.width() - 6);
        if (!ink.isValid())
            painter.fillRect(QRectF(within.left() + 1, within.top() + axis.gap(),
                                    std::ceil(metrics.horizontalAdvance(shown)) + 4,
                                    within.height() - 2 * axis.gap()),
                             toQt(theme().palette.bubble));
        paintInside(painter, within, shown, ink.isValid() ? ink : chrome().text);
    }
    void paintColumnsOf(const Row& row, Window window)
    {
        const Window sight = axis.window();
        const Window seen{std::max(window.begin, sight.begin), std::min(window.end, sight.end)};
        if (seen.end <= seen.begin)
            return;
        QRectF area = stretch(axis, seen, row.top, row.height);
        area.setWidth(std::max(area.width(), axis.devicePixel()));
        paintColumns(painter, axis, Columns<kKernelShares>{area, seen, m_shares},
                     [busy = m_kernels.busy(row.device, row.row)](double time) mutable {
                         return busy.before(time);
                     });
    }

    const KernelView& m_kernels;
    std::array<QColor, kKernelShares> m_shares;
};

// Draws adjacent boxes as one rectangle and skips boxes in pixels that are already drawn, so the
// cost depends on the number of pixels.
void paintRangeRow(const LaneCanvas& on, std::span<const HostRange> ranges, double top)
{
    constexpr double kTextFrom = 24; // least width of a box with text, which may be elided
    const TimeAxis& axis = on.axis;
    QRectF fill;
    const auto flush = [&] {
        if (!fill.isEmpty())
            on.painter.fillRect(fill, on.chrome().pressed);
        fill = {};
    };
    double drawnTo = axis.left - 1;
    for (std::size_t k = 0;; ++k) {
        const BoxesUpTo passed(axis, drawnTo);
        k = engine::gallop(k, ranges.size(),
                           [&](std::size_t at) { return passed.has(ranges[at].window); });
        if (k >= ranges.size())
            break;
        const QRectF whole = boxRect(axis, ranges[k].window, top, Lane::kKernel),
                     box = inSight(axis, whole);
        drawnTo = whole.right();
        if (box.left() > fill.right())
            flush();
        fill = fill.isEmpty() ? box : fill.united(box);
        if (box.width() < kTextFrom)
            continue;
        flush(); // before the text
        paintInside(on.painter, box, fromUtf8(ranges[k].text), on.chrome().text);
    }
    flush();
}

// The plan of one frame.
class PlannedOps : LaneCanvas
{
public:
    PlannedOps(const LaneCanvas& on, const PlanView& plan)
        : LaneCanvas(on)
        , m_plan(plan)
        , m_boxes(painter, axis, colours)
    { }

    void paint(DeviceId device)
    {
        const Window sight = axis.window();
        if (!lane(device).hasBoxes() || !m_plan.window().intersects(sight))
            return;
        const auto ops = m_plan.plan->ops(device);
        const std::size_t next = m_plan.isUnderWay() ? m_plan.next(device) : 0;
        const auto first = std::ranges::lower_bound(ops, sight.begin - m_plan.begin + 1, {},
                                                    [](const Span& op) { return op.end; });
        auto at = static_cast<std::size_t>(first - ops.begin());
        for (; at < ops.size(); ++at) {
            const Window window = m_plan.windowOf(ops[at]);
            if (window.begin >= sight.end)
                break;
            const QRectF box = boxOf(device, ops[at]);
            const bool isNarrow = box.width() < kSingleFrom;
            if (at == next || !isNarrow || box.left() - m_merged.right() > kSingleFrom)
                flush(at <= next); // the merged ops precede `at`, so they have run if at <= next
            if (isNarrow)
                m_merged = m_merged.united(box);
            else if (at < next)
                m_boxes.draw(stretch(axis, window, lane(device).computeTop(), lane(device).compute),
                             look(ops[at], Emphasis::Dimmed),
                             boxText(view.op(ops[at].op), widthForText(axis, window)));
            else
                outline(box,
                        at == next && m_plan.isUnderWay() ? look(ops[at], Emphasis::Normal).flat
                                                          : chrome().lineStrong);
        }
        flush(at <= next);
    }
    void paintHover(const PlannedOp& planned)
    {
        outline(boxOf(planned.device, planned.op), chrome().text);
    }

private:
    QRectF boxOf(DeviceId device, const Span& op) const
    {
        return boxRect(axis, m_plan.windowOf(op), lane(device).computeTop(), lane(device).compute);
    }
    const BoxColours::Look& look(const Span& op, Emphasis emphasis) const
    {
        const engine::Op& of = view.op(op.op);
        return colours.look(of.kind, view.chunk(of), emphasis);
    }
    void outline(const QRectF& box, const QColor& colour)
    {
        painter.setPen(QPen(colour, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    void flush(bool isDone)
    {
        const QRectF box = std::exchange(m_merged, {});
        if (isDone)
            painter.fillRect(box, chrome().lineStrong);
        else if (!box.isNull())
            outline(box, chrome().lineStrong);
    }

    const PlanView& m_plan;
    BoxPainter m_boxes;
    QRectF m_merged; // encloses ops that are too narrow for separate boxes
};

} // namespace

void paintMoves(const LaneCanvas& on, DeviceId device)
{
    const Lane& lane = on.lane(device);
    const double top = lane.movesTop(), height = lane.movesHeight(), gap = on.axis.gap();
    const auto ink = [&](OpKind kind) { return on.colours.look(kind, 0, Emphasis::Normal).fill; };
    const auto paintOf = [&](DeviceId owner) {
        paintSpans(on, {owner, TrackKind::Copy, top, height, ink(OpKind::Evict)},
                   [&](const Span& span) {
                       const OpKind kind = on.view.op(span.op).kind;
                       QRectF box = boxRect(on.axis, span.window(), top, height);
                       box.setWidth(std::max(box.width(), gap));
                       if (kind == OpKind::Load && box.width() >= 3 * gap)
                           fillFrame(on.painter, box, gap, ink(kind));
                       else
                           on.painter.fillRect(box, ink(kind));
                   });
    };
    if (height <= 0)
        return;
    paintOf(device);
    if (const auto evictor = on.view.evictorOf(device))
        paintOf(*evictor);
}

void paintMovePair(const LaneCanvas& on, const Selection& selection)
{
    const auto& [painter, view, axis, colours, lanes] = on;
    const auto [here, there] = moveRects(view, axis, lanes, selection);
    if (here.isEmpty() || there.isEmpty())
        return;
    const QColor ink = on.chrome().text;
    const bool isDown = there.top() > here.top();
    const QPointF from(std::round(here.center().x()) + 0.5, isDown ? here.bottom() : here.top());
    const QPointF to(from.x(), isDown ? there.top() : there.bottom());
    for (const bool isHalo : {true, false}) {
        painter.setPen(isHalo ? QPen(colours.surface(), 3.5) : QPen(ink, 1.2));
        painter.drawLine(from, to);
    }
    fillFrame(painter, there.adjusted(-1, -1, 1, 1), axis.gap(), ink);
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

void paintLanes(const LaneCanvas& on, DeviceList devices, int iteration,
                const Highlights& highlights)
{
    Lanes lanes(on, highlights, Labels::Names);
    for (const DeviceId device : devices)
        lanes.paint(device, iteration);
}

void paintBoxes(const LaneCanvas& on, Labels most, const Highlights& highlights)
{
    Lanes lanes(on, highlights, most);
    for (const DeviceId device : engine::Ids<DeviceId>(static_cast<int>(on.lanes.size())))
        if (on.lane(device).hasBoxes())
            lanes.paintBoxes(device);
}

void paintMean(const LaneCanvas& on, std::span<const int> devices, Window window, double top,
               double height)
{
    Lanes(on, {}, Labels::None).paintMean(devices, window, top, height);
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

void paintKernels(const LaneCanvas& on, const KernelView& kernels, DeviceList devices)
{
    Kernels painter(on, kernels);
    for (const DeviceId device : devices) {
        const Lane& lane = on.lane(device);
        for (int row = 0; row < lane.kernels; ++row)
            painter.paintRow({device, row, lane.kernelTop(row), lane.kernel});
    }
}

void paintRanges(const LaneCanvas& on, const RangeView& ranges, DeviceList devices)
{
    on.painter.setFont(uiFont(10));
    for (const DeviceId device : devices)
        for (int row = 0; row < on.lane(device).ranges; ++row)
            paintRangeRow(on, ranges.around(device, row, on.axis.window()),
                          on.lane(device).rangeTop(row));
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

void paintPlan(const LaneCanvas& on, const PlanView& plan, DeviceList devices,
               const std::optional<PlannedOp>& hover)
{
    if (plan.plan == nullptr)
        return;
    PlannedOps painter(on, plan);
    for (const DeviceId device : devices)
        painter.paint(device);
    if (hover)
        painter.paintHover(*hover);
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
    paintText(painter, plate, now.text, font, theme.chrome.primaryText, Qt::AlignCenter);
}

namespace {

using Emphasis = BoxColours::Emphasis;

// Splits the live bytes of a device by category. Takes the bytes of weights, gradients and
// optimizer state from the peak of an iteration, because they do not change during the run.
std::vector<MemoryPart> liveParts(const RunningBar& running, const profiler::Palette& palette)
{
    using enum engine::MemoryCategory;
    const MemorySeries::Level& live = running.memory.live;
    std::vector<MemoryPart> parts;
    double rest = live.base;
    for (const engine::MemoryCategory category : profiler::kMemoryStack) {
        const auto atPeak = static_cast<double>(running.device.bytesAtPeak[category]);
        const double bytes = category == Stash ? live.total - live.base
            : category == Buffers              ? rest
                                               : std::min(rest, atPeak);
        parts.push_back({toQt(palette.*profiler::memoryFill(category)), bytes});
        rest -= bytes;
    }
    return parts;
}

void paintAmounts(QPainter& painter, const RunningBar& running, const Chrome& chrome)
{
    const RunningMemory& memory = running.memory;
    const Scale bytes = byteScale(static_cast<std::int64_t>(running.scale));
    struct Line
    {
        std::optional<double> amount;
        QString name;
        bool isError = false;
    };
    const Line lines[] = {{memory.live.total, tr("live")},
                          {memory.touched, tr("touched"), memory.isOverArena()},
                          {memory.arena, tr("arena")},
                          {memory.plan, tr("plan"), memory.isOverPlan}};
    const double step = std::min(17.0, std::floor(running.amounts.height() / 4));
    QRectF row(running.amounts.left(), running.amounts.top(), running.amounts.width(), step);
    for (const Line& line : lines) {
        const bool isLive = &line == lines;
        const QString amount = line.amount ? bytes.text(*line.amount) : QStringLiteral("–");
        const QColor& ink = line.isError ? chrome.error : isLive ? chrome.text : chrome.text2;
        const QFont font = uiFont(11, isLive ? QFont::Medium : QFont::Normal), small = uiFont(10);
        const double taken = QFontMetricsF(font).horizontalAdvance(amount) + 4;
        paintText(painter, row, amount, font, ink);
        paintText(painter, row.adjusted(taken, 0, 0, 0),
                  QFontMetricsF(small).elidedText(line.name, Qt::ElideRight, row.width() - taken),
                  small, ink);
        row.translate(0, step);
    }
}

constexpr double kLeft = 24, kBar = 100;

const profiler::DeviceMetrics* metricsOf(const RunView& view, engine::DeviceId device,
                                         int iteration)
{
    const auto* metrics = view.metrics(iteration);
    if (!metrics || !metrics->devices.has(device))
        return nullptr;
    return &metrics->devices[device];
}

void paintFold(QPainter& painter, bool isOpen, QPointF centre, QColor colour)
{
    QPen pen(colour, 1.3);
    pen.setCapStyle(Qt::RoundCap);
    painter.setPen(pen);
    painter.setRenderHint(QPainter::Antialiasing);
    QPolygonF chevron{{-3.5, -2}, {0, 2}, {3.5, -2}};
    if (!isOpen)
        std::ranges::for_each(chevron, [](QPointF& point) { point = point.transposed(); });
    painter.drawPolyline(chevron.translated(centre));
    painter.setRenderHint(QPainter::Antialiasing, false);
}

QString rowName(const KernelView& kernels, engine::DeviceId device, int row)
{
    const auto role = kernels.row(device, row).role;
    int number = 0, same = 0;
    for (int k = 0; k < kernels.rows()[device]; ++k) {
        same += kernels.row(device, k).role == role ? 1 : 0;
        number += k <= row && kernels.row(device, k).role == role ? 1 : 0;
    }
    const QString name = role == profiler::DeviceStream::Role::Compute ? tr("kernels")
        : role == profiler::DeviceStream::Role::Copy                   ? tr("copies")
                                                                       : tr("NCCL");
    return same > 1 ? tr("%1 %2").arg(name).arg(number) : name;
}

QString reduceRowTitle(const RunView& view)
{
    const Occurrence& occurs = view.occurs();
    if (!occurs.has(OpKind::Evict))
        return tr("all-reduce");
    return occurs.has(OpKind::AllReduce) ? tr("all-reduce, moves") : tr("evict, load");
}

// Names the rows of kernels, messages and memory.
void paintRowLabels(const LaneCanvas& on, const LaneCell& cell)
{
    const Lane& lane = on.lane(cell.device);
    const auto label = [&](double top, double height, const QString& text) {
        paintText(on.painter,
                  QRectF(cell.area.left(), cell.area.top() + top - lane.top, cell.area.width() - 8,
                         height),
                  text, uiFont(10), on.chrome().text2, kAtRight);
    };
    for (int row = 0; cell.kernels != nullptr && row < lane.ranges; ++row)
        label(lane.rangeTop(row), Lane::kKernel,
              lane.ranges > 1 ? tr("NVTX %1").arg(row + 1) : tr("NVTX"));
    for (int row = 0; cell.kernels != nullptr && row < lane.kernels; ++row)
        label(lane.kernelTop(row), lane.kernel, rowName(*cell.kernels, cell.device, row));
    if (lane.kind != LaneKind::Full)
        return;
    if (lane.hasOneStrip) {
        label(lane.sendTop(), Lane::kTransfer, tr("messages"));
    } else {
        label(lane.sendTop(), Lane::kTransfer, tr("sent"));
        label(lane.receiveTop(), Lane::kTransfer, tr("received"));
        label(lane.reduceTop(), Lane::kTransfer, reduceRowTitle(on.view));
    }
    if (on.view.knowsMemory())
        label(lane.memoryTop() + 6, lane.memory - 6,
              on.view.hasMemory() ? tr("memory") : tr("stash, M\xE2\x82\x90"));
}

// Paints the name of a collapsed group, and the number of its devices if the lane is high enough.
void paintGroupHeader(const LaneCanvas& on, const LaneCell& cell)
{
    constexpr double kTwoLinesFrom = 40, kNextLine = 17;
    const LaneGroup& group = on.lane(cell.device).group;
    const bool hasTwoLines = cell.area.height() >= kTwoLinesFrom;
    const double middle = cell.area.center().y() - (hasTwoLines ? kNextLine / 2 : 0);
    paintFold(on.painter, false, {cell.area.left() + 13, middle}, on.chrome().text2);
    const QRectF row(cell.area.left() + kLeft, std::round(middle - 9), kBar, 18);
    const QFont font = uiFont(hasTwoLines ? 13 : 11, QFont::Medium);
    paintText(on.painter, row,
              QFontMetricsF(font).elidedText(fromUtf8(group.name), Qt::ElideRight, row.width()),
              font, on.chrome().text);
    if (hasTwoLines)
        paintText(on.painter, row.translated(0, kNextLine),
                  countOf(std::ssize(group.devices), "device"), uiFont(11), on.chrome().text2);
}

void paintDenseHeader(const LaneCanvas& on, const LaneCell& cell)
{
    const QFont font = uiFont(11);
    const QRectF row = cell.area.adjusted(kLeft, 0, -16, 0);
    paintText(on.painter, row, tr("device %1").arg(cell.device.value), font, on.chrome().text);
    paintText(on.painter, row,
              QFontMetricsF(font).elidedText(stagesText(on.view.run(), cell.device), Qt::ElideRight,
                                             row.width() - 62),
              font, on.chrome().text2, kAtRight);
}

struct MemoryText
{
    QString amount, unit, second;
};

MemoryText memoryText(const RunView& view, const profiler::DeviceMetrics& metrics)
{
    if (view.hasMemory()) {
        const Scale bytes = byteScale(static_cast<std::int64_t>(view.memoryScale()));
        return {bytes.text(metrics.peakBytes.value_or(0)), bytes.unit(),
                metrics.peakStashBytes ? tr("stash %1").arg(bytes.text(*metrics.peakStashBytes))
                                       : QString()};
    }
    return {
        number(metrics.peakStash, 1), QString::fromUtf8("Mₐ"),
        tr("weights %1 M\xCE\xB8")
            .arg(number(metrics.weights, metrics.weights == std::floor(metrics.weights) ? 0 : 1))};
}

void writeAmount(const LaneCanvas& on, const MemoryText& text, QPointF at)
{
    const double width
        = paintText(on.painter, at, text.amount, uiFont(13, QFont::Medium), on.chrome().text);
    paintText(on.painter, at + QPointF(width + 4, 0), text.unit, uiFont(11), on.chrome().text2);
}

// Whether the header shows a RunningBar: the run has not ended, and the lane is high enough and
// shows a single device.
bool showsRunningMemory(const RunView& view, const Lane& lane)
{
    return lane.height >= kStandingFrom && lane.group.devices.empty()
        && view.runningMemoryScale() > 0;
}

// The device of the group that needs the most memory.
engine::DeviceId fullestOf(const LaneGroup& group, const RunView& view,
                           const profiler::RunMetrics& metrics)
{
    return engine::DeviceId{*std::ranges::max_element(group.devices, {}, [&](int device) {
        return memoryPeak(view, metrics.devices[engine::DeviceId{device}]);
    })};
}

// The mean over the devices that have a trace; nullopt if none of them has one.
std::optional<std::int64_t> meanBubble(std::span<const int> devices,
                                       const profiler::RunMetrics& metrics)
{
    std::int64_t sum = 0, recorded = 0;
    for (const int device : devices) {
        const profiler::DeviceMetrics& one = metrics.devices[engine::DeviceId{device}];
        sum += one.bubble;
        recorded += one.isRecorded() ? 1 : 0;
    }
    return recorded > 0 ? std::optional(sum / recorded) : std::nullopt;
}

void paintBubbleCell(const LaneCanvas& on, const profiler::RunMetrics& metrics,
                     std::optional<std::int64_t> bubble, const QRectF& area)
{
    const auto writeValue = [&](const QString& value) {
        paintText(on.painter, area.adjusted(0, 0, -10, 0), value, uiFont(11), on.chrome().text,
                  kAtRight);
    };
    if (!bubble || !std::isfinite(metrics.bubbleRatio))
        return writeValue(QStringLiteral("–"));
    const auto duration = static_cast<double>(std::max<std::int64_t>(1, metrics.duration));
    double largest = 1e-9;
    for (const auto& one : metrics.devices)
        largest = std::max(largest, static_cast<double>(one.bubble) / duration);
    largest = std::max(largest, metrics.bubbleRatio);
    const double share = static_cast<double>(*bubble) / duration;
    const QRectF bar(area.left() + 12, std::round(area.center().y() - 4.5), 68, 9);
    on.painter.fillRect(bar, on.chrome().hover);
    on.painter.fillRect(QRectF(bar.left(), bar.top(), std::round(bar.width() * share / largest), 9),
                        toQt(on.theme().palette.gradients));
    on.painter.fillRect(QRectF(bar.left() + std::round(bar.width() * metrics.bubbleRatio / largest),
                               area.top(), 1, area.height()),
                        on.chrome().text);
    writeValue(number(100 * share, 1));
}

} // namespace

std::vector<MemoryPart> memoryParts(const RunView& view, const profiler::DeviceMetrics& device,
                                    const Theme& theme)
{
    const auto& palette = theme.palette;
    if (!view.hasMemory())
        return {{toQt(palette.stash), device.peakStash}};
    std::vector<MemoryPart> parts;
    for (const engine::MemoryCategory category : profiler::kMemoryStack)
        parts.push_back({toQt(palette.*profiler::memoryFill(category)),
                         static_cast<double>(device.bytesAtPeak[category])});
    return parts;
}

double memoryPeak(const RunView& view, const profiler::DeviceMetrics& device)
{
    return view.hasMemory() ? static_cast<double>(device.peakBytes.value_or(0)) : device.peakStash;
}

void paintRunningMemory(QPainter& painter, const RunningBar& running, const Theme& theme)
{
    constexpr double kPaleShare = 0.72;
    const auto& [memory, device, bar, amounts, scale] = running;
    const auto upTo = [&](double bytes) {
        const double height = std::round(bar.height() * bytes / scale);
        return QRectF(bar.left(), bar.bottom() - height, bar.width(), height);
    };
    const QColor pale = mixed(toQt(theme.palette.forward), theme.chrome.surface, kPaleShare);
    painter.fillRect(upTo(static_cast<double>(memory.touched.value_or(0))),
                     memory.isOverArena() ? theme.chrome.error : pale);
    paintMemoryParts(painter, liveParts(running, theme.palette), scale, bar);
    painter.setPen(theme.chrome.text2);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(upTo(static_cast<double>(memory.arena)).adjusted(0.5, 0.5, -0.5, -0.5));
    const QPointF tip = upTo(static_cast<double>(memory.plan)).topLeft();
    fillPolygon(painter, {tip, tip + QPointF(-5, -3.5), tip + QPointF(-5, 3.5)},
                memory.isOverPlan ? theme.chrome.error : theme.chrome.text);
    paintAmounts(painter, running, theme.chrome);
}

void paintMemoryParts(QPainter& painter, const std::vector<MemoryPart>& parts, double scale,
                      const QRectF& bar)
{
    const bool stands = bar.height() > bar.width();
    const double length = stands ? bar.height() : bar.width();
    double at = 0;
    for (const auto& part : parts) {
        const double from = std::round(at * length),
                     to = std::round((at + part.amount / scale) * length);
        at += part.amount / scale;
        painter.fillRect(stands ? QRectF(bar.left(), bar.bottom() - to, bar.width(), to - from)
                                : QRectF(bar.left() + from, bar.top(), to - from, bar.height()),
                         part.fill);
    }
}

void paintShareBar(QPainter& painter, const profiler::DeviceMetrics& metrics,
                   const BoxColours& colours, const QRectF& area)
{
    using enum OpKind;
    painter.fillRect(area, colours.theme().chrome.selected);
    double x = area.left();
    double sum = 0;
    const auto add = [&](std::int64_t ticks, QColor fill) {
        sum += static_cast<double>(ticks)
            / static_cast<double>(std::max<std::int64_t>(1, metrics.whole));
        const double right = area.left() + std::round(area.width() * std::min(1.0, sum));
        painter.fillRect(QRectF(x, area.top(), right - x, area.height()), fill);
        x = right;
    };
    const auto kind = [&](OpKind of) { return metrics.byKind[of]; };
    const auto fill = [&](OpKind of) { return colours.look(of, 0, Emphasis::Normal).flat; };
    add(kind(Forward), fill(Forward));
    add(kind(Backward) + kind(BackwardInput), fill(Backward));
    add(kind(BackwardWeight), fill(BackwardWeight));
    add(kind(Recompute), fill(Recompute));
    add(kind(OptimizerStep), fill(OptimizerStep));
    add(metrics.exposedCommunication, colours.exposed(Emphasis::Normal).fill);
}

void paintHeader(const LaneCanvas& on, const LaneCell& cell)
{
    const auto& [device, iteration, area, kernels] = cell;
    const Lane& lane = on.lane(device);
    if (!lane.group.devices.empty())
        return paintGroupHeader(on, cell);
    if (lane.kind == LaneKind::Dense)
        return paintDenseHeader(on, cell);
    // The labels of the sub-lanes start at the lower edge of the boxes. Therefore the lines of text
    // are closer together on low lanes, and the stages are omitted on the lowest lanes.
    constexpr double kTwoLinesFrom = 36, kTwoLines = 46, kOneLine = 28;
    const bool isLow = lane.compute < kTwoLinesFrom;
    const double rest = area.height() - lane.kernelsHeight();
    const double top = area.top()
        + (lane.kind == LaneKind::Full ? 8
                                       : std::round((rest - (isLow ? kOneLine : kTwoLines)) / 2));
    paintFold(on.painter, lane.kind == LaneKind::Full, {area.left() + 13, top + 9},
              on.chrome().text2);
    const QRectF row(area.left() + kLeft, top, kBar, 18);
    const QFont small = uiFont(11);
    const engine::Run& run = on.view.run();
    const double lower = std::min(0.0, lane.compute - LaneOptions::kUsual);
    paintText(on.painter, row, tr("Device %1").arg(device.value), uiFont(13, QFont::Medium),
              on.chrome().text);
    if (!isLow)
        paintText(on.painter, row.translated(0, std::round(17 + 0.5 * lower)),
                  QFontMetricsF(small).elidedText(deviceText(run, device), Qt::ElideRight, kBar),
                  small, on.chrome().text2);
    const auto* metrics = metricsOf(on.view, device, iteration);
    if (metrics != nullptr && profiler::knowsTimes(run)) {
        const double busy = static_cast<double>(metrics->compute)
            / static_cast<double>(std::max<std::int64_t>(1, metrics->whole));
        if (hasTrace(run, device))
            paintText(on.painter, row, percent(busy, 0), small, on.chrome().text2, kAtRight);
        paintShareBar(
            on.painter, *metrics, on.colours,
            QRectF(row.left(), std::round(top + (isLow ? 21 : 34 + 0.7 * lower)), kBar, 4));
    }
    paintRowLabels(on, cell);
}

QString memoryTitle(const RunView& view, const Lane& lane)
{
    if (lane.kind == LaneKind::Dense)
        return tr("Bubble, %");
    if (showsRunningMemory(view, lane))
        return tr("Memory now, %1")
            .arg(byteScale(static_cast<std::int64_t>(view.runningMemoryScale())).unit());
    return view.hasMemory() || !view.knowsMemory() ? tr("Peak memory") : tr("Peak stash");
}

QString groupCellText(const RunView& view, const Lane& lane, int iteration)
{
    const auto* metrics = view.metrics(iteration);
    if (!metrics || lane.group.devices.empty())
        return {};
    const QString devices = countOf(std::ssize(lane.group.devices), "device");
    if (lane.kind == LaneKind::Dense)
        return tr("Mean bubble of %1").arg(devices);
    const engine::DeviceId device = fullestOf(lane.group, view, *metrics);
    const MemoryText text = memoryText(view, metrics->devices[device]);
    return tr("The largest peak of %1: %2 %3 on device %4")
        .arg(devices, text.amount, text.unit, QString::number(device.value));
}

void paintMemoryCell(const LaneCanvas& on, const LaneCell& cell)
{
    const auto& [first, iteration, area, kernels] = cell;
    const RunView& view = on.view;
    const Lane& lane = on.lane(first);
    if (metricsOf(view, first, iteration) == nullptr)
        return;
    const profiler::RunMetrics& all = *view.metrics(iteration);
    const bool isGroup = !lane.group.devices.empty();
    if (lane.kind == LaneKind::Dense) {
        const std::span<const int> devices
            = isGroup ? std::span(lane.group.devices) : std::span(&first.value, 1);
        return paintBubbleCell(on, all, meanBubble(devices, all), area);
    }
    const engine::DeviceId device = isGroup ? fullestOf(lane.group, view, all) : first;
    const auto* metrics = &all.devices[device];
    if (!view.knowsMemory() || !hasTrace(view.run(), device))
        return paintText(on.painter, area.adjusted(16, 14, 0, 0), tr("not recorded"), uiFont(11),
                         on.chrome().text2, Qt::AlignLeft | Qt::AlignTop);
    double scale = std::max(1e-9, view.runningMemoryScale());
    for (const auto& one : all.devices)
        scale = std::max(scale, memoryPeak(view, one));
    const MemoryText text = memoryText(view, *metrics);
    const bool stands = area.height() >= kStandingFrom;
    const QRectF bar = stands ? QRectF(area.left() + 16, area.top() + 14, 22, area.height() - 28)
                              : QRectF(area.left() + 16, area.top() + 16, 92, 6);
    const auto running = view.runningMemory(device);
    if (running && showsRunningMemory(view, lane)) {
        const QRectF amounts(QPointF(bar.right() + 8, bar.top()),
                             QPointF(area.right() - 4, bar.bottom()));
        return paintRunningMemory(on.painter, {*running, *metrics, bar, amounts, scale},
                                  on.theme());
    }
    on.painter.fillRect(bar, on.chrome().hover);
    paintMemoryParts(on.painter, memoryParts(view, *metrics, on.theme()), scale, bar);
    if (stands) {
        writeAmount(on, text, {bar.right() + 12, bar.top() + 22});
        const QPointF second(bar.right() + 12, bar.top() + 39 - on.painter.fontMetrics().ascent());
        drawSubscripted(on.painter, QRectF(second, QPointF(area.right(), bar.bottom())),
                        Qt::AlignLeft | Qt::AlignTop,
                        isGroup ? tr("device %1").arg(device.value) : text.second);
    } else {
        writeAmount(on, text, {bar.left(), bar.bottom() + 18});
        if (isGroup)
            paintText(on.painter, {bar.left(), bar.bottom() + 6, bar.width(), 16},
                      tr("dev. %1").arg(device.value), uiFont(11), on.chrome().text2,
                      Qt::AlignRight | Qt::AlignBottom);
    }
}

namespace {

using profiler::PathPart;

constexpr double kPixelsPerArrow = 2.5; // denser arrows are not drawn: they would look grey

// The head of an arrow, with the pen and brush of the painter.
void paintHead(QPainter& painter, QPointF tip, double direction, double half)
{
    const QPointF head[]
        = {tip, tip + QPointF(-half, -6 * direction), tip + QPointF(half, -6 * direction)};
    painter.drawPolygon(head, 3);
}

// Distance of the path from the top of the boxes, as a share of their height. The path runs below
// the numbers.
constexpr double kPathDepth = 32.0 / 42;
constexpr double kPathLine = 2, kPathThick = 4, kPathHalo = 5;
constexpr double kNumberSize = 16,
                 kNumberStep = 18; // size and least distance of the numbers on the ruler
constexpr double kReasonShade = 0.06, kFinestPart = 0.5;

double lineY(const Lane& lane)
{
    return lane.computeTop() + std::round(kPathDepth * lane.compute);
}

bool isMessage(const PathPart& part, const PathPart& before)
{
    return part.kind == PathPart::Kind::Transfer && part.device != before.device;
}

// The visible part of the path.
class PathLine
{
public:
    PathLine(const PathPicture& picture, const std::vector<Lane>& lanes)
        : m_picture(picture)
        , m_lanes(lanes)
        , m_parts(picture.marks.why.path.parts)
    { }

    // Adds the parts for which `isIncluded` is true, at most two for each pixel, because Qt takes a
    // second for the path of a million ops.
    template<class IsIncluded>
    QPainterPath line(IsIncluded isIncluded) const
    {
        QPainterPath line;
        bool isOpen = false;
        double drawn = 0;
        for (std::size_t p = 0; p < m_parts.size(); ++p) {
            const PathPart& part = m_parts[p];
            if (!isInSight(part) || !isIncluded(p)) {
                isOpen = false;
                continue;
            }
            const QPointF begin = beginOf(p), end(x(part.window.end), y(part));
            if (isOpen && end.x() - drawn < kFinestPart)
                continue;
            drawn = end.x();
            isOpen ? line.lineTo(begin) : line.moveTo(begin);
            line.lineTo(end);
            isOpen = true;
        }
        return line;
    }

    // The tip of the arrow of each message, and its direction: 1 is down, -1 is up. Denser arrows
    // into a lane are left out.
    std::vector<std::pair<QPointF, double>> arrows() const
    {
        std::vector<std::pair<QPointF, double>> tips;
        std::map<std::pair<int, double>, double> latest; // x, by device and direction
        for (std::size_t p = 1; p < m_parts.size(); ++p) {
            const PathPart& part = m_parts[p];
            if (!isInSight(part) || !isMessage(part, m_parts[p - 1]))
                continue;
            const QPointF from = beginOf(p), to(x(part.window.end), y(part));
            const double direction = to.y() > from.y() ? 1 : -1;
            const Lane& lane = laneOf(part);
            const double edge
                = direction > 0 ? lane.computeTop() : lane.computeTop() + lane.compute + 6;
            const double share = (edge - from.y()) / (to.y() - from.y());
            const double at = from.x() + share * (to.x() - from.x());
            const auto [last, isFirst] = latest.try_emplace({part.device.value, direction}, at);
            if (share <= 0 || share >= 1 || (!isFirst && at - last->second < kPixelsPerArrow))
                continue;
            last->second = at;
            tips.emplace_back(QPointF(at, edge), direction);
        }
        return tips;
    }

    std::vector<QPointF> ends() const // the start and the end point of the path
    {
        return {beginOf(0), {x(m_parts.back().window.end), y(m_parts.back())}};
    }

private:
    const Lane& laneOf(const PathPart& part) const
    {
        return m_lanes[static_cast<std::size_t>(part.device.value)];
    }
    double y(const PathPart& part) const { return lineY(laneOf(part)); }
    double x(std::int64_t time) const { return m_picture.axis.snappedX(static_cast<double>(time)); }
    // A message starts on the lane of its sender.
    QPointF beginOf(std::size_t p) const
    {
        const bool isSent = p > 0 && isMessage(m_parts[p], m_parts[p - 1]);
        return {x(m_parts[p].window.begin), y(m_parts[isSent ? p - 1 : p])};
    }
    bool isInSight(const PathPart& part) const
    {
        return part.window.end >= m_picture.axis.window().begin
            && part.window.begin <= m_picture.axis.window().end;
    }

    const PathPicture& m_picture;
    const std::vector<Lane>& m_lanes;
    const std::vector<PathPart>& m_parts;
};

const PathReason* highlighted(const PathPicture& picture)
{
    const auto at = static_cast<std::size_t>(picture.reason);
    return picture.reason >= 0 && at < picture.reasons.size() ? &picture.reasons[at] : nullptr;
}

// The number of a reason on the ruler, by the index of the reason.
struct Number
{
    int reason = 0;
    double centre = 0;
};

// Numbers that would overlap, or leave the ruler, are moved aside.
std::vector<Number> numbers(const std::vector<PathReason>& reasons, const TimeAxis& axis)
{
    std::vector<Number> numbers;
    for (std::size_t r = 0; r < reasons.size(); ++r) {
        if (reasons[r].number == 0)
            continue;
        const engine::Window window = reasons[r].window;
        const double middle
            = (static_cast<double>(window.begin) + static_cast<double>(window.end)) / 2;
        const double least
            = numbers.empty() ? axis.left + kNumberStep / 2 : numbers.back().centre + kNumberStep;
        numbers.push_back(
            {static_cast<int>(r), std::max(std::round(axis.snappedX(middle)), least)});
    }
    double most = axis.right() - kNumberStep / 2;
    for (auto number = numbers.rbegin(); number != numbers.rend(); ++number) {
        number->centre = std::min(number->centre, most);
        most = number->centre - kNumberStep;
    }
    return numbers;
}

QRectF numberRect(double centre, const QRectF& ruler)
{
    return {centre - kNumberSize / 2, ruler.top() + 3, kNumberSize, kNumberSize};
}

QRectF boxOf(const LaneCanvas& on, const Selection& selection)
{
    return rectOf(on.view, on.axis, on.lanes, selection);
}

enum class Halo { No, Yes }; // background below the line

void paintArrow(const LaneCanvas& on, const profiler::CauseLink& from,
                const profiler::CauseLink& to, Halo halo)
{
    const Lane& start = on.lane(from.device);
    const Lane& finish = on.lane(to.device);
    if (!start.hasBoxes() || !finish.hasBoxes())
        return;
    const double direction = finish.top > start.top ? 1 : -1;
    const double x1 = on.axis.snappedX(from.window.end) - 3;
    const double x2 = on.axis.snappedX(to.window.begin) + 3;
    if (std::max(x1, x2) < on.axis.left || std::min(x1, x2) > on.axis.right())
        return;
    const double y1 = direction > 0 ? start.computeTop() + start.compute : start.computeTop();
    const double tip = direction > 0 ? finish.computeTop() : finish.computeTop() + finish.compute;
    const double y2 = tip - 5 * direction;
    if (std::abs(y2 - y1) < 8) // dense lanes have no space between them
        return;
    const double bend = (y2 - y1) * 0.4;
    QPainterPath path(QPointF(x1, y1));
    path.cubicTo(QPointF(x1, y1 + bend), QPointF(x2, y2 - bend), QPointF(x2, y2));
    on.painter.setBrush(Qt::NoBrush);
    if (halo == Halo::Yes) {
        on.painter.setPen(QPen(on.colours.surface(), 3.5));
        on.painter.drawPath(path);
    }
    on.painter.setPen(QPen(on.chrome().text, halo == Halo::Yes ? 1.2 : 0.8));
    on.painter.drawPath(path);
    on.painter.setPen(Qt::NoPen);
    on.painter.setBrush(on.chrome().text);
    paintHead(on.painter, {x2, tip}, direction, 3);
}

// Names the cause of a bubble and its length in a box: "wait 6.9 ms", "6.9 ms", "6.9" or nothing.
// `bubble` is nullptr if the cause is unknown.
void paintPlate(const LaneCanvas& on, const QRectF& box, const profiler::Bubble* bubble,
                engine::Window window)
{
    constexpr double kHeight = 18, kWithCause = 88, kWithUnit = 52, kLeast = 28;
    const double left = std::max(box.left(), on.axis.left),
                 right = std::min(box.right(), on.axis.right());
    if (right - left < kLeast || box.height() < kHeight + 2)
        return;
    const auto length = static_cast<double>(window.duration());
    const auto& iteration = on.view.iteration(on.view.iterationAt(window.begin));
    const Scale scale = timeScale(on.info(), iteration.window.duration());
    QString text = right - left >= kWithUnit ? scale.withUnit(length) : scale.text(length);
    if (bubble != nullptr && right - left >= kWithCause)
        text.prepend(QString::fromUtf8(profiler::bubbleKindName(bubble->kind)) + QLatin1Char(' '));
    on.painter.setFont(uiFont(11));
    const double width = std::ceil(QFontMetricsF(on.painter.font()).horizontalAdvance(text)) + 10;
    if (width > right - left)
        return;
    const QRectF plate(std::round((left + right - width) / 2),
                       std::round(box.center().y() - kHeight / 2), width, kHeight);
    const Chrome& chrome = on.chrome();
    on.painter.fillRect(plate, chrome.surface);
    fillFrame(on.painter, plate, on.axis.gap(), chrome.text2);
    on.painter.setPen(chrome.text);
    on.painter.drawText(plate, Qt::AlignCenter, text);
}

} // namespace

void paintFlow(const LaneCanvas& on, const Flow& flow)
{
    const auto& links = on.view.path(flow);
    on.painter.setRenderHint(QPainter::Antialiasing);
    for (std::size_t k = 1; k < links.size(); ++k)
        if (links[k - 1].device != links[k].device)
            paintArrow(on, links[k - 1], links[k], Halo::Yes);
    on.painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintAllFlows(const LaneCanvas& on, int iteration)
{
    using Arrow = std::pair<const profiler::CauseLink*, const profiler::CauseLink*>;
    const engine::Window sight = on.axis.window();
    std::vector<Arrow> arrows;
    for (const auto& links : on.view.paths(iteration))
        for (std::size_t k = 1; k < links.size(); ++k)
            if (links[k - 1].device != links[k].device && links[k].window.begin > sight.begin
                && links[k - 1].window.end < sight.end)
                arrows.emplace_back(&links[k - 1], &links[k]);
    if (static_cast<double>(arrows.size()) > on.axis.width / kPixelsPerArrow)
        return;
    on.painter.setRenderHint(QPainter::Antialiasing);
    for (const auto& [from, to] : arrows)
        paintArrow(on, *from, *to, Halo::No);
    on.painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintHits(const LaneCanvas& on, const std::vector<Selection>& hits)
{
    const engine::Window sight = on.axis.window();
    const QColor ink = on.chrome().text;
    double drawn = -1; // place of the last frame; narrow hits at the same place share it
    for (const Selection& hit : hits) {
        if (hit.window.begin > sight.end)
            break;
        const QRectF box = hit.window.end < sight.begin ? QRectF() : boxOf(on, hit);
        if (box.isEmpty() || (box.width() <= 2 && box.left() + box.top() * 1e5 == drawn))
            continue;
        drawn = box.left() + box.top() * 1e5;
        const double grow = box.width() > 2 ? 2 * on.axis.gap() : 0;
        fillFrame(on.painter, box.adjusted(-grow, -grow, grow, grow), 2 * on.axis.gap(), ink);
    }
}

void paintHover(const LaneCanvas& on, const Selection& hover)
{
    const QRectF box = boxOf(on, hover);
    if (!box.isEmpty())
        fillFrame(on.painter, box, on.axis.gap(), on.chrome().text);
    paintMovePair(on, hover);
}

void paintPlates(const LaneCanvas& on, int iteration)
{
    if (iteration < 0 || !whyUnknown(on.info()).empty()
        || std::ranges::any_of(on.lanes, [](const Lane& lane) {
               return !lane.isHidden && lane.kind == LaneKind::Dense;
           }))
        return;
    const auto& bubbles = on.view.bubbles(iteration); // sorted by device
    for (auto first = bubbles.begin(); first != bubbles.end();) {
        const auto last = std::find_if(first, bubbles.end(), [first](const profiler::Bubble& one) {
            return one.device != first->device;
        });
        const auto longest = std::max_element(first, last, [](const auto& a, const auto& b) {
            return a.window.duration() < b.window.duration();
        });
        const Lane& lane = on.lane(longest->device);
        if (lane.hasBoxes())
            paintPlate(on, boxRect(on.axis, longest->window, lane.computeTop(), lane.compute),
                       &*longest, longest->window);
        first = last;
    }
}

void paintSelected(const LaneCanvas& on, const Selection& selection)
{
    const QRectF box = boxOf(on, selection);
    if (box.isEmpty())
        return;
    if (selection.kind == Selection::Kind::Bubble)
        paintPlate(on, box, on.view.bubble(selection), selection.window);
    const double width = 2 * on.axis.gap();
    fillFrame(on.painter, box.adjusted(-width, -width, width, width), width, on.chrome().text);
    paintMovePair(on, selection);
}

void paintFocus(const LaneCanvas& on, const Selection& selection)
{
    const QRectF box = boxOf(on, selection);
    if (box.isEmpty())
        return;
    QPen pen(on.chrome().text, 1);
    pen.setDashPattern({3, 2});
    on.painter.setPen(pen);
    on.painter.setBrush(Qt::NoBrush);
    on.painter.drawRect(box.adjusted(-3.5, -3.5, 2.5, 2.5));
}

void paintRange(QPainter& painter, const TimeAxis& axis, const Theme& theme, engine::Window window,
                const QRectF& lanes)
{
    const QRectF area = stretch(axis, window, lanes.top(), lanes.height());
    QColor fill = theme.chrome.text;
    fill.setAlphaF(0.045F);
    painter.fillRect(area, fill);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const double x : {area.left(), area.right()})
        painter.fillRect(QRectF(x - 0.75, area.top(), 1.5, area.height()), theme.chrome.text);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintRangeBand(QPainter& painter, const RulerScale& scale, const TimeAxis& axis,
                    const Theme& theme, const RangeBand& range)
{
    const auto& [window, ruler] = range;
    const QRectF band = stretch(axis, window, ruler.top() + 4, 18);
    const QString length = scale.unit.withUnit(window.duration());
    const QString full
        = length + QStringLiteral(", ") + rangeText(window, scale.origin, scale.unit);
    painter.fillRect(band, theme.chrome.text);
    for (const double x : {band.left(), band.right()})
        painter.fillRect(QRectF(x - 2, band.top() + 2, 4, 14), theme.chrome.text);
    painter.setFont(uiFont(11, QFont::Medium));
    const QFontMetricsF metrics(painter.font());
    const bool fits = metrics.horizontalAdvance(full) + 16 <= band.width();
    const QString& text = fits ? full : length;
    const double width = metrics.horizontalAdvance(text) + 12;
    QRectF plate = band;
    if (width > band.width()) { // the text is next to the band, on a background
        plate = QRectF(band.right() + 4, band.top(), width, 18);
        if (plate.right() > axis.right())
            plate.moveRight(band.left() - 4);
        painter.fillRect(plate, theme.chrome.text);
    }
    painter.setPen(theme.chrome.surface);
    painter.drawText(plate, Qt::AlignCenter | Qt::TextSingleLine, text);
}

void paintPath(QPainter& painter, const PathPicture& picture, const std::vector<Lane>& lanes)
{
    if (picture.marks.why.path.parts.empty() || lanes.empty())
        return;
    const QColor ink = picture.colours.theme().chrome.text;
    const PathLine path(picture, lanes);
    const QPainterPath all = path.line([](std::size_t) { return true; });
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    const auto draw = [&painter](const QPainterPath& line, const QColor& colour, double width) {
        painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
        painter.drawPath(line);
    };
    draw(all, picture.colours.surface(), kPathHalo);
    draw(all, ink, kPathLine);
    if (const auto* reason = highlighted(picture))
        draw(path.line([&](std::size_t p) { return std::ranges::binary_search(reason->parts, p); }),
             ink, kPathThick);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    for (const auto& [tip, direction] : path.arrows())
        paintHead(painter, tip, direction, 3.5);
    for (const QPointF& end : path.ends())
        painter.drawEllipse(end, 4, 4);
    painter.restore();
}

void paintReasonBand(QPainter& painter, const PathPicture& picture, double top, double bottom)
{
    const auto* reason = highlighted(picture);
    if (reason == nullptr)
        return;
    QColor ink = picture.colours.theme().chrome.text;
    const QRectF band = stretch(picture.axis, reason->window, top, bottom - top);
    painter.setPen(QPen(ink, 1, Qt::DotLine));
    for (const double x : {band.left(), band.right()})
        painter.drawLine(QPointF(x + 0.5, top), QPointF(x + 0.5, bottom));
    ink.setAlphaF(static_cast<float>(kReasonShade));
    painter.fillRect(band, ink);
}

void paintReasonMarks(QPainter& painter, const PathPicture& picture, const QRectF& ruler)
{
    const Chrome& chrome = picture.colours.theme().chrome;
    painter.setFont(uiFont(11, QFont::Medium));
    painter.setRenderHint(QPainter::Antialiasing);
    for (const auto& [r, centre] : numbers(picture.reasons, picture.axis)) {
        if (r == picture.reason)
            continue;
        const QRectF box = numberRect(centre, ruler);
        painter.setPen(QPen(chrome.text, 1.2));
        painter.setBrush(chrome.surface);
        painter.drawRoundedRect(box.adjusted(0.6, 0.6, -0.6, -0.6), 3, 3);
        painter.drawText(box, Qt::AlignCenter,
                         QString::number(picture.reasons[static_cast<std::size_t>(r)].number));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    const PathReason* reason = highlighted(picture);
    if (reason == nullptr)
        return;
    // The plate, a filled rectangle with the text, covers the time of the reason. If the text does
    // not fit into this time, the plate is as wide as the text.
    const double needs = QFontMetricsF(painter.font()).horizontalAdvance(reason->plate) + 12;
    const QRectF time = stretch(picture.axis, reason->window, ruler.top() + 3, kNumberSize);
    QRectF plate = time;
    if (time.width() < needs)
        plate = QRectF(std::round(time.center().x() - needs / 2), time.top(), std::ceil(needs),
                       kNumberSize);
    plate.moveLeft(std::clamp(plate.left(), ruler.left(),
                              std::max(ruler.left(), ruler.right() - plate.width())));
    painter.fillRect(plate, chrome.primary);
    painter.setPen(chrome.primaryText);
    painter.drawText(plate & ruler, Qt::AlignCenter, reason->plate);
}

std::vector<std::pair<double, double>> reasonPlaces(const std::vector<PathReason>& reasons,
                                                    const TimeAxis& axis)
{
    std::vector<std::pair<double, double>> places;
    for (const Number& number : numbers(reasons, axis))
        places.emplace_back(number.centre - kNumberSize / 2, number.centre + kNumberSize / 2);
    return places;
}

int reasonAt(const std::vector<PathReason>& reasons, const TimeAxis& axis, const QRectF& ruler,
             QPointF at)
{
    for (const auto& [r, centre] : numbers(reasons, axis))
        if (numberRect(centre, ruler).adjusted(-1, -3, 1, 3).contains(at))
            return r;
    return -1;
}

} // namespace app
