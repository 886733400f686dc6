#pragma once

#include "app/models/theme.h"

#include <QPointer>
#include <QWidget>

namespace app {

// Draws the keyboard focus where neither the style sheet nor the style can: tables, lists, texts
// and timelines, which paint over themselves. The mouse shows no ring. One per application, which
// owns it.
class FocusRing : public QObject
{
    Q_OBJECT

public:
    FocusRing(const ThemeController& theme, QObject* application); // filters its events

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    const ThemeController& m_theme;
    QPointer<QWidget> m_frame; // a child of what has the focus
};

} // namespace app
