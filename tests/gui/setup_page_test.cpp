#include "app/plan/schedule_preview.h"
#include "app/setup/setup_page.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/form.h"
#include "app/ui/theme.h"
#include "tests/gui/page_requests.h"
#include "tests/gui/setup.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>

namespace app {

TEST_CASE("a new run opens as BitPipe D 4, N 8, valid and ready to run")
{
    Setup setup;
    CHECK(setup.value(0) == QStringLiteral("27"));
    CHECK(setup.value(1) == QStringLiteral("11.1"));
    CHECK(setup.verdict().startsWith(QStringLiteral("Valid.")));
    CHECK(setup.find<QPushButton>("run")->isEnabled());
}

TEST_CASE("typing N = 4 predicts BitPipe's 14 units and 1/7 bubble at once")
{
    Setup setup;
    setup.type("microBatches", "4");
    CHECK(setup.value(0) == QStringLiteral("14"));
    CHECK(setup.value(1) == QStringLiteral("14.3"));
    CHECK(setup.value(2) == QStringLiteral("48"));
    CHECK(setup.verdict().contains(QStringLiteral("64 ops")));
}

TEST_CASE("an impossible N shows the nearest values in its field, and cannot be run")
{
    Setup setup;
    setup.type("microBatches", "6");
    CHECK(setup.find<SpinField>("microBatches")->reason() == QStringLiteral("try 4 or 8"));
    CHECK(setup.verdict().startsWith(QStringLiteral("Impossible.")));
    CHECK_FALSE(setup.find<QPushButton>("run")->isEnabled());
    setup.type("microBatches", "8");
    CHECK(setup.find<SpinField>("microBatches")->reason().isEmpty());
    CHECK(setup.find<QPushButton>("run")->isEnabled());
}

TEST_CASE("an odd D for BitPipe is the fault of D")
{
    Setup setup;
    setup.type("devices", "3");
    CHECK(setup.find<SpinField>("devices")->reason().startsWith(QStringLiteral("try ")));
    CHECK_FALSE(setup.find<QPushButton>("run")->isEnabled());
}

TEST_CASE("a million micro-batches on 60,000 devices are refused with a message")
{
    Setup setup;
    setup.type("devices", "60000");
    setup.type("microBatches", "1000000");
    // A large prediction waits for the typing to stop.
    CHECK(waitFor([&] { return setup.find<Band>("verdict")->kind() == Band::Kind::Error; }));
    CHECK_FALSE(setup.find<QPushButton>("run")->isEnabled());
}

TEST_CASE("a click on a card chooses the scheme, one device is the sequential baseline of 1F1B")
{
    Setup setup;
    setup.press("scheme_1f1b");
    CHECK(setup.page.plan().experiment.schedule.scheme == "1f1b");
    setup.type("devices", "1");
    CHECK(setup.value(1) == QStringLiteral("0.0"));
    CHECK(setup.find<QPushButton>("run")->isEnabled());
}

TEST_CASE("the filter leaves the schemes that match")
{
    Setup setup;
    QTest::keyClicks(setup.find<QLineEdit>("schemeFilter"), QStringLiteral("bitp"));
    CHECK(setup.find<CardButton>("scheme_bitpipe")->isVisible());
    CHECK_FALSE(setup.find<CardButton>("scheme_gpipe")->isVisible());
}

TEST_CASE("Run requests a worker with the options of bscope run")
{
    Setup setup;
    QSignalSpy started(&setup.page, &Page::startRequested);
    setup.type("microBatches", "4");
    QTest::keyClick(&setup.page, Qt::Key_R, Qt::ControlModifier);
    setup.press("run");
    REQUIRE(started.count() >= 1);
    CHECK(started.last().first().value<QList<QStringList>>().front().join(QLatin1Char(' '))
          == QStringLiteral("--scheme bitpipe --devices 4 --micro-batches 4 --model tiny"));
}

TEST_CASE("the command that is copied is the run that the page shows")
{
    Setup setup;
    setup.type("iterations", "3");
    setup.press("copy");
    CHECK(QGuiApplication::clipboard()->text()
          == QStringLiteral("bscope run --scheme bitpipe --devices 4 --micro-batches 8 --model "
                            "tiny --iterations 3"));
}

TEST_CASE("the form states that the threads of a live run share cores")
{
    Setup setup;
    setup.find<SegmentControl>("mode")->setCurrent(2);
    setup.press("copy");
    CHECK(QGuiApplication::clipboard()->text().contains(QStringLiteral(" --mode live")));
    setup.type("devices", "64");
    const auto labels = setup.page.findChildren<QLabel*>();
    CHECK(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
        return label->text().contains(QStringLiteral("oversubscribed"));
    }));
}

TEST_CASE("too few layers for the stages are reported before anything is started")
{
    Setup setup;
    setup.type("devices", "16");
    setup.type("microBatches", "16");
    CHECK(setup.find<Band>("verdict")->kind() == Band::Kind::Warning);
    CHECK(setup.verdict().contains(QStringLiteral("16 layers")));
    setup.find<SegmentControl>("mode")->setCurrent(0);
    CHECK(setup.find<QPushButton>("run")->isEnabled());
}

