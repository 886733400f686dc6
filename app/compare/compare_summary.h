#pragma once

#include "app/compare/run_parameters.h"
#include "app/ui/theme.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace app {

class Tag;

// The first line of a comparison: the settings that are equal in all runs, and those that differ. A
// button opens the table of all settings.
class CompareSummary : public QWidget
{
    Q_OBJECT

public:
    explicit CompareSummary(const ThemeController& theme, QWidget* parent = nullptr);

    // `mode` is the mode of all runs; "" if it differs.
    void show(const std::vector<RunParameter>& parameters, const QString& mode);
    using QWidget::show;
    // A note at the right: "3 of 27 runs are complete"; "": none.
    void setNote(const QString& note);
    QString text() const;

Q_SIGNALS:
    void allRequested();

private:
    QLabel *m_text, *m_note;
    Tag* m_mode;
    QPushButton* m_all;
};

} // namespace app
