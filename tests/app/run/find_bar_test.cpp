#include "app/run/run_panels.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include <memory>

using namespace app;

namespace {

struct Searched
{
    Searched()
    {
        QObject::connect(&bar, &FindBar::found, [this](const FoundPointer& to) { found = to; });
        QObject::connect(&bar, &FindBar::chosen, [this](const Selection& hit) {
            chosen = hit;
            bar.setPlace(hit, hit.iteration);
        });
        QObject::connect(&bar, &FindBar::allSelected,
                         [this](const FoundPointer& hits) { all = hits; });
        bar.setRun(std::make_shared<const RunView>(sample::units({"1f1b", 4, 8, 2})), nullptr);
        bar.setPlace({}, 1);
        bar.open();
    }
    void type(const char* text)
    {
        QTest::keyClicks(bar.findChild<QLineEdit*>(QStringLiteral("findField")),
                         QString::fromLatin1(text));
    }
    void press(Qt::Key key, Qt::KeyboardModifiers with = {})
    {
        QTest::keyClick(bar.findChild<QLineEdit*>(QStringLiteral("findField")), key, with);
    }
    QPushButton* selectAll() const
    {
        return bar.findChild<QPushButton*>(QStringLiteral("findSelectAll"));
    }
    QString answer() const { return bar.findChild<QLabel*>(QStringLiteral("findAnswer"))->text(); }

    ThemeController theme;
    const std::unique_ptr<FindBar> made{FindBar::make(theme)};
    FindBar& bar = *made;
    FoundPointer found, all;
    Selection chosen;
};

} // namespace

TEST_CASE("the first hit is the one at the view, and further steps go round")
{
    Searched search;
    search.type("op:B mb:3 stage:2");
    REQUIRE(search.found);
    CHECK(search.found->hits().size() == 2); // one an iteration
    search.bar.step(1);
    CHECK(search.chosen.iteration == 1);
    CHECK(search.answer() == QStringLiteral("2B3, hit 2 of 2"));
    search.bar.step(1);
    CHECK(search.chosen.iteration == 0);
    search.bar.step(-1);
    CHECK(search.chosen.iteration == 1);
}

TEST_CASE("a search without hits outlines nothing and names the facet")
{
    Searched search;
    search.type("op:B mb:9");
    CHECK_FALSE(search.found);
    CHECK(search.answer().contains(QStringLiteral("mb:9")));
    search.bar.step(1);
    CHECK(search.chosen.kind == Selection::Kind::None);
}

TEST_CASE("Ctrl+Enter and Alt+Enter select all hits and nothing else, and only if there are any")
{
    Searched search;
    CHECK_FALSE(search.selectAll()->isEnabled());
    search.press(Qt::Key_Return, Qt::ControlModifier);
    CHECK_FALSE(search.all);
    search.type("op:B mb:3 stage:2");
    CHECK(search.selectAll()->isEnabled());
    search.press(Qt::Key_Return);
    CHECK(search.chosen.kind == Selection::Kind::Op);
    search.press(Qt::Key_Return, Qt::ControlModifier);
    CHECK(search.all == search.found);
    CHECK(search.chosen.kind == Selection::Kind::None);
    CHECK(search.answer() == QStringLiteral("2 hits"));
    search.type("9");
    CHECK_FALSE(search.all);
    CHECK_FALSE(search.selectAll()->isEnabled());
    search.press(Qt::Key_Backspace);
    search.press(Qt::Key_Enter, Qt::AltModifier);
    CHECK(search.all);
    search.press(Qt::Key_Escape);
    CHECK_FALSE(search.all);
}

TEST_CASE("all hits stay selected on the way through them, until something else is selected")
{
    Searched search;
    search.type("op:B mb:3 stage:2");
    search.bar.selectAll();
    search.bar.step(1);
    CHECK(search.chosen.kind == Selection::Kind::Op);
    CHECK(search.all);
    search.bar.setPlace({}, 1);
    CHECK(search.all);
    Selection other = search.chosen;
    ++other.op;
    search.bar.setPlace(other, 1);
    CHECK_FALSE(search.all);
}

TEST_CASE("the selected hits of a growing run grow with it")
{
    Searched search;
    search.type("op:B mb:3 stage:2");
    search.bar.selectAll();
    search.bar.setRun(std::make_shared<const RunView>(sample::units({"1f1b", 4, 8, 3})), nullptr);
    REQUIRE(search.all);
    CHECK(search.all->hits().size() == 3);
}
