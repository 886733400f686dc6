#include "engine/timeline/interference.h"

#include "engine/schedule/notation.h"

#include <fmt/format.h>

namespace engine {

double interferenceRatio(std::span<const Interference> kinds)
{
    Interference all;
    for (const Interference& kind : kinds) {
        all.alone += kind.alone;
        all.concurrent += kind.concurrent;
    }
    return all.alone > 0 ? all.ratio() : 0;
}

std::string interferenceText(std::span<const Interference> kinds)
{
    std::string list;
    for (const Interference& kind : kinds)
        list += fmt::format("{}{} {:.2f}", list.empty() ? "" : ", ", kindShortName(kind.kind),
                            kind.ratio());
    return fmt::format("interference slows ops down by a factor of {:.2f} ({})",
                       interferenceRatio(kinds), list);
}

} // namespace engine
