#include "app/timeline/details/details.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/navigation.h"
#include "app/timeline/widget/timeline_widget.h"
#include "tests/app/gpu_sample.h"
#include "tests/catch.h"

#include <QImage>
#include <QPainter>

#include <algorithm>

using namespace app;

namespace {

// Each op of the compute lanes launched half of its time earlier; within the first one a library
// marks a range, and one within that.
engine::GpuTrace ranged(const engine::Run& run)
{
    engine::GpuTrace trace = sample::launches(run);
    const auto text = [&trace](const char* words) {
        trace.strings.emplace_back(words);
        return static_cast<std::uint32_t>(trace.strings.size() - 1);
    };
    for (const engine::Track& track : run.timeline.tracks) {
        if (track.kind != engine::Track::Kind::Compute)
            continue;
        std::int64_t free = -1'000'000'000;
        for (const engine::Span& span : track.spans) {
            const std::int64_t half = (span.end - span.begin) / 2;
            trace.launches.push_back({{std::max(free, span.begin - half), span.begin + half / 2},
                                      {span.op, span.iteration},
                                      0});
            free = span.begin + half / 2;
        }
    }
    const engine::GpuOpLaunch& first = trace.launches.front();
    const std::int64_t begin = first.window.begin, quarter = first.window.duration() / 4;
    const std::uint32_t nccl = text("NCCL");
    trace.ranges = {{{begin + quarter, begin + 3 * quarter},
                     first.of,
                     text("ncclGroup"),
                     nccl,
                     0,
                     0,
                     1,
                     {},
                     true},
                    {{begin + quarter, begin + 2 * quarter},
                     first.of,
                     text("ncclSend"),
                     nccl,
                     0,
                     0,
                     1,
                     {},
                     true},
                    {{begin, begin + quarter}, {}, text("of no op"), nccl, 0, 0, 1, {}, true}};
    return trace;
}

struct Ranged
{
    Ranged()
        : run(sample::measured({"1f1b", 2, 2, 1}))
        , view(run)
        , kernels(*run, profiler::GpuActivity(*run, ranged(*run)))
        , lanes(layoutLanes(2, {600, 42, {}, kernels.rows(), kernels.ranges().rows()}))
    { }
    TimeAxis axis() const
    {
        const engine::Window all = view.extent();
        return {static_cast<double>(all.begin), static_cast<double>(all.end), 0, 1000, 1};
    }

    std::shared_ptr<const engine::Run> run;
    RunView view;
    KernelView kernels;
    std::vector<Lane> lanes;
};

} // namespace

TEST_CASE("ranges of a device nest in rows: ops, then what libraries mark within them")
{
    const Ranged sample;
    const RangeView& ranges = sample.kernels.ranges();
    REQUIRE(ranges.rows() == std::vector<int>{3, 1});
    const engine::DeviceId device{0};
    CHECK(ranges.on(device, 0)[0].text == "0F0");
    CHECK(ranges.on(device, 1)[0].text == "ncclGroup");
    CHECK(ranges.on(device, 2)[0].text == "ncclSend");
    CHECK(ranges.on(device, 2)[0].domain == "NCCL");
    CHECK(ranges.leftOut() == 1);
    for (int row = 0; row < 3; ++row)
        for (std::size_t i = 1; i < ranges.on(device, row).size(); ++i)
            CHECK(ranges.on(device, row)[i - 1].window.end
                  <= ranges.on(device, row)[i].window.begin);
    const engine::Window second = ranges.on(device, 0)[1].window;
    const auto around = ranges.around(device, 0, {second.begin + 1, second.end - 1});
    REQUIRE(around.size() == 1);
    CHECK(around[0].window == second);
    CHECK(ranges.around(device, 0, {-2'000'000'000, -1'500'000'000}).empty());
    // What only touches the window belongs to it: a pixel may show both.
    const auto touches = [&](engine::Window window) {
        const auto found = ranges.around(device, 0, window);
        return std::ranges::count(found, second, &HostRange::window) == 1;
    };
    CHECK(touches({second.begin - 10, second.begin}));
    CHECK(touches({second.end, second.end + 10}));
    CHECK_FALSE(touches({second.end + 1, second.end + 10}));
}

TEST_CASE("ranges of an op that does not exist are dropped without a crash")
{
    const auto run = sample::measured({"1f1b", 2, 2, 1});
    engine::GpuTrace trace = ranged(*run);
    trace.launches[0].of.op = 1'000'000;
    trace.ranges[0].of.op = GENERATE_COPY(
        std::uint32_t{1'000'000}, static_cast<std::uint32_t>(engine::opCount(run->schedule)));
    CHECK(RangeView(*run, trace).leftOut() == 2);
}

TEST_CASE(
    "rows of ranges stand between the ops and the kernels, and a range is found under the pointer")
{
    const Ranged sample;
    const Lane& lane = sample.lanes[0];
    CHECK(lane.ranges == 3);
    CHECK(lane.rangeTop(0) == lane.computeTop() + lane.compute + 3);
    CHECK(lane.kernelTop(0) == lane.rangeTop(3));
    CHECK(lane.sendTop() >= lane.kernelTop(lane.kernels - 1) + Lane::kKernel);
    const TimeAxis axis = sample.axis();
    const HostRange& wanted = sample.kernels.ranges().on(engine::DeviceId{0}, 0)[3];
    const double x = axis.x(static_cast<double>(wanted.window.begin + wanted.window.end) / 2);
    const QPointF at(x, lane.rangeTop(0) + 4);
    CHECK(rangeAt(sample.kernels.ranges(), engine::DeviceId{0}, axis, lane, at) == &wanted);
    const Selection selected = selectionAt(sample.view, axis, sample.lanes, at, &sample.kernels);
    CHECK(selected.kind == Selection::Kind::Range);
    CHECK(selected.device == engine::DeviceId{0});
    CHECK(selected.window == wanted.window);
    const QString tip = rangeToolTip(sample.view, wanted);
    CHECK(tip.contains(QString::fromStdString(wanted.text)));
    CHECK(tip.contains(QStringLiteral("on the host")));
}

