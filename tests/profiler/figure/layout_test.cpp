#include "profiler/figure/font_metrics.h"
#include "profiler/figure/layout.h"
#include "profiler/figure/scene.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"
#include "tests/profiler/figure/figure_runs.h"

#include <algorithm>
#include <cmath>

using namespace profiler;

namespace {

Scene figure(const std::vector<engine::Run>& runs, const FigureOptions& options = {})
{
    std::vector<const engine::Run*> pointers;
    for (const auto& run : runs)
        pointers.push_back(&run);
    auto scene = layoutFigure(pointers, options);
    if (!scene)
        FAIL(scene.error().message);
    return *std::move(scene);
}

std::string refusal(const std::vector<engine::Run>& runs, const FigureOptions& options)
{
    std::vector<const engine::Run*> pointers;
    for (const auto& run : runs)
        pointers.push_back(&run);
    const auto scene = layoutFigure(pointers, options);
    REQUIRE_FALSE(scene.has_value());
    return scene.error().message;
}

template<class ShapeType>
std::vector<ShapeType> all(const Scene& scene, std::string_view cls)
{
    std::vector<ShapeType> found;
    for (const Group& group : scene.groups)
        for (const SceneShape& shape : group.shapes)
            if (const auto* s = std::get_if<ShapeType>(&shape); s && s->cls.starts_with(cls))
                found.push_back(*s);
    return found;
}

double left(const Text& text, double width)
{
    const double share[] = {0, 0.5, 1};
    return text.x - width * share[static_cast<std::size_t>(text.anchor)];
}

bool contains(const Rect& r, double x, double y)
{
    return r.x <= x && x <= r.x + r.width && r.y <= y && y <= r.y + r.height;
}

// Every text and box lies on the page, none is smaller than 5 pt, and every number stands in a box.
void checkPage(const Scene& scene)
{
    const FontFace font = loadFont(scene.font).value();
    for (const Group& group : scene.groups) {
        Rect last;
        for (const SceneShape& shape : group.shapes) {
            if (const auto* box = std::get_if<Box>(&shape)) {
                last = box->rect;
                CHECK(last.x >= 0);
                CHECK(last.y >= 0);
                CHECK(last.x + last.width <= scene.width);
                CHECK(last.y + last.height <= scene.height);
            }
            const auto* text = std::get_if<Text>(&shape);
            if (!text)
                continue;
            CAPTURE(group.id, text->text, text->cls, text->x, text->size);
            const auto& metrics = text->bold ? font.bold : font.regular;
            const double width = metrics.width(text->text, text->size);
            const double x = left(*text, width);
            CHECK(text->size >= kSmallestType);
            CHECK(x >= -0.01);
            CHECK(x + width <= scene.width + 0.01);
            CHECK(text->baseline <= scene.height);
            if (text->cls != "micro-batch")
                continue;
            CHECK(contains(last, x, text->baseline));
            CHECK(contains(last, x + width, text->baseline - metrics.capHeight(text->size)));
        }
    }
}

engine::Note note(std::int64_t begin, std::string text, int iteration = -1)
{
    engine::Note result;
    result.id = 1;
    result.window = {begin, begin + 10};
    result.iteration = iteration;
    result.text = std::move(text);
    return result;
}

std::vector<std::string> texts(const Scene& scene, std::string_view cls)
{
    std::vector<std::string> found;
    for (const Text& text : all<Text>(scene, cls))
        found.push_back(text.text);
    return found;
}

} // namespace

TEST_CASE("a BitPipe figure with D = N = 4 has 64 op boxes, each with its op")
{
    const Scene scene = figure({tests::unitRun("bitpipe", 4, 4)});
    const auto ops = all<Box>(scene, "op ");
    CHECK(ops.size() == 64);
    for (const Box& box : ops) {
        CHECK_FALSE(box.op.empty());
        CHECK_FALSE(box.id.empty());
        CHECK((box.cut > 0) == (box.cls.find(" up") != std::string::npos));
    }
    CHECK(scene.groups[0].id == "device-0");
    CHECK(all<Text>(scene, "micro-batch").size() == 64);
    CHECK(all<Line>(scene, "up-mark").size() == 32);
    CHECK(all<Text>(scene, "bubble-share").empty()); // equal in all rows
    CHECK(all<Text>(scene, "time-unit")[0].text == "time in F, bubble 14.3\u2009%");
    CHECK(scene.title == "BitPipe, D = 4, N = 4, v = 2");
    CHECK(scene.date == "20261121034633");
}

