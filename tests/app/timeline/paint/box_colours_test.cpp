#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/legend.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QImage>
#include <QPainter>

#include <algorithm>

using app::BoxColours;
using app::ColourBy;

namespace {

engine::Op forward(int microBatch)
{
    engine::Op op;
    op.kind = engine::OpKind::Forward;
    op.microBatch = engine::MicroBatchId{microBatch};
    return op;
}

} // namespace

TEST_CASE("boxes are coloured by chunk and by duration, and the legend follows")
{
    for (const auto mode : {profiler::ThemeMode::Light, profiler::ThemeMode::Dark}) {
        const app::Theme theme = app::makeTheme(mode);
        BoxColours colours(theme, 1);
        const auto fill = [&](int chunk, double length) {
            return colours.lookOf(forward(0), chunk, length, BoxColours::Emphasis::Normal).fill;
        };
        colours.setColourBy(ColourBy::Chunk);
        CHECK(fill(0, 1) != fill(1, 1));
        CHECK(fill(0, 0.1) == fill(0, 1));
        const app::RunView view(sample::measured({"bitpipe", 4, 4, 1}));
        const auto legend = [&] {
            return app::legendOf({{&view, 1}}, colours, app::LegendDetail::WithMemory).left;
        };
        CHECK(legend().front().text == "chunk 0: forward, backward");
        CHECK(legend()[1].text == "1");

        colours.setColourBy(ColourBy::Duration);
        CHECK(fill(0, 0.05) != fill(0, 1));
        CHECK(fill(0, 1) == fill(1, 1));
        CHECK(fill(0, 7) == fill(0, 1)); // longer than the longest of the run
        CHECK(legend().front().fills.size() == profiler::kDurationSteps);
        CHECK(legend().front().text.starts_with("duration of an op, 0 to "));
        engine::Op step = forward(0);
        step.kind = engine::OpKind::OptimizerStep;
        CHECK(colours.lookOf(step, 0, 1, BoxColours::Emphasis::Normal).fill
              == colours.look(engine::OpKind::OptimizerStep, 0, BoxColours::Emphasis::Normal).fill);
    }
}

// The legend listed an optimizer step that takes no time, and buffers of a run without buffers.
TEST_CASE("the legend lists optimizer steps and memory only if they occur")
{
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const BoxColours colours(theme, 1);
    const auto has = [&](const engine::Run& run, const char* text) {
        const app::RunView view(std::make_shared<const engine::Run>(run));
        const auto legend = app::legendOf({{&view, 1}}, colours, app::LegendDetail::WithMemory);
        const auto isNamed = [text](const profiler::LegendEntry& entry) {
            return entry.text.find(text) != std::string::npos;
        };
        return std::ranges::any_of(legend.left, isNamed)
            || std::ranges::any_of(legend.right, isNamed);
    };
    CHECK_FALSE(has(*sample::units({"1f1b", 2, 2, 1}), "optimizer"));
    engine::Run run = *sample::measured({"1f1b", 2, 2, 1});
    CHECK(has(run, "stash, buffers"));
    CHECK(has(run, "optimizer, gradients, weights"));
    std::erase_if(run.timeline.memory, [](const engine::MemoryEvent& event) {
        return event.category == engine::MemoryCategory::Buffers
            || event.category == engine::MemoryCategory::Optimizer;
    });
    CHECK_FALSE(has(run, "buffers"));
    CHECK(has(run, "gradients, weights"));
}

// Where not all memory fitted, the legend omitted the stash, the largest part of it.
TEST_CASE("a legend returns the entries that it has no room for")
{
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const BoxColours colours(theme, 1);
    const app::RunView view(sample::measured({"bitpipe", 4, 4, 1}));
    const auto legend = app::legendOf({{&view, 1}}, colours, app::LegendDetail::WithMemory);
    QImage image(2000, 32, QImage::Format_RGB32);
    QPainter painter(&image);
    const auto hidden = [&](double width) {
        return app::paintLegend(painter, legend, colours, {0, 0, width, 32});
    };
    CHECK(hidden(2000).isEmpty());
    const auto all = static_cast<qsizetype>(legend.left.size() + legend.right.size());
    CHECK(hidden(40).size() == all - 1); // the first stays
    CHECK(hidden(400).size() < all);
    CHECK(hidden(400).contains(QString::fromStdString(legend.right.back().text)));
}

TEST_CASE("a narrow legend names the stash before other memory")
{
    const app::Theme theme = app::makeTheme(profiler::ThemeMode::Light);
    const BoxColours colours(theme, 1);
    const app::RunView view(sample::measured({"1f1b", 2, 2, 1}));
    auto legend = app::legendOf({{&view, 1}}, colours, app::LegendDetail::WithMemory);
    legend.left.clear();
    REQUIRE(legend.right.size() == 2);
    QImage image(250, 32, QImage::Format_RGB32); // fits one of the two
    image.fill(theme.chrome.surface);
    QPainter painter(&image);
    app::paintLegend(painter, legend, colours, image.rect());
    painter.end();
    int pixels = 0;
    for (int x = 0; x < image.width(); ++x)
        pixels += image.pixelColor(x, image.height() / 2) == app::toQt(theme.palette.stash) ? 1 : 0;
    CHECK(pixels > 0);
}

TEST_CASE("overlapping ops of a device are counted, joint ops are not")
{
    engine::Run run = *sample::units({"1f1b", 2, 4, 1});
    CHECK(app::RunView(std::make_shared<engine::Run>(run)).occurs().overlaps == 0);
    for (engine::Track& track : run.timeline.tracks)
        if (track.kind == engine::Track::Kind::Compute && track.device.value == 0)
            track.spans[0].end += 1; // into the next op
    CHECK(app::RunView(std::make_shared<engine::Run>(run)).occurs().overlaps == 1);
    CHECK(app::RunView(sample::units({"dualpipe", 4, 8, 1})).occurs().overlaps == 0);
}
