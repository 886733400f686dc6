#include "app/ui/thumbnail_painter.h"

#include <QPainter>

#include <cmath>

namespace app {
namespace {

QColor colourOf(const Thumbnail::Box& box, const profiler::Palette& palette)
{
    const auto kind = static_cast<engine::OpKind>(std::min<int>(box.kind, engine::kOpKinds - 1));
    return toQt(palette.fill(kind, std::min<int>(box.chunk, 2)));
}

constexpr double kCutWidth = 9; // width of the mark of a cut picture

void paintCutMark(QPainter& painter, const QRectF& box, const QColor& ink)
{
    const double side = box.height() > 20 ? 2 : 1;
    for (int i = 0; i < 3; ++i)
        painter.fillRect(QRectF(box.right() - kCutWidth + 3 + 2.0 * i * side,
                                std::round(box.center().y()), side, side),
                         ink);
}

} // namespace

void paintThumbnail(QPainter& painter, const QRectF& box, const Thumbnail& thumbnail, double share,
                    const profiler::Palette& palette, const QColor& ink)
{
    if (thumbnail.isEmpty() || thumbnail.devices < 1)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (share > 1) {
        paintCutMark(painter, box, ink);
        painter.setClipRect(box.adjusted(0, 0, -kCutWidth, 0), Qt::IntersectClip);
    }
    const double gap = box.height() / thumbnail.devices >= 6 ? 1 : 0.5;
    const double row = (box.height() + gap) / thumbnail.devices;
    const double width = box.width() * share;
    const double ratio = painter.device()->devicePixelRatioF();
    const auto snap = [ratio](double x) { return std::round(x * ratio) / ratio; };
    const auto lane = [&](int device) {
        const double top = snap(box.y() + device * row);
        return QRectF(box.x(), top, width, snap(box.y() + (device + 1) * row - gap) - top);
    };
    for (int d = 0; d < thumbnail.devices; ++d)
        painter.fillRect(lane(d), toQt(palette.bubbleSolid));
    for (const Thumbnail::Box& item : thumbnail.boxes) {
        const double begin = snap(box.x() + item.begin * width);
        const double end = snap(box.x() + item.end * width);
        if (end <= begin || begin > box.right())
            continue; // narrower than a pixel, or beyond the cut
        QRectF r = lane(item.device);
        if (item.half != 0)
            r.setHeight(r.height() / 2);
        if (item.half == 2)
            r.translate(0, r.height());
        const double space = end - begin >= 3 ? 1 / ratio : 0;
        r.setLeft(begin);
        r.setRight(end - space);
        painter.fillRect(r, colourOf(item, palette));
    }
    painter.restore();
}

} // namespace app
