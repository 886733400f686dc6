#include "app/widgets/thumbnail_painter.h"

#include <QPainter>

#include <cmath>

namespace app {
namespace {

QColor colourOf(const Thumbnail::Box& box, const profiler::Palette& palette)
{
    engine::Op op;
    op.kind = static_cast<engine::OpKind>(std::min<int>(box.kind, engine::kOpKinds - 1));
    return toQt(palette.fill(op, std::min<int>(box.chunk, 2)));
}

} // namespace

void paintThumbnail(QPainter& painter, const QRectF& box, const Thumbnail& thumbnail, double share,
                    const profiler::Palette& palette)
{
    if (thumbnail.isEmpty() || thumbnail.devices < 1)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
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
        painter.fillRect(lane(d), toQt(palette.bubble));
    for (const Thumbnail::Box& item : thumbnail.boxes) {
        QRectF r = lane(item.device);
        if (item.half != 0)
            r.setHeight(r.height() / 2);
        if (item.half == 2)
            r.translate(0, r.height());
        const double begin = snap(box.x() + item.begin * width);
        const double end = snap(box.x() + item.end * width);
        const double space = end - begin >= 3 ? 1 / ratio : 0;
        r.setLeft(begin);
        r.setRight(end - space);
        painter.fillRect(r, colourOf(item, palette));
    }
    painter.restore();
}

} // namespace app
