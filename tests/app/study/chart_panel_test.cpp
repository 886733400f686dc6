#include "app/study/study_page.h"
#include "tests/catch.h"

#include <QComboBox>

using namespace app;

namespace {

ChartChoice chart(const char* title, const char* x)
{
    ChartChoice choice;
    choice.title = QString::fromLatin1(title);
    choice.chart.x = x;
    return choice;
}

} // namespace

TEST_CASE("the chosen chart stays chosen, although another has its title")
{
    const ThemeController theme;
    ChartPanel panel(theme, StudyPanel::Map, "studyMap", [](std::size_t) { return QString(); });
    auto* charts = panel.findChild<QComboBox*>(QStringLiteral("studyMapChart"));
    REQUIRE(charts);
    const ChartChoice bubbles = chart("Bubbles", "memory"), first = chart("Iteration", "devices"),
                      second = chart("Iteration", "micro-batches");
    panel.offer({bubbles, first, second}, {});
    CHECK(charts->currentIndex() == 0);
    charts->setCurrentIndex(2);
    panel.offer({bubbles, first, second}, {});
    CHECK(panel.choice()->chart.x == "micro-batches");
    panel.offer({first, bubbles}, {}); // one fewer: the first with its title
    CHECK(panel.choice()->chart.x == "devices");
    panel.offer({bubbles}, {});
    CHECK(panel.choice()->chart.x == "memory");
}
