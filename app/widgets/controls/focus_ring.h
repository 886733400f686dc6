#pragma once

#include "app/models/theme.h"

#include <QPointer>
#include <QWidget>

namespace app {

// Frames what the keyboard has come to, where neither the sheet nor the style can: tables, lists,
// texts, timelines, which paint over themselves. Nothing is framed for the mouse. One for the
// application, which owns it.
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
