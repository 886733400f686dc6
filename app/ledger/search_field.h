#pragma once

#include "app/ledger/ledger_run.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <vector>

class QHBoxLayout;
class QLineEdit;

namespace app {

// The field of a search (LedgerRun::matches()). A word such as "scheme:zb-v,bitpipe" becomes a chip
// when a space follows it. A click on a chip lists the values of the runs; several values of a chip
// mean "or", several chips "and". Backspace in an empty field removes the last chip.
class SearchField : public QWidget
{
    Q_OBJECT

public:
    // Lists the values of `runs`, which must outlive the field.
    SearchField(const ThemeController& theme, const std::vector<LedgerRun>& runs);

    QString text() const; // chips and words
    void setText(const QString& text);
    void select(); // focuses the words

Q_SIGNALS:
    void changed();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void edit(const QString& text);
    void showChips();
    void showValues(qsizetype chip, QWidget* button);
    void removeChip(qsizetype chip);

    const ThemeController& m_theme;
    const std::vector<LedgerRun>& m_runs;
    QStringList m_chips; // "scheme:zb-v,bitpipe"
    QHBoxLayout* m_row;
    QWidget* m_shown = nullptr; // the chips
    QLineEdit* m_words;
};

} // namespace app