TEST_CASE("the nearest value is one click away, and two numbers at fault are put right together")
{
    Setup setup;
    setup.type("microBatches", "6");
    setup.press("remedy1");
    CHECK(setup.page.plan().experiment.schedule.microBatches == 8);
    CHECK(setup.verdict().startsWith(QStringLiteral("Valid.")));
    CHECK_FALSE(setup.find<QPushButton>("remedy1")->isVisible());
    setup.find<SegmentControl>("mode")->setCurrent(0);
    setup.press("scheme_dualpipe");
    setup.type("devices", "5");
    setup.type("microBatches", "3");
    CHECK(setup.verdict().startsWith(QStringLiteral("Impossible.")));
    setup.press("remedy0");
    CHECK(setup.verdict().startsWith(QStringLiteral("Valid.")));
}

TEST_CASE("dragging N rests on multiples of D, and the preview follows")
{
    Setup setup;
    auto* slider = setup.find<QSlider>("microBatchesSlider");
    slider->setValue(13);
    CHECK(setup.find<SpinField>("microBatches")->value() == 12);
    CHECK(slider->value() == 12);
    CHECK(setup.verdict().contains(QStringLiteral("192 ops")));
}

TEST_CASE("a more expensive message lengthens the iteration, and one click undoes it")
{
    Setup setup;
    setup.find<QSlider>("costP2pSlider")->setValue(50);
    CHECK(setup.find<SpinField>("costP2p")->text() == QStringLiteral("0.5"));
    CHECK(setup.find<QLabel>("costsText")->text().contains(QStringLiteral("P2P 0.5")));
    CHECK(setup.value(0).toDouble() > 27);
    setup.press("closedFormCosts");
    CHECK(setup.value(0) == QStringLiteral("27"));
    setup.type("costP2p", "0.25");
    CHECK(setup.page.plan().costs.p2p == engine::Fraction{1, 4});
}

TEST_CASE("a run that cannot be trained shows the reason and offers simulation")
{
    Setup setup;
    setup.press("scheme_pipedream-2bw");
    CHECK(setup.find<QPushButton>("run")->isEnabled());
    setup.type("microBatches", "6"); // updates of four go across the windows
    CHECK(setup.find<QPushButton>("run")->isEnabled());
    setup.type("devices", "17"); // more stages than tiny has layers
    CHECK_FALSE(setup.find<QPushButton>("run")->isEnabled());
    CHECK(setup.verdict().startsWith(QStringLiteral("Cannot run.")));
    setup.press("simulateInstead");
    CHECK(setup.find<QPushButton>("run")->isEnabled());
    CHECK(setup.page.plan().experiment.mode == engine::Mode::Simulate);
}

TEST_CASE("every scheme is in the table with its numbers or its reason, copied as CSV")
{
    Setup setup;
    setup.type("devices", "3");
    auto* table = setup.find<DataTable>("schemeTable");
    const auto* model = static_cast<SchemeTableModel*>(table->model());
    REQUIRE(waitFor([&] { return setup.isTableAnswered(); }));
    table->sortByColumn(static_cast<int>(SchemeTableModel::Column::Bubble), Qt::AscendingOrder);
    double last = 0;
    for (int row = 0; row < model->rowCount() && model->at(row).prediction() != nullptr; ++row) {
        CHECK(model->at(row).prediction()->metrics.bubbleRatio >= last);
        last = model->at(row).prediction()->metrics.bubbleRatio;
    }
    CHECK_FALSE(model->at(model->rowCount() - 1).reason().isEmpty()); // refused ones come last
    setup.press("copyTableButton");
    const QStringList lines
        = QGuiApplication::clipboard()->text().split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    CHECK(lines.size() == model->rowCount() + 1);
    CHECK(lines.front().startsWith(QStringLiteral("scheme,iteration_units")));
}

TEST_CASE("every card shows the facts of its scheme, and a filter without a match says so")
{
    Setup setup;
    const auto* card = setup.find<SchemeCard>("scheme_gpipe");
    REQUIRE(waitFor([card] { return card->toolTip().contains(QStringLiteral("valid:")); }));
    CHECK(card->toolTip().contains(QStringLiteral("(4−1)/(8+4−1) = 27.3")));
    auto* filter = setup.find<QLineEdit>("schemeFilter");
    QTest::keyClicks(filter, QStringLiteral("no such scheme"));
    auto* nothing = setup.find<EmptyState>("noScheme");
    CHECK(nothing->isVisible());
    QTest::mouseClick(nothing->button(), Qt::LeftButton);
    CHECK(card->isVisible());
    CHECK_FALSE(nothing->isVisible());
    QTest::keyClicks(filter, QStringLiteral("huang 2019")); // words of the paper
    CHECK(card->isVisible());
    CHECK_FALSE(setup.find<SchemeCard>("scheme_1f1b")->isVisible());
}

