#pragma once

#include "app/ui/text.h"
#include "profiler/analysis/gpu_activity.h"
#include "profiler/figure/palette.h"

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QObject>
#include <QPalette>
#include <QPointer>
#include <QProxyStyle>
#include <QRectF>
#include <QString>
#include <QWidget>

class QApplication;
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
    // System: the desktop's mode when the program started
    void setChoice(Choice choice) { setLook(choice, m_palette); }
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

// Draws the keyboard focus of widgets that the style sheet and the style do not cover: tables,
// lists, texts and timelines. No ring is drawn after a mouse click. The application owns the only
// instance.
class FocusRing : public QObject
{
    Q_OBJECT

public:
    // Filters the events of the application.
    FocusRing(const ThemeController& theme, QObject* application);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    const ThemeController& m_theme;
    QPointer<QWidget> m_frame; // a child of the focused widget that draws the ring
};

// The window's style sheet: resources/style/window.qss with its @tokens replaced by the colours of
// the theme (@surface, @line-strong, @text-2 ...).
QString styleSheet(const Theme& theme);

// Returns the colours of widgets without a style rule.
QPalette chromePalette(const Theme& theme);

// Draws what a style sheet cannot draw without images: combo boxes, spin boxes, check marks, radio
// buttons and their focus. Buttons get the focus only from the keyboard, so that a click draws no
// ring.
class ControlStyle : public QProxyStyle
{
    Q_OBJECT

public:
    explicit ControlStyle(const ThemeController& theme);

    const ThemeController& theme() const { return m_theme; }

    void polish(QWidget* widget) override;
    using QProxyStyle::polish;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                            QPainter* painter, const QWidget* widget) const override;
    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                         SubControl subControl, const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& size,
                           const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric, const QStyleOption* option,
                    const QWidget* widget) const override;
    int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                  QStyleHintReturn* data) const override;

private:
    void drawField(QPainter& painter, const QStyleOption& option, const QWidget* widget) const;
    void drawIndicator(QPainter& painter, const QStyleOption& option, bool round) const;

    // The theme controller must outlive the style of the application.
    const ThemeController& m_theme;
};

// A widget with this property set to true has an HTML tooltip; texts from files in it must be
// escaped.
constexpr const char* kHtmlToolTip = "htmlToolTip";

// Applies the style sheet of the theme to `root` and its children, now and after every change of
// the theme. A hidden `root` is updated when it is shown. After applyLook(), every new window gets
// the style sheet in this way, except main windows, which call this function for their parts. The
// application itself has no style sheet, because Qt would then polish a widget and all its children
// whenever its parent changes.
void followStyleSheet(QWidget& root);

// Applies style, palette and font of `theme`, now and after every change. Call once.
void applyLook(QApplication& application, ThemeController& theme);

} // namespace app
