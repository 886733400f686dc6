#include "engine/timeline/span_index.h"
#include "tests/catch.h"

#include <algorithm>
#include <random>

using engine::gallop;
using namespace engine;

namespace {

std::vector<Span> intersecting(std::span<const Span> spans, Window window)
{
    std::vector<Span> found;
    std::ranges::copy_if(spans, std::back_inserter(found),
                         [window](const Span& span) { return span.window().intersects(window); });
    return found;
}

// As over `links` links of a device, each a lane: by begin, with ends that go up and down.
std::vector<Span> transfers(int links, int count, std::mt19937& random)
{
    std::vector<Span> spans;
    for (int link = 0; link < links; ++link) {
        const auto longest = link % 3 == 2 ? 400u : 8u; // another class of link
        std::int64_t time = -20;
        for (int i = 0; i < count / links; ++i) {
            time += random() % 12;
            const std::int64_t end = time + random() % longest;
            spans.push_back({time, end, static_cast<std::uint32_t>(spans.size()), 0});
            time = end;
        }
    }
    std::ranges::sort(spans, {}, [](const Span& span) { return std::pair(span.begin, span.end); });
    return spans;
}

} // namespace

TEST_CASE("on a lane whose spans follow one another exactly those of the window are around it")
{
    std::vector<Span> spans;
    for (std::int64_t begin = 0; begin < 1000; begin += 10)
        spans.push_back({begin, begin + 8});
    const SpanIndex index(spans);
    for (std::int64_t begin = -5; begin < 1010; ++begin)
        for (const std::int64_t length : {1, 2, 9, 30, 200, 2000}) {
            const auto found = index.around({begin, begin + length});
            const auto touching = [&](const Span& span) {
                return span.end >= begin && span.begin <= begin + length;
            };
            CHECK(std::ranges::all_of(found, touching));
            CHECK(found.size() == static_cast<std::size_t>(std::ranges::count_if(spans, touching)));
        }
}

TEST_CASE("transfers over links of different speed are found whatever their ends")
{
    std::mt19937 random(20250301);
    for (int round = 0; round < 60; ++round) {
        const auto spans = transfers(1 + static_cast<int>(random() % 6),
                                     static_cast<int>(random() % 300), random);
        const SpanIndex index(spans);
        CHECK(index.spans().size() == spans.size());
        for (int i = 0; i < 200; ++i) {
            const std::int64_t begin = static_cast<std::int64_t>(random() % 4000) - 100;
            const Window window{begin, begin + static_cast<std::int64_t>(random() % 60)};
            INFO("round " << round << ", window " << window.begin << " " << window.end);
            CHECK(intersecting(index.around(window), window) == intersecting(spans, window));
        }
    }
}

TEST_CASE("a stretch around a window is short where transfers are short")
{
    std::vector<Span> spans;
    for (std::int64_t i = 0; i < 100'000; ++i)
        spans.push_back({10 * i, 10 * i + 15, 0, 0}); // two at a time
    const SpanIndex index(spans);
    for (std::int64_t begin = 0; begin < 1'000'000; begin += 7919)
        CHECK(index.around({begin, begin + 20}).size() <= 6);
}

TEST_CASE("nothing is around a window of an empty track")
{
    CHECK(SpanIndex().around({0, 10}).empty());
    CHECK(SpanIndex(std::span<const Span>()).around({0, 10}).empty());
}

TEST_CASE("endedBefore() searches block by block from an earlier result")
{
    std::mt19937 random(7);
    const auto spans = transfers(3, 400, random);
    const SpanIndex index(spans);
    std::size_t before = 0;
    for (std::int64_t time = -30; time < 1200; time += 7) {
        const std::size_t found = index.endedBefore(time);
        REQUIRE(found <= spans.size());
        CHECK((found % SpanIndex::kBlock == 0 || found == spans.size()));
        for (std::size_t k = 0; k < found; ++k)
            CHECK(spans[k].end < time);
        const auto block
            = std::span(spans).subspan(found, std::min(SpanIndex::kBlock, spans.size() - found));
        CHECK((block.empty() || std::ranges::any_of(block, [time](const Span& span) {
                   return span.end >= time;
               })));
        CHECK(index.endedBefore(time, before) == found);
        before = found;
    }
    CHECK(SpanIndex().endedBefore(5) == 0);
}

TEST_CASE("from anywhere before it a gallop finds the first place that is not before")
{
    for (std::size_t size = 0; size < 34; ++size)
        for (std::size_t answer = 0; answer <= size; ++answer)
            for (std::size_t from = 0; from <= answer; ++from)
                CHECK(gallop(from, size, [&](std::size_t at) { return at < answer; }) == answer);
}

TEST_CASE("a galloping search starts near its begin and stays within the range")
{
    std::size_t looks = 0, furthest = 0;
    const auto upTo = [&](std::size_t answer) {
        return [&, answer](std::size_t at) {
            ++looks;
            furthest = std::max(furthest, at);
            return at < answer;
        };
    };
    CHECK(gallop(1'000, 1'000'000, upTo(1'003)) == 1'003);
    CHECK(looks <= 6);
    CHECK(furthest <= 1'007);
    looks = 0;
    CHECK(gallop(0, 1'000'000, upTo(500'000)) == 500'000); // far: two binary searches
    CHECK(looks <= 42);
    furthest = 0;
    CHECK(gallop(0, 10, upTo(10)) == 10);
    CHECK(furthest < 10);
    CHECK(gallop(10, 10, upTo(10)) == 10);
    CHECK(gallop(0, 0, upTo(5)) == 0);
}