TEST_CASE("an option that accepts any number has an editable field")
{
    Setup setup;
    setup.press("scheme_interleaved-1f1b");
    auto* options = setup.find<QWidget>("schemeOptions");
    QComboBox* combo = nullptr;
    for (QComboBox* each : options->findChildren<QComboBox*>())
        combo = each->isEditable() ? each : combo;
    REQUIRE(combo != nullptr);
    combo->lineEdit()->selectAll();
    QTest::keyClicks(combo->lineEdit(), QStringLiteral("2"));
    const std::string key = combo->objectName().section(QLatin1Char('_'), 1).toStdString();
    CHECK(setup.page.plan().experiment.schedule.options.at(key) == "2");
    combo->lineEdit()->selectAll();
    QTest::keyClicks(combo->lineEdit(), QStringLiteral("x"));
    CHECK(setup.verdict().startsWith(QStringLiteral("Impossible.")));
    CHECK(combo->property("invalid").toBool());
    setup.press("remedy0");
    CHECK(setup.verdict().startsWith(QStringLiteral("Valid.")));
}

TEST_CASE("the schedule on the screen can be edited")
{
    Setup setup;
    const PageRequests asked(setup.page);
    setup.type("microBatches", "4");
    setup.press("editSchedule");
    REQUIRE(asked.size() == 1);
    const auto schedule = asked.front().schedule;
    CHECK(schedule->shape.microBatches == 4);
    CHECK(engine::opCount(*schedule) == 64);
}

TEST_CASE("nothing of the set-up is cut in the smallest window")
{
    static ThemeController look; // the measures are those of the window's own style
    applyLook(*qApp, look);
    Setup setup;
    for (const char* scheme : {"bitpipe", "interleaved-1f1b", "dualpipe"}) {
        setup.press((std::string("scheme_") + scheme).c_str());
        setup.page.resize(960, 550);
        settle();
        auto* form = setup.find<QWidget>("setupForm");
        INFO(scheme);
        CHECK(form->minimumSizeHint().width() <= form->parentWidget()->width());
        for (const QWidget* field : form->findChildren<QWidget*>()) {
            if (!field->isVisible() || field->parentWidget() != form)
                continue;
            INFO(field->objectName().toStdString());
            CHECK(field->geometry().right() < form->width());
        }
    }
}

TEST_CASE("the list of schemes opens at the chosen card, and keeps the position to which the user "
          "scrolled")
{
    Setup setup;
    auto* scroll = setup.find<QScrollArea>("schemeScroll");
    const auto isInSight = [&](const char* name) {
        const auto* card = setup.find<QWidget>(name);
        const int top = card->mapTo(scroll->viewport(), QPoint()).y();
        return top >= 0 && top + card->height() <= scroll->viewport()->height();
    };
    CHECK(waitFor([&] { return isInSight("scheme_bitpipe"); }));
    CHECK_FALSE(isInSight("scheme_gpipe")); // the list is longer than the page
    setup.page.resize(1600, 700);
    CHECK(waitFor([&] { return isInSight("scheme_bitpipe"); }));

    scroll->verticalScrollBar()->triggerAction(QAbstractSlider::SliderToMinimum); // as a hand does
    CHECK(isInSight("scheme_gpipe"));
    setup.type("microBatches", "4");
    setup.page.findChild<SchemeList*>()->setColumns(1); // the cards move
    settle();
    CHECK(scroll->verticalScrollBar()->value() == 0);
    setup.press("scheme_gpipe"); // in sight already: nothing moves
    settle();
    CHECK(scroll->verticalScrollBar()->value() == 0);
}

TEST_CASE("choosing a scheme elsewhere scrolls to it, unless the user has filtered")
{
    Setup setup;
    auto* scroll = setup.find<QScrollArea>("schemeScroll");
    auto* list = setup.page.findChild<SchemeList*>();
    const auto isInSight = [&](const char* name) {
        const auto* card = setup.find<QWidget>(name);
        const int top = card->mapTo(scroll->viewport(), QPoint()).y();
        return top >= 0 && top + card->height() <= scroll->viewport()->height();
    };
    REQUIRE(waitFor([&] { return isInSight("scheme_bitpipe"); }));
    REQUIRE_FALSE(isInSight("scheme_gpipe"));
    list->setChosen(QStringLiteral("gpipe"));
    CHECK(isInSight("scheme_gpipe"));
    list->setChosen(QStringLiteral("bitpipe"));
    CHECK(isInSight("scheme_bitpipe"));
    auto* filter = setup.find<QLineEdit>("schemeFilter");
    filter->setText(QStringLiteral("GPipe"));
    REQUIRE(waitFor([&] { return scroll->verticalScrollBar()->value() == 0; }));
    filter->clear();
    REQUIRE(waitFor([&] { return scroll->verticalScrollBar()->maximum() > 0; }));
    settle();
    CHECK(scroll->verticalScrollBar()->value() == 0);
}

} // namespace app