TEST_CASE("widths are proportional to durations: B is twice F, bubbles fill the rest")
{
    const Scene scene = figure({tests::unitRun("1f1b", 4, 8)});
    double forward = 0, backward = 0, bubble = 0;
    for (const Box& box : all<Box>(scene, "op F")) {
        if (forward > 0)
            CHECK(box.rect.width == Approx(forward));
        forward = box.rect.width;
    }
    for (const Box& box : all<Box>(scene, "op B"))
        backward = box.rect.width;
    for (const Hatch& hatch : all<Hatch>(scene, "bubble"))
        bubble += hatch.cls == "bubble" && hatch.rect.height > 9 ? hatch.rect.width : 0;
    CHECK(backward == Approx(2 * forward));
    // (D - 1) / (N + D - 1) of the iteration of 33 F, on four rows.
    CHECK(bubble == Approx(4 * 9 * forward));
}

TEST_CASE("nothing leaves the page, nothing is under 5 pt, every number is inside its box")
{
    for (const auto& preset : figurePresets())
        for (const char* scheme : {"gpipe", "1f1b", "bitpipe"}) {
            CAPTURE(preset.name, scheme);
            FigureOptions options;
            options.width = preset.inches * kPointsPerInch;
            options.fontSize = preset.fontSize;
            checkPage(figure({tests::unitRun(scheme, 4, 8)}, options));
            checkPage(figure({tests::measuredRun(scheme, 4, 16), tests::measuredRun("1f1b", 4, 16)},
                             options));
        }
}

TEST_CASE("at 3.33 in the 128 numbers of BitPipe D 4, N 8 fit at 5 pt or more")
{
    const Scene scene = figure({tests::unitRun("bitpipe", 4, 8)});
    const auto numbers = all<Text>(scene, "micro-batch");
    CHECK(numbers.size() == 128);
    for (const Text& number : numbers)
        CHECK(number.size == numbers[0].size);
}

TEST_CASE("a row has all its numbers, or none if one does not fit at 5 pt")
{
    const Scene full = figure({tests::unitRun("bitpipe", 4, 32)});
    CHECK(all<Text>(full, "micro-batch").empty());
    checkPage(full);
    engine::Run run = tests::unitRun("1f1b", 4, 8);
    for (engine::Track& track : run.timeline.tracks)
        if (track.device == engine::DeviceId{2} && track.kind == engine::Track::Kind::Compute)
            track.spans.front().end = track.spans.front().begin + 1;
    const Scene scene = figure({run});
    for (const Group& row : scene.groups) {
        if (!row.id.starts_with("device-"))
            continue;
        CAPTURE(row.id);
        std::size_t numbers = 0;
        for (const SceneShape& shape : row.shapes)
            if (const auto* text = std::get_if<Text>(&shape))
                numbers += text->cls == "micro-batch" ? 1 : 0;
        CHECK(numbers == (row.id == "device-2" ? 0 : 16));
    }
    // The row without numbers does not make the others smaller.
    CHECK(all<Text>(scene, "micro-batch").front().size == 5.5);
}

TEST_CASE("the title of the axis is beside or below its numbers, never in the legend")
{
    for (const double inches : {2.0, 3.33, 7.0}) {
        FigureOptions options;
        options.width = inches * kPointsPerInch;
        const Scene scene = figure({tests::measuredRun("bitpipe", 4, 8)}, options);
        checkPage(scene);
        const auto title = all<Text>(scene, "time-unit").at(0);
        const double numbers = all<Text>(scene, "tick-label").at(0).baseline;
        CHECK(title.baseline - numbers < 2 * options.fontSize);
        CHECK(title.baseline < all<Text>(scene, "legend-text").at(0).baseline);
    }
}

