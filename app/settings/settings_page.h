#pragma once

#include "app/shell/page.h"
#include "app/ui/setting_table.h"
#include "app/ui/theme.h"

class QLineEdit;
class QVBoxLayout;

namespace app {

class EmptyState;
class SettingRow;
class Settings;

// All settings of the program, from settingTable(). A change is stored and applied immediately. The
// field at the top filters the settings by the words of their titles and explanations.
class SettingsPage : public Page
{
    Q_OBJECT

public:
    // `theme` and `settings` must outlive the page.
    SettingsPage(const ThemeController& theme, Settings& settings, QWidget* parent = nullptr);

    QString title() const override { return tr("Settings"); }
    QString statusNote() const override { return tr("changes apply immediately"); }
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
