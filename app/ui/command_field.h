#pragma once

#include "app/ui/theme.h"

#include <QAbstractButton>

namespace app {

// The field at the right end of the menu bar, 296 x 22. A click or Ctrl+K opens the command palette
// over it.
class CommandField : public QAbstractButton
{
    Q_OBJECT

public:
    explicit CommandField(const ThemeController& theme, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {304, 30}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeController& m_theme;
};

} // namespace app