TEST_CASE("the details of an NVTX range have its text, its domain and the work launched in it")
{
    const Ranged sample;
    const engine::DeviceId device{0};
    const HostRange& inner = sample.kernels.ranges().on(device, 2)[0];
    Selection selected;
    selected.kind = Selection::Kind::Range;
    selected.iteration = 0;
    selected.device = device;
    selected.window = inner.window;
    const Details library = detailsOf(sample.view, selected, &sample.kernels);
    CHECK(library.title == QStringLiteral("NVTX range"));
    const auto& rows = library.sections.front().rows;
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].value == QStringLiteral("ncclSend"));
    CHECK(rows[1].value == QStringLiteral("NCCL"));
    CHECK(rows[2].value == QStringLiteral("0F0"));
    selected.window = sample.kernels.ranges().on(device, 0)[3].window;
    const Details own = detailsOf(sample.view, selected, &sample.kernels);
    CHECK(own.sections.front().rows[1].value == QStringLiteral("range of the op"));

    --selected.window.begin; // a stretch that nobody marked
    CHECK(detailsOf(sample.view, selected, &sample.kernels).title == QStringLiteral("Range"));
    selected.window = inner.window;
    selected.device = {}; // dragged
    CHECK(detailsOf(sample.view, selected, &sample.kernels).title == QStringLiteral("Range"));
}

TEST_CASE("a range is painted where it is, and a pixel that many share has one")
{
    const Ranged sample;
    const Theme theme = makeTheme(profiler::ThemeMode::Light);
    QImage image(1000, 600, QImage::Format_RGB32);
    image.fill(Qt::white);
    const TimeAxis axis = sample.axis();
    const Lane& lane = sample.lanes[0];
    {
        QPainter painter(&image);
        paintRanges({painter, sample.view, axis, BoxColours(theme, 1), sample.lanes},
                    sample.kernels.ranges(), {{engine::DeviceId{0}}});
    }
    const int y = static_cast<int>(lane.rangeTop(0)) + 1; // above the words
    for (const HostRange& range : sample.kernels.ranges().on(engine::DeviceId{0}, 0)) {
        const auto middle = static_cast<int>(
            axis.x(static_cast<double>(range.window.begin + range.window.end) / 2));
        if (middle > 0)
            CHECK(image.pixelColor(middle, y) == theme.chrome.pressed);
    }
    CHECK(image.pixelColor(999, static_cast<int>(lane.rangeTop(1)) + 1) == QColor(Qt::white));
}

TEST_CASE("a device has as many rows of ranges as are ever open at once, and no more")
{
    const auto run = sample::measured({"1f1b", 2, 8, 1});
    const engine::GpuTrace trace = ranged(*run);
    const RangeView ranges(*run, trace);
    for (int device = 0; device < 2; ++device) {
        std::vector<HostRange> all;
        for (int row = 0; row < ranges.rows()[{device}]; ++row)
            for (const HostRange& range : ranges.on(engine::DeviceId{device}, row))
                all.push_back(range);
        std::ptrdiff_t most = 0;
        for (const HostRange& at : all)
            most = std::max(most, std::ranges::count_if(all, [&](const HostRange& range) {
                                return range.window.contains(at.window.begin);
                            }));
        CHECK(ranges.rows()[{device}] == most);
    }
}

TEST_CASE("ranges far narrower than a pixel paint what each of them alone would")
{
    const auto run = sample::measured({"1f1b", 1, 64, 1});
    engine::GpuTrace trace;
    trace.strings = {"step", "tool"};
    const engine::Window all = run->timeline.iterations[0].window;
    const std::int64_t tick = all.duration() / 20'000; // 20 a pixel
    for (std::int64_t k = 0; k < 20'000; ++k)
        if (k % 97 != 0 && (k < 5'000 || k > 5'100)) // with a hole of five pixels
            trace.ranges.push_back({{all.begin + k * tick, all.begin + k * tick + tick / 2},
                                    {0, 0},
                                    0,
                                    1,
                                    0,
                                    0,
                                    0,
                                    {},
                                    true});
    const RangeView ranges(*run, trace);
    const Theme theme = makeTheme(profiler::ThemeMode::Light);
    const TimeAxis axis{static_cast<double>(all.begin), static_cast<double>(all.end), 0, 1000, 1};
    const auto lanes = layoutLanes(1, {600, 42, {}, {}, ranges.rows()});
    QImage image(1000, 600, QImage::Format_RGB32);
    image.fill(Qt::white);
    {
        QPainter painter(&image);
        paintRanges({painter, RunView(run), axis, BoxColours(theme, 1), lanes}, ranges,
                    {{engine::DeviceId{0}}});
    }
    std::vector<bool> isFilled(1000);
    for (const HostRange& range : ranges.on(engine::DeviceId{0}, 0)) {
        const QRectF box = boxRect(axis, range.window, 0, 1);
        for (double x = box.left(); x < box.right(); ++x)
            isFilled[static_cast<std::size_t>(x)] = true;
    }
    for (int x = 0; x < 1000; ++x)
        CHECK((
            image.pixelColor(x, static_cast<int>(lanes[0].rangeTop(0)) + 1)
            == (isFilled[static_cast<std::size_t>(x)] ? theme.chrome.pressed : QColor(Qt::white))));
    CHECK_FALSE(isFilled[252]); // the hole
}
