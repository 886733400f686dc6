#include "app/timeline/columns.h"

#include <QImage>
#include <QPainter>

namespace app {
namespace {

// Rows from the bottom up to which a share reaches.
template<std::size_t kCount>
std::array<int, kCount> heightsOf(const std::array<double, kCount>& busy, double duration, int rows)
{
    std::array<int, kCount> heights{};
    double sum = 0;
    for (std::size_t k = 0; k < kCount; ++k) {
        sum += duration > 0 ? busy[k] / duration : 0;
        heights[k] = std::clamp(static_cast<int>(std::lround(sum * rows)), 0, rows);
    }
    return heights;
}

// `top` is the column's first pixel, `stride` the pixels from one row to the next.
template<std::size_t kCount>
void fillColumn(QRgb* top, qsizetype stride, int rows, const std::array<int, kCount>& heights,
                const std::array<QRgb, kCount + 1>& colours)
{
    QRgb* pixel = top + (rows - 1) * stride;
    int row = 0;
    for (std::size_t share = 0; share <= kCount; ++share) {
        for (const int end = share < kCount ? heights[share] : rows; row < end; ++row) {
            *pixel = colours[share];
            pixel -= stride;
        }
    }
}

template<std::size_t kCount>
std::array<QRgb, kCount + 1> packed(const ColumnColoursOf<kCount>& colours)
{
    std::array<QRgb, kCount + 1> all{};
    for (std::size_t k = 0; k < kCount; ++k)
        all[k] = qPremultiply(colours.shares[k].rgba());
    all[kCount] = qPremultiply(colours.rest.rgba());
    return all;
}

template<std::size_t kCount>
void paint(QPainter& painter, const TimeAxis& axis, const ColumnsOf<kCount>& columns,
           const std::function<std::array<double, kCount>(double time)>& busyBefore)
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
    auto before = busyBefore(begin);
    for (int column = 0; column < count; ++column) {
        const double end = edge(column + 1);
        const auto after = busyBefore(end);
        std::array<double, kCount> busy{};
        for (std::size_t k = 0; k < kCount; ++k)
            busy[k] = after[k] - before[k];
        fillColumn(pixels + column, stride, rows, heightsOf(busy, end - begin, rows), inks);
        begin = end;
        before = after;
    }
    image.setDevicePixelRatio(axis.dpr);
    painter.drawImage(area.topLeft(), image);
}

} // namespace

void paintColumns(QPainter& painter, const TimeAxis& axis, const Columns& columns,
                  const std::function<Busy(double time)>& busyBefore)
{
    paint(painter, axis, columns, busyBefore);
}

void paintColumns(QPainter& painter, const TimeAxis& axis, const KernelColumns& columns,
                  const std::function<KernelBusy(double time)>& busyBefore)
{
    paint(painter, axis, columns, busyBefore);
}

} // namespace app
