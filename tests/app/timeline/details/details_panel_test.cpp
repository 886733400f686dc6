#include "app/timeline/details/details.h"
#include "app/timeline/view/navigation.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"
#include "tests/support/nccl_run.h"

#include <QLabel>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTest>

#include <set>

namespace {

using app::Selection;

struct ShownDetails
{
    ShownDetails()
    {
        panel.resize(292, 700);
        panel.QWidget::show();
    }
    QString text(const char* name)
    {
        auto* label = panel.findChild<QLabel*>(QString::fromLatin1(name));
        return label ? label->text() : QString();
    }

    std::shared_ptr<const engine::Run> run = sample::units({"1f1b", 4, 4, 1});
    app::RunViewPointer view = std::make_shared<const app::RunView>(run);
    app::ThemeController theme;
    app::DetailsPanel panel{theme};
};

} // namespace

TEST_CASE("the panel has a text without a run, and describes the run without a selection")
{
    ShownDetails shown;
    CHECK(shown.panel.findChild<QWidget*>(QStringLiteral("detailsEmpty")));
    shown.panel.show(shown.view, *app::firstOp(*shown.view, 0));
    CHECK_FALSE(shown.panel.findChild<QWidget*>(QStringLiteral("detailsEmpty")));
    shown.panel.show(shown.view, {});
    CHECK(shown.text("detailsTitle") == QLatin1String("1f1b"));
    CHECK(shown.panel.text().contains(QLatin1String("Bubble\t42.9"))); // 3 of 7
    shown.panel.show(nullptr, {});
    CHECK(shown.panel.findChild<QWidget*>(QStringLiteral("detailsEmpty")));
}

TEST_CASE("an op is shown with its name, its time and links to its consumers")
{
    ShownDetails shown;
    shown.panel.show(shown.view, *app::firstOp(*shown.view, 0));
    CHECK(shown.text("detailsTitle").contains(QLatin1String("0F0")));
    CHECK(shown.text("detailsValue").startsWith(QLatin1String("1")));
    QSignalSpy spy(&shown.panel, &app::DetailsPanel::jumpTo);
    QLabel* link = nullptr;
    for (auto* label : shown.panel.findChildren<QLabel*>()) {
        if (label->text().contains(QLatin1String(">1F0<")))
            link = label;
    }
    REQUIRE(link);
    Q_EMIT link->linkActivated(QStringLiteral("op"));
    QCoreApplication::processEvents();
    REQUIRE(spy.count() == 1);
    const auto target = spy[0][0].value<Selection>();
    CHECK(target.device == engine::DeviceId{1});
    shown.panel.show(shown.view, target); // what the page does: the link is gone, nothing breaks
    CHECK(shown.text("detailsTitle").contains(QLatin1String("1F0")));
}

TEST_CASE("a bubble is shown with its cause")
{
    ShownDetails shown;
    auto at = *app::firstOp(*shown.view, 0);
    while (at.kind != Selection::Kind::Bubble)
        at = *app::inLane(*shown.view, at, app::Step::Next);
    shown.panel.show(shown.view, at);
    CHECK(shown.text("detailsTitle") == QLatin1String("Bubble"));
    CHECK(shown.text("detailsSentence").contains(QLatin1String("Waits for")));
    CHECK(shown.panel.accessibleDescription().startsWith(QLatin1String("Bubble 6")));
}

TEST_CASE("details are laid out while they are visible, and again only if they have changed")
{
    ShownDetails shown;
    auto* scroll = shown.panel.findChild<QScrollArea*>();
    shown.panel.hide();
    shown.panel.show(shown.view, *app::firstOp(*shown.view, 0));
    CHECK(shown.panel.findChild<QWidget*>(QStringLiteral("detailsEmpty")));
    CHECK(shown.panel.text().startsWith(QLatin1String("0F0")));
    shown.panel.QWidget::show();
    CHECK(shown.text("detailsTitle").contains(QLatin1String("0F0")));
    const QWidget* body = scroll->widget();
    shown.panel.set(&app::DetailsFacts::prediction, nullptr);
    shown.panel.hide();
    shown.panel.QWidget::show();
    CHECK(scroll->widget() == body);
    shown.panel.show(shown.view, {});
    CHECK(scroll->widget() != body);
}

TEST_CASE("all hits of a search are described while nothing is selected, within the panel")
{
    ShownDetails shown;
    const auto view = std::make_shared<const app::RunView>(sample::measured({"bitpipe", 4, 8, 3}));
    shown.panel.show(view, {});
    shown.panel.set(
        &app::DetailsFacts::hits,
        std::make_shared<const app::Found>(*view, app::parseFind(QStringLiteral("mb:3")).value()));
    CHECK(shown.text("detailsTitle").endsWith(QLatin1String(" hits")));
    const auto* scroll = shown.panel.findChild<QScrollArea*>();
    QCoreApplication::processEvents();
    CHECK(scroll->widget()->width() <= scroll->viewport()->width());
    shown.panel.show(view, *app::firstOp(*view, 0));
    CHECK_FALSE(shown.text("detailsTitle").endsWith(QLatin1String(" hits")));
    shown.panel.show(view, {});
    shown.panel.set(&app::DetailsFacts::hits, nullptr);
    CHECK(shown.text("detailsTitle") == QLatin1String("bitpipe"));
}