TEST_CASE("the column of shares has a title, also beside the heading of a run")
{
    FigureOptions options;
    options.width = 7 * kPointsPerInch;
    for (const bool hasTitle : {false, true}) {
        options.title = hasTitle;
        const Scene scene = figure({tests::measuredRun("bitpipe", 4, 8)}, options);
        checkPage(scene);
        const auto titles = all<Text>(scene, "column-title");
        REQUIRE(titles.size() == 1);
        CHECK(titles[0].text == "bubble");
        CHECK(titles[0].x == all<Text>(scene, "bubble-share").at(0).x);
        CHECK(titles[0].baseline < all<Box>(scene, "op ").at(0).rect.y);
        if (hasTitle)
            CHECK(titles[0].baseline == Approx(all<Text>(scene, "run-title").at(0).baseline));
    }
    CHECK(all<Text>(figure({tests::unitRun("bitpipe", 4, 4)}), "column-title").empty());
}

TEST_CASE("a figure that is higher than a page is refused with how much of it fits")
{
    std::vector<engine::Run> runs(30, tests::measuredRun("1f1b", 4, 4));
    const std::string reason = refusal(runs, {});
    CAPTURE(reason);
    CHECK(reason.find(" inches and has 9; ") != std::string::npos);
    const auto at = reason.find("; ") + 2;
    const std::size_t fit = std::stoul(reason.substr(at));
    CHECK(reason.substr(at).starts_with(std::to_string(fit) + " of 30 runs fit: draw fewer runs"));
    runs.resize(fit + 1, runs.front());
    CHECK(refusal(runs, {}).find(std::to_string(fit) + " of ") != std::string::npos);
    runs.pop_back();
    CHECK(figure(runs).height <= 9 * kPointsPerInch);
    FigureOptions endless;
    endless.pageHeight = 0;
    CHECK(figure(std::vector(30, runs.front()), endless).height > 9 * kPointsPerInch);
    CHECK(refusal({tests::unitRun("1f1b", 128, 128)}, {}).find(" of 128 rows fit: ")
          != std::string::npos);
}

TEST_CASE("the difference of a run has the interval that a comparison states")
{
    // The iterations of a run, each with a duration in ms.
    const auto measured = [](std::vector<std::int64_t> durations) {
        engine::Run run = tests::measuredRun("1f1b", 2, 2);
        const auto one = run.timeline.iterations.front();
        run.timeline.iterations.clear();
        for (const std::int64_t duration : durations) {
            run.timeline.iterations.push_back(one);
            run.timeline.iterations.back().window.end = one.window.begin + duration * 1'000'000;
        }
        return run;
    };
    const auto facts = [](const engine::Run& base, const engine::Run& run) {
        return texts(figure({base, run}), "run-facts").at(1);
    };
    const engine::Run base = measured({100, 100, 101, 102, 100});
    const auto shorter = facts(base, measured({80, 81, 80, 82, 80}));
    CHECK(shorter.find("20.0\u2009% shorter (95 %: 1") != std::string::npos);
    const auto unclear = facts(base, measured({60, 102, 99, 150, 100}));
    CHECK(unclear.find("no clear difference (95 %: \u2212") != std::string::npos);
    const auto one = facts(measured({100}), measured({80}));
    CHECK(one.ends_with("20.0\u2009% shorter, spread unknown"));
}

TEST_CASE("stacked runs share one scale and show the gap to the first")
{
    const Scene scene
        = figure({tests::measuredRun("1f1b", 4, 8), tests::measuredRun("bitpipe", 4, 8)});
    double first = 0, second = 0;
    for (const Box& box : all<Box>(scene, "op F"))
        (box.id.starts_with("run0") ? first : second) = box.rect.width;
    CHECK(first == Approx(2 * second)); // a chunk of BitPipe's is half a stage of 1F1B's
    CHECK(all<Text>(scene, "run-title").size() == 2);
    CHECK(all<Line>(scene, "run-end").size() == 2);
    CHECK(all<Line>(scene, "baseline").size() == 2);
    checkPage(scene);
}

