#pragma once

#include "app/ui/theme.h"

#include <QDialog>

namespace app {

// Shows the version, build, licence and libraries.
class AboutDialog : public QDialog
{
    Q_OBJECT

public:
    explicit AboutDialog(const ThemeController& theme, QWidget* parent = nullptr);
};

} // namespace app
