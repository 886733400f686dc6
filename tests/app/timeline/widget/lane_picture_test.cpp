#include "app/timeline/widget/timeline_widget.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QApplication>
#include <QWheelEvent>

namespace {

using app::TimelineWidget;

struct ShownLanes
{
    explicit ShownLanes(std::shared_ptr<const engine::Run> run)
    {
        widget.resize(1092, 654);
        widget.setRun(std::move(run), TimelineWidget::View::FitIteration);
        widget.zoomToAll();
    }
    QImage frame() { return widget.grab().toImage(); }
    QImage settled()
    {
        for (int k = 0; k < 3; ++k) { // the last picture, that of the whole run, and what follows
            frame();
            TimelineWidget::waitForPainting();
            QApplication::processEvents();
        }
        return frame();
    }
    void wheel(int notches, Qt::KeyboardModifiers modifiers)
    {
        const QPointF at(600, 300);
        QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton,
                          modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&widget, &event);
        QEvent leave(QEvent::Leave);
        QApplication::sendEvent(&widget, &leave);
    }

    app::ThemeController theme;
    TimelineWidget widget{theme};
};

// More than kSpansInBackground spans: each iteration has 64 + 2 * 3 * 8 * 2 or more.
std::shared_ptr<const engine::Run> manySpans()
{
    static const auto run = sample::units({"1f1b", 8, 64, 100});
    return run;
}

// The share of the lanes' pixels that two frames have in common.
double equalShare(const QImage& a, const QImage& b)
{
    const QRect lanes(150, 120, 700, 400);
    int equal = 0;
    for (int y = lanes.top(); y < lanes.bottom(); ++y) {
        for (int x = lanes.left(); x < lanes.right(); ++x)
            equal += a.pixel(x, y) == b.pixel(x, y);
    }
    return equal / static_cast<double>((lanes.width() - 1) * (lanes.height() - 1));
}

} // namespace

TEST_CASE("a frame of many spans is first an approximation and then exact")
{
    ShownLanes moved(manySpans()), fresh(manySpans());
    REQUIRE(app::RunView(manySpans()).spansInSight({0, INT64_MAX})
            > TimelineWidget::kSpansInBackground);
    moved.settled();
    moved.wheel(1, {});
    const QImage early = moved.frame();

    fresh.wheel(1, {}); // its first frame is at this zoom, so it is painted at once
    const QImage exact = fresh.frame();
    CHECK(early != exact);
    CHECK(moved.settled() == exact);
}

TEST_CASE(
    "the part that a moved picture does not cover is filled from the picture of the whole run")
{
    ShownLanes shown(manySpans());
    shown.wheel(3, {});
    shown.settled();
    shown.wheel(-3, {}); // twice as much is in sight
    const QImage early = shown.frame();
    const QImage exact = shown.settled();
    const QRgb surface = shown.theme.theme().chrome.surface.rgb();
    int blank = 0;
    for (int x = 150; x < 850; ++x)
        blank += early.pixel(x, 150) == surface && exact.pixel(x, 150) != surface;
    CHECK(blank == 0);
    CHECK(equalShare(early, exact) > 0.3);
}

TEST_CASE("a frame of few spans is exact at once")
{
    ShownLanes moved(sample::units({"1f1b", 4, 8, 2})), fresh(sample::units({"1f1b", 4, 8, 2}));
    moved.settled();
    moved.wheel(2, {});
    fresh.wheel(2, {});
    CHECK(moved.frame() == fresh.frame());
}

TEST_CASE("another run does not show the picture of the last one")
{
    ShownLanes shown(manySpans()), fresh(sample::units({"gpipe", 8, 64, 50}));
    shown.settled();
    shown.widget.setRun(sample::units({"gpipe", 8, 64, 50}), TimelineWidget::View::FitIteration);
    shown.widget.zoomToAll();
    CHECK(equalShare(shown.frame(), fresh.frame()) == 1);
}