TEST_CASE("options omit the parts that they name")
{
    const std::vector runs{tests::unitRun("bitpipe", 4, 4)};
    FigureOptions options;
    options.legend = options.timeAxis = options.microBatches = options.bubbleShare = false;
    options.directionMark = false;
    options.bubbles = BubbleStyle::Blank;
    options.devices = {2, 0};
    const Scene scene = figure(runs, options);
    CHECK(scene.groups.size() == 2);
    CHECK(scene.groups[0].id == "device-2");
    CHECK(all<Text>(scene, "").size() == 2); // the two row labels
    CHECK(all<Hatch>(scene, "").empty());
    for (const Box& box : all<Box>(scene, "op "))
        CHECK(box.cut == 0);
    options.title = true;
    CHECK(figure(runs, options).height > scene.height);
}

TEST_CASE("the legend has an entry only for what occurs")
{
    std::string texts;
    for (const Text& text : all<Text>(figure({tests::unitRun("gpipe", 2, 2)}), "legend-text"))
        texts += text.text + ";";
    CHECK(texts == "forward;backward;bubble;");
    texts.clear();
    FigureOptions wide;
    wide.width = 7 * kPointsPerInch;
    for (const Text& text :
         all<Text>(figure({tests::measuredRun("bitpipe", 4, 4)}, wide), "legend-text"))
        texts += text.text + ";";
    CHECK(
        texts
        == "forward, chunk 0 and 1;backward;optimizer;exposed communication;direction up;bubble;");
}

TEST_CASE("the legend omits windows too narrow to be printed")
{
    engine::UnitCosts costs;
    costs.p2p = {1, 1000};
    const auto legendOf = [&](double inches) {
        FigureOptions options;
        options.width = inches * kPointsPerInch;
        std::string texts;
        for (const Text& text :
             all<Text>(figure({tests::unitRun("1f1b", 4, 8, costs)}, options), "legend-text"))
            texts += text.text + ";";
        return texts;
    };
    CHECK(legendOf(3.33).find("exposed") == std::string::npos);
    CHECK(legendOf(90).find("exposed communication") != std::string::npos);
}

TEST_CASE("a memory strip stands under every row, on one scale of bytes")
{
    engine::Run run = tests::unitRun("1f1b", 2, 2);
    const auto window = run.timeline.iterations[0].window;
    const auto at = [&](double share) {
        return window.begin + static_cast<std::int64_t>(share * window.duration());
    };
    using enum engine::MemoryCategory;
    constexpr std::int64_t MiB = 1 << 20;
    const auto event
        = [](std::int64_t time, std::int64_t bytes, int device, engine::MemoryCategory category) {
              engine::MemoryEvent e;
              e.time = time;
              e.bytes = bytes;
              e.device = static_cast<std::uint16_t>(device);
              e.category = category;
              return e;
          };
    run.timeline.memory
        = {event(window.begin, 2 * MiB, 0, Weights), event(window.begin, MiB, 1, Weights),
           event(at(0.25), 2 * MiB, 0, Stash), event(at(0.5), -2 * MiB, 0, Stash)};
    FigureOptions options;
    options.memory = true;
    const Scene scene = figure({run}, options);
    const auto peaks = all<Text>(scene, "memory-peak");
    REQUIRE(peaks.size() == 2);
    CHECK(peaks[0].text == "4.0 MiB");
    CHECK(peaks[1].text == "1.0 MiB");
    const auto heightOf = [](const Polygon& area) {
        double top = 1e9, bottom = 0;
        for (const auto& [x, y] : area.points) {
            top = std::min(top, y);
            bottom = std::max(bottom, y);
        }
        return bottom - top;
    };
    const auto resident = all<Polygon>(scene, "memory resident");
    const auto stash = all<Polygon>(scene, "memory stash");
    CHECK(heightOf(resident[0]) == Approx(2 * heightOf(resident[1])));
    CHECK(heightOf(stash[0]) == Approx(heightOf(resident[0])));
    CHECK(all<Text>(scene, "legend-text").back().text == "other memory");
    CHECK(refusal({tests::unitRun("1f1b", 2, 2)}, options)
          == "1F1B, D = 2, N = 2 has no recorded memory; remove the memory strip");
}

