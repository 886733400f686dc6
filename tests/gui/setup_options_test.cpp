#include "app/plan/cost_form.h"
#include "app/plan/schedule_preview.h"
#include "app/ui/data_table.h"
#include "engine/schedules/scheme.h"
#include "tests/gui/page_requests.h"
#include "tests/gui/setup.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

#include <cstdio>

namespace app {

TEST_CASE("the scheme is explained with its rule, its picture and the numbers of the form")
{
    Setup setup;
    setup.find<QAction>("explainScheme")->trigger();
    auto* text = setup.find<QTextBrowser>("schemeText");
    CHECK(text->toPlainText().contains(QStringLiteral("arXiv 2410.19367")));
    CHECK(text->toPlainText().contains(QStringLiteral("device 0 | f0 f1 .. f2")));
    CHECK(text->toPlainText().contains(QStringLiteral("At D = 4, N = 8")));
    setup.type("microBatches", "4");
    CHECK(text->toPlainText().contains(QStringLiteral("At D = 4, N = 4")));
    CHECK(text->toPlainText().contains(QStringLiteral("14 units")));
    setup.press("scheme_zb-v");
    CHECK(setup.find<QLabel>("schemeTitle")->text().contains(QStringLiteral("ZB-V")));
    CHECK(setup.find<QWidget>("schemePreview")->isVisible());
}

TEST_CASE("passes and costs behind the line change the preview and the command")
{
    Setup setup;
    setup.press("scheme_1f1b");
    CHECK(setup.value(0) == QStringLiteral("33"));
    setup.find<QComboBox>("recompute")->setCurrentIndex(2); // every B repeats its F
    CHECK(setup.value(0) == QStringLiteral("41"));
    setup.find<QComboBox>("recompute")->setCurrentIndex(0);
    setup.find<QComboBox>("sync")->setCurrentText(QStringLiteral("eager-blocking"));
    CHECK(setup.page.plan().experiment.sync == engine::SyncPolicy::EagerBlocking);
    setup.press("moreCosts");
    CHECK(setup.find<QWidget>("costLatency")->isVisible());
    setup.find<QSpinBox>("costOptimizer")->setValue(100);
    CHECK(setup.value(0) == QStringLiteral("34"));
    CHECK(commandText(setup.page.plan()).contains(QStringLiteral("--sync eager-blocking")));
    setup.find<QLineEdit>("costStageCost")->setText(QStringLiteral("nonsense"));
    CHECK(setup.verdict().contains(QStringLiteral("as in 0=1.5:3")));
}

TEST_CASE("several rows of the table run sequentially, without those that cannot run")
{
    Setup setup;
    RunPlan plan;
    plan.experiment.model.layers = 6;
    setup.page.setPlan(plan);
    REQUIRE(waitFor([&] { return setup.isTableAnswered(); }));
    auto* table = setup.find<DataTable>("schemeTable");
    const auto mark = [&](const char* scheme) {
        for (int row = 0; row < table->model()->rowCount(); ++row)
            if (static_cast<SchemeTableModel*>(table->model())->at(row).scheme
                == QString::fromLatin1(scheme))
                table->selectionModel()->select(table->model()->index(row, 0),
                                                QItemSelectionModel::Select
                                                    | QItemSelectionModel::Rows);
    };
    CHECK_FALSE(setup.find<QPushButton>("runMarked")->isVisible());
    mark("1f1b");
    mark("gpipe");
    REQUIRE(setup.find<QPushButton>("runMarked")->text() == QStringLiteral("Run 3 schemes"));
    QSignalSpy asked(&setup.page, &Page::startRequested);
    setup.press("runMarked");
    REQUIRE(asked.count() == 1);
    const auto all = asked.first().first().value<QList<QStringList>>();
    REQUIRE(all.size() == 2); // six layers are too few for the 8 stages of the chosen BitPipe
    for (const QStringList& one : all)
        CHECK(one.join(u' ').contains(
            QStringLiteral("--devices 4 --micro-batches 8 --model tiny --layers 6")));
    CHECK(setup.verdict().contains(QStringLiteral("Skipped: bitpipe")));
}

// The page counted its own worker among the other processes, and the warning stayed.
TEST_CASE("a busy machine is reported until its load is low or a run of this window has begun")
{
    for (const bool hasRun : {false, true}) {
        Setup setup;
        bool isBusy = true;
        qint64 used = 0;
        setup.page.setCpuTimeOfOthers([&]() -> std::optional<std::int64_t> {
            if (hasRun && !isBusy)
                return std::nullopt;
            return used += isBusy ? std::int64_t{60'000'000'000} : 0;
        });
        Q_EMIT setup.page.findChild<SchemeTable*>()->severalMarked();
        const auto isShown = [&] {
            const auto bands = setup.page.findChildren<Band*>();
            return std::ranges::any_of(bands, [](const Band* band) {
                return band->isVisible()
                    && band->text().startsWith(QStringLiteral("The machine is busy."));
            });
        };
        REQUIRE(waitFor(isShown));
        isBusy = false;
        CHECK(waitFor([&] { return !isShown(); }));
    }
}

TEST_CASE("several rows of the table are compared as predictions when simulating")
{
    Setup setup;
    RunPlan plan;
    plan.experiment.mode = engine::Mode::Simulate;
    setup.page.setPlan(plan);
    REQUIRE(waitFor([&] { return setup.isTableAnswered(); }));
    auto* table = setup.find<DataTable>("schemeTable");
    table->selectAll();
    const QString text = setup.find<QPushButton>("runMarked")->text();
    const auto all = static_cast<qsizetype>(engine::schemes().size());
    REQUIRE(text == QStringLiteral("Compare %1 predictions").arg(all));
    const PageRequests asked(setup.page);
    setup.press("runMarked");
    REQUIRE(waitFor([&] { return asked.size() == 1; }));
    const QStringList files = asked.files("compare");
    CHECK(files.size() >= 20); // the others are not possible with D 4, N 8
    for (const QString& file : files)
        CHECK(QFile::exists(file));
    CHECK(setup.verdict().contains(QStringLiteral("Skipped")) == (files.size() < all));
}

TEST_CASE("the form says what a run computes on, what it records and how much a device may hold")
{
    Setup setup;
    RunPlan plan;
    plan.experiment.backend = engine::Backend::Cuda;
    plan.experiment.trace = engine::Trace::All;
    plan.experiment.deviceMemory = 16LL << 30;
    setup.page.setPlan(plan);
    CHECK(setup.find<QComboBox>("backend")->currentIndex() == 1);
    const QString words = commandText(plan);
    for (const char* option : {"--backend cuda", "--trace all", "--device-memory 16GiB"})
        CHECK(words.contains(QLatin1String(option)));
    setup.find<QComboBox>("backend")->setCurrentIndex(0);
    setup.find<QComboBox>("trace")->setCurrentIndex(0);
    CHECK_FALSE(commandText(setup.page.plan()).contains(QLatin1String("--backend")));
    CHECK(setup.page.plan().experiment.trace == engine::Trace::Auto);
}

TEST_CASE("a model file is listed with the presets, and the form shows its sizes")
{
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("mine.toml"));
    QFile out(file);
    REQUIRE(out.open(QIODevice::WriteOnly));
    out.write("name = \"mine\"\nlayers = 8\nwidth = 32\nheads = 2\nsequence = 48\n"
              "vocabulary = 256\n"
              "micro_batch_size = 3\n");
    out.close();
    RunPlan plan;
    plan.experiment.schedule.scheme = "1f1b";
    chooseModel(plan, file);
    CHECK(plan.experiment.model.layers == 8);
    CHECK(commandText(plan).contains(QStringLiteral("--model ") + file));
    CHECK_FALSE(commandText(plan).contains(QLatin1String("--sequence"))); // the file's own
    Setup setup;
    setup.page.setPlan(plan);
    CHECK(setup.find<QComboBox>("model")->currentText() == file);
    setup.find<QComboBox>("model")->setCurrentText(QStringLiteral("tiny"));
    setup.find<QComboBox>("model")->setCurrentText(file);
    CHECK(setup.find<QSpinBox>("sequence")->value() == 48);
}

// The height of the costs was limited to that of labels of one line. Labels that wrapped took it
// from the fields, and the last one, "Seed of the jitter", had no lower half.
TEST_CASE("the costs of the form are as high as their rows")
{
    Setup setup;
    RunPlan plan;
    plan.source.kind = CostSource::Kind::Hardware;
    setup.page.setPlan(plan);
    setup.press("moreCosts");
    const auto* form = setup.page.findChild<CostForm*>();
    REQUIRE(form != nullptr);
    CHECK(waitFor([&] { return form->height() == form->heightForWidth(form->width()); }));
    const auto* seed = setup.find<QLineEdit>("costSeed");
    CHECK(seed->geometry().bottom() < seed->parentWidget()->height());
}

TEST_CASE("everything of the form that takes the focus has a name for a screen reader")
{
    Setup setup;
    setup.press("moreCosts");
    setup.press("moreTraining");
    for (const QWidget* widget : setup.page.findChildren<QWidget*>()) {
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool isOfAnother = qobject_cast<const QLineEdit*>(widget) != nullptr
            && (qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) != nullptr
                || qobject_cast<const QComboBox*>(widget->parentWidget()) != nullptr);
        const bool isControl = button != nullptr || qobject_cast<const QAbstractSpinBox*>(widget)
            || qobject_cast<const QComboBox*>(widget) || qobject_cast<const QLineEdit*>(widget)
            || qobject_cast<const QSlider*>(widget) || qobject_cast<const DataTable*>(widget);
        if (!isControl || isOfAnother || widget->focusPolicy() == Qt::NoFocus
            || !widget->isVisibleTo(&setup.page))
            continue;
        CAPTURE(widget->objectName().toStdString(), widget->metaObject()->className());
        CHECK((!widget->accessibleName().isEmpty()
               || (button != nullptr && !button->text().isEmpty())));
    }
}

