#include "app/compare/row_pictures.h"

#include "app/compare/compare_scene_painter.h"

#include <QPainter>

namespace app {

void RowPictures::paint(QPainter& painter, const CompareScene& scene, const BoxColours& colours,
                        CachedPicture::Key key)
{
    m_pictures.resize(scene.runs.size());
    const Chrome& chrome = colours.theme().chrome;
    const auto paintRow = [&](const CompareRow& row) {
        key.size = {scene.size.width(), row.height};
        key.scroll = 0;
        painter.drawPixmap(QPointF(0, row.top),
                           m_pictures[row.run].get(key, chrome.surface, [&](QPainter& on) {
                               on.translate(0, -row.top);
                               CompareScenePainter(on, scene, colours).paintRow(row);
                           }));
    };
    const CompareScenePainter comparison(painter, scene, colours);
    const QRectF area = scene.rowsArea();
    const double width = scene.size.width(), top = scene.scroll, bottom = top + area.height();
    painter.save();
    painter.setClipRect(QRectF(0, area.top(), width, area.height()));
    painter.translate(0, area.top() - top);
    comparison.paintGround();
    for (const CompareRow& row : scene.rows.rows)
        if (row.top < bottom && row.top + row.height > top)
            paintRow(row);
    comparison.paintOverRows();
    if (scene.isBaselinePinned()) {
        const CompareRow& base = *scene.baseline();
        const QRectF strip(0, bottom - CompareLayout::kLane, width, CompareLayout::kLane);
        painter.setClipRect(strip);
        painter.fillRect(strip, chrome.surface);
        painter.translate(0, strip.top() - base.top);
        paintRow(base);
        painter.fillRect(QRectF(0, base.top, width, 1), chrome.lineStrong);
    }
    painter.restore();
}

} // namespace app