// Every strip searched the events of all rows: 17 billion steps here.
TEST_CASE("memory strips of many rows are drawn in a time that their events explain")
{
    constexpr int kDevices = 256, kEvents = 1000; // per device
    engine::Run run = tests::unitRun("1f1b", kDevices, 2);
    for (int i = 0; i < kEvents; ++i)
        for (std::uint16_t device = 0; device < kDevices; ++device)
            run.timeline.memory.push_back({i, device + 1, engine::MemoryEvent::kNoOp, device,
                                           engine::MemoryCategory::Weights});
    FigureOptions options;
    options.memory = true;
    options.pageHeight = 0;
    const auto peaks = all<Text>(figure({run}, options), "memory-peak");
    REQUIRE(peaks.size() == kDevices);
    CHECK(peaks.back().text == "250.0 KiB");
}

TEST_CASE("a slide is 16 : 9 with and without memory strips, and its figure is in the middle")
{
    using engine::MemoryEvent, engine::MemoryCategory;
    engine::Run run = tests::unitRun("1f1b", 20, 20);
    for (std::uint16_t d = 0; d < 20; ++d)
        run.timeline.memory.push_back({0, 1000, MemoryEvent::kNoOp, d, MemoryCategory::Weights});
    const FigurePreset slide = findFigurePreset("slide").value();
    FigureOptions options;
    options.width = slide.inches * kPointsPerInch;
    options.height = slide.heightInches * kPointsPerInch;
    options.margin = slide.marginInches * kPointsPerInch;
    options.fontSize = slide.fontSize;
    for (const bool memory : {false, true}) {
        options.memory = memory;
        const Scene scene = figure({run}, options);
        CHECK(scene.width / scene.height == Approx(16.0 / 9));
        double highest = scene.height, lowest = 0;
        for (const Group& group : scene.groups)
            for (const SceneShape& shape : group.shapes)
                if (const auto* box = std::get_if<Box>(&shape)) {
                    highest = std::min(highest, box->rect.y);
                    lowest = std::max(lowest, box->rect.y + box->rect.height);
                }
        CHECK(highest > options.margin);
        CHECK(lowest < scene.height - options.margin);
        CHECK(all<Text>(scene, "row-label").front().x == options.margin);
        CHECK(highest < 0.2 * scene.height); // 20 rows fill the slide
    }
    options.memory = false;
    const Scene small = figure({tests::unitRun("1f1b", 2, 2)}, options);
    const Rect first = all<Box>(small, "").front().rect;
    CHECK(first.y > 0.3 * small.height); // two rows
    CHECK(first.y < 0.5 * small.height);
    options.height = 100;
    options.margin = 0;
    CHECK(refusal({run}, options).find(" inches and has 1.39; ") != std::string::npos);
}

TEST_CASE("the error for a figure that cannot be drawn names the option")
{
    const std::vector runs{tests::unitRun("bitpipe", 4, 4)};
    FigureOptions small;
    small.fontSize = 4;
    CHECK(refusal(runs, small) == "a font size of 4 pt cannot be printed; use 5 to 72 pt");
    FigureOptions row;
    row.devices = {4};
    CHECK(refusal(runs, row) == "BitPipe, D = 4, N = 4, v = 2 has no device 4; rows are 0 to 3");
    FigureOptions iteration;
    iteration.iteration = 7;
    CHECK(refusal(runs, iteration)
          == "BitPipe, D = 4, N = 4, v = 2 has no iteration 7; it has 0 to 0");
    FigureOptions narrow;
    narrow.width = kPointsPerInch;
    narrow.fontSize = 20;
    CHECK(refusal(runs, narrow)
              .starts_with("a font of 20 pt leaves no space for the time axis in 1 inches"));
    CHECK(refusal({tests::unitRun("1f1b", 4, 4), tests::measuredRun("1f1b", 4, 4)}, {})
          == "1F1B, D = 4, N = 4 is in abstract units but 1F1B, D = 4, N = 4 is not, so they "
             "cannot share "
             "an axis; draw both with --times schematic");
    FigureOptions font;
    font.font = "No Such Face";
    CHECK(refusal(runs, font)
              .starts_with("the font 'No Such Face' is not installed; install the "
                           "package fonts-roboto-unhinted"));
}

