#include "app/timeline/view/navigation.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <map>

namespace {

using app::Piece;
using engine::DeviceId;

std::vector<Piece> walked(const app::RunView& view, DeviceId device, const app::TimeAxis& axis)
{
    std::vector<Piece> pieces;
    app::walkLane(view, device, axis, [&](const Piece& piece) { pieces.push_back(piece); });
    return pieces;
}

app::TimeAxis whole(const app::RunView& view, double width)
{
    const auto extent = view.extent();
    return {static_cast<double>(extent.begin), static_cast<double>(extent.end), 0, width, 1};
}

} // namespace

TEST_CASE("the pieces of a lane cover every instant exactly once")
{
    const app::RunView view(sample::measured({"bitpipe", 4, 8, 3}));
    for (const double width : {90.0, 400.0, 5000.0}) {
        for (int d = 0; d < 4; ++d) {
            const auto axis = whole(view, width);
            std::int64_t time = axis.window().begin;
            for (const Piece& piece : walked(view, DeviceId{d}, axis)) {
                CHECK(piece.window.begin <= time);
                CHECK(piece.window.end > time);
                time = piece.window.end;
            }
            CHECK(time >= axis.window().end);
        }
    }
}

TEST_CASE("what is drawn as bubble, exposed and compute is what the metrics say")
{
    const app::RunView view(sample::measured({"bitpipe", 4, 8, 1}));
    const auto* metrics = view.metrics(0);
    REQUIRE(metrics);
    for (int d = 0; d < 4; ++d) {
        std::map<Piece::Kind, std::int64_t> sum;
        for (const Piece& piece : walked(view, DeviceId{d}, whole(view, 1e7)))
            sum[piece.kind] += piece.window.duration();
        const auto& device = metrics->devices[{d}];
        CHECK(sum[Piece::Kind::Op] == device.compute);
        CHECK(sum[Piece::Kind::Exposed] == device.exposedCommunication);
        CHECK(sum[Piece::Kind::Bubble] == device.bubble);
        CHECK(sum[Piece::Kind::Dense] == 0);
    }
}

TEST_CASE("a box that is large enough is drawn, even after a run of ops too small to see")
{
    // 2000 ops of one tick each, then one of 5000, in a view of 100 ticks a pixel.
    auto run = std::make_shared<engine::Run>(*sample::units({"1f1b", 1, 4, 1}));
    auto& track = run->timeline.tracks.front();
    REQUIRE(track.kind == engine::Track::Kind::Compute);
    track.spans.clear();
    for (std::int64_t t = 0; t < 2000; ++t)
        track.spans.push_back({t, t + 1, static_cast<std::uint32_t>(t % 2), 0});
    track.spans.push_back({2000, 7000, 0, 0});
    run->timeline.iterations.front().window = {0, 10'000};
    const app::RunView view(run);
    const auto pieces = walked(view, DeviceId{0}, {0, 10'000, 0, 100, 1});
    REQUIRE(pieces.size() == 3);
    CHECK(pieces[0].kind == Piece::Kind::Dense);
    CHECK(pieces[0].window == engine::Window{0, 2000});
    CHECK(pieces[1].kind == Piece::Kind::Op);
    CHECK(pieces[1].window == engine::Window{2000, 7000});
    CHECK(pieces[2].kind == Piece::Kind::Bubble);
}

TEST_CASE("adjoining optimizer steps are one box")
{
    const app::RunView view(sample::measured({"1f1b", 2, 2, 1}));
    int boxes = 0;
    for (const Piece& piece : walked(view, DeviceId{0}, whole(view, 1e6)))
        boxes += piece.kind == Piece::Kind::Op
            && view.op(piece.op).kind == engine::OpKind::OptimizerStep;
    CHECK(boxes == 1);
}
