#pragma once

#include "engine/schedules/scheme.h"

#include <QWidget>

class QComboBox;
class QVBoxLayout;

namespace app {

// The options of one scheme, a row each. An option that takes any whole number has a list that can
// be written into; what a scheme refuses stays in the field, framed in the colour of errors.
class SchemeOptions : public QWidget
{
    Q_OBJECT

public:
    explicit SchemeOptions(QWidget* parent = nullptr);

    void show(const engine::ScheduleRequest& request); // silent
    void setRefused(bool isRefused);                   // the options are what is wrong

Q_SIGNALS:
    void changed(const QString& key, const QString& value); // "": the default

private:
    void addRow(const engine::SchemeOption& option, const engine::ScheduleRequest& request);

    engine::ScheduleRequest m_shown; // scheme and options of it are on the screen
    QWidget* m_rows = nullptr;
    QWidget* m_before; // never seen: where Tab comes to the rows
    QVBoxLayout* m_layout;
    QList<QComboBox*> m_combos;
};

} // namespace app