TEST_CASE("a bubble share that all rows have is printed once, and the boxes get its width")
{
    const auto shares = [](const Scene& scene) {
        int count = 0;
        for (const Group& group : scene.groups)
            for (const SceneShape& shape : group.shapes) {
                const auto* text = std::get_if<Text>(&shape);
                count += text && text->cls == "bubble-share" ? 1 : 0;
            }
        return count;
    };
    const auto lastEdge = [](const Scene& scene) {
        double right = 0;
        for (const SceneShape& shape : scene.groups[0].shapes)
            if (const auto* box = std::get_if<Box>(&shape))
                right = std::max(right, box->rect.x + box->rect.width);
        return right;
    };
    const engine::Run equal = tests::unitRun("1f1b", 4, 8);
    const engine::Run* one[] = {&equal};
    const Scene once = layoutFigure(one, {}).value();
    CHECK(shares(once) == 0);
    CHECK(texts(once, "time-unit") == std::vector<std::string>{"time in F, bubble 27.3\u2009%"});
    const engine::Run different = tests::measuredRun("bitpipe", 4, 8);
    const engine::Run* other[] = {&different};
    const Scene each = layoutFigure(other, {}).value();
    CHECK(shares(each) == 4);
    CHECK(lastEdge(once) > lastEdge(each) + 10);
}

TEST_CASE("the hatch of a bubble ends inside the edges of the boxes above and below")
{
    const engine::Run run = tests::unitRun("bitpipe", 4, 4);
    const engine::Run* runs[] = {&run};
    const Scene scene = layoutFigure(runs, {}).value();
    int hatches = 0;
    for (const Group& row : scene.groups) {
        const Box* box = nullptr;
        for (const SceneShape& shape : row.shapes)
            if (const auto* one = std::get_if<Box>(&shape); one && one->cls.starts_with("op "))
                box = one;
        for (const SceneShape& shape : row.shapes) {
            const auto* hatch = std::get_if<Hatch>(&shape);
            if (!hatch || hatch->cls != "bubble" || !box)
                continue;
            ++hatches;
            CHECK(hatch->rect.y >= box->rect.y + box->stroke / 2 - 1e-9);
            CHECK(hatch->rect.y + hatch->rect.height
                  <= box->rect.y + box->rect.height - box->stroke / 2 + 1e-9);
        }
    }
    CHECK(hatches > 4);
}

TEST_CASE("an overlapped all-reduce and messages are lanes below their rows")
{
    FigureOptions options;
    options.communication = true;
    const Scene scene = figure({tests::measuredRun("bitpipe", 4, 4)}, options);
    checkPage(scene);
    const auto rows = all<Text>(scene, "row-label");
    const auto reduces = all<Box>(scene, "transfer ALLREDUCE");
    CHECK(reduces.size() == 16); // four stages on each of four devices
    CHECK(all<Box>(scene, "transfer SEND").size() == 48);
    const auto ops = all<Box>(scene, "op ");
    const auto isOverlapped = [&](const Box& reduce) {
        return std::ranges::any_of(ops, [&](const Box& op) {
            return op.rect.y < reduce.rect.y && op.rect.y + 30 > reduce.rect.y
                && op.rect.x < reduce.rect.x + reduce.rect.width
                && reduce.rect.x < op.rect.x + op.rect.width;
        });
    };
    CHECK(std::ranges::any_of(reduces, isOverlapped));
    const auto legend = all<Text>(scene, "legend-text");
    for (const char* name : {"sent", "received", "all-reduces"}) // short, to fit on fewer lines
        CHECK(std::ranges::count(legend, name, &Text::text) == 1);
    CHECK(all<Box>(figure({tests::measuredRun("bitpipe", 4, 4)}), "transfer").empty());
}

