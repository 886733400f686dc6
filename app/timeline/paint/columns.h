#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/busy_index.h"
#include "app/timeline/view/coordinates.h"

#include <QColor>

#include <array>
#include <functional>

class QPainter;

namespace app {

// The colours of a coverage column by kind, from the bottom, and the colour of the rest.
template<std::size_t kCount>
struct ColumnColoursOf
{
    std::array<QColor, kCount> shares;
    QColor rest; // transparent: the rest is not drawn
};
using ColumnColours = ColumnColoursOf<kShares>; // `shares` is indexed by Share
ColumnColours columnColours(const BoxColours& colours, BoxColours::Emphasis emphasis);
using KernelColumnColours = ColumnColoursOf<kKernelShares>;

template<std::size_t kCount>
struct ColumnsOf
{
    QRectF area;
    engine::Window window; // time outside of it is not counted
    ColumnColoursOf<kCount> colours;
};
using Columns = ColumnsOf<kShares>;
using KernelColumns = ColumnsOf<kKernelShares>;

// Draws one column per device pixel. The height of each colour is its exact share of the column's
// time. `busyBefore` returns the busy time before an instant, so the busy time of a column is the
// difference between the values at its edges. `busyBefore` is called with ascending times. The
// columns are written into an image, because several rectangles per column would be slow.
void paintColumns(QPainter& painter, const TimeAxis& axis, const Columns& columns,
                  const std::function<Busy(double time)>& busyBefore);
void paintColumns(QPainter& painter, const TimeAxis& axis, const KernelColumns& columns,
                  const std::function<KernelBusy(double time)>& busyBefore);

} // namespace app
