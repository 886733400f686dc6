#pragma once

#include "app/ui/theme.h"

#include <QPalette>
#include <QPointer>
#include <QProxyStyle>
#include <QString>
#include <QWidget>

class QApplication;

namespace app {

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
