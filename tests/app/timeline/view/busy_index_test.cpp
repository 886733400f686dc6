#include "app/timeline/view/run_view.h"
#include "tests/catch.h"

#include <random>

namespace {

using app::Share;

// Every share within [begin, end), the slow way.
app::Busy counted(const std::vector<engine::Span>& spans, const std::vector<Share>& kinds,
                  double begin, double end)
{
    app::Busy busy{};
    for (const auto& span : spans) {
        const double from = std::max(begin, static_cast<double>(span.begin));
        const double to = std::min(end, static_cast<double>(span.end));
        if (to > from)
            busy[static_cast<std::size_t>(kinds[span.op])] += to - from;
    }
    return busy;
}

} // namespace

TEST_CASE("cumulative sums give the shares that counting every span gives")
{
    std::mt19937 random(5);
    const std::vector<Share> kinds{Share::Forward, Share::Backward, Share::Weight,
                                   Share::Optimizer};
    std::vector<engine::Span> spans;
    std::int64_t time = 100;
    for (int k = 0; k < 1000; ++k) {
        time += random() % 3 * (random() % 50);
        const std::int64_t length = random() % 40; // also none
        spans.push_back({time, time + length, static_cast<std::uint32_t>(random() % 4), 0});
        time += length;
    }
    const app::BusyIndex index(spans, kinds);
    for (int k = 0; k < 500; ++k) {
        const double begin = static_cast<double>(random() % 30'000) / 1.5;
        const double end = begin + static_cast<double>(random() % 900) / 7;
        const app::Busy fast = index.within(begin, end), slow = counted(spans, kinds, begin, end);
        for (std::size_t share = 0; share < app::kShares; ++share)
            CHECK(fast[share] == Approx(slow[share]).margin(1e-6));
    }
}

TEST_CASE("a long transfer that is still under way counts up to the instant only")
{
    std::mt19937 random(6);
    const std::vector<Share> kinds{Share::Communication};
    std::vector<engine::Span> spans{{0, 900, 0, 0}}; // over another link
    for (std::int64_t begin = 1; begin < 800; begin += 4)
        spans.push_back({begin, begin + 3, 0, 0});
    const app::BusyIndex index(spans, kinds);
    for (int k = 0; k < 300; ++k) {
        const double begin = static_cast<double>(random() % 1000) / 1.5;
        const double end = begin + static_cast<double>(random() % 900) / 7;
        const auto share = static_cast<std::size_t>(Share::Communication);
        CHECK(index.within(begin, end)[share]
              == Approx(counted(spans, kinds, begin, end)[share]).margin(1e-6));
    }
}

TEST_CASE("two joint ops share their time in half")
{
    const std::vector<Share> kinds{Share::Forward, Share::Backward};
    const std::vector<engine::Span> spans{{0, 10, 0, 0}, {0, 10, 1, 0}};
    const app::Busy busy = app::BusyIndex(spans, kinds).within(0, 10);
    CHECK(busy[static_cast<std::size_t>(Share::Forward)] == 5);
    CHECK(busy[static_cast<std::size_t>(Share::Backward)] == 5);
}

TEST_CASE("a sweep gives the same sums as a search at every instant")
{
    std::mt19937 random(7);
    const std::vector<Share> kinds{Share::Forward, Share::Backward, Share::Communication};
    std::vector<engine::Span> spans;
    for (int k = 0; k < 900; ++k) {
        const std::int64_t begin = k * 7 + static_cast<std::int64_t>(random() % 7);
        const std::int64_t length = k % 50 == 0 ? 400 : static_cast<std::int64_t>(random() % 9);
        spans.push_back({begin, begin + length, static_cast<std::uint32_t>(random() % 3), 0});
        if (k % 10 == 0)
            spans.push_back({begin, begin + length, spans.back().op == 0 ? 1U : 0U, 0}); // joint
    }
    const app::BusyIndex index(spans, kinds);
    for (const double step : {0.25, 3.0, 60.0, 900.0}) { // within a span, up to over many blocks
        app::BusyIndex::Sweep sweep(index);
        for (double time = -20; time < 7000; time += step)
            CHECK(sweep.before(time) == index.before(time));
    }
    const app::BusyIndex none({}, kinds);
    CHECK(app::BusyIndex::Sweep(none).before(5) == app::Busy{});
}
