#pragma once

#include "engine/timeline/run.h"

#include <QByteArray>

#include <cstdint>
#include <vector>

namespace app {

// The compute lanes of one iteration, small: the picture on a card, in a table, in the list of
// recent runs. Times are shares of the iteration.
struct Thumbnail
{
    struct Box
    {
        float begin = 0, end = 0;
        std::uint8_t device = 0;
        std::uint8_t kind = 0; // engine::OpKind
        std::uint8_t chunk = 0;
        std::uint8_t half = 0; // of a joint pair: 1 upper, 2 lower

        friend bool operator==(const Box&, const Box&) = default;
    };

    int devices = 0;
    double duration = 0; // in the unit of the run: abstract units or nanoseconds
    std::vector<Box> boxes;

    bool isEmpty() const { return boxes.empty(); }
    friend bool operator==(const Thumbnail&, const Thumbnail&) = default;
};

constexpr int kThumbnailDevices = 8; // more: the first eight
// Empty when the run has no iteration yet. A long iteration keeps its first 4000 boxes a device.
Thumbnail makeThumbnail(const engine::Run& run);

QByteArray toBytes(const Thumbnail& thumbnail);
Thumbnail thumbnailFromBytes(const QByteArray& bytes); // empty when the bytes are not a thumbnail

} // namespace app
