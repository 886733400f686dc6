#include "app/timeline/details/details.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/view/navigation.h"
#include "app/ui/theme.h"
#include "profiler/figure/checks.h"
#include "tests/app/gpu_sample.h"
#include "tests/catch.h"
#include "tests/support/gpu_run.h"

#include <QImage>
#include <QPainter>

#include <cmath>
#include <limits>

using namespace app;

namespace {

// 1F1B on two devices, its first iteration with kernels, painted with so much time a pixel.
struct PaintedKernels
{
    explicit PaintedKernels(double nanosecondsPerPixel)
        : run(sample::measured({"1f1b", 2, 2, 1}))
        , view(run)
        , kernels(sample::kernels(*run))
        , theme(makeTheme(profiler::ThemeMode::Light))
        , colours(theme, 1)
    {
        LaneOptions options;
        options.available = 400;
        options.kernels = kernels->rows();
        lanes = layoutLanes(2, options);
        axis = {0, 1000 * nanosecondsPerPixel, 0, 1000, 1};
        image = QImage(1000, 400, QImage::Format_RGB32);
        image.fill(theme.chrome.surface);
        QPainter painter(&image);
        paintKernels({painter, view, axis, colours, lanes}, *kernels, {{engine::DeviceId{0}}});
    }
    QColor at(double x, int row) const
    {
        return image.pixelColor(static_cast<int>(x), static_cast<int>(lanes[0].kernelTop(row)) + 2);
    }
    QColor of(profiler::KernelKind kind) const { return colours.kernel(kind).fill; }
    const profiler::GpuWork& first(int row) const
    {
        constexpr engine::Window kAlways{0, std::numeric_limits<std::int64_t>::max()};
        return kernels->activity()
            .work()[kernels->around(engine::DeviceId{0}, row, kAlways).front().op];
    }

