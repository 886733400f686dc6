#include "app/study/chart_view.h"
#include "tests/app/wait_for.h"
#include "tests/catch.h"

#include <QScrollBar>
#include <QSignalSpy>

using namespace app;

namespace {

// A grid of 4 x 3 cells; point = 10 * row + column.
struct Grid
{
    explicit Grid(double height = 90)
    {
        profiler::DrawnChart chart;
        chart.scene.width = 200;
        chart.scene.height = height;
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t column = 0; column < 4; ++column)
                chart.marks.push_back({10 * row + column,
                                       {40.0 * static_cast<double>(column),
                                        height / 3 * static_cast<double>(row), 40, height / 3},
                                       row});
        view.resize(200, 100);
        view.QWidget::show();
        view.show(std::make_shared<const profiler::DrawnChart>(std::move(chart)));
        QObject::connect(&view, &SceneView::pointChosen, &view,
                         [this](std::size_t point) { chosen.push_back(point); });
        QObject::connect(&view, &SceneView::pointOpened, &view,
                         [this](std::size_t point) { opened.push_back(point); });
    }
    void press(Qt::Key key) { QTest::keyClick(&view, key); }

    ThemeController theme;
    SceneView view{theme, [](std::size_t point) { return QStringLiteral("point %1").arg(point); }};
    std::vector<std::size_t> chosen, opened;
};
using Points = std::vector<std::size_t>;

} // namespace

TEST_CASE("a click selects the point of a cell, and a double click opens it")
{
    Grid grid;
    const QPoint cell = grid.view.rectOf(12).center();
    QTest::mouseClick(grid.view.viewport(), Qt::LeftButton, {}, cell);
    CHECK(grid.chosen == Points{12});
    CHECK(grid.view.accessibleDescription() == QStringLiteral("point 12"));
    QTest::mouseDClick(grid.view.viewport(), Qt::LeftButton, {}, cell);
    CHECK(grid.opened == Points{12});
    QTest::mouseClick(grid.view.viewport(), Qt::LeftButton, {}, QPoint(190, 50));
    CHECK(grid.chosen == Points{12});
}

TEST_CASE("arrow keys move through the points of a chart, up to its edges")
{
    Grid grid;
    grid.view.select(0);
    for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Down, Qt::Key_Down, Qt::Key_Down, Qt::Key_Left,
                              Qt::Key_Left, Qt::Key_Up})
        grid.press(key);
    CHECK(grid.chosen == Points{1, 11, 21, 20, 10});
    grid.press(Qt::Key_Return);
    CHECK(grid.opened == Points{10});
}

TEST_CASE("an arrow key selects the first point if the chart lacks the selected one")
{
    Grid grid;
    grid.view.select(77);
    CHECK(grid.view.accessibleDescription()
          == QStringLiteral("No point of this chart is selected"));
    grid.press(Qt::Key_Return);
    CHECK(grid.opened.empty());
    grid.press(Qt::Key_Down);
    CHECK(grid.chosen == Points{0});
}

TEST_CASE("a chart that is too high scrolls to the point that a key selects")
{
    Grid grid(600);
    CHECK(grid.view.verticalScrollBar()->maximum() == 500);
    grid.view.select(0);
    grid.press(Qt::Key_Down);
    grid.press(Qt::Key_Down);
    CHECK(grid.chosen == Points{10, 20});
    CHECK(grid.view.verticalScrollBar()->value() > 400);
    CHECK(grid.view.rectOf(20).intersects(grid.view.viewport()->rect()));
}
