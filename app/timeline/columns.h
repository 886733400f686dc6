#pragma once

#include "app/timeline/busy_index.h"
#include "app/timeline/coordinates.h"

#include <QColor>

#include <array>
#include <functional>

class QPainter;

namespace app {

// Colours of a coverage column, from the bottom by Share, and of what is left above.
struct ColumnColours
{
    std::array<QColor, kShares> shares;
    QColor rest; // transparent: nothing is drawn there
};

struct Columns
{
    QRectF area;
    engine::Window window; // time outside of it does not count in the first and last column
    ColumnColours colours;
};

// One column per device pixel, from the busy time before each of its edges: heights are exact
// shares of the column's time, never "the longest wins". Written into an image, since a column of
// five rectangles each would be slow.
void paintColumns(QPainter& painter, const TimeAxis& axis, const Columns& columns,
                  const std::function<Busy(double time)>& busyBefore);

} // namespace app
