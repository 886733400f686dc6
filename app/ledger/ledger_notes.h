#pragma once

#include "app/ledger/ledger_run.h"

#include <QWidget>

class QLineEdit;
class QPlainTextEdit;

namespace app {

// Fields for what the user adds to a run: its name, tags and note.
class LedgerNotes : public QWidget
{
    Q_OBJECT

public:
    LedgerNotes();

    void show(const LedgerRun& run); // keeps the text that is being edited if it is the same run
    using QWidget::show;
    void editName();

Q_SIGNALS:
    void edited(const app::LedgerRun& before, const app::LedgerRun& run);

protected:
    bool eventFilter(QObject* watched,
                     QEvent* event) override; // saves the note when it loses focus

private:
    void save();

    LedgerRun m_run;
    QLineEdit *m_name, *m_tags;
    QPlainTextEdit* m_note;
};

} // namespace app
