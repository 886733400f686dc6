#include "app/widgets/run/find_bar.h"
#include "app/widgets/run/find_controller.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QLabel>
#include <QLineEdit>
#include <QTest>

using namespace app;

namespace {

struct Searched
{
    Searched()
    {
        QObject::connect(&controller, &FindController::found,
                         [this](const FoundPointer& to) { found = to; });
        QObject::connect(&controller, &FindController::chosen, [this](const Selection& hit) {
            chosen = hit;
            controller.setPlace(hit, hit.iteration);
        });
        controller.setRun(std::make_shared<const RunView>(sample::units({"1f1b", 4, 8, 2})),
                          nullptr);
        controller.setPlace({}, 1);
        controller.open();
    }
    void type(const char* text)
    {
        QTest::keyClicks(bar.findChild<QLineEdit*>(QStringLiteral("findField")),
                         QString::fromLatin1(text));
    }
    QString answer() const { return bar.findChild<QLabel*>(QStringLiteral("findAnswer"))->text(); }

    ThemeController theme;
    FindBar bar{theme};
    FindController controller{bar};
    FoundPointer found;
    Selection chosen;
};

} // namespace

TEST_CASE("the first hit is the one at the view, and further steps go round")
{
    Searched search;
    search.type("op:B mb:3 stage:2");
    REQUIRE(search.found);
    CHECK(search.found->hits().size() == 2); // one an iteration
    search.controller.step(1);
    CHECK(search.chosen.iteration == 1);
    CHECK(search.answer() == QStringLiteral("2B3, hit 2 of 2"));
    search.controller.step(1);
    CHECK(search.chosen.iteration == 0);
    search.controller.step(-1);
    CHECK(search.chosen.iteration == 1);
}

TEST_CASE("a search without hits outlines nothing and names the facet")
{
    Searched search;
    search.type("op:B mb:9");
    CHECK_FALSE(search.found);
    CHECK(search.answer().contains(QStringLiteral("mb:9")));
    search.controller.step(1);
    CHECK(search.chosen.kind == Selection::Kind::None);
}
