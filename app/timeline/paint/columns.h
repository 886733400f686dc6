#pragma once

#include "app/timeline/view/busy_index.h"
#include "app/timeline/view/coordinates.h"

#include <QColor>

#include <array>
#include <functional>

class QPainter;

namespace app {

// Colours of a coverage column, from the bottom by kind, and of what is left above.
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
    engine::Window window; // time outside of it does not count in the first and last column
    ColumnColoursOf<kCount> colours;
};
using Columns = ColumnsOf<kShares>;
using KernelColumns = ColumnsOf<kKernelShares>;

// One column per device pixel, from the busy time before each of its edges, which is asked for from
// left to right: heights are exact shares of the column's time, never "the longest wins". Written
// into an image, since a column of five rectangles each would be slow.
void paintColumns(QPainter& painter, const TimeAxis& axis, const Columns& columns,
                  const std::function<Busy(double time)>& busyBefore);
void paintColumns(QPainter& painter, const TimeAxis& axis, const KernelColumns& columns,
                  const std::function<KernelBusy(double time)>& busyBefore);

} // namespace app