// Two rows of a figure read "BitPipe, D 8, N 16, v 2".
TEST_CASE("the titles of a figure name the option that differs, and their facts stay on the page")
{
    engine::Run direct = tests::measuredRun("bitpipe", 4, 4), early = direct;
    direct.info.command = "bscope simulate --scheme bitpipe";
    early.info.command = "bscope simulate --scheme bitpipe --set concat=early --sync late";
    const Scene scene = figure({direct, early});
    checkPage(scene);
    const auto titles = all<Text>(scene, "run-title");
    REQUIRE(titles.size() == 2);
    CHECK(titles[0].text == "BitPipe, D = 4, N = 4, v = 2");
    CHECK(titles[1].text == "BitPipe, concat=early, --sync late, D = 4, N = 4, v = 2");
    FigureOptions narrow;
    narrow.width = 150;
    checkPage(figure({direct, early}, narrow));
}

TEST_CASE("a figure of a range draws the parts of ops in it and its own shares of bubbles")
{
    const engine::Run run = tests::measuredRun("1f1b", 4, 4); // F 1 ms, B 2 ms
    FigureOptions options;
    options.range = {2.5, 7.5};
    const Scene scene = figure({run}, options);
    const Box first = all<Box>(scene, "op ").front();
    CHECK(first.cls == "op F cut");
    CHECK(first.stroke == 0); // a cut op has no edge
    CHECK(all<Text>(scene, "tick-label").front().text == "2.5");
    CHECK(all<Text>(scene, "bubble-share").size() == 4);
    double bubble = 0, row = 0;
    for (const SceneShape& shape : scene.groups[0].shapes) {
        if (const auto* hatch = std::get_if<Hatch>(&shape))
            bubble += hatch->rect.width;
        if (const auto* text = std::get_if<Text>(&shape); text && text->cls == "bubble-share")
            row = std::stod(text->text);
    }
    const Line axis = all<Line>(scene, "axis").front();
    CHECK(row == Approx(100 * bubble / (axis.x2 - axis.x1)).margin(0.05));
    checkPage(scene);
    options.title = true;
    CHECK(all<Text>(figure({run}, options), "run-facts")[0].text.starts_with("2.5 to 7.5 of "));
    options.range = {500, 600};
    CHECK(refusal({run}, options).find("nothing to draw from 500 to 600 ms") != std::string::npos);
}

TEST_CASE("the figure of a range that is the iteration is the figure of the iteration")
{
    const engine::Run run = tests::measuredRun("bitpipe", 4, 4);
    FigureOptions options;
    const Scene whole = figure({run}, options);
    const auto& last = run.timeline.iterations.back().window;
    options.range = {0, static_cast<double>(last.duration()) / 1e6};
    CHECK(toSvg(figure({run}, options)) == toSvg(whole));
}

TEST_CASE("runs that end after the range have no end line")
{
    FigureOptions options;
    options.range = {0, 3};
    const Scene scene
        = figure({tests::measuredRun("1f1b", 4, 8), tests::measuredRun("bitpipe", 4, 8)}, options);
    CHECK(all<Line>(scene, "run-end").empty());
    CHECK(all<Line>(scene, "baseline").empty());
    checkPage(scene);
}

// B covered the F that the device runs at the same time.
TEST_CASE("a joint F and B of DualPipe are one cell, with F above")
{
    const Scene scene = figure({tests::unitRun("dualpipe", 4, 8)});
    int halves = 0;
    for (const Group& group : scene.groups) {
        std::vector<Box> boxes;
        for (const SceneShape& shape : group.shapes)
            if (const auto* box = std::get_if<Box>(&shape); box && box->cls.starts_with("op "))
                boxes.push_back(*box);
        for (std::size_t i = 1; i < boxes.size(); ++i) {
            const Rect &one = boxes[i - 1].rect, &other = boxes[i].rect;
            if (one.x != other.x)
                continue;
            ++halves;
            const bool isFirstAbove = boxes[i - 1].cls.starts_with("op F");
            CHECK((isFirstAbove ? one : other).y + one.height
                  == Approx((isFirstAbove ? other : one).y));
        }
    }
    CHECK(halves > 10);
    checkPage(scene);
}

