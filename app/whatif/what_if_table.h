#pragma once

#include "app/ui/theme.h"
#include "app/whatif/what_if_model.h"

#include <QWidget>

class QLabel;

namespace app {

class DataTable;

// The ranking of all schemes with their intervals. The current row is the chosen scheme.
class WhatIfTable : public QWidget
{
    Q_OBJECT

public:
    explicit WhatIfTable(const ThemeController& theme, QWidget* parent = nullptr);

    void setModel(WhatIfModel* model);  // owned by the caller
    void choose(const QString& scheme); // emits no signal
    // Shows how many of all intervals are known.
    void showProgress(int intervals, int all);
    QString summary() const; // "8 of 25 fit, shortest first"
    void showSummary();

Q_SIGNALS:
    void chosen(const QString& scheme);
    void openRequested(const QString& scheme); // the user opens the schedule of the scheme

private:
    DataTable* m_view;
    QLabel *m_summary, *m_progress;
    WhatIfModel* m_model = nullptr;
    bool m_isChoosing = false;
};

} // namespace app
