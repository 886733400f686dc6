#pragma once

#include "app/ui/setting_table.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <functional>

class QLabel;
class QPushButton;

namespace app {

// A row with the title and explanation of a setting, its control, and a link that resets the
// setting while it differs from the default.
class SettingRow : public QWidget
{
    Q_OBJECT

public:
    SettingRow(const ThemeController& theme, const Setting& setting, QWidget* parent = nullptr);

    const Setting& setting() const { return m_setting; }
    void setValue(const QVariant& value); // emits no signal
    bool matches(const QString& text) const;
    void focusControl();

Q_SIGNALS:
    void changed(const QVariant& value); // the user changed the setting; `value` is valid

private:
    QWidget* makeControl(const ThemeController& theme);
    QWidget* makeChoice(const ThemeController& theme);
    QWidget* makeSwitch();
    QWidget* makeNumber(const ThemeController& theme);
    QWidget* makePath();
    QString problemOf(const QString& path) const;
    void browse();
    void take(const QVariant& value);

    const Setting& m_setting;
    QWidget* m_control = nullptr;
    std::function<void(const QVariant&)> m_show; // sets the control
    QLabel* m_problem;
    QPushButton* m_reset;
};

} // namespace app
