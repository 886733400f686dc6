#pragma once

#include "app/ui/text.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/figure/palette.h"

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QRectF>

class QPainter;

namespace app {

// The colours of the window, without the data palette.
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

// All colours and fonts of the window: chrome, data palette and type scale.
struct Theme
{
    profiler::ThemeMode mode = profiler::ThemeMode::Light;
    Chrome chrome;
    profiler::Palette palette;

    bool isDark() const { return mode == profiler::ThemeMode::Dark; }
};

Theme makeTheme(profiler::ThemeMode mode, const QString& palette = QStringLiteral("default"));
QColor toQt(profiler::Colour colour);

void addProgramFonts(); // profiler::programFonts(); call it once, before the first text
// Roboto if it is installed, otherwise the system's sans serif. Sizes are in logical pixels. The
// weight is Normal, Medium (also for SemiBold in the design) or Bold.
QFont uiFont(int pixelSize, QFont::Weight weight = QFont::Normal);
QFont codeFont(int pixelSize = 12); // fixed pitch, for operation names

// The current theme. There is one per application. GUI thread only.
class ThemeController : public QObject
{
    Q_OBJECT

public:
    enum class Choice { System, Light, Dark };

    explicit ThemeController(QObject* parent = nullptr);
    const Theme& theme() const { return m_theme; }
    Choice choice() const { return m_choice; }
    void setChoice(Choice choice); // System: the desktop's mode when the program started
    // Sets both at once, because changed() makes the window recompute its layout. An unknown
    // `palette` selects the default one.
    void setLook(Choice choice, const QString& palette);
    void setUnits(Units units); // units of all times and memory, see app/ui/numbers.h

Q_SIGNALS:
    // Emitted when theme() or the units change; receivers repaint.
    void changed();
    // Emitted before changed(). Receivers rewrite texts that contain a time or memory.
    void unitsChanged();

private:
    void remake();

    // The mode of the desktop. It is read once, because the window then replaces the palette from
    // which it is read.
    profiler::ThemeMode m_desktop;
    Theme m_theme;
    Choice m_choice = Choice::System;
    QString m_palette = QStringLiteral("default");
};

// Kernels are grey and differ in lightness, because hue stands for the kind of op. Kernels that
// move data have the hue of communication.
profiler::Colour kernelColour(profiler::KernelKind kind, const profiler::Palette& palette);

// The icons of the window, 16 x 16 with lines of 1.3 px. A table in theme.cpp describes each icon,
// so that it can be drawn in any colour and at any pixel ratio.
enum class Icon {
    Run,
    Stop,
    Pause,
    Open,
    Search,
    Close,
    Plus,
    Check,
    Warning,
    Error,
    Info,
    ChevronLeft,
    ChevronRight,
    ChevronUp,
    ChevronDown,
    Copy,
    Export,
    Fit,
    Compare,
    Chip,
    Chart,
    More,
    Refresh,
    Disk,
    Note,
    ZoomIn,
    Path,
};

void paintIcon(QPainter& painter, Icon icon, const QRectF& box, const QColor& colour);
QIcon makeIcon(Icon icon, const QColor& colour, const QColor& disabled = {});

// Draws the logo of the menu bar: four staggered rows in the data colours of the dark or light
// theme.
void paintLogo(QPainter& painter, const QRectF& box, bool dark);
QIcon applicationIcon();

} // namespace app
