#pragma once

#include <QDialog>

namespace app {

// Asks before changes are lost. Saving is the safe choice, and primary; Esc stays.
class UnsavedDialog : public QDialog
{
    Q_OBJECT

public:
    enum class Choice { Stay, Discard, Save };

    // `what`: "mine.csv"; `changes`: how many steps could be undone.
    UnsavedDialog(const QString& what, int changes, QWidget* parent = nullptr);

    Choice choice() const { return m_choice; }

private:
    void choose(Choice choice);

    Choice m_choice = Choice::Stay;
};

} // namespace app
