#include "app/compare/compare_widget.h"
#include "app/run/run_panels.h"
#include "app/timeline/details/details.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/theme.h"
#include "profiler/store/trace_store.h"
#include "tests/app/gpu_sample.h"
#include "tests/app/prepared_views.h"
#include "tests/catch.h"

#include <QApplication>
#include <QDir>
#include <QTest>

#include <memory>

// Not a test: pictures to look at. BS_SCREENSHOTS=folder test_app_widgets "[screens]"
namespace {

using app::Selection;

QString folder()
{
    return qEnvironmentVariable("BS_SCREENSHOTS", QDir::tempPath());
}

void save(QWidget& widget, const QString& name)
{
    widget.ensurePolished();
    QApplication::processEvents();
    widget.grab().save(folder() + QLatin1Char('/') + name + QStringLiteral(".png"));
}

void timelinePictures(app::ThemeController& theme, const QString& suffix)
{
    app::TimelineWidget timeline(theme);
    timeline.resize(1092, 654);
    timeline.setRun(sample::measured({"bitpipe", 4, 8, 5}),
                    app::TimelineWidget::View::FitIteration);
    timeline.show();
    timeline.showIteration(2);
    save(timeline, QStringLiteral("timeline-rest") + suffix);
    QTest::mouseClick(&timeline, Qt::LeftButton, {}, QPoint(700, 100));
    save(timeline, QStringLiteral("timeline-flow") + suffix);
    timeline.setRun(sample::units({"bitpipe", 4, 8, 1}), app::TimelineWidget::View::FitIteration);
    save(timeline, QStringLiteral("timeline-units") + suffix);
    timeline.setRun(sample::measured({"1f1b", 32, 64, 6}), app::TimelineWidget::View::FitIteration);
    timeline.zoomToAll();
    save(timeline, QStringLiteral("timeline-dense") + suffix);
    timeline.setRun(nullptr, app::TimelineWidget::View::FitIteration);
    save(timeline, QStringLiteral("timeline-empty") + suffix);
}

void comparePictures(app::ThemeController& theme, const QString& suffix)
{
    app::CompareWidget compare(theme);
    compare.resize(1384, 582);
    compare.show();
    compare.setViews(sample::views({sample::measured({"1f1b"}), sample::measured({"gpipe"}),
                                    sample::measured({"bitpipe"})}),
                     0);
    save(compare, QStringLiteral("compare") + suffix);
    compare.setViews(sample::views({sample::measured({"1f1b"}), sample::measured({"bitpipe"}),
                                    sample::units({"1f1b"}), sample::units({"bitpipe"})}),
                     0);
    save(compare, QStringLiteral("compare-mixed") + suffix);
}

void detailsPictures(app::ThemeController& theme, const QString& suffix)
{
    app::TimelineWidget timeline(theme);
    timeline.resize(1092, 654);
    const auto run = std::make_shared<const app::RunView>(sample::measured({"bitpipe", 4, 8, 3}));
    timeline.setView(run, app::TimelineWidget::View::FitIteration);
    timeline.show();
    app::DetailsPanel details(theme);
    details.resize(292, 800);
    details.QWidget::show();
    save(details, QStringLiteral("details-none") + suffix);
    details.show(run, {});
    save(details, QStringLiteral("details-run") + suffix);
    const auto picture = [&](const char* name) {
        details.show(run, timeline.selection());
        save(details, QStringLiteral("details-") + QLatin1String(name) + suffix);
    };
    QTest::mouseClick(&timeline, Qt::LeftButton, {}, QPoint(700, 100));
    picture("op");
    do
        QTest::keyClick(&timeline, Qt::Key_Period);
    while (timeline.selection().kind != Selection::Kind::Bubble);
    save(timeline, QStringLiteral("timeline-bubble") + suffix);
    picture("bubble");
    QTest::mouseClick(&timeline, Qt::LeftButton, {}, QPoint(60, 100));
    picture("device");
    QTest::mousePress(&timeline, Qt::LeftButton, {}, QPoint(300, 100));
    QTest::mouseMove(&timeline, QPoint(400, 100));
    QTest::mouseMove(&timeline, QPoint(600, 100));
    QTest::mouseRelease(&timeline, Qt::LeftButton, {}, QPoint(600, 100));
    picture("range");
    save(timeline, QStringLiteral("timeline-range") + suffix);
}

// Recorded runs too, where BS_RUNS names files.
void recordedPictures(app::ThemeController& theme, const QString& suffix)
{
    std::vector<std::shared_ptr<const engine::Run>> runs;
    const auto files = qEnvironmentVariable("BS_RUNS").split(QLatin1Char(':'), Qt::SkipEmptyParts);
    for (const QString& file : files) {
        auto run = profiler::readRun(file.toStdString());
        if (run)
            runs.push_back(std::make_shared<const engine::Run>(std::move(*run)));
    }
    if (runs.empty())
        return;
    app::TimelineWidget timeline(theme);
    timeline.resize(1092, 654);
    timeline.setRun(runs.back(), app::TimelineWidget::View::FitIteration);
    timeline.show();
    save(timeline, QStringLiteral("recorded") + suffix);
    app::CompareWidget compare(theme);
    compare.resize(1384, 582);
    compare.show();
    compare.setViews(sample::views(runs), 0);
    save(compare, QStringLiteral("recorded-compare") + suffix);
    app::DetailsPanel details(theme);
    details.resize(292, 800);
    details.QWidget::show();
    details.show(std::make_shared<const app::RunView>(runs.back()), {});
    save(details, QStringLiteral("recorded-details") + suffix);
}

// One op and its neighbours with their kernels; then the whole iteration with them.
void kernelPictures(app::ThemeController& theme, const QString& suffix)
{
    const auto run = sample::measured({"bitpipe", 4, 8, 3});
    const auto view = std::make_shared<const app::RunView>(run);
    const auto kernels = sample::kernels(*run, {3, 4'000, 1});
    app::TimelineWidget timeline(theme);
    timeline.resize(1092, 654);
    timeline.setView(view, app::TimelineWidget::View::FitIteration);
    timeline.setKernels(kernels);
    timeline.setLook({.areKernelsShown = true});
    timeline.show();
    timeline.showIteration(1);
    save(timeline, QStringLiteral("kernels-iteration") + suffix);
    timeline.select(kernels->select(9 * 15 + 3));
    QTest::keyClick(&timeline, Qt::Key_Return);
    timeline.zoomToSelection();
    timeline.zoomToSelection();
    QTest::keyClick(&timeline, Qt::Key_Minus);
    QTest::keyClick(&timeline, Qt::Key_Minus);
    QTest::keyClick(&timeline, Qt::Key_Minus);
    QTest::keyClick(&timeline, Qt::Key_Minus);
    save(timeline, QStringLiteral("kernels-op") + suffix);
    app::DetailsPanel details(theme);
    details.resize(292, 1000);
    details.QWidget::show();
    details.set(&app::DetailsFacts::kernels, kernels);
    details.show(view, timeline.selection());
    save(details, QStringLiteral("details-op-kernels") + suffix);
    timeline.select(kernels->select(9 * 15 + 3));
    save(timeline, QStringLiteral("kernels-kernel") + suffix);
    details.show(view, timeline.selection());
    save(details, QStringLiteral("details-kernel") + suffix);
    const std::unique_ptr<app::KernelPanel> made{app::KernelPanel::make(theme)};
    app::KernelPanel& panel = *made;
    panel.resize(1092, 216);
    panel.show(run, kernels, {});
    panel.QWidget::show();
    save(panel, QStringLiteral("kernel-panel") + suffix);
    panel.show(run, nullptr,
               QStringLiteral("This run computed on the CPU; --backend cuda runs it "
                              "on a GPU."));
    save(panel, QStringLiteral("kernel-panel-empty") + suffix);
}

void allPictures(app::ThemeController& theme, const QString& suffix)
{
    timelinePictures(theme, suffix);
    comparePictures(theme, suffix);
    detailsPictures(theme, suffix);
    kernelPictures(theme, suffix);
    recordedPictures(theme, suffix);
}

} // namespace

TEST_CASE("screenshots of the views are written", "[.screens]")
{
    app::ThemeController theme;
    applyLook(*qobject_cast<QApplication*>(QApplication::instance()), theme);
    theme.setChoice(app::ThemeController::Choice::Light);
    allPictures(theme, QStringLiteral("-light"));
    theme.setChoice(app::ThemeController::Choice::Dark);
    allPictures(theme, QStringLiteral("-dark"));
}
