#include "app/study/study_form.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QLineEdit>
#include <QMenu>
#include <QPushButton>

using namespace app;
using Texts = std::vector<std::string>;

namespace {

struct Chips
{
    explicit Chips(const char* key)
        : chips(theme, key)
    {
        chips.QWidget::show();
        QObject::connect(&chips, &ValueChips::edited, &chips,
                         [this](const Texts& values) { edits.push_back(values); });
    }
    void click(const char* name)
    {
        auto* button = chips.findChild<QPushButton*>(QString::fromLatin1(name));
        REQUIRE(button != nullptr);
        QTest::mouseClick(button, Qt::LeftButton);
        settle(); // the chips are made again
    }
    void type(const char* text)
    {
        auto* line = chips.findChild<QLineEdit*>();
        REQUIRE(line->isVisible());
        line->selectAll();
        QTest::keyClicks(line, QString::fromLatin1(text));
        QTest::keyClick(line, Qt::Key_Return);
        settle();
    }

    ThemeController theme;
    ValueChips chips;
    std::vector<Texts> edits;
};

} // namespace

TEST_CASE("a click on a chip removes its value")
{
    Chips of("micro-batches");
    of.chips.show({"4", "8", "16"});
    CHECK(of.chips.accessibleName() == QStringLiteral("Micro-batches N: 4, 8, 16"));
    of.click("micro-batchesChip1");
    CHECK(of.edits == std::vector<Texts>{{"4", "16"}});
    CHECK(of.chips.findChildren<QPushButton*>().size() == 3); // two chips and "+"
}

// The second call of a double click removed the neighbour or, at the end, crashed.
TEST_CASE("a double click on a chip while the window is busy removes one value")
{
    Chips of("micro-batches");
    of.chips.show({"4", "8", "16"});
    for (const char* name : {"micro-batchesChip1", "micro-batchesChip1"}) {
        auto* chip = of.chips.findChild<QPushButton*>(QString::fromLatin1(name));
        for (int click = 0; click < 2; ++click) // without events in between
            chip->click();
        settle();
    }
    CHECK(of.edits == std::vector<Texts>{{"4", "16"}, {"4"}});
}

TEST_CASE("typed values are added in order, and a wrong range is refused with a reason")
{
    Chips of("p2p");
    of.chips.show({"1", "0.25"});
    of.click("p2pAdd");
    of.type("0 to x, 3 steps");
    CHECK(of.edits.empty());
    CHECK(of.chips.problem().contains(QStringLiteral("write it as 0 to 0.5, 11 steps")));
    of.type("0 to 0.5, 3 steps");
    CHECK(of.edits == std::vector<Texts>{{"0", "0.25", "0.5", "1"}});
    CHECK(of.chips.problem().isEmpty());
}

TEST_CASE("many values in equal steps are one chip, which is edited")
{
    Chips of("p2p");
    Texts values;
    for (int i = 0; i <= 20; ++i)
        values.push_back(QString::number(i).toStdString());
    of.chips.show(values);
    CHECK(of.chips.findChildren<QPushButton*>().size() == 2);
    of.click("p2pChip0");
    CHECK(of.chips.findChild<QLineEdit*>()->text() == QStringLiteral("0 to 20, 21 steps"));
    of.type("0, 5");
    CHECK(of.edits == std::vector<Texts>{{"0", "5"}});
}

TEST_CASE("an option with names offers those that are missing")
{
    Chips of("attention");
    of.chips.show({"flash"});
    of.click("attentionAdd");
    auto* menu = of.chips.findChild<QMenu*>();
    REQUIRE(menu != nullptr);
    QStringList names;
    for (const QAction* action : menu->actions())
        names.append(action->text());
    CHECK(names == QStringList{QStringLiteral("standard"), QStringLiteral("recompute")});
    menu->actions().front()->trigger();
    CHECK(of.edits == std::vector<Texts>{{"flash", "standard"}});
    menu->close();
}

TEST_CASE("Escape closes the line without an edit")
{
    Chips of("devices");
    of.chips.show({"4"});
    of.click("devicesAdd");
    auto* line = of.chips.findChild<QLineEdit*>();
    QTest::keyClicks(line, QStringLiteral("8"));
    QTest::keyClick(line, Qt::Key_Escape);
    CHECK_FALSE(line->isVisible());
    CHECK(of.edits.empty());
}
