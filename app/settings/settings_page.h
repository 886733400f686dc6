#pragma once

#include "app/shell/page.h"
#include "app/ui/setting_table.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <functional>

class QLabel;
class QPushButton;
class QLineEdit;
class QVBoxLayout;

namespace app {

class EmptyState;
class Settings;

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

// Scales the whole window by the text size, because a larger text alone does not fit into what is
// laid out in pixels. Multiplies QT_SCALE_FACTOR, which Qt reads once: call this before the
// QApplication exists.
void scaleWindow(const Settings& settings);

// Applies the palette and the units of the settings, and the theme `choice`, which
// may come from the command line instead of the settings.
void applyLookSettings(const Settings& settings, ThemeController& theme,
                       ThemeController::Choice choice);

// Applies a changed setting if it affects the look. All other settings are read when they are used.
void applySetting(const char* key, const Settings& settings, ThemeController& theme);

// All settings of the program, from settingTable(). A change is stored immediately, and applied,
// except the text size. The field at the top filters the settings by the words of their titles and
// explanations.
class SettingsPage : public Page
{
    Q_OBJECT

public:
    // `theme` and `settings` must outlive the page.
    SettingsPage(const ThemeController& theme, Settings& settings, QWidget* parent = nullptr);

    QString title() const override { return tr("Settings"); }
    QString statusNote() const override { return tr("changes are saved immediately"); }
    // Shows all settings and focuses the setting `text`, a key of the table; "": none.
    void showRequest(const PageRequest& request) override;
    void refresh(); // call it after a setting was changed elsewhere

Q_SIGNALS:
    void settingChanged(const char* key); // a changed setting was stored

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* makeHead();
    void addRows(QVBoxLayout& column);
    void filter(const QString& text);
    void resetAll();
    void store(const Setting& setting, const QVariant& value);

    const ThemeController& m_theme;
    Settings& m_settings;
    QLineEdit* m_filter;
    EmptyState* m_nothing;
    std::vector<SettingRow*> m_rows;
    // For each row, the title of its group if it is the first row of the group, otherwise nullptr.
    std::vector<QWidget*> m_groups;
};

} // namespace app
