#pragma once

#include <QDialog>

namespace app {

// Asks before changes are lost. Save is the default, Esc cancels.
class UnsavedDialog : public QDialog
{
    Q_OBJECT

public:
    enum class Choice { Stay, Discard, Save };

    // `what` is the name of the schedule: "mine.csv"; `changes` is the number of steps since it was
    // saved; 0: unknown.
    UnsavedDialog(const QString& what, int changes, QWidget* parent = nullptr);

    Choice choice() const { return m_choice; }

private:
    void choose(Choice choice);

    Choice m_choice = Choice::Stay;
};

} // namespace app
