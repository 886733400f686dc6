#pragma once

#include "app/timeline/view/view_window.h"

#include <Qt>

#include <functional>
#include <optional>

namespace app {

// Keys that change the view of a timeline. walk_keys.h has the keys that move between boxes.
enum class ViewKey {
    None,
    Back,      // Alt+Left, Backspace: the previous view
    Forward,   // Alt+Right
    Selection, // F: centres the selection; if it is centred already, fits it
    Fit,       // Home
    All,       // 0
    ZoomIn,
    ZoomOut,
    Left,
    Right,
    Clear, // Esc
};
ViewKey viewKey(int key, Qt::KeyboardModifiers modifiers);

// Returns the view after ZoomIn, ZoomOut, Left or Right; nullopt for other keys.
std::optional<ViewWindow> steppedView(ViewWindow window, ViewKey key);
inline bool isZoom(ViewKey key) // zooming is recorded in the history, moving is not
{
    return key == ViewKey::ZoomIn || key == ViewKey::ZoomOut;
}

// The actions of the view keys in one timeline. All members must be set.
struct ViewCommands
{
    std::function<void(ViewWindow to, bool isRemembered)> show;
    std::function<void()> back, forward, selection, fit, all, clear;
};
// Returns false if the key is not a view key.
bool perform(ViewKey key, ViewWindow window, const ViewCommands& commands);

// Centres `box`, or fits it if it is already centred, and returns the new view.
ViewWindow centredThenFitted(ViewWindow window, ViewWindow box);

} // namespace app
