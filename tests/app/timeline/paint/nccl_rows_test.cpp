#include "app/timeline/details/details.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/paint/legend.h"
#include "app/timeline/view/navigation.h"
#include "tests/catch.h"
#include "tests/support/nccl_run.h"

#include <QImage>
#include <QPainter>

#include <algorithm>
#include <set>

using namespace app;

namespace {

constexpr engine::DeviceId kInner{1}; // has a neighbour on both sides
constexpr engine::Window kAlways{0, 1LL << 60};
using Role = profiler::DeviceStream::Role;

// A run whose messages NCCL carries, as the window prepares it.
struct NcclView
{
    explicit NcclView(const tests::GpuRun& made = tests::ncclRun("bitpipe", 1))
        : run(std::make_shared<const engine::Run>(made.run))
        , view(run)
        , kernels(made.run, profiler::GpuActivity(made.run, made.gpu))
    { }
    const profiler::GpuWork& work(std::uint32_t at) const { return kernels.activity().work()[at]; }
    bool isMessage(std::uint32_t at) const
    {
        return kernels.activity().nameOf(work(at)).label == "ncclDevKernel_SendRecv";
    }
    std::vector<int> rowsOf(engine::DeviceId device, Role role) const
    {
        std::vector<int> rows;
        for (int row = 0; row < kernels.rows()[device]; ++row)
            if (kernels.row(device, row).role == role)
                rows.push_back(row);
        return rows;
    }
    // The first kernel of a receiver that waits.
    std::uint32_t waiting() const
    {
        for (std::uint32_t at = 0; at < kernels.activity().work().size(); ++at)
            if (const auto wait = kernels.waitOf(at); wait && wait->duration() > 0 && isMessage(at))
                return at;
        FAIL("nobody waits");
        return 0;
    }
    QStringList rowsOfDetails(std::uint32_t at) const
    {
        QStringList rows;
        for (const auto& section : detailsOf(view, kernels.select(at), &kernels).sections)
            for (const auto& row : section.rows)
                rows << row.name + QLatin1Char('=') + row.value;
        return rows;
    }

    std::shared_ptr<const engine::Run> run;
    RunView view;
    KernelView kernels;
};

// The row of a kernel, so close that a pixel is a microsecond.
struct PaintedRow
{
    PaintedRow(const NcclView& nccl, std::uint32_t at, double nanosecondsPerPixel = 1000)
        : theme(makeTheme(profiler::ThemeMode::Light))
        , colours(theme, 1)
    {
        const Selection selection = nccl.kernels.select(at);
        LaneOptions options;
        options.available = 2000;
        options.kernels = nccl.kernels.rows();
        const auto lanes = layoutLanes(4, options);
        const Lane& lane = lanes[static_cast<std::size_t>(selection.device.value)];
        const auto begin = static_cast<double>(selection.window.begin) - 10 * nanosecondsPerPixel;
        image = QImage(400, 2000, QImage::Format_RGB32);
        image.fill(theme.chrome.surface);
        const TimeAxis axis{begin, begin + 400 * nanosecondsPerPixel, 0, 400, 1};
        QPainter painter(&image);
        paintKernels({painter, nccl.view, axis, colours, lanes}, nccl.kernels,
                     {{selection.device}});
        top = static_cast<int>(lane.kernelTop(selection.row));
    }
    std::set<QRgb> coloursAt(int x) const // without the frame
    {
        std::set<QRgb> seen;
        for (int y = top + 1; y < top + static_cast<int>(Lane::kKernel) - 1; ++y)
            seen.insert(image.pixel(x, y));
        return seen;
    }
    QColor nccl() const { return colours.kernel(profiler::KernelKind::Nccl).fill; }

    Theme theme;
    BoxColours colours;
    QImage image;
    int top = 0;
};

} // namespace

TEST_CASE("streams of NCCL share as many rows as work at the same time")
{
    const NcclView nccl;
    std::set<std::uint32_t> streams;
    for (const auto& lane : nccl.kernels.activity().streams(kInner))
        if (lane.role == Role::Nccl)
            streams.insert(lane.stream);
    const auto rows = nccl.rowsOf(kInner, Role::Nccl);
    REQUIRE(streams.size() > 4);
    CHECK(rows.size() < streams.size());
    CHECK(nccl.rowsOf(kInner, Role::Compute).size() == 1);
    std::size_t shown = 0;
    for (const int row : rows) {
        std::int64_t end = 0;
        for (const engine::Span& span : nccl.kernels.around(kInner, row, kAlways)) {
            CHECK(span.begin >= end);
            end = span.end;
            ++shown;
        }
    }
    std::size_t recorded = 0;
    for (const auto& lane : nccl.kernels.activity().streams(kInner))
        recorded += lane.role == Role::Nccl ? lane.count : 0;
    CHECK(shown == recorded);
}

