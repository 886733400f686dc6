#pragma once

#include "app/compare/run_parameters.h"
#include "app/ui/theme.h"

#include <QDialog>

namespace app {

// The table of all settings of the compared runs. Deletes itself when it is closed.
class ParametersDialog : public QDialog
{
    Q_OBJECT

public:
    // `titles` has one title per run.
    ParametersDialog(const ThemeController& theme, std::vector<RunParameter> parameters,
                     const QStringList& titles, QWidget* parent);
};

} // namespace app
