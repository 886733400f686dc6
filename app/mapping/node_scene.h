#pragma once

#include "app/mapping/mapping_study.h"
#include "app/ui/theme.h"
#include "profiler/figure/scene.h"

#include <utility>

namespace app {

using NodePair = std::pair<int, int>; // from, to; equal: the links within a node

// The kinds of load that a picture shows.
struct ShownLoads
{
    bool messages = true; // includes copies of stashes
    bool allReduces = true;

    double of(const profiler::LinkLoad& load) const
    {
        return (messages ? load.messages + load.copies : 0) + (allReduces ? load.allReduces : 0);
    }
};

// Whether a box of this width has space for "down" and "up" beside the stages of a device.
bool fitsDirections(const QStringList& stages, double width);
// The summary of a node; without its second part if it is too wide.
QString fittingSummary(const QString& summary, double width);

// The links of the chosen mapping that have a load of a shown kind, sorted by nodes.
std::vector<NodePair> shownLinks(const MappingStudy& study, const ShownLoads& shown);
// Draws the nodes of a machine as frames, the devices in them with the stages that they hold, and
// the links between nodes as arrows by load. Mark i is shownLinks()[i]; the links within a node
// are marked at its frame. Nodes are in two columns, in serpentine order, so that consecutive nodes
// are neighbours.
profiler::MarkedScene nodeScene(const MappingStudy& study, const ShownLoads& shown,
                                const Theme& theme, double width);

} // namespace app
