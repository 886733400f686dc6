#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/timeline/view/hit_test.h"

class QPainter;

namespace app {

struct MovesPicture
{
    const RunView& view;
    const TimeAxis& axis;
    const BoxColours& colours;
};
// Draws the evicts (filled) and loads (outlined) of a device, on the device itself and on its
// partner: in the row below the transfers of a full lane, or as a strip below the boxes.
void paintMoves(QPainter& painter, const MovesPicture& picture, engine::DeviceId device,
                const Lane& lane);
// Draws a line between the two ends of an evict or load, and a frame at the partner's end.
void paintMovePair(QPainter& painter, const MovesPicture& picture, const std::vector<Lane>& lanes,
                   const Selection& selection);

} // namespace app
