#include "app/timeline/view/view_keys.h"

#include <cmath>
#include <utility>

namespace app {

ViewKey viewKey(int key, Qt::KeyboardModifiers modifiers)
{
    if (modifiers & Qt::AltModifier)
        return key == Qt::Key_Left ? ViewKey::Back
            : key == Qt::Key_Right ? ViewKey::Forward
                                   : ViewKey::None;
    switch (key) {
    case Qt::Key_Backspace:
        return ViewKey::Back;
    case Qt::Key_F:
        return ViewKey::Selection;
    case Qt::Key_Home:
        return ViewKey::Fit;
    case Qt::Key_0:
        return ViewKey::All;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return ViewKey::ZoomIn;
    case Qt::Key_Minus:
        return ViewKey::ZoomOut;
    case Qt::Key_Left:
        return ViewKey::Left;
    case Qt::Key_Right:
        return ViewKey::Right;
    case Qt::Key_Escape:
        return ViewKey::Clear;
    default:
        return ViewKey::None;
    }
}

std::optional<ViewWindow> steppedView(ViewWindow window, ViewKey key)
{
    switch (key) {
    case ViewKey::ZoomIn:
        return window.zoomed(0.8, window.centre());
    case ViewKey::ZoomOut:
        return window.zoomed(1.25, window.centre());
    case ViewKey::Left:
        return window.moved(-window.duration() / 10);
    case ViewKey::Right:
        return window.moved(window.duration() / 10);
    default:
        return std::nullopt;
    }
}

bool perform(ViewKey key, ViewWindow window, const ViewCommands& commands)
{
    using V = ViewCommands;
    constexpr std::pair<ViewKey, std::function<void()> V::*> kCommands[]
        = {{ViewKey::Back, &V::back},
           {ViewKey::Forward, &V::forward},
           {ViewKey::Selection, &V::selection},
           {ViewKey::Fit, &V::fit},
           {ViewKey::All, &V::all},
           {ViewKey::Clear, &V::clear}};
    for (const auto& [of, command] : kCommands)
        if (of == key)
            (commands.*command)();
    if (const auto to = steppedView(window, key))
        commands.show(*to, isZoom(key));
    return key != ViewKey::None;
}

ViewWindow centredThenFitted(ViewWindow window, ViewWindow box)
{
    const double away = box.centre() - window.centre();
    return std::abs(away) / window.duration() > 0.01 ? window.moved(away)
                                                     : box.zoomed(1.25, box.centre());
}

} // namespace app