TEST_CASE("notes of the drawn iteration stand above its rows, numbered by time")
{
    const auto run = sample::measured({"1f1b", 2, 2, 2});
    const engine::Run* runs[] = {run.get()};
    const engine::Window last = run->timeline.iterations[1].window;
    const std::int64_t third = last.duration() / 3;
    const std::vector<std::vector<engine::Note>> notes{
        {note(run->timeline.iterations[0].window.begin, "of the first iteration"),
         note(last.begin + 5, "fill"), note(last.begin + third, ""),
         note(last.begin + 2 * third, "the drain begins here and goes on for quite a while"),
         note(last.begin + third, "of another one", 0)}};
    FigureOptions options;
    const auto without = layoutFigure(runs, options, notes);
    REQUIRE(without);
    CHECK(texts(*without, "note-number").empty());
    options.notes = true;
    const auto with = layoutFigure(runs, options, notes);
    REQUIRE(with);
    CHECK(texts(*with, "note-number") == std::vector<std::string>{"1", "3"}); // 2 is a bookmark
    const auto words = texts(*with, "note-words");
    REQUIRE(words.size() == 2);
    CHECK(words[0] == "fill");
    CHECK(words[1].find("the drain") == 0);
    CHECK(words[1].ends_with("\xE2\x80\xA6")); // cut at the edge of the figure
    CHECK(with->height > without->height);
    CHECK(layoutFigure(runs, options)->height == without->height); // nobody made one
}

TEST_CASE("the line of a note is at its time and crosses all rows")
{
    const auto run = sample::measured({"1f1b", 2, 2, 1});
    const engine::Run* runs[] = {run.get()};
    const engine::Window all = run->timeline.iterations[0].window;
    FigureOptions options;
    options.notes = true;
    const std::vector<std::vector<engine::Note>> notes{
        {note(all.begin, "a"), note(all.begin + all.duration() / 2, "b")}};
    const auto scene = layoutFigure(runs, options, notes);
    REQUIRE(scene);
    std::vector<Line> lines;
    for (const Group& group : scene->groups)
        if (group.id == "notes")
            for (const SceneShape& shape : group.shapes)
                if (const auto* line = std::get_if<Line>(&shape))
                    lines.push_back(*line);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].x1 == lines[0].x2);
    CHECK(lines[0].y2 - lines[0].y1 > 2 * options.fontSize); // both rows
    CHECK(lines[1].x1 > lines[0].x1);
    CHECK(lines[1].dashed);
}

// The time was quadratic in the length.
TEST_CASE("a long note is cut to the words that fit")
{
    const auto run = sample::measured({"1f1b", 2, 2, 1});
    const engine::Run* runs[] = {run.get()};
    const std::int64_t begin = run->timeline.iterations[0].window.begin;
    FigureOptions options;
    options.notes = true;
    const std::vector<std::vector<engine::Note>> notes{{note(begin, std::string(1'000'000, 'l'))}};
    const auto scene = layoutFigure(runs, options, notes);
    REQUIRE(scene);
    const auto words = texts(*scene, "note-words");
    REQUIRE(words.size() == 1);
    CHECK(words[0].ends_with("\xE2\x80\xA6"));
    CHECK(words[0].size() < 1024);
}

TEST_CASE("words end before the next note, and are left out where hardly a letter fits")
{
    const auto run = sample::measured({"1f1b", 2, 2, 1});
    const engine::Run* runs[] = {run.get()};
    const engine::Window all = run->timeline.iterations[0].window;
    FigureOptions options;
    options.notes = true;
    bool wereCut = false, wereLeftOut = false;
    for (int part = 1; part < 100; ++part) {
        CAPTURE(part);
        const std::vector<std::vector<engine::Note>> notes{
            {note(all.begin, "illlllllllllllllllllllllllllllllllllll"),
             note(all.begin + all.duration() * part / 200, ""), note(all.end, "behind the end")}};
        const auto scene = layoutFigure(runs, options, notes);
        REQUIRE(scene);
        const auto words = texts(*scene, "note-words");
        CHECK(words.size() <= 1);
        wereLeftOut = wereLeftOut || words.empty();
        if (words.empty() || !words[0].ends_with("\xE2\x80\xA6"))
            continue;
        wereCut = true;
        CHECK(words[0].size() >= 3 + 3); // letters, and the three bytes of the sign
    }
    CHECK(wereCut);
    CHECK(wereLeftOut);
}
