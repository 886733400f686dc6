#include "app/pages/setup_page.h"
#include "app/widgets/band.h"
#include "app/widgets/card_button.h"
#include "app/widgets/control_style.h"
#include "app/widgets/key_numbers.h"
#include "app/widgets/segment_control.h"
#include "app/widgets/spin_field.h"
#include "tests/catch.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

namespace app {
namespace {

struct Setup
{
    Setup()
    {
        page.resize(1600, 900);
        page.show();
    }
    template<class Widget>
    Widget* find(const char* name)
    {
        auto* widget = page.findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(widget != nullptr);
        return widget;
    }
    void press(const char* name) { QTest::mouseClick(find<QAbstractButton>(name), Qt::LeftButton); }
    void type(const char* field, const char* digits)
    {
        auto* spin = find<SpinField>(field);
        spin->setFocus();
        spin->selectAll();
        QTest::keyClicks(spin, QString::fromLatin1(digits));
    }
    QString verdict() { return find<Band>("verdict")->text(); }
    QString value(int item) { return find<KeyNumbers>("keyNumbers")->items().at(item).value; }

    ThemeController theme;
    SetupPage page{theme};
};

} // namespace

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

TEST_CASE("an impossible N says inside the field which values are near, and cannot be run")
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

TEST_CASE("a million devices are refused in words, not tried")
{
    Setup setup;
    setup.type("devices", "1000000");
    QTest::qWait(150); // a large prediction waits for the typing to stop
    CHECK_FALSE(setup.find<QPushButton>("run")->isEnabled());
    CHECK(setup.find<Band>("verdict")->kind() == Band::Kind::Error);
}

TEST_CASE("a click on a card chooses the scheme; one device is the sequential baseline of 1F1B")
{
    Setup setup;
    setup.press("scheme_1f1b");
    CHECK(setup.page.plan().request.schedule.scheme == "1f1b");
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

TEST_CASE("Run asks for a worker with the options of bscope run")
{
    Setup setup;
    QSignalSpy started(&setup.page, &Page::startRequested);
    setup.type("microBatches", "4");
    QTest::keyClick(&setup.page, Qt::Key_R, Qt::ControlModifier);
    setup.press("run");
    REQUIRE(started.count() >= 1);
    CHECK(started.last().first().toStringList().join(QLatin1Char(' '))
          == QStringLiteral("--scheme bitpipe --devices 4 --micro-batches 4"));
}

TEST_CASE("the command that is copied is the run that the page shows")
{
    Setup setup;
    setup.type("iterations", "3");
    setup.press("copy");
    CHECK(QGuiApplication::clipboard()->text()
          == QStringLiteral(
              "bscope run --scheme bitpipe --devices 4 --micro-batches 8 --iterations 3"));
}

TEST_CASE("too few layers for the stages is said before anything is started")
{
    Setup setup;
    setup.type("devices", "16");
    setup.type("microBatches", "16");
    CHECK(setup.find<Band>("verdict")->kind() == Band::Kind::Warning);
    CHECK(setup.verdict().contains(QStringLiteral("16 layers")));
    setup.find<SegmentControl>("mode")->setCurrent(0);
    CHECK(setup.find<QPushButton>("run")->isEnabled());
}

TEST_CASE("the table of schemes is a sound model and marks what is impossible")
{
    SchemeTableModel model;
    const QAbstractItemModelTester tester(&model);
    model.reset(
        {{QStringLiteral("a"), QStringLiteral("A"), {}, nullptr},
         {QStringLiteral("b"), QStringLiteral("B"), QStringLiteral("needs N >= 2D"), nullptr}});
    model.setChosen(QStringLiteral("a"));
    const auto column = static_cast<int>(SchemeTableModel::Column::Iteration);
    CHECK(model.index(1, column).data().toString() == QStringLiteral("needs N >= 2D"));
    CHECK(model.rowOf(QStringLiteral("b")) == 1);
}

} // namespace app
