#pragma once

#include "engine/schedules/scheme.h"

#include <QWidget>

class QComboBox;
class QVBoxLayout;

namespace app {

// The options of one scheme, one per row. An option that accepts any whole number has an editable
// list; a refused value stays in the field with a frame in the error colour.
class SchemeOptions : public QWidget
{
    Q_OBJECT

public:
    explicit SchemeOptions(QWidget* parent = nullptr);

    void show(const engine::ScheduleRequest& request); // emits no signal
    void setRefused(bool isRefused);                   // marks the options as invalid

Q_SIGNALS:
    void changed(const QString& key, const QString& value); // `value` is "" for the default

private:
    void addRow(const engine::SchemeOption& option, const engine::ScheduleRequest& request);

    engine::ScheduleRequest m_shown; // the request whose options are shown
    QWidget* m_rows = nullptr;
    QWidget* m_before; // invisible; the rows follow it in the tab order
    QVBoxLayout* m_layout;
    QList<QComboBox*> m_combos;
};

} // namespace app
