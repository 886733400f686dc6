#include "app/settings/settings_page.h"

#include "app/settings/setting_row.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/settings.h"

#include <QLineEdit>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
namespace {

constexpr int kPageWidth = 760;

} // namespace

SettingsPage::SettingsPage(const ThemeController& theme, Settings& settings, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_settings(settings)
    , m_filter(named(new QLineEdit, "settingsFilter", tr("Find a setting")))
    , m_nothing(named(new EmptyState(theme,
                                     {Icon::Search, tr("No setting has these words"),
                                      tr("Try fewer words."), tr("Show all")}),
                      "noSetting"))
{
    setObjectName(QStringLiteral("settingsPage"));
    auto* content = new QWidget;
    content->setMaximumWidth(kPageWidth);
    auto* column = spaced(new QVBoxLayout(content), {0, 28, 0, 36}, 0, {makeHead()});
    addRows(*column);
    m_nothing->setFixedHeight(140);
    m_nothing->hide();
    column->addSpacing(16);
    column->addWidget(m_nothing);
    column->addStretch();
    auto* centred = new QWidget;
    spaced(new QHBoxLayout(centred), {24, 0, 24, 0}, 0, {kStretch, {content, 1000}, kStretch});
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(makeScroll(centred));
    connect(m_filter, &QLineEdit::textChanged, this, &SettingsPage::filter);
    connect(m_nothing, &EmptyState::activated, m_filter, &QLineEdit::clear);
    setInitialFocus(m_filter);
    refresh();
}

QWidget* SettingsPage::makeHead()
{
    m_filter->setPlaceholderText(tr("Find a setting"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setFixedWidth(240);
    QPushButton* reset = makeButton(tr("Reset all"), QStringLiteral("resetSettings"));
    reset->setToolTip(tr("Sets every setting to its default"));
    connect(reset, &QPushButton::clicked, this, &SettingsPage::resetAll);
    auto* head = new QWidget;
    spaced(new QHBoxLayout(head), {}, 8,
           {{makeLabel(tr("Settings"), "title"), 1}, m_filter, reset});
    return head;
}

void SettingsPage::addRows(QVBoxLayout& column)
{
    QString group;
    for (const Setting& setting : settingTable()) {
        QWidget* title = nullptr;
        if (setting.group != group) {
            group = setting.group;
            title = new QWidget;
            spaced(new QVBoxLayout(title), {0, 22, 0, 6}, 0, {makeLabel(group, "section")});
            column.addWidget(title);
        }
        auto* row = new SettingRow(m_theme, setting);
        connect(row, &SettingRow::changed, this,
                [this, &setting](const QVariant& value) { store(setting, value); });
        column.addWidget(row);
        m_rows.push_back(row);
        m_groups.push_back(title);
    }
}

void SettingsPage::store(const Setting& setting, const QVariant& value)
{
    m_settings.setValue(setting.key, value);
    Q_EMIT settingChanged(setting.key);
}

void SettingsPage::refresh()
{
    for (SettingRow* row : m_rows)
        row->setValue(m_settings.value(row->setting().key));
}

void SettingsPage::resetAll()
{
    std::vector<const char*> changed;
    for (const Setting& setting : settingTable()) {
        if (m_settings.value(setting.key) == setting.byDefault)
            continue;
        m_settings.setValue(setting.key, setting.byDefault);
        changed.push_back(setting.key);
    }
    for (const char* key : changed)
        Q_EMIT settingChanged(key);
    refresh();
}

// Shows the settings that match `text`, and the titles of their groups.
void SettingsPage::filter(const QString& text)
{
    QWidget* title = nullptr;
    bool isAny = false;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (m_groups[i] != nullptr) {
            title = m_groups[i];
            title->hide();
        }
        const bool isShown = m_rows[i]->matches(text);
        m_rows[i]->setVisible(isShown);
        isAny = isAny || isShown;
        if (isShown && title != nullptr)
            title->show();
    }
    m_nothing->setVisible(!isAny);
}

void SettingsPage::showRequest(const PageRequest& request)
{
    const auto row = std::ranges::find_if(m_rows, [&request](const SettingRow* one) {
        return QLatin1String(one->setting().key) == request.text;
    });
    if (row == m_rows.end())
        return;
    m_filter->clear();
    (*row)->focusControl();
    findChild<QScrollArea*>()->ensureWidgetVisible(*row, 0, 40);
}

void SettingsPage::showEvent(QShowEvent* event)
{
    refresh(); // the menu can change the theme, too
    Page::showEvent(event);
}

} // namespace app
