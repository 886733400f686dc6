#pragma once

#include "app/plan/prediction.h"
#include "app/ui/theme.h"

#include <QDialog>

class QLabel;
class QTextBrowser;

namespace app {

class SchedulePreview;

// The description of a scheme: a diagram of the order with the current numbers, the formulas, the
// rule and the citation. The dialog stays open next to the page and follows its edits.
class SchemeDialog : public QDialog
{
    Q_OBJECT

public:
    explicit SchemeDialog(const ThemeController& theme, QWidget* parent = nullptr);

    // `prediction` is nullptr if the scheme is not possible with these numbers.
    void show(const engine::ScheduleRequest& request, const Prediction* prediction);

private:
    QLabel* m_title;
    SchedulePreview* m_preview;
    QTextBrowser* m_text;
    QString m_scheme, m_html;
};

} // namespace app
