#include "app/timeline/paint/lane_painter.h"

#include "app/timeline/paint/columns.h"
#include "app/timeline/paint/sublane_painter.h"
#include "app/timeline/view/labels.h"
#include "engine/schedule/notation.h"

#include <QPainter>

namespace app {

using engine::DeviceId;
using engine::OpKind;
using Emphasis = BoxColours::Emphasis;

namespace {
constexpr double kHatchFrom = 10; // height; lower bubbles are plain
} // namespace

BoxText boxText(const engine::Op& op)
{
    BoxText text;
    text.isUp = op.replica == 1 && op.microBatch.isValid();
    if (op.kind == OpKind::OptimizerStep) {
        text.number = QStringLiteral("O");
        return text;
    }
    text.number = microBatchText(op);
    engine::Op down = op; // the corner and the underline already show the direction
    down.replica = 0;
    text.name = QString::fromStdString(engine::toString(down));
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

BoxText LanePainter::textOf(const engine::Op& op) const
{
    BoxText text = boxText(op);
    if (m_labels == Labels::Numbers)
        text.name.clear();
    return text;
}

bool LanePainter::isInFlow(std::uint32_t op, int iteration) const
{
    return m_flow && m_view.op(op).microBatch == m_flow->microBatch
        && iteration == m_flow->iteration;
}

// A search dims ops that do not match; a flow dims other micro-batches.
Emphasis LanePainter::emphasis(const engine::Span& span) const
{
    const bool isOther = m_found != nullptr ? !m_found->has(span)
                                            : m_flow && m_view.op(span.op).microBatch.isValid()
            && !isInFlow(span.op, static_cast<int>(span.iteration));
    return isOther ? Emphasis::Dimmed : Emphasis::Normal;
}

void LanePainter::paint(DeviceId device, const Lane& lane, int iteration)
{
    paintCompute(device, lane.computeTop(), lane.compute);
    if (lane.kind != LaneKind::Full)
        return;
    const auto isDimmed
        = [this](const engine::Span& span) { return emphasis(span) == Emphasis::Dimmed; };
    SublanePainter sublanes(m_painter, m_view, m_axis, m_colours);
    using enum engine::Track::Kind;
    sublanes.paintTransfers({device, Send}, lane.sendTop(), isDimmed);
    sublanes.paintTransfers({device, Receive}, lane.receiveTop(), isDimmed);
    sublanes.paintTransfers({device, AllReduce}, lane.reduceTop(), isDimmed);
    sublanes.paintMemory(device, lane, iteration);
}

void LanePainter::paintCompute(DeviceId device, double top, double height)
{
    walkLane(m_view, device, m_axis,
             [&](const Piece& piece) { paintPiece(device, piece, top, height); });
}

void LanePainter::paintPiece(DeviceId device, const Piece& piece, double top, double height)
{
    switch (piece.kind) {
    case Piece::Kind::Op:
        paintOp(piece, top, height);
        break;
    case Piece::Kind::Exposed:
        paintExposed(piece, top, height);
        break;
    case Piece::Kind::Bubble: {
        QRectF box = boxRect(m_axis, piece.window, top, height);
        if (height < kHatchFrom)
            m_painter.fillRect(box, m_colours.bubbleGround());
        else
            m_colours.bubble().fill(m_painter, box, m_axis.snap(m_axis.x(0)));
        break;
    }
    case Piece::Kind::Dense:
        paintDense(device, piece.window, top, height);
        break;
    case Piece::Kind::Outside:
        break;
    }
}

void LanePainter::paintOp(const Piece& piece, double top, double height)
{
    const auto& op = m_view.op(piece.op);
    const auto emphasisOf = [&](std::uint32_t of) {
        return emphasis({piece.window.begin, piece.window.end, of,
                         static_cast<std::uint32_t>(piece.iteration)});
    };
    BoxText text = textOf(op);
    text.isBold = isInFlow(piece.op, piece.iteration);
    QRectF box = stretch(m_axis, piece.window, top, height);
    if (piece.joint == piece.op) {
        m_boxes.draw(box, m_colours.lookOf(op, m_view.chunk(op), emphasisOf(piece.op)), text);
        return;
    }
    // A joint F and B are one cell that is split in half, with F above.
    const auto& partner = m_view.op(piece.joint);
    const bool isForwardFirst = op.kind == OpKind::Forward;
    const double half = m_axis.snap(box.height() / 2);
    for (const auto* part : {&op, &partner}) {
        const bool isUpper = (part == &op) == isForwardFirst;
        QRectF cell(box.left(), isUpper ? box.top() : box.top() + half, box.width(),
                    isUpper ? half - m_axis.gap() : box.height() - half);
        m_boxes.draw(cell,
                     m_colours.lookOf(*part, m_view.chunk(*part),
                                      emphasisOf(part == &op ? piece.op : piece.joint)),
                     textOf(*part));
    }
}

void LanePainter::paintExposed(const Piece& piece, double top, double height)
{
    m_boxes.draw(stretch(m_axis, piece.window, top, height), m_colours.exposed(Emphasis::Normal),
                 {});
}

void LanePainter::paintDense(DeviceId device, engine::Window window, double top, double height)
{
    const Emphasis how = m_flow || m_found ? Emphasis::Dimmed : Emphasis::Normal;
    ColumnColours colours;
    using enum OpKind;
    constexpr OpKind kKinds[] = {Backward, Forward, BackwardWeight, SendActivation, OptimizerStep};
    for (std::size_t k = 0; k < kShares; ++k)
        colours.shares[k] = m_colours.look(kKinds[k], 0, how).fill;
    colours.shares[static_cast<std::size_t>(Share::Communication)] = m_colours.exposed(how).fill;
    colours.shares[static_cast<std::size_t>(Share::Optimizer)]
        = m_colours.look(OptimizerStep, 0, Emphasis::Normal).fill;
    colours.rest = m_colours.bubbleGround();
    QRectF area = stretch(m_axis, window, top, height);
    area.setWidth(std::max(area.width(), m_axis.devicePixel()));
    paintColumns(m_painter, m_axis, {area, window, colours},
                 [shares = RunView::SharesSweep(m_view, device)](double time) mutable {
                     return shares.before(time);
                 });
}

} // namespace app
