#include "app/timeline/view/walk_keys.h"

#include "app/timeline/view/navigation.h"

#include <Qt>

#include <algorithm>
#include <array>

namespace app {
namespace {

using Target = std::optional<Selection> (*)(const RunView& view, const Selection& from);

template<auto target, Step step>
std::optional<Selection> stepped(const RunView& view, const Selection& from)
{
    return target(view, from, step);
}

struct WalkKey
{
    int key;
    Target target;
};
constexpr std::array kWalkKeys{WalkKey{Qt::Key_Comma, stepped<inLane, Step::Previous>},
                               WalkKey{Qt::Key_Period, stepped<inLane, Step::Next>},
                               WalkKey{Qt::Key_BracketLeft, stepped<alongFlow, Step::Previous>},
                               WalkKey{Qt::Key_BracketRight, stepped<alongFlow, Step::Next>},
                               WalkKey{Qt::Key_J, stepped<toMicroBatch, Step::Next>},
                               WalkKey{Qt::Key_K, stepped<toMicroBatch, Step::Previous>},
                               WalkKey{Qt::Key_Up, stepped<toLane, Step::Previous>},
                               WalkKey{Qt::Key_Down, stepped<toLane, Step::Next>},
                               WalkKey{Qt::Key_Return, toCause},
                               WalkKey{Qt::Key_Enter, toCause}};

} // namespace

bool isWalkKey(int key)
{
    return std::ranges::count(kWalkKeys, key, &WalkKey::key) > 0;
}

std::optional<Selection> walked(const RunView& view, const Selection& from, int iteration, int key)
{
    if (from.kind != Selection::Kind::Op && from.kind != Selection::Kind::Bubble)
        return firstOp(view, iteration);
    const auto* found = std::ranges::find(kWalkKeys, key, &WalkKey::key);
    return found == kWalkKeys.end() ? std::nullopt : found->target(view, from);
}

} // namespace app
