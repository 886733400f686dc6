#include "app/timeline/paint/lane_painter.h"

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

} // namespace app