// Half of the columns were hidden without a word.
TEST_CASE("in the smallest window the table of schemes scrolls sideways, with its names in sight")
{
    Setup setup;
    setup.page.resize(960, 550);
    auto* table = setup.find<DataTable>("schemeTable");
    REQUIRE(waitFor([&] { return setup.isTableAnswered(); }));
    settle();
    auto* bar = table->horizontalScrollBar();
    CHECK(bar->maximum() > 0);
    bar->setValue(bar->maximum());
    CHECK(table->visualRect(table->model()->index(1, 0)).left() == 0);
    setup.page.resize(1600, 900);
    settle();
    CHECK(bar->maximum() == 0);
}

namespace {

// The longest time that the event loop did not come round: a frame that was not drawn.
class StallMeter : public QObject
{
public:
    StallMeter()
    {
        m_clock.start();
        startTimer(kTick, Qt::PreciseTimer);
    }
    double worst() const { return m_worst; }
    void reset()
    {
        m_worst = 0;
        m_clock.restart();
    }

private:
    void timerEvent(QTimerEvent*) override
    {
        m_worst = std::max(m_worst, static_cast<double>(m_clock.nsecsElapsed()) / 1e6 - kTick);
        m_clock.restart();
    }
    static constexpr int kTick = 3; // ms
    QElapsedTimer m_clock;
    double m_worst = 0;
};

} // namespace

