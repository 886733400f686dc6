#pragma once

#include "app/ui/theme.h"

#include <QPointer>
#include <QWidget>

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

} // namespace app