    std::shared_ptr<const engine::Run> run;
    RunView view;
    std::shared_ptr<const KernelView> kernels;
    Theme theme;
    BoxColours colours;
    std::vector<Lane> lanes;
    TimeAxis axis;
    QImage image;
};

Selection opOf(const PaintedKernels& painted, const profiler::GpuWork& work)
{
    return *selectOp(painted.view, work.of.op, static_cast<int>(work.of.iteration));
}

// Lightness and hue as people see them, times 100 (Ottosson, OKLab).
std::array<double, 3> oklab(profiler::Colour colour)
{
    const auto linear = [](std::uint8_t byte) {
        const double c = byte / 255.0;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const double r = linear(colour.red), g = linear(colour.green), b = linear(colour.blue);
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {100 * (0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s),
            100 * (1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s),
            100 * (0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s)};
}

double distance(profiler::Colour a, profiler::Colour b)
{
    const auto p = oklab(a), q = oklab(b);
    return std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

} // namespace

TEST_CASE("a device with kernels has a row for each stream, with its transfers below")
{
    const PaintedKernels painted(1000);
    REQUIRE(painted.kernels->rows().size() == 2);
    CHECK(painted.kernels->rows()[{0}] == 2); // 1F1B sends and reduces nothing
    const Lane& lane = painted.lanes[0];
    CHECK(lane.kernels == 2);
    CHECK(lane.kernelTop(0) >= lane.computeTop() + lane.compute);
    CHECK(lane.sendTop() >= lane.kernelTop(1) + Lane::kKernel);
    CHECK(lane.bottom() == painted.lanes[1].top);
    const auto without = layoutLanes(2, {400, 42, {}});
    CHECK(without[0].sendTop() == without[0].computeTop() + 42 + 3);
}

TEST_CASE("with kernels, the memory of a lane shrinks first")
{
    LaneOptions options;
    options.available = 4 * 136;
    options.kernels = {1, 1, 1, 1}; // 15 pixels of 136: 3 are missing
    const auto lanes = layoutLanes(4, options);
    CHECK(lanes[0].kind == LaneKind::Full);
    CHECK(lanes[0].compute == 28);
    CHECK(lanes[0].memory == 31);
    CHECK(heightOf(lanes) <= 4 * 136);
}

TEST_CASE("lanes that would not fit with their kernels fold before they scroll")
{
    LaneOptions options;
    options.available = 500; // four full lanes of 124 without kernels
    CHECK(layoutLanes(4, options)[0].kind == LaneKind::Full);
    options.kernels = {3, 3, 3, 3};
    const auto lanes = layoutLanes(4, options);
    CHECK(lanes[0].kind == LaneKind::Compute);
    CHECK(lanes[0].kernels == 3);
    CHECK(heightOf(lanes) <= 500);
}

TEST_CASE("lanes that are dense only because of kernels keep them and scroll")
{
    LaneOptions options;
    options.available = 500;
    options.kernels = {9, 9, 9, 9}; // 127 pixels each: nothing would be left for boxes
    const auto lanes = layoutLanes(4, options);
    CHECK(lanes[0].kind == LaneKind::Compute);
    CHECK(lanes[3].kernels == 9);
    CHECK(heightOf(lanes) > 500);
    options.kernels.assign(32, 1); // dense without them, too: 500 / 32
    CHECK(layoutLanes(32, options)[0].kind == LaneKind::Dense);
}

TEST_CASE("a kernel is a box in the colour of its kind, and the gap after it stays visible")
{
    const PaintedKernels painted(
        1000); // the first kernel, a norm, takes about 94 us; gaps are 4 us
    const auto& norm = painted.first(0);
    CHECK(painted.at(2, 0) == painted.of(profiler::KernelKind::Norm));
    const double end = static_cast<double>(norm.window.end) / 1000;
    CHECK(painted.at(end + 2, 0) == painted.theme.chrome.surface);
    CHECK(painted.at(end + 10, 0) == painted.of(profiler::KernelKind::Matmul));
}

TEST_CASE("kernels of less than a box are columns that hold the exact share of each kind")
{
    const PaintedKernels painted(200'000); // an op of 3.7 ms is 18 pixels, a kernel less than three
    int matmul = 0, attention = 0;
    const int top = static_cast<int>(painted.lanes[0].kernelTop(0));
    const double end
        = static_cast<double>(
              painted.view.spans(engine::DeviceId{0}, engine::Track::Kind::Compute)[0].end)
        / 200'000;
    for (int x = 0; x < static_cast<int>(end); ++x)
        for (int y = top; y < top + 12; ++y) {
            matmul += painted.image.pixelColor(x, y) == painted.of(profiler::KernelKind::Matmul);
            attention
                += painted.image.pixelColor(x, y) == painted.of(profiler::KernelKind::Attention);
        }
    // 0.54 of the time is in matmuls, 0.30 in attention.
    CHECK(matmul / (12 * std::floor(end)) == Approx(0.53).margin(0.06));
    CHECK(attention / (12 * std::floor(end)) == Approx(0.30).margin(0.06));
}

TEST_CASE("a kernel is found under the pointer, and drawn where it is found")
{
    const PaintedKernels painted(1000);
    const auto& norm = painted.first(0);
    const double x = static_cast<double>(norm.window.begin + norm.window.end) / 2000;
    const double y = painted.lanes[0].kernelTop(0) + 6;
    const Selection found
        = selectionAt(painted.view, painted.axis, painted.lanes, {x, y}, painted.kernels.get());
    REQUIRE(found.kind == Selection::Kind::Kernel);
    CHECK(found.window == norm.window);
    CHECK(found.op == norm.of.op);
    CHECK(rectOf(painted.view, painted.axis, painted.lanes, found).contains(x, y));
    CHECK(selectionAt(painted.view, painted.axis, painted.lanes, {x, y}).kind
          == Selection::Kind::None);
}

TEST_CASE("the details of a kernel have its launch, its share and a link to its op")
{
    const PaintedKernels painted(1000);
    const auto index
        = static_cast<std::uint32_t>(&painted.first(0) - painted.kernels->activity().work().data());
    const auto details
        = detailsOf(painted.view, painted.kernels->select(index), painted.kernels.get());
    CHECK(details.title == QLatin1String("forwardRows"));
    QStringList rows;
    for (const auto& section : details.sections)
        for (const auto& row : section.rows)
            rows << row.name + QLatin1Char('=') + row.value;
    CHECK(rows.contains(QString::fromUtf8("Grid, blocks=132 × 16")));
    CHECK(rows.contains(QStringLiteral("Block, threads=384")));
    CHECK(rows.contains(QStringLiteral("Registers per thread=168")));
    CHECK(rows.contains(QStringLiteral("Launch latency=not available in emulation")));
    CHECK(rows.contains(QStringLiteral("Position in the op=1 of 15")));
    REQUIRE(details.sections.front().links.size() == 1);
    CHECK(details.sections.front().links.front().name == QLatin1String("0F0"));
    CHECK(details.sections.front().links.front().target.kind == Selection::Kind::Op);
}

TEST_CASE("the details of a kernel in a live run state how long it waited after its launch")
{
    engine::Run run = *sample::measured({"1f1b", 2, 2, 1});
    run.info.mode = engine::Mode::Live;
    const RunView view(std::make_shared<const engine::Run>(run));
    const auto kernels = sample::kernels(run);
    const auto details = detailsOf(view, kernels->select(0), kernels.get());
    bool isSaid = false;
    for (const auto& section : details.sections)
        for (const auto& row : section.rows)
            isSaid = isSaid
                || (row.name == QLatin1String("Launch latency")
                    && row.value == QString::fromUtf8("6.0 µs"));
    CHECK(isSaid);
}

TEST_CASE("the details of a copy state bytes and bandwidth")
{
    const PaintedKernels painted(1000);
    const auto& copy = painted.first(1);
    const auto index
        = static_cast<std::uint32_t>(&copy - painted.kernels->activity().work().data());
    const auto details
        = detailsOf(painted.view, painted.kernels->select(index), painted.kernels.get());
    const auto& data = details.sections[1];
    CHECK(data.rows[0].value == QLatin1String("16.00 MiB"));
    const double rate = (16 << 20) / static_cast<double>(copy.window.duration());
    CHECK(data.rows[1].value.startsWith(QString::number(rate, 'f', 1)));
}

TEST_CASE("the details of a device state GPU, clocks and throttling")
{
    const tests::GpuRun made = tests::gpuRun();
    const RunView view(std::make_shared<const engine::Run>(made.run));
    const KernelView kernels(made.run, profiler::GpuActivity(made.run, made.gpu));
    Selection device;
    device.kind = Selection::Kind::Device;
    device.iteration = 0;
    device.device = engine::DeviceId{2};
    const auto rowsOf = [&](const KernelView* known) {
        QStringList rows;
        for (const auto& section : detailsOf(view, device, known).sections)
            for (const auto& row : section.rows)
                rows << row.name + QLatin1Char('=') + row.value;
        return rows;
    };
    CHECK(rowsOf(&kernels).contains(QStringLiteral("Name=a GPU that tests made up")));
    CHECK(rowsOf(&kernels).contains(QString::fromUtf8("SM clock=1755 – 1980 MHz")));
    CHECK(rowsOf(&kernels).contains(QStringLiteral("Throttled by=power cap")));
    CHECK_FALSE(rowsOf(nullptr).contains(QStringLiteral("Throttled by=power cap")));
}

TEST_CASE("the details of an NCCL kernel state its wait and its transfer")
{
    const auto run = sample::measured({"bitpipe", 4, 8, 1}); // the two replicas sum their gradients
    const RunView view(run);
    const auto all = sample::kernels(*run);
    const KernelView& kernels = *all;
    const auto& activity = kernels.activity();
    bool isSaid = false;
    for (std::uint32_t at = 0; at < activity.work().size() && !isSaid; ++at)
        if (kernels.kindOf(at) == profiler::KernelKind::Nccl)
            for (const auto& section : detailsOf(view, kernels.select(at), &kernels).sections)
                for (const auto& row : section.rows)
                    isSaid = isSaid || row.name == QLatin1String("Wait for other ranks");
    CHECK(isSaid);
}

TEST_CASE("an op lists its kernels, their kinds and the share of its gaps")
{
    const PaintedKernels painted(1000);
    const Selection op = opOf(painted, painted.first(0));
    const auto details = detailsOf(painted.view, op, painted.kernels.get());
    const auto section
        = std::ranges::find(details.sections, QStringLiteral("Kernels"), &DetailsSection::title);
    REQUIRE(section != details.sections.end());
    CHECK(section->links.size() == 15);
    CHECK(section->links.front().target.kind == Selection::Kind::Kernel);
    const double gaps = 15 * 4'000.0 / static_cast<double>(op.window.duration());
    CHECK(section->rows.front().value.startsWith(QString::number(100 * gaps, 'f', 1)));
    const auto plain = detailsOf(painted.view, op);
    CHECK(plain.sections.size() + 1 == details.sections.size());
}

TEST_CASE("keys move from an op to its kernels, along the stream, and back")
{
    const PaintedKernels painted(1000);
    const Selection op = opOf(painted, painted.first(0));
    const auto walk = [&](const Selection& from, KernelStep step) {
        return walkedKernel(painted.view, *painted.kernels, from, step);
    };
    const auto inside = walk(op, KernelStep::Into);
    REQUIRE(inside);
    CHECK(inside->window.begin == op.window.begin);
    const auto next = walk(*inside, KernelStep::Next);
    REQUIRE(next);
    CHECK(next->window.begin > inside->window.begin);
    CHECK(walk(*next, KernelStep::Previous) == inside);
    CHECK_FALSE(walk(*inside, KernelStep::Previous)); // the first of its stream
    CHECK(walk(*next, KernelStep::Out) == op);
    CHECK_FALSE(walk(op, KernelStep::Next));
}

TEST_CASE("kinds of kernels are distinguishable with every colour vision, in both themes")
{
    using enum profiler::KernelKind;
    using profiler::KernelKind;
    const auto mode = GENERATE(profiler::ThemeMode::Light, profiler::ThemeMode::Dark);
    const auto sight = GENERATE(profiler::Sight::Colour, profiler::Sight::Deuteranopia,
                                profiler::Sight::Protanopia);
    const Theme theme = makeTheme(mode);
    const auto apart = [&](const std::vector<KernelKind>& kinds) {
        double least = 100;
        for (const KernelKind a : kinds)
            for (const KernelKind b : kinds)
                if (a < b)
                    least = std::min(least,
                                     distance(seen(kernelColour(a, theme.palette), sight),
                                              seen(kernelColour(b, theme.palette), sight)));
        return least;
    };
    CAPTURE(static_cast<int>(mode), static_cast<int>(sight));
    // What computes and what moves data differ in height and, mostly, in their row too.
    CHECK(apart({Matmul, Attention, Norm, Elementwise, Other}) > 8);
    CHECK(apart({Copy, Memset, Nccl}) > 8);
    if (sight == profiler::Sight::Colour)
        CHECK(apart({Matmul, Attention, Norm, Elementwise, Copy, Memset, Nccl}) > 6);
}

TEST_CASE("boxes of transfers are lower than boxes of compute")
{
    const PaintedKernels painted(20'000);
    const auto& copy = painted.first(1);
    const double x = static_cast<double>(copy.window.begin) / 20'000 + 5;
    REQUIRE(x < 1000);
    const int top = static_cast<int>(painted.lanes[0].kernelTop(1));
    CHECK(painted.image.pixelColor(static_cast<int>(x), top) == painted.theme.chrome.surface);
    CHECK(painted.image.pixelColor(static_cast<int>(x), top + 6)
          == painted.of(profiler::KernelKind::Copy));
}