// Not part of a usual run: test_gui "[speed]" prints milliseconds from the edit to the picture, and
// how long the window stood still at most, the table of schemes and its cards included.
TEST_CASE("a preview of D = 64 follows a slider without blocking the window", "[.speed]")
{
    Setup setup;
    StallMeter stall;
    for (const char* scheme : {"1f1b", "interleaved-1f1b", "bitpipe", "zb-v", "dualpipe"}) {
        RunPlan plan;
        plan.experiment.schedule.scheme = scheme;
        plan.experiment.schedule.devices = 64;
        plan.experiment.schedule.chunks = std::string_view(scheme) == "interleaved-1f1b" ? 4 : 0;
        auto* costs = setup.find<KeyNumbers>("keyNumbers");
        for (const int microBatches : {64, 128, 256, 512}) {
            if (std::string_view(scheme) == "dualpipe" && microBatches < 128)
                continue;
            plan.experiment.schedule.microBatches = microBatches;
            plan.costs = {};
            setup.page.setPlan(plan);
            QTest::qWait(1500);
            double worst = 0, total = 0;
            constexpr int kSteps = 20;
            stall.reset();
            for (int step = 1; step <= kSteps; ++step) {
                const QString before = costs->items().front().value;
                plan.costs.forward = engine::reduced(100 + 5 * step, 100);
                QElapsedTimer clock;
                clock.start();
                setup.page.setPlan(plan);
                while (costs->items().front().value == before && clock.elapsed() < 5000)
                    QApplication::processEvents(QEventLoop::WaitForMoreEvents);
                setup.page.findChild<SchedulePreview*>()->repaint();
                const double ms = static_cast<double>(clock.nsecsElapsed()) / 1e6;
                worst = std::max(worst, ms);
                total += ms;
            }
            const double dragging = stall.worst();
            stall.reset();
            QTest::qWait(3000); // the table of all schemes comes in
            std::printf("%s D 64 N %d: mean %.1f ms, worst %.1f ms; stands still %.1f ms, then "
                        "%.1f ms\n",
                        scheme, microBatches, total / kSteps, worst, dragging, stall.worst());
        }
    }
}

} // namespace app
