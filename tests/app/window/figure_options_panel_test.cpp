#include "app/window/export_dialog.h"
#include "tests/catch.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QLocale>
#include <QTest>

using namespace app;

namespace {

struct Options
{
    template<class Widget>
    Widget* find(const char* name)
    {
        auto* widget = panel.findChild<Widget*>(QString::fromLatin1(name));
        REQUIRE(widget);
        return widget;
    }

    ThemeController theme;
    FigureOptionsPanel panel{theme};
};

} // namespace

TEST_CASE("the form of a figure returns what it was shown, and what was edited")
{
    Options f;
    ExportSettings settings;
    settings.options.font = "Roboto";
    settings.options.legend = false;
    settings.base = QStringLiteral("/tmp/figure");
    f.panel.show(settings);
    CHECK_FALSE(f.find<QCheckBox>("figureNoLegend")->isChecked()); // a box is ticked if it is drawn
    auto same = f.panel.settings();
    REQUIRE(same);
    same->options.font = settings.options.font; // of the installed ones
    CHECK(*same == settings);

    f.find<QCheckBox>("figureNoLegend")->click();
    f.find<QCheckBox>("figureTitle")->click();
    f.find<QLineEdit>("figureRows")->setText(QStringLiteral("0,2-3"));
    f.find<QDoubleSpinBox>("figureWidth")->setValue(5);
    const auto edited = f.panel.settings();
    REQUIRE(edited);
    CHECK(edited->options.legend);
    CHECK(edited->options.title);
    CHECK(edited->options.devices == std::vector<int>{0, 2, 3});
    CHECK(edited->options.width == Approx(360));
    CHECK(edited->preset.empty());
}

TEST_CASE("the width has a point in a locale with commas, and both can be typed")
{
    const QLocale before;
    QLocale::setDefault(QLocale(QLocale::German));
    Options f;
    QLocale::setDefault(before);
    f.panel.show({});
    auto* width = f.find<QDoubleSpinBox>("figureWidth");
    width->setValue(3.33);
    CHECK(width->text().startsWith(QStringLiteral("3.33")));
    for (const char* typed : {"4.25", "4,25"}) {
        width->setValue(5);
        width->selectAll();
        QTest::keyClicks(width, QString::fromLatin1(typed));
        CHECK(width->value() == Approx(4.25));
    }
}

TEST_CASE("rows that name no device are refused, and the figure is not drawn without them")
{
    Options f;
    f.panel.show({});
    f.find<QLineEdit>("figureRows")->setText(QStringLiteral("first"));
    CHECK_FALSE(f.panel.settings());
    f.find<QLineEdit>("figureRows")->clear();
    CHECK(f.panel.settings());
}

TEST_CASE("contents that the runs do not have are kept, and left out of the drawing")
{
    Options f;
    ExportSettings settings;
    settings.options.memory = settings.options.notes = true;
    f.panel.show(settings);
    f.panel.setAvailable({.hasMemory = true, .hasNotes = false, .isComparable = true});
    CHECK(f.find<QCheckBox>("figureMemory")->isEnabled());
    CHECK_FALSE(f.find<QCheckBox>("figureNotes")->isEnabled());
    CHECK(f.panel.settings()->options.notes);
    CHECK_FALSE(f.panel.drawable(settings).options.notes);
    f.panel.setAvailable({.hasMemory = true, .hasNotes = true, .isComparable = false});
    CHECK(f.panel.drawable(settings).times == FigureTimes::Schematic);
    CHECK_FALSE(f.panel.drawable(settings).options.memory);
}
