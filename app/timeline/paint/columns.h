#pragma once

#include "app/timeline/view/busy_index.h"
#include "app/timeline/view/coordinates.h"

#include <QColor>

#include <array>
#include <functional>

class QPainter;

namespace app {

// The colour of each kind in a coverage column, from the bottom, and the colour of the rest of the
// column.
template<std::size_t kCount>
struct ColumnColoursOf
{
    std::array<QColor, kCount> shares;
    QColor rest; // transparent: not drawn
};
using ColumnColours = ColumnColoursOf<kShares>; // `shares` is indexed by Share
using KernelColumnColours = ColumnColoursOf<kKernelShares>;

template<std::size_t kCount>
struct ColumnsOf
{
    QRectF area;
    engine::Window window; // in the first and last column, only time within it counts
    ColumnColoursOf<kCount> colours;
};
using Columns = ColumnsOf<kShares>;
using KernelColumns = ColumnsOf<kKernelShares>;

// Draws one column per device pixel. The height of a colour is the exact share of the column's
// time: the difference of `busyBefore` at the two edges of the column. `busyBefore` is called from
// left to right. Writes into an image, because five rectangles per column would be slow.
void paintColumns(QPainter& painter, const TimeAxis& axis, const Columns& columns,
                  const std::function<Busy(double time)>& busyBefore);
void paintColumns(QPainter& painter, const TimeAxis& axis, const KernelColumns& columns,
                  const std::function<KernelBusy(double time)>& busyBefore);

} // namespace app
