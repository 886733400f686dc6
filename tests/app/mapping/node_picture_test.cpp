#include "app/mapping/mapping_view.h"
#include "tests/catch.h"

#include <QFontMetricsF>

// The picture of a mapping at 1280 pixels showed "down 0 …": the direction stayed and the number of
// the stage went.
TEST_CASE("a narrow box gives up the names of the directions, not the numbers of the stages")
{
    const QStringList stages{QStringLiteral("0 15"), QStringLiteral("7 8")};
    CHECK(app::fitsDirections(stages, 120));
    CHECK_FALSE(app::fitsDirections(stages, 50));
    CHECK_FALSE(app::fitsDirections({QStringLiteral("0")}, 120)); // one direction has no name
}

TEST_CASE("a node whose summary does not fit leaves out the all-reduces as a whole")
{
    const QString all = QStringLiteral("devices 0, 7, copies 0; all-reduce of stages 0, 7");
    const double width = QFontMetricsF(app::uiFont(11)).horizontalAdvance(all);
    CHECK(app::fittingSummary(all, width + 1) == all);
    CHECK(app::fittingSummary(all, width - 1) == QStringLiteral("devices 0, 7, copies 0"));
}