TEST_CASE("a kernel is selected in the row where it is drawn, and the keyboard walks that row")
{
    const NcclView nccl;
    for (const int row : nccl.rowsOf(kInner, Role::Nccl)) {
        const auto spans = nccl.kernels.around(kInner, row, kAlways);
        for (std::size_t k = 0; k < spans.size(); ++k) {
            const Selection selection = nccl.kernels.select(spans[k].op);
            CHECK(selection.row == row);
            CHECK(selection.device == kInner);
            const auto next = walkedKernel(nccl.view, nccl.kernels, selection, KernelStep::Next);
            CHECK(next.has_value() == (k + 1 < spans.size()));
            if (next)
                CHECK(next->work == spans[k + 1].op);
        }
    }
}

TEST_CASE("the wait of a kernel of NCCL is hatched within its box, the transfer is filled")
{
    const NcclView nccl;
    const std::uint32_t at = nccl.waiting();
    const auto wait = *nccl.kernels.waitOf(at);
    const engine::Window window = nccl.work(at).window;
    CHECK(wait.begin == window.begin);
    CHECK(window.end - wait.end == 20'000); // a message of 20 us
    const PaintedRow row(nccl, at);
    const int waits = static_cast<int>(wait.duration() / 1000);
    REQUIRE(waits > 60);
    std::set<QRgb> hatch;
    for (int x = 10 + waits - 20; x < 10 + waits - 2; ++x)
        for (const QRgb colour : row.coloursAt(x))
            hatch.insert(colour);
    CHECK(hatch
          == std::set<QRgb>{toQt(row.theme.palette.bubble).rgb(),
                            toQt(row.theme.palette.bubbleLine).rgb()});
    CHECK(row.image.pixelColor(10 + waits / 2, row.top) == row.nccl()); // the frame of its box
    CHECK(row.coloursAt(10 + waits + 5) == std::set<QRgb>{row.nccl().rgb()});
}

TEST_CASE("columns of kernels too narrow for boxes count waiting apart from transferring")
{
    const NcclView nccl;
    const std::uint32_t at = nccl.waiting();
    const Selection selection = nccl.kernels.select(at);
    auto busy = nccl.kernels.busy(selection.device, selection.row);
    const auto before = busy.before(static_cast<double>(selection.window.begin));
    const auto after = busy.before(static_cast<double>(selection.window.end));
    const auto kind = static_cast<std::size_t>(profiler::KernelKind::Nccl);
    CHECK(after[kind] - before[kind] == Approx(20'000));
    CHECK(after[kWaitShare] - before[kWaitShare]
          == Approx(static_cast<double>(nccl.kernels.waitOf(at)->duration())));
}

TEST_CASE("the details of an NCCL kernel have its wait, its transfer and its share of the op")
{
    const NcclView nccl;
    const std::uint32_t at = nccl.waiting();
    const auto rows = nccl.rowsOfDetails(at);
    const double wait = static_cast<double>(nccl.kernels.waitOf(at)->duration()) / 1000;
    CHECK(rows.contains(QStringLiteral("Wait for other ranks=%1 ").arg(wait, 0, 'f', 1)
                        + QString::fromUtf8("µs")));
    CHECK(rows.contains(QString::fromUtf8("Transfers=20.0 µs")));
    // The op begins when both ends have come: waiting before is no part of it.
    CHECK(rows.contains(QString::fromUtf8("Share of the op=100.0\u202F%")));
    CHECK(kernelToolTip(nccl.view, nccl.kernels, nccl.kernels.select(at))
              .contains(QString::fromUtf8("transfers 20.0 µs")));
}

TEST_CASE("the legend names waits of NCCL where there are any")
{
    const Theme theme = makeTheme(profiler::ThemeMode::Light);
    const BoxColours colours(theme, 1);
    const auto waits = [&](const KernelView& kernels) {
        Legend legend;
        addKernels(legend, kernels, colours);
        return std::ranges::count(legend.right, profiler::LegendEntry::Look::Wait,
                                  &profiler::LegendEntry::look);
    };
    CHECK(waits(NcclView().kernels) == 1);
    CHECK(waits(NcclView(tests::gpuRun()).kernels) == 0);
}

TEST_CASE("nothing is called waiting where the other rank was not recorded")
{
    tests::GpuRun made = tests::ncclRun();
    std::erase_if(made.gpu.kernels,
                  [](const engine::GpuKernel& kernel) { return kernel.place.device > 0; });
    const NcclView nccl(made);
    CHECK_FALSE(nccl.kernels.hasWaits());
    for (std::uint32_t at = 0; at < nccl.kernels.activity().work().size(); ++at)
        CHECK_FALSE(nccl.kernels.waitOf(at).has_value());
}
