#include "app/ui/theme.h"

#include "engine/base/check.h"
#include "profiler/figure/font_metrics.h"

#include <QFontDatabase>
#include <QGuiApplication>
#include <QPalette>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace app {
namespace {

QColor rgb(QRgb value)
{
    return QColor::fromRgb(value);
}

// The colours are in the order of the members.
Chrome lightChrome()
{
    return {rgb(0xF3F4F6), rgb(0xFFFFFF), rgb(0xF8F9FA), rgb(0xE2E5EA), rgb(0xC9CED6),
            rgb(0xEDEFF2), rgb(0x1A1F27), rgb(0x525B68), rgb(0x646D7A), rgb(0xEEF0F3),
            rgb(0xE6E9EE), rgb(0xD9DEE6), rgb(0x1F2530), rgb(0xFFFFFF), rgb(0x146C43),
            rgb(0x8F5B00), rgb(0xB42318), rgb(0xE8F4EE), rgb(0xFBF1DD), rgb(0xFBEAE8)};
}

Chrome darkChrome()
{
    return {rgb(0x101317), rgb(0x15181D), rgb(0x191D23), rgb(0x282D35), rgb(0x3A414C),
            rgb(0x20252C), rgb(0xE7EAEE), rgb(0xA7AFBB), rgb(0x8B94A1), rgb(0x1F242B),
            rgb(0x262C35), rgb(0x313945), rgb(0xE7EAEE), rgb(0x14171C), rgb(0x5CC492),
            rgb(0xE0AE4F), rgb(0xF2877C), rgb(0x17271F), rgb(0x2B2415), rgb(0x2E1A18)};
}

profiler::ThemeMode modeFor(ThemeController::Choice choice, profiler::ThemeMode desktop)
{
    switch (choice) {
    case ThemeController::Choice::Light:
        return profiler::ThemeMode::Light;
    case ThemeController::Choice::Dark:
        return profiler::ThemeMode::Dark;
    case ThemeController::Choice::System:
        break;
    }
    return desktop;
}

// Qt before 6.5 cannot query the colour scheme, but on a dark desktop the window colour is dark.
profiler::ThemeMode desktopMode()
{
    const QColor window = QGuiApplication::palette().color(QPalette::Window);
    return window.lightness() < 128 ? profiler::ThemeMode::Dark : profiler::ThemeMode::Light;
}

} // namespace

Theme makeTheme(profiler::ThemeMode mode, const QString& palette)
{
    auto loaded = profiler::loadPalette(palette.toStdString(), mode);
    CHECK(loaded.has_value()); // palettes are compiled in
    return {mode, mode == profiler::ThemeMode::Dark ? darkChrome() : lightChrome(), *loaded};
}

QColor toQt(profiler::Colour colour)
{
    return {colour.red, colour.green, colour.blue};
}

void addProgramFonts()
{
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(profiler::programFonts(), ignored))
        QFontDatabase::addApplicationFont(QString::fromStdString(file.path().string()));
}

QFont uiFont(int pixelSize, QFont::Weight weight)
{
    // Cached, because a fontconfig query takes longer than drawing a cell.
    static const QFont kBase = QFontDatabase::hasFamily(QStringLiteral("Roboto"))
        ? QFont(QStringLiteral("Roboto"))
        : QFontDatabase::systemFont(QFontDatabase::GeneralFont);
    QFont font = kBase;
    font.setPixelSize(pixelSize);
    font.setWeight(weight);
    return font;
}

QFont codeFont(int pixelSize)
{
    QFont font(QStringLiteral("monospace")); // an alias that fontconfig resolves
    font.setStyleHint(QFont::Monospace);
    font.setFixedPitch(true);
    font.setPixelSize(pixelSize);
    return font;
}

ThemeController::ThemeController(QObject* parent)
    : QObject(parent)
    , m_desktop(desktopMode())
    , m_theme(makeTheme(m_desktop))
{ }

void ThemeController::setChoice(Choice choice)
{
    setLook(choice, m_palette);
}

void ThemeController::setLook(Choice choice, const QString& palette)
{
    const auto names = profiler::paletteNames();
    const bool isKnown = std::ranges::find(names, palette.toStdString()) != names.end();
    const QString known = isKnown ? palette : QString::fromStdString(names.front());
    m_choice = choice;
    const bool isOtherMode = modeFor(choice, m_desktop) != m_theme.mode;
    const bool isOtherPalette = known != std::exchange(m_palette, known);
    if (isOtherMode || isOtherPalette)
        remake();
}

void ThemeController::setUnits(Units units)
{
    if (units == app::units())
        return;
    app::setUnits(units);
    Q_EMIT unitsChanged();
    Q_EMIT changed();
}

void ThemeController::remake()
{
    m_theme = makeTheme(modeFor(m_choice, m_desktop), m_palette);
    Q_EMIT changed();
}

} // namespace app
