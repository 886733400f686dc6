#include "app/ui/theme.h"
#include "profiler/figure/checks.h"
#include "tests/catch.h"

#include <QPalette>
#include <QSignalSpy>

namespace app {
namespace {

double ratio(const QColor& a, const QColor& b)
{
    const auto colour = [](const QColor& c) {
        return profiler::Colour{static_cast<std::uint8_t>(c.red()),
                                static_cast<std::uint8_t>(c.green()),
                                static_cast<std::uint8_t>(c.blue())};
    };
    return profiler::contrast(colour(a), colour(b));
}

} // namespace

TEST_CASE("text keeps its contrast on every background it is used on, in both themes")
{
    for (const auto mode : {profiler::ThemeMode::Light, profiler::ThemeMode::Dark}) {
        const Chrome c = makeTheme(mode).chrome;
        for (const QColor& on : {c.window, c.surface, c.surfaceAlt, c.hover, c.selected}) {
            CHECK(ratio(c.text, on) >= 9.6);
            CHECK(ratio(c.text2, on) >= 5.0);
        }
        for (const QColor& on : {c.window, c.surface, c.surfaceAlt})
            CHECK(ratio(c.text3, on) >= 4.6);
        CHECK(ratio(c.ok, c.okTint) >= 4.7);
        CHECK(ratio(c.warning, c.warningTint) >= 4.7);
        CHECK(ratio(c.error, c.errorTint) >= 4.7);
    }
}

TEST_CASE("the style sheet names no token that is left over")
{
    for (const auto mode : {profiler::ThemeMode::Light, profiler::ThemeMode::Dark}) {
        const QString sheet = styleSheet(makeTheme(mode));
        CHECK(sheet.contains(makeTheme(mode).chrome.surface.name()));
        CHECK_FALSE(sheet.contains(QStringLiteral(": @")));
        CHECK_FALSE(sheet.contains(QStringLiteral("solid @")));
    }
}

TEST_CASE("choosing another theme emits changed() once")
{
    ThemeController controller;
    controller.setChoice(ThemeController::Choice::Light);
    QSignalSpy changed(&controller, &ThemeController::changed);
    controller.setChoice(ThemeController::Choice::Dark);
    controller.setChoice(ThemeController::Choice::Dark);
    CHECK(changed.count() == 1);
    CHECK(controller.theme().isDark());
    controller.setLook(ThemeController::Choice::Light, QStringLiteral("grey"));
    CHECK(changed.count() == 2); // both the theme and the palette
    CHECK_FALSE(controller.theme().isDark());
    controller.setLook(ThemeController::Choice::Dark, {});
    CHECK(changed.count() == 3);
    CHECK(chromePalette(controller.theme()).color(QPalette::Base) == QColor(0x15, 0x18, 0x1D));
}

TEST_CASE("a data colour of the palette is the design's")
{
    CHECK(toQt(makeTheme(profiler::ThemeMode::Light).palette.forward) == QColor(0x31, 0x5A, 0xC2));
}

// Colour alone never says what a box is, and lightness says it where colours are not seen. Messages
// have lanes of their own; their purple is as light as F. Without the cones for red B and W of the
// dark theme come close in lightness; their hues do not.
TEST_CASE("the colours in one lane also differ in lightness")
{
    using profiler::Sight;
    for (const auto mode : {profiler::ThemeMode::Light, profiler::ThemeMode::Dark}) {
        const profiler::Palette palette = makeTheme(mode).palette;
        const profiler::Colour lane[] = {palette.forward, palette.backward, palette.weight,
                                         palette.optimizer, palette.bubble};
        for (const Sight sight :
             {Sight::Colour, Sight::Grey, Sight::Deuteranopia, Sight::Protanopia}) {
            const bool hasHues = sight == Sight::Deuteranopia || sight == Sight::Protanopia;
            for (std::size_t i = 0; i < std::size(lane); ++i)
                for (std::size_t k = i + 1; k < std::size(lane); ++k) {
                    CAPTURE(static_cast<int>(mode), static_cast<int>(sight), i, k);
                    CHECK(profiler::contrast(profiler::seen(lane[i], sight),
                                             profiler::seen(lane[k], sight))
                          >= (hasHues ? 1.1 : 1.25));
                }
        }
    }
}

} // namespace app
