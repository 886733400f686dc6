#pragma once

#include "app/widgets/compare/compare_scene.h"
#include "app/widgets/timeline/time_canvas.h"

namespace app {

// The pictures of the rows of a comparison. Each row is a picture of its own, so that scrolling
// copies pictures and zooming draws only the visible rows.
class RowPictures
{
public:
    // Draws the visible rows, and the baseline at the bottom if it is pinned there. `key` is that
    // of the content of the widget.
    void paint(QPainter& painter, const CompareScene& scene, const BoxColours& colours,
               CachedPicture::Key key);

private:
    std::vector<CachedPicture> m_pictures; // [run] of its row
};

} // namespace app
