#pragma once

#include "app/ui/theme.h"
#include "app/whatif/what_if_edits.h"

#include <QWidget>

class QVBoxLayout;

namespace app {

// The changes of a measured run, one per row, each with a button that removes it. Hidden without
// changes.
class EditList : public QWidget
{
    Q_OBJECT

public:
    explicit EditList(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const std::vector<WhatIfEdit>& edits);
    using QWidget::show;
    QStringList texts() const;

Q_SIGNALS:
    void removed(const app::WhatIfChanges& rest); // the changes without the removed one

private:
    void addRow(const WhatIfEdit& edit, int number);

    const ThemeController& m_theme;
    QVBoxLayout* m_rows;
    QWidget* m_content = nullptr;
};

} // namespace app