TEST_CASE("the panel follows the theme")
{
    ShownDetails shown;
    shown.panel.show(shown.view, *app::firstOp(*shown.view, 0));
    shown.theme.setChoice(app::ThemeController::Choice::Light);
    const QImage light = shown.panel.grab().toImage();
    shown.theme.setChoice(app::ThemeController::Choice::Dark);
    CHECK(shown.panel.grab().toImage() != light);
}

TEST_CASE("long texts do not widen the panel beyond 292 pixels")
{
    auto run = std::make_shared<engine::Run>(*sample::measured({"bitpipe", 4, 8, 1}));
    run->info.label = "BitPipe with early forwarding, interleaved, second try on the slow link";
    run->info.deviceName = "4 x NVIDIA H200 of a machine with a name that nobody can remember";
    const auto view = std::make_shared<const app::RunView>(run);
    ShownDetails shown;
    Selection device, range;
    device.kind = Selection::Kind::Device;
    device.device = engine::DeviceId{1};
    device.iteration = 0;
    range.kind = Selection::Kind::Range;
    range.iteration = 0;
    range.window = run->timeline.iterations[0].window;
    auto bubble = *app::firstOp(*view, 0);
    while (bubble.kind != Selection::Kind::Bubble)
        bubble = *app::inLane(*view, bubble, app::Step::Next);
    const auto fits = [&] {
        auto* scroll = shown.panel.findChild<QScrollArea*>();
        QCoreApplication::processEvents();
        return scroll->widget()->width() <= scroll->viewport()->width();
    };
    CHECK(fits()); // nothing shown
    for (const Selection& one : {Selection{}, *app::firstOp(*view, 0), bubble, device, range}) {
        shown.panel.show(view, one);
        CHECK(fits());
    }
}

TEST_CASE("the details of a run on GPUs fit into the panel")
{
    tests::GpuRun made = tests::ncclRun("bitpipe", 2);
    engine::RunInfo& info = made.run.info;
    info.peakFlops = 2e11;
    info.flopsPerIteration = info.executedFlops = 1e8;
    info.tokensPerIteration = 8192;
    info.peakSource = "measured: sgemm of 512 x 512 x 512";
    info.machine.gpus[1].name = "a GPU with SomeVeryLongNameWithoutAnyBlankInWhichALineCouldEnd";
    for (auto& iteration : made.run.timeline.iterations) {
        iteration.loss = 10.812;
        iteration.gradientNorm = 1234.567;
    }
    for (int gpu = 0; gpu < 4; ++gpu) {
        engine::GpuMemory& memory = info.gpuMemory.emplace_back();
        memory.gpu = gpu;
        memory.of.fill(5LL << 30);
        memory.used = 77LL << 30;
    }
    const auto view
        = std::make_shared<const app::RunView>(std::make_shared<const engine::Run>(made.run));
    const auto kernels = std::make_shared<const app::KernelView>(
        made.run, profiler::GpuActivity(made.run, made.gpu));
    ShownDetails shown;
    shown.panel.set(&app::DetailsFacts::kernels, kernels);
    const auto* scroll = shown.panel.findChild<QScrollArea*>();
    const auto fits = [&](const Selection& selection) {
        shown.panel.show(view, selection);
        QCoreApplication::processEvents();
        CAPTURE(shown.text("detailsTitle").toStdString());
        CHECK(scroll->widget()->width() <= scroll->viewport()->width());
    };
    fits({});
    Selection device;
    device.kind = Selection::Kind::Device;
    device.device = engine::DeviceId{1};
    device.iteration = 0;
    fits(device);
    std::set<std::uint32_t> names;
    for (std::uint32_t at = 0; at < kernels->activity().work().size(); ++at)
        if (names.insert(kernels->activity().work()[at].name).second) {
            fits(kernels->select(at));
            fits(*app::walkedKernel(*view, *kernels, kernels->select(at), app::KernelStep::Out));
        }
    CHECK(names.size() > 5);
}

TEST_CASE("a value too long for one line ends at the right edge beside its name")
{
    auto run = std::make_shared<engine::Run>(*sample::units({"1f1b", 4, 4, 1}));
    run->info.timing = "measured: sgemm of 512 x 512 x 512 and some words more of how";
    ShownDetails shown;
    shown.panel.show(std::make_shared<const app::RunView>(run), {});
    QCoreApplication::processEvents();
    const QLabel *name = nullptr, *value = nullptr;
    for (const auto* label : shown.panel.findChildren<QLabel*>()) {
        if (label->text() == QLatin1String("Timed by"))
            name = label;
        if (label->text().startsWith(QLatin1String("measured: sgemm")))
            value = label;
    }
    REQUIRE(name != nullptr);
    REQUIRE(value != nullptr);
    CHECK(value->alignment().testFlag(Qt::AlignRight));
    CHECK(value->y() == name->y());
    CHECK(value->x() > name->x() + name->width());
    CHECK(value->height() > 1.5 * name->height());
}

TEST_CASE("weights are in M with a theta below the line, as in the tables")
{
    ShownDetails shown;
    Selection device;
    device.kind = Selection::Kind::Device;
    device.device = engine::DeviceId{1};
    device.iteration = 0;
    shown.panel.show(shown.view, device);
    bool isSet = false;
    for (const auto* label : shown.panel.findChildren<QLabel*>())
        isSet = isSet || label->text().contains(QString::fromUtf8("M<sub>θ</sub>"));
    CHECK(isSet);
}
