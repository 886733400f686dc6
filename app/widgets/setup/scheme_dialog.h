#pragma once

#include "app/models/plan/prediction.h"

#include <QDialog>

class QTextBrowser;

namespace app {

// The description of a scheme: paper, rule, picture, closed forms with the current numbers. It
// stays open next to the page and follows its edits.
class SchemeDialog : public QDialog
{
    Q_OBJECT

public:
    explicit SchemeDialog(QWidget* parent = nullptr);

    // `prediction` is nullptr if the scheme is not possible with these numbers.
    void show(const engine::ScheduleRequest& request, const Prediction* prediction);

private:
    QTextBrowser* m_text;
    QString m_scheme, m_html;
};

} // namespace app
