#include "app/ledger/ledger_details.h"

#include "app/ledger/details_ledger.h"
#include "app/timeline/details/details_layout.h"
#include "app/ui/controls.h"

#include <QLabel>
#include <QScrollBar>

#include <utility>

namespace app {

LedgerDetails::LedgerDetails(const ThemeController& theme, QWidget* parent)
    : QScrollArea(parent)
    , m_theme(theme)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(&theme, &ThemeController::changed, this, &LedgerDetails::layOut);
    layOut();
}

void LedgerDetails::show(const LedgerRun* run)
{
    const auto before
        = std::exchange(m_run, run == nullptr ? std::nullopt : std::optional<LedgerRun>(*run));
    if (!before && !m_run)
        return;
    if (before && m_run && describeLedgerRun(*before) == describeLedgerRun(*m_run))
        return;
    const bool isSame = before && m_run && before->file == m_run->file;
    const int scrolled = isSame ? verticalScrollBar()->value() : 0;
    layOut();
    verticalScrollBar()->setValue(scrolled);
}

void LedgerDetails::layOut()
{
    if (m_run)
        return setWidget(layOutDetails(m_theme, describeLedgerRun(*m_run), [](const auto&) {}));
    QLabel* hint = makeLabel(tr("Select a run to see its details."), "hint");
    hint->setContentsMargins(14, 12, 14, 12);
    hint->setAlignment(Qt::AlignTop);
    setWidget(hint);
}

} // namespace app
