#pragma once

#include "app/documents/ledger_run.h"
#include "app/ui/theme.h"

#include <QScrollArea>

#include <optional>

namespace app {

// The details of one run of the list. Keeps its scroll position while the same run changes.
class LedgerDetails : public QScrollArea
{
    Q_OBJECT

public:
    explicit LedgerDetails(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const LedgerRun* run); // nullptr: shows a hint
    using QWidget::show;

private:
    void layOut();

    const ThemeController& m_theme;
    std::optional<LedgerRun> m_run; // nullopt: the hint is shown
};

} // namespace app
