#include "app/timeline/paint/columns.h"

#include <QImage>
#include <QPainter>

#include <algorithm>
#include <span>

namespace app {
namespace {

// Fills a column from the bottom with stacked shares, rounded to rows; the remaining rows get the
// last colour. `top` is the first pixel of the column, `stride` the number of pixels per row.
template<std::size_t kCount>
void fillColumn(QRgb* top, qsizetype stride, int rows, const std::array<double, kCount>& shares,
                const std::array<QRgb, kCount + 1>& colours)
{
    QRgb* const bottom = top + rows * stride; // below the last row
    QRgb* pixel = bottom;
    const auto fillTo = [&](int height, QRgb colour) {
        for (const QRgb* const last = bottom - height * stride; pixel > last;)
            *(pixel -= stride) = colour;
    };
    double sum = 0;
    for (std::size_t k = 0; k < kCount; ++k) {
        if (shares[k] <= 0)
            continue;
        sum += shares[k];
        fillTo(std::min(qRound(sum * rows), rows), colours[k]);
    }
    fillTo(rows, colours[kCount]);
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

// The format has no alpha if all colours are opaque, because copying is faster than blending.
QImage::Format formatOf(std::span<const QRgb> colours)
{
    const bool isOpaque = std::ranges::all_of(colours, [](QRgb c) { return qAlpha(c) == 255; });
    return isOpaque ? QImage::Format_RGB32 : QImage::Format_ARGB32_Premultiplied;
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
    const auto inks = packed(columns.colours);
    QImage image(count, rows, formatOf(inks));
    auto* pixels = reinterpret_cast<QRgb*>(image.bits());
    const qsizetype stride = image.bytesPerLine() / static_cast<qsizetype>(sizeof(QRgb));
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
        std::array<double, kCount> shares{};
        for (std::size_t k = 0; end > begin && k < kCount; ++k)
            if (after[k] != before[k]) // skips the division: most are equal
                shares[k] = (after[k] - before[k]) / (end - begin);
        fillColumn(pixels + column, stride, rows, shares, inks);
        begin = end;
        before = after;
    }
    image.setDevicePixelRatio(axis.dpr);
    painter.drawImage(area.topLeft(), image);
}

} // namespace

ColumnColours columnColours(const BoxColours& colours, BoxColours::Emphasis emphasis)
{
    using enum engine::OpKind;
    constexpr engine::OpKind kKinds[]
        = {Backward, Forward, Recompute, BackwardWeight, SendActivation, OptimizerStep};
    ColumnColours result;
    for (std::size_t k = 0; k < kShares; ++k)
        result.shares[k] = colours.look(kKinds[k], 0, emphasis).flat;
    result.shares[static_cast<std::size_t>(Share::Communication)] = colours.exposed(emphasis).fill;
    result.rest = Qt::transparent;
    return result;
}

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
