#include "tests/profiler/store/store_support.h"

#include <random>

using namespace engine;
using namespace profiler;
using namespace tests;

namespace {

std::string bytesOf(const std::filesystem::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// What a view does first with a run that opened.
std::size_t touch(const Run& run)
{
    const OpIndex index(run.schedule);
    std::size_t sum = static_cast<std::size_t>(reportedIteration(run.timeline) + 1);
    for (const Track& track : run.timeline.tracks)
        for (const Span& span : track.spans)
            sum += static_cast<std::size_t>(opAt(run.schedule, index, span.op).kind)
                + static_cast<std::size_t>(run.timeline.iterations.at(span.iteration).kind);
    for (const MemoryEvent& event : run.timeline.memory)
        sum += event.op == MemoryEvent::kNoOp ? 0 : index.positionOf(event.op);
    return sum;
}

} // namespace

TEST_CASE("a run with any bytes changed is read, or refused in one line that names it")
{
    const TemporaryFolder folder;
    REQUIRE(writeRun(folder / "good.sqlite", fullRun()));
    const std::string good = bytesOf(folder / "good.sqlite");
    const auto file = folder / "damaged.sqlite";
    std::mt19937 random(20261121);
    int opened = 0, refused = 0;
    for (int round = 0; round < 600; ++round) {
        std::string bytes = good;
        // Half of the rounds go for the first pages, where the schema and the info are.
        const std::size_t reach
            = round % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 8192);
        for (int flips = 1 + round % 7; flips > 0; --flips)
            bytes[random() % reach] = static_cast<char>(random());
        std::ofstream(file, std::ios::binary) << bytes;
        const auto read = readRun(file);
        if (read) {
            ++opened;
            touch(*read);
        } else {
            ++refused;
            INFO("round " << round << ": " << read.error().message);
            CHECK(read.error().message.starts_with(file.string()));
            CHECK(read.error().message.find('\n') == std::string::npos);
        }
    }
    CHECK(opened > 50);
    CHECK(refused > 50);
}
