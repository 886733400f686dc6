#include "engine/base/text.h"
#include "engine/schedules/schemes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

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

namespace {

// Letters in lower case and digits: the same for "ZB-V", "zb_v" and "zbv".
std::string plainName(std::string_view name)
{
    std::string plain;
    for (const unsigned char c : name)
        if (std::isalnum(c) != 0)
            plain += static_cast<char>(std::tolower(c));
    return plain;
}

// The schemes whose name, title or citation contains `name`. If it is the whole name of a scheme,
// only that one.
std::vector<std::string_view> schemesCalled(std::string_view name)
{
    constexpr std::size_t kShortest = 3, kMost = 8; // kMost: of more, the name says too little
    constexpr std::string_view kClass = "schedule"; // of PyTorch: ScheduleInterleaved1F1B
    std::string plain = plainName(name);
    if (plain.starts_with(kClass))
        plain.erase(0, kClass.size());
    std::vector<std::string_view> found;
    for (const Scheme& scheme : schemes()) {
        if (plainName(scheme.name) == plain)
            return {scheme.name};
        if (plain.size() >= kShortest
            && plainName(fmt::format("{} {} {}", scheme.name, scheme.title, scheme.citation))
                    .find(plain)
                != std::string::npos)
            found.push_back(scheme.name);
    }
    return found.size() <= kMost ? found : std::vector<std::string_view>();
}

} // namespace

std::string unknownScheme(std::string_view name)
{
    constexpr std::size_t kTypo = 2; // letters that a mistyped name lacks, or has too many
    std::vector<std::string_view> names;
    for (const Scheme& scheme : schemes())
        names.push_back(scheme.name);
    const std::string_view nearest = nearestName(name, names);
    const bool isTypo
        = std::max(nearest.size(), name.size()) <= std::min(nearest.size(), name.size()) + kTypo;
    std::vector<std::string_view> called = schemesCalled(name);
    std::string which = didYouMean(name, names);
    if (called.size() == 1 || (!called.empty() && !isTypo)) {
        const std::string_view last = called.back();
        called.pop_back();
        which = fmt::format("did you mean '{}{}{}'?", fmt::join(called, "', '"),
                            called.empty() ? "" : "' or '", last);
    }
    return fmt::format("unknown scheme '{}'; {}", name, which);
}

} // namespace engine
