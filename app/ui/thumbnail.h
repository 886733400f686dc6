#pragma once

#include "app/ui/theme.h"
#include "engine/timeline/run.h"

#include <QByteArray>
#include <QColor>
#include <QRectF>

#include <cstdint>
#include <vector>

class QPainter;

namespace app {

// A small picture of the compute lanes of one iteration, for cards, tables and recent runs. Times
// are fractions of the iteration.
struct Thumbnail
{
    struct Box
    {
        float begin = 0, end = 0;
        std::uint8_t device = 0;
        std::uint8_t kind = 0; // engine::OpKind
        std::uint8_t chunk = 0;
        std::uint8_t half = 0; // half of a joint pair: 1 upper, 2 lower; 0: the whole box

        friend bool operator==(const Box&, const Box&) = default;
    };

    int devices = 0;
    double duration = 0; // in the unit of the run: abstract units or nanoseconds
    std::vector<Box> boxes;

    bool isEmpty() const { return boxes.empty(); }
    friend bool operator==(const Thumbnail&, const Thumbnail&) = default;
};

constexpr int kThumbnailDevices = 8; // only the first eight are drawn
// Empty if the run has no iteration yet. Keeps the first 4000 boxes of each device.
Thumbnail makeThumbnail(const engine::Run& run);

QByteArray toBytes(const Thumbnail& thumbnail);
Thumbnail thumbnailFromBytes(const QByteArray& bytes); // empty for invalid bytes

// Draws a thumbnail into `box`. The iteration takes `share` of the width, so that cards can share a
// time scale. If `share` is above 1, the picture is cut at the right and marked with three dots in
// `ink`. Idle time is drawn in the plain bubble colour.
void paintThumbnail(QPainter& painter, const QRectF& box, const Thumbnail& thumbnail, double share,
                    const profiler::Palette& palette, const QColor& ink = {});

} // namespace app
