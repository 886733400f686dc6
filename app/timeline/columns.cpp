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

void fillColumn(QImage& image, int x, const Heights& heights,
                const std::array<QRgb, kShares + 1>& colours)
{
    const int rows = image.height();
    std::size_t share = 0;
    for (int row = 0; row < rows; ++row) {
        while (share < kShares && row >= heights[share])
            ++share;
        reinterpret_cast<QRgb*>(image.scanLine(rows - 1 - row))[x] = colours[share];
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

void paintColumns(QPainter& painter, const TimeAxis& axis, const QRectF& area,
                  engine::Window window, const ColumnColours& colours,
                  const std::function<Busy(double time)>& busyBefore)
{
    const int columns = static_cast<int>(std::lround(area.width() * axis.dpr));
    const int rows = static_cast<int>(std::lround(area.height() * axis.dpr));
    if (columns <= 0 || rows <= 0)
        return;
    QImage image(columns, rows, QImage::Format_ARGB32_Premultiplied);
    const auto inks = packed(colours);
    const auto edge = [&](int column) {
        return std::clamp(axis.time(area.left() + column / axis.dpr),
                          static_cast<double>(window.begin), static_cast<double>(window.end));
    };
    double begin = edge(0);
    Busy before = busyBefore(begin);
    for (int column = 0; column < columns; ++column) {
        const double end = edge(column + 1);
        Busy busy = busyBefore(end);
        std::swap(busy, before);
        for (std::size_t k = 0; k < kShares; ++k)
            busy[k] = before[k] - busy[k];
        fillColumn(image, column, heightsOf(busy, end - begin, rows), inks);
        begin = end;
    }
    image.setDevicePixelRatio(axis.dpr);
    painter.drawImage(area.topLeft(), image);
}

} // namespace app
