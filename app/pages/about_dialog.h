#pragma once

#include "app/models/theme.h"

#include <QDialog>

namespace app {

// Version, build, licence, and on whose shoulders it stands.
class AboutDialog : public QDialog
{
    Q_OBJECT

public:
    explicit AboutDialog(const ThemeController& theme, QWidget* parent = nullptr);
};

} // namespace app
