#include "app/timeline/paint/moves_painter.h"

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/columns.h"

#include <QPainter>

namespace app {
namespace {

using engine::DeviceId;
using TrackKind = engine::Track::Kind;

void paintMove(QPainter& painter, const MovesPicture& picture, const engine::Span& span,
               const QRectF& row)
{
    const engine::OpKind kind = picture.view.op(span.op).kind;
    const QColor ink = picture.colours.look(kind, 0, BoxColours::Emphasis::Normal).fill;
    QRectF box = boxRect(picture.axis, span.window(), row.top(), row.height());
    box.setWidth(std::max(box.width(), picture.axis.gap()));
    if (kind == engine::OpKind::Load && box.width() >= 3 * picture.axis.gap())
        fillFrame(painter, box, picture.axis.gap(), ink);
    else
        painter.fillRect(box, ink);
}

void paintMovesOf(QPainter& painter, const MovesPicture& picture, DeviceId owner, const Lane& lane)
{
    const engine::Window sight = picture.axis.window();
    const auto spans = picture.view.spansAround(owner, TrackKind::Copy, sight);
    const QRectF row(picture.axis.left, lane.movesTop(), picture.axis.width, lane.movesHeight());
    if (static_cast<double>(spans.size()) <= picture.axis.width / 2) {
        for (const engine::Span& span : spans)
            if (span.end >= sight.begin)
                paintMove(painter, picture, span, row);
        return;
    }
    ColumnColours colours;
    colours.shares.fill(
        picture.colours.look(engine::OpKind::Evict, 0, BoxColours::Emphasis::Normal).fill);
    colours.rest = Qt::transparent;
    paintColumns(painter, picture.axis,
                 {stretch(picture.axis, sight, row.top(), row.height()), sight, colours},
                 [busy = picture.view.transfers(owner, TrackKind::Copy)](double time) mutable {
                     return busy.before(time);
                 });
}

} // namespace

void paintMoves(QPainter& painter, const MovesPicture& picture, DeviceId device, const Lane& lane)
{
    if (lane.movesHeight() <= 0)
        return;
    paintMovesOf(painter, picture, device, lane);
    if (const auto evictor = picture.view.evictorOf(device))
        paintMovesOf(painter, picture, *evictor, lane);
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

} // namespace app
