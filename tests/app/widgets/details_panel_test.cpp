#include "app/timeline/navigation.h"
#include "app/widgets/details_panel.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QLabel>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTest>

namespace {

using app::Selection;

struct Shown
{
    Shown()
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

TEST_CASE("without a run the panel says so, with one and no selection it shows the run")
{
    Shown shown;
    CHECK(shown.panel.findChild<QWidget*>(QStringLiteral("detailsEmpty")));
    shown.panel.show(shown.view, *app::firstOp(*shown.view, 0));
    CHECK_FALSE(shown.panel.findChild<QWidget*>(QStringLiteral("detailsEmpty")));
    shown.panel.show(shown.view, {});
    CHECK(shown.text("detailsTitle") == QLatin1String("1f1b"));
    CHECK(shown.text("detailsSentence").contains(QLatin1String("42.9"))); // 3 of 7
    shown.panel.show(nullptr, {});
    CHECK(shown.panel.findChild<QWidget*>(QStringLiteral("detailsEmpty")));
}

TEST_CASE("an op stands there with its name, its time and links to what needs it")
{
    Shown shown;
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

TEST_CASE("a bubble stands there with its cause")
{
    Shown shown;
    auto at = *app::firstOp(*shown.view, 0);
    while (at.kind != Selection::Kind::Bubble)
        at = *app::inLane(*shown.view, at, app::Step::Next);
    shown.panel.show(shown.view, at);
    CHECK(shown.text("detailsTitle") == QLatin1String("Bubble"));
    CHECK(shown.text("detailsSentence").contains(QLatin1String("Waits for")));
    CHECK(shown.panel.accessibleDescription().startsWith(QLatin1String("Bubble 6")));
}

TEST_CASE("the panel follows the theme")
{
    Shown shown;
    shown.panel.show(shown.view, *app::firstOp(*shown.view, 0));
    shown.theme.setChoice(app::ThemeController::Choice::Light);
    const QImage light = shown.panel.grab().toImage();
    shown.theme.setChoice(app::ThemeController::Choice::Dark);
    CHECK(shown.panel.grab().toImage() != light);
}

TEST_CASE("nothing of the panel lies outside its 292 pixels, however long the words are")
{
    auto run = std::make_shared<engine::Run>(*sample::measured({"bitpipe", 4, 8, 1}));
    run->info.label = "BitPipe with early forwarding, interleaved, second try on the slow link";
    run->info.deviceName = "4 x NVIDIA H200 of a machine with a name that nobody can remember";
    const auto view = std::make_shared<const app::RunView>(run);
    Shown shown;
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
