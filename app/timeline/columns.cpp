#include "app/timeline/columns.h"

#include <QImage>
#include <QPainter>

namespace app {
namespace {

using Heights = std::array<int, kShares>; // rows from the bottom up to which a share reaches

Heights heightsOf(const Busy& busy, double duration, int rows)
{
    Heights heights{};
    double sum = 0;
    for (std::size_t k = 0; k < kShares; ++k) {
        sum += duration > 0 ? busy[k] / duration : 0;
        heights[k] = std::clamp(static_cast<int>(std::lround(sum * rows)), 0, rows);
    }
    return heights;
}

// `top` is the column's first pixel, `stride` the pixels from one row to the next.
void fillColumn(QRgb* top, qsizetype stride, int rows, const Heights& heights,
                const std::array<QRgb, kShares + 1>& colours)
{
    QRgb* pixel = top + (rows - 1) * stride;
    int row = 0;
    for (std::size_t share = 0; share <= kShares; ++share) {
        for (const int end = share < kShares ? heights[share] : rows; row < end; ++row) {
            *pixel = colours[share];
            pixel -= stride;
        }
    }
}

std::array<QRgb, kShares + 1> packed(const ColumnColours& colours)
{
    std::array<QRgb, kShares + 1> all{};
    for (std::size_t k = 0; k < kShares; ++k)
        all[k] = qPremultiply(colours.shares[k].rgba());
    all[kShares] = qPremultiply(colours.rest.rgba());
    return all;
}

} // namespace

void paintColumns(QPainter& painter, const TimeAxis& axis, const Columns& columns,
                  const std::function<Busy(double time)>& busyBefore)
{
    const QRectF& area = columns.area;
    const int count = static_cast<int>(std::lround(area.width() * axis.dpr));
    const int rows = static_cast<int>(std::lround(area.height() * axis.dpr));
    if (count <= 0 || rows <= 0)
        return;
    QImage image(count, rows, QImage::Format_ARGB32_Premultiplied);
    auto* pixels = reinterpret_cast<QRgb*>(image.bits());
    const qsizetype stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
    const auto inks = packed(columns.colours);
    const auto edge = [&](int column) {
        return std::clamp(axis.time(area.left() + column / axis.dpr),
                          static_cast<double>(columns.window.begin),
                          static_cast<double>(columns.window.end));
    };
    double begin = edge(0);
    Busy before = busyBefore(begin);
    for (int column = 0; column < count; ++column) {
        const double end = edge(column + 1);
        const Busy after = busyBefore(end);
        Busy busy{};
        for (std::size_t k = 0; k < kShares; ++k)
            busy[k] = after[k] - before[k];
        fillColumn(pixels + column, stride, rows, heightsOf(busy, end - begin, rows), inks);
        begin = end;
        before = after;
    }
    image.setDevicePixelRatio(axis.dpr);
    painter.drawImage(area.topLeft(), image);
}

} // namespace app
