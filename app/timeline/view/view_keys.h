#pragma once

#include "app/timeline/view/view_window.h"

#include <Qt>

#include <functional>
#include <optional>

namespace app {

// What a key does to the view of any timeline. Keys that walk from box to box are in walk_keys.h.
enum class ViewKey {
    None,
    Back,      // Alt+left, Backspace: where the view was before
    Forward,   // Alt+right
    Selection, // F: centre, again: fit
    Fit,       // Home
    All,       // 0
    ZoomIn,
    ZoomOut,
    Left,
    Right,
    Clear, // Esc
};
ViewKey viewKey(int key, Qt::KeyboardModifiers modifiers);

// Where ZoomIn, ZoomOut, Left and Right lead; none: the key does something else.
std::optional<ViewWindow> steppedView(ViewWindow window, ViewKey key);
inline bool isZoom(ViewKey key) // worth remembering, where moving on is not
{
    return key == ViewKey::ZoomIn || key == ViewKey::ZoomOut;
}

// The effects of the keys of a view in one timeline. All are set.
struct ViewCommands
{
    std::function<void(ViewWindow to, bool isRemembered)> show;
    std::function<void()> back, forward, selection, fit, all, clear;
};
// False: it is no key of the view.
bool perform(ViewKey key, ViewWindow window, const ViewCommands& commands);

// The first time a view goes to the middle of `box`, the second time it fits it.
ViewWindow centredThenFitted(ViewWindow window, ViewWindow box);

} // namespace app
