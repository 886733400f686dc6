#pragma once

#include "app/mapping/load_scale.h"

#include <QRectF>

#include <utility>
#include <vector>

namespace app {

// An arrow from one node to another.
struct LinkArrow
{
    int from = 0, to = 0;
    std::vector<QPointF> path; // at right angles
    QRectF label;              // empty: no space beside the line
    Qt::Alignment alignment = Qt::AlignCenter;

    bool isNear(const QPointF& point) const;
    QRectF bounds() const;
};

// The places of nodes, devices and links in a picture. Nodes are in two columns, in serpentine
// order, so that consecutive nodes are neighbours.
struct NodeLayout
{
    std::vector<QRectF> frames;              // frames[node]: frame around its slots
    std::vector<std::vector<QRectF>> places; // places[node][slot]: box of the device in the slot
    std::vector<LinkArrow> arrows;
    std::vector<LinkArrow> unused; // lines between neighbours that exchange nothing
    double height = 0;

    // Maximum number of slots drawn per node. If the hardware defines no nodes, all devices are in
    // one node, which may have more slots.
    static constexpr int kMostSlots = 64;
};
constexpr int kNodeTitle = 30, kSlotCaption = 15, kSlotRow = 20;

NodeLayout layoutOf(const MappingStudy& study, const std::vector<std::pair<int, int>>& links,
                    double width);

} // namespace app
