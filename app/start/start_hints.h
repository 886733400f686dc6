#pragma once

#include "app/ui/theme.h"

#include <QWidget>

namespace app {

// Three things to try first, which the start page shows until the user hides them.
class StartHints : public QWidget
{
    Q_OBJECT

public:
    explicit StartHints(const ThemeController& theme, QWidget* parent = nullptr);

Q_SIGNALS:
    void dismissed();
};

} // namespace app
