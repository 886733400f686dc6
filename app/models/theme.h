#pragma once

#include "profiler/figure/palette.h"

#include <QColor>
#include <QFont>
#include <QObject>

namespace app {

// Chrome colours, light and dark (visual-design.md, section 2, "Chrome"). Neutral: hue is for data.
struct Chrome
{
    QColor window, surface, surfaceAlt;
    QColor line, lineStrong, grid;
    QColor text, text2, text3;
    QColor hover, selected, pressed;
    QColor primary, primaryText;
    QColor ok, warning, error;
    QColor okTint, warningTint, errorTint;
};

// Everything a painter or a style sheet asks for: chrome, the palette of the data, and the type
// scale.
struct Theme
{
    profiler::ThemeMode mode = profiler::ThemeMode::Light;
    Chrome chrome;
    profiler::Palette palette;

    bool isDark() const { return mode == profiler::ThemeMode::Dark; }
};

Theme makeTheme(profiler::ThemeMode mode);
QColor toQt(profiler::Colour colour);

// Roboto where it is installed, else the system's sans. Sizes in logical pixels; weight Normal,
// Medium (for the design's SemiBold and Medium) or Bold.
QFont uiFont(int pixelSize, QFont::Weight weight = QFont::Normal);
QFont codeFont(int pixelSize = 12); // operation names: fixed pitch

// The theme in force; one per application, handed to whoever paints. The GUI thread only.
class ThemeController : public QObject
{
    Q_OBJECT

public:
    enum class Choice { System, Light, Dark };

    explicit ThemeController(QObject* parent = nullptr);
    const Theme& theme() const { return m_theme; }
    Choice choice() const { return m_choice; }
    void setChoice(Choice choice); // System: as the desktop was when the program started

Q_SIGNALS:
    void changed(); // theme() is another one

private:
    // Asked once, before the window gives the application a palette of its own.
    profiler::ThemeMode m_desktop;
    Theme m_theme;
    Choice m_choice = Choice::System;
};

} // namespace app
