#include "app/compare/compare_widget.h"
#include "tests/app/sample_run.h"
#include "tests/catch.h"

#include <QPainter>

using namespace app;

namespace {

constexpr int kRow = 22; // least height of a ranked run

// Six ranked runs without numbers, which are higher than the area.
CompareScene sceneOfSix()
{
    CompareScene shown;
    std::vector<RunViewPointer> views;
    for (const char* scheme : {"gpipe", "1f1b", "bitpipe", "zb-h1", "chimera", "interleaved-1f1b"})
        views.push_back(std::make_shared<const RunView>(sample::units({scheme})));
    shown.setRuns(std::move(views), 1, {});
    shown.layout({1000, 26 + 28 + 3 * kRow});
    shown.window = shown.fit();
    return shown;
}

QImage painted(RowPictures& pictures, const CompareScene& scene, int serial)
{
    const ThemeController theme;
    const BoxColours colours(theme.theme(), 1);
    QImage image(scene.size.toSize(), QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    pictures.paint(painter, scene, colours, {scene.window, {}, 1, scene.scroll, serial});
    return image;
}

// One lane of the area, counted from its top.
QImage lane(const QImage& image, int index)
{
    return image.copy(0, 26 + index * kRow, 900, kRow - 1);
}

} // namespace

TEST_CASE("rows are painted again after their content has changed, and the baseline is pinned")
{
    CompareScene shown = sceneOfSix();
    RowPictures pictures;
    const QImage top = painted(pictures, shown, 0);
    shown.scroll = 2 * kRow;
    REQUIRE(shown.isBaselinePinned());
    const QImage scrolled = painted(pictures, shown, 0);
    CHECK(lane(scrolled, 0) == lane(top, 2));
    CHECK(lane(scrolled, 2).copy(0, 1, 900, 20) == lane(top, 1).copy(0, 1, 900, 20));

    shown.scroll = 0;
    shown.lane = LaneOf::WorstDevice;
    CHECK(painted(pictures, shown, 0) == top); // the serial number says what has changed
    CHECK(painted(pictures, shown, 1) != top);
}
