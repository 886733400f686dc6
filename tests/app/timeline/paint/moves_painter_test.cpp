#include "app/timeline/paint/lane_painter.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QImage>
#include <QPainter>

using namespace app;

namespace {

// BPipe, D = 4: device 0 evicts to device 3. Lanes have only boxes, with the moves below them.
struct Moves
{
    explicit Moves(double height)
        : view(sample::measured({"bpipe", 4, 8, 1}))
        , lanes(layoutLanes(4, {height, {}, {}}))
        , axis{static_cast<double>(view.extent().begin), static_cast<double>(view.extent().end), 0,
               1000, 1}
    {
        for (const engine::Span& span : view.spans(engine::DeviceId{0}, engine::Track::Kind::Copy))
            if (view.op(span.op).kind == engine::OpKind::Evict) {
                evict = span;
                return;
            }
        FAIL("device 0 evicts nothing");
    }

    Selection at(int device) const
    {
        const Lane& lane = lanes[static_cast<std::size_t>(device)];
        const double x = axis.x(static_cast<double>(evict.begin + evict.end) / 2);
        return selectionAt(view, axis, lanes, {x, lane.movesTop() + 2}, nullptr);
    }

    RunView view;
    std::vector<Lane> lanes;
    TimeAxis axis;
    engine::Span evict;
};

} // namespace

TEST_CASE("an evict is found on its device and on its partner, and both ends have a rectangle")
{
    for (const double height : {4 * 60.0, 4 * 140.0}) {
        const Moves moves(height);
        CAPTURE(height);
        CHECK(moves.view.evictorOf({3}) == engine::DeviceId{0});
        CHECK_FALSE(moves.view.evictorOf({0}).has_value());
        const Selection here = moves.at(0), there = moves.at(3);
        CHECK(here.kind == Selection::Kind::Op);
        CHECK(here.op == moves.evict.op);
        CHECK(there == here);
        const auto [from, to] = moveRects(moves.view, moves.axis, moves.lanes, here);
        CHECK(from.top() == moves.lanes[0].movesTop());
        CHECK(to.top() == moves.lanes[3].movesTop());
        CHECK(from.left() == to.left());
        CHECK(moves.at(1).kind != Selection::Kind::Op); // its partner is device 2
    }
}

TEST_CASE("an evict is painted in the colour of transfers on both partners")
{
    const Moves moves(4 * 60);
    const Theme theme = makeTheme(profiler::ThemeMode::Light);
    const BoxColours colours(theme, 1);
    QImage image(1000, 240, QImage::Format_RGB32);
    image.fill(Qt::white);
    {
        QPainter painter(&image);
        for (int device = 0; device < 4; ++device)
            paintMoves({painter, moves.view, moves.axis, colours, moves.lanes},
                       engine::DeviceId{device});
    }
    const auto x = static_cast<int>(
        moves.axis.x(static_cast<double>(moves.evict.begin + moves.evict.end) / 2));
    for (const std::size_t device : {0, 3})
        CHECK(image.pixelColor(x, static_cast<int>(moves.lanes[device].movesTop()) + 2)
              == toQt(theme.palette.communication));
}
