#pragma once

#include "app/compare/compare_scene.h"
#include "app/timeline/widget/time_canvas.h"

namespace app {

// Caches a picture per row of a comparison, so that scrolling copies pictures and zooming draws
// only the visible rows.
class RowPictures
{
public:
    // Draws the visible rows, and the baseline at the bottom if it is pinned there. `key`
    // identifies the content of the widget.
    void paint(QPainter& painter, const CompareScene& scene, const BoxColours& colours,
               CachedPicture::Key key);

private:
    std::vector<CachedPicture> m_pictures; // one per run
};

} // namespace app
