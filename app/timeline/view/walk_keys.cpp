#include "app/timeline/view/walk_keys.h"

#include "app/timeline/view/navigation.h"

#include <Qt>

namespace app {

bool isWalkKey(int key)
{
    switch (key) {
    case Qt::Key_Comma:
    case Qt::Key_Period:
    case Qt::Key_BracketLeft:
    case Qt::Key_BracketRight:
    case Qt::Key_J:
    case Qt::Key_K:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return true;
    default:
        return false;
    }
}

std::optional<Selection> walked(const RunView& view, const Selection& from, int iteration, int key)
{
    if (from.kind != Selection::Kind::Op && from.kind != Selection::Kind::Bubble)
        return firstOp(view, iteration);
    switch (key) {
    case Qt::Key_Comma:
        return inLane(view, from, Step::Previous);
    case Qt::Key_Period:
        return inLane(view, from, Step::Next);
    case Qt::Key_BracketLeft:
        return alongFlow(view, from, Step::Previous);
    case Qt::Key_BracketRight:
        return alongFlow(view, from, Step::Next);
    case Qt::Key_J:
        return toMicroBatch(view, from, Step::Next);
    case Qt::Key_K:
        return toMicroBatch(view, from, Step::Previous);
    case Qt::Key_Up:
        return toLane(view, from, Step::Previous);
    case Qt::Key_Down:
        return toLane(view, from, Step::Next);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return toCause(view, from);
    default:
        return std::nullopt;
    }
}

} // namespace app
