#pragma once

#include "app/timeline/view/busy_index.h"
#include "app/timeline/view/coordinates.h"

#include <QColor>

#include <array>
#include <functional>

class QPainter;

namespace app {

// The colours of a coverage column by kind, from the bottom, and of the rest above them.
template<std::size_t kCount>
struct ColumnColoursOf
{
    std::array<QColor, kCount> shares;
    QColor rest; // transparent: not drawn
};
using ColumnColours = ColumnColoursOf<kShares>; // by Share
using KernelColumnColours = ColumnColoursOf<kKernelShares>;

template<std::size_t kCount>
struct ColumnsOf
{
    QRectF area;
    engine::Window window; // only time within it counts in the first and last column
    ColumnColoursOf<kCount> colours;
};
using Columns = ColumnsOf<kShares>;
using KernelColumns = ColumnsOf<kKernelShares>;

// Draws one column per device pixel. Heights are exact shares of the column's time: the difference
// of the busy time before its two edges. `busyBefore` is called from left to right. Writes into an
// image, because five rectangles per column would be slow.
void paintColumns(QPainter& painter, const TimeAxis& axis, const Columns& columns,
                  const std::function<Busy(double time)>& busyBefore);
void paintColumns(QPainter& painter, const TimeAxis& axis, const KernelColumns& columns,
                  const std::function<KernelBusy(double time)>& busyBefore);

} // namespace app
