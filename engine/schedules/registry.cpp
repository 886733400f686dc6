#include "engine/schedules/schemes.h"

#include <algorithm>
#include <array>

namespace engine {

// The schemes in the order in which they are shown.
std::span<const Scheme> schemes()
{
    // One line per scheme. clang-format off
    static const std::array kSchemes{
        gpipe(),
        oneFOneB(),
        eagerOneFOneB(),
        oneFOneBOverlap(),
        bpipe(),
        interleavedOneFOneB(),
        loopedBfs(),
        seqOneFOneB(),
        hanayo(),
        vOneFOneB(),
        zeroBubbleH1(),
        zeroBubbleH2(),
        zeroBubble1P(),
        zeroBubble2P(),
        zeroBubbleV(),
        vHalf(),
        vMin(),
        interleavedZeroBubble(),
        groupedInterleaved(),
        gems(),
        chimera(),
        mixpipe(),
        bitpipe(),
        dualpipe(),
        dualpipev(),
        pipedream(),
        pipedream2bw(),
        bitpipeAsync(),
    };
    // clang-format on
    return kSchemes;
}

const Scheme* findScheme(std::string_view name)
{
    const auto found = std::ranges::find(schemes(), name, &Scheme::name);
    return found == schemes().end() ? nullptr : &*found;
}

} // namespace engine
