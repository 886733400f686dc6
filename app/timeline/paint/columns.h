#pragma once

#include "app/timeline/view/busy_index.h"
#include "app/timeline/view/coordinates.h"

#include <QColor>

#include <array>
#include <functional>

class QPainter;

namespace app {

// Colours of a coverage column, from the bottom by kind, and of the rest above.
template<std::size_t kCount>
struct ColumnColoursOf
{
    std::array<QColor, kCount> shares;
    QColor rest; // transparent: nothing is drawn there
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

// Draws one column per device pixel. Heights are exact shares of the column's time, from the busy
// time before each edge, queried from left to right. Writes into an image, since five rectangles
// per column would be slow.
void paintColumns(QPainter& painter, const TimeAxis& axis, const Columns& columns,
                  const std::function<Busy(double time)>& busyBefore);
void paintColumns(QPainter& painter, const TimeAxis& axis, const KernelColumns& columns,
                  const std::function<KernelBusy(double time)>& busyBefore);

} // namespace app
