#pragma once

#include "app/models/plan/prediction.h"

#include <QDialog>

class QTextBrowser;

namespace app {

// What there is to say of a scheme: paper, rule, picture, closed forms with the current numbers.
// Stays beside the page that shows it and follows its edits.
class SchemeDialog : public QDialog
{
    Q_OBJECT

public:
    explicit SchemeDialog(QWidget* parent = nullptr);

    // `prediction` null: none with these numbers.
    void show(const engine::ScheduleRequest& request, const Prediction* prediction);

private:
    QTextBrowser* m_text;
    QString m_scheme, m_html;
};

} // namespace app
