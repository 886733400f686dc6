#include "app/settings/settings_page.h"

#include "app/ui/controls.h"
#include "app/ui/form.h"
#include "app/ui/settings.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QLineEdit>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <cstring>
#include <functional>

namespace app {
namespace {

constexpr int kControlWidth = 400;

// A row with the title and explanation of a setting, its control, and a link that resets the
// setting while it differs from the default.
class SettingRow : public QWidget
{
public:
    SettingRow(const ThemeController& theme, const Setting& setting)
        : m_setting(setting)
    {
        setObjectName(QString::fromLatin1(setting.key));
        m_control = makeControl(theme);
        m_control->setAccessibleDescription(setting.explanation);
        QWidget* focus = m_control->focusProxy() != nullptr ? m_control->focusProxy() : m_control;
        if (setting.kind
            != Setting::Kind::Choice) // its control sets the name with the current choice
            focus->setAccessibleName(setting.title);
        m_reset->setAccessibleName(tr("Reset %1").arg(setting.title));
        m_problem->hide();
        QLabel* explanation = makeLabel(setting.explanation, "hint");
        explanation->setWordWrap(true);
        auto* texts
            = spaced(new QVBoxLayout, {}, 2, {makeLabel(setting.title), explanation, m_problem});
        auto* side = new QWidget;
        if (m_setting.kind == Setting::Kind::Folder || m_setting.kind == Setting::Kind::Program)
            side->setFixedWidth(kControlWidth); // paths are long; the explanation gets the rest
        spaced(new QHBoxLayout(side), {}, 8, {kStretch, m_reset, m_control});
        auto* row = spaced(new QHBoxLayout, {0, 10, 0, 10}, 24, {{texts, 1}, side});
        spaced(new QVBoxLayout(this), {}, 0, {makeLine(Qt::Horizontal), row});
    }

    const Setting& setting() const { return m_setting; }

    // Emits no signal.
    void setValue(const QVariant& value)
    {
        m_show(value);
        m_reset->setVisible(value != m_setting.byDefault);
    }

    bool matches(const QString& text) const
    {
        const QString own = m_setting.group + QLatin1Char(' ') + m_setting.title + QLatin1Char(' ')
            + m_setting.explanation;
        const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        return std::ranges::all_of(
            words, [&](const QString& word) { return own.contains(word, Qt::CaseInsensitive); });
    }

    void focusControl() { m_control->setFocus(Qt::TabFocusReason); }

    std::function<void(const QVariant& value)> changed; // by the user; `value` is valid

private:
    QWidget* makeControl(const ThemeController& theme)
    {
        switch (m_setting.kind) {
        case Setting::Kind::Choice:
            return makeChoice(theme);
        case Setting::Kind::Switch:
            return makeSwitch();
        case Setting::Kind::Number:
            return makeNumber(theme);
        case Setting::Kind::Folder:
        case Setting::Kind::Program:
            break;
        }
        return makePath();
    }

    QWidget* makeChoice(const ThemeController& theme)
    {
        auto* segments = new SegmentControl(theme, m_setting.names);
        segments->setName(m_setting.title);
        connect(segments, &SegmentControl::currentChanged, this,
                [this](int choice) { take(m_setting.values.value(choice)); });
        m_show = [this, segments](const QVariant& value) {
            const QSignalBlocker blocker(segments);
            segments->setCurrent(static_cast<int>(m_setting.values.indexOf(value.toString())));
        };
        return segments;
    }

    QWidget* makeSwitch()
    {
        auto* box = new QCheckBox(tr("On"));
        connect(box, &QCheckBox::toggled, this, &SettingRow::take);
        m_show = [box](const QVariant& value) {
            const QSignalBlocker blocker(box);
            box->setChecked(value.toBool());
        };
        return box;
    }

    QWidget* makeNumber(const ThemeController& theme)
    {
        auto* field = new SpinField(theme);
        field->setRange(m_setting.least, m_setting.most);
        field->setSuffix(QLatin1Char(' ') + m_setting.unit);
        field->setFixedWidth(110);
        field->setKeyboardTracking(false);
        connect(field, &QSpinBox::valueChanged, this, &SettingRow::take);
        m_show = [field](const QVariant& value) {
            const QSignalBlocker blocker(field);
            field->setValue(value.toInt());
        };
        return field;
    }

    // Makes a field for a path. Stores a path only if it is valid; "" selects the default.
    QWidget* makePath()
    {
        auto* field = new QLineEdit;
        field->setPlaceholderText(m_setting.emptyText);
        QPushButton* browse
            = makeBrowseButton("browse",
                               m_setting.kind == Setting::Kind::Folder ? tr("Choose a folder")
                                                                       : tr("Choose a program"),
                               this, [this] { this->browse(); });
        browse->setAccessibleName(tr("Choose: %1").arg(m_setting.title));
        connect(field, &QLineEdit::editingFinished, this, [this, field] {
            const QString typed = field->text().trimmed();
            // A relative path would name another place when the program starts in another folder.
            const QString path = typed.isEmpty() ? typed : QFileInfo(typed).absoluteFilePath();
            const QString problem = problemOf(path);
            m_problem->setText(problem);
            m_problem->setVisible(!problem.isEmpty());
            setLook(field, "invalid", !problem.isEmpty());
            if (problem.isEmpty() && field->isModified()) {
                field->setText(path); // is not modified then
                take(path);
            }
        });
        m_show = [this, field](const QVariant& value) {
            field->setText(value.toString());
            m_problem->hide();
            setLook(field, "invalid", false);
        };
        auto* both = makeRow({}, 6, {{field, 1}, browse}, "");
        both->setFocusProxy(field);
        both->setMinimumWidth(220);
        return both;
    }

    QString problemOf(const QString& path) const
    {
        const QFileInfo info(path);
        if (path.isEmpty())
            return {};
        if (m_setting.kind == Setting::Kind::Folder)
            return info.isDir() && info.isWritable()
                ? QString()
                : tr("Not a folder that can be written. Choose another one.");
        return info.isFile() && info.isExecutable()
            ? QString()
            : tr("Not a program that can be started. Choose bscope.");
    }

    void browse()
    {
        auto* dialog = named(new QFileDialog(this, m_setting.title), "settingDialog");
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        const bool isFolder = m_setting.kind == Setting::Kind::Folder;
        dialog->setFileMode(isFolder ? QFileDialog::Directory : QFileDialog::ExistingFile);
        connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
            auto* field = m_control->findChild<QLineEdit*>();
            field->setText(path);
            field->setModified(true);
            Q_EMIT field->editingFinished();
        });
        dialog->open();
    }

    void take(const QVariant& value)
    {
        m_reset->setVisible(value != m_setting.byDefault);
        changed(value);
    }

    const Setting& m_setting;
    QWidget* m_control = nullptr;
    std::function<void(const QVariant&)> m_show; // sets the control
    QLabel* m_problem = makeLabel({}, "problem");
    QPushButton* m_reset = makeButton(tr("Reset"), "resetSetting", "link", this, [this] {
        setValue(m_setting.byDefault);
        take(m_setting.byDefault);
        focusControl();
    });
};

constexpr int kPageWidth = 760;

// Applies a changed setting if it affects the look. All other settings are read when they are used.
void applySetting(const char* key, const Settings& settings, ThemeController& theme)
{
    const bool isTheme = std::strcmp(key, key::kTheme) == 0;
    applyLookSettings(settings, theme, isTheme ? settings.theme() : theme.choice());
}

// All settings of the program, from settingTable(). A change is stored immediately, and applied,
// except the text size. The field at the top filters the settings by the words of their titles and
// explanations.
class SettingsPage : public Page
{
public:
    SettingsPage(ThemeController& theme, Settings& settings)
        : m_theme(theme)
        , m_settings(settings)
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
        auto* centred = makeRow({24, 0, 24, 0}, 0, {kStretch, {content, 1000}, kStretch}, "");
        spaced(new QVBoxLayout(this), {}, 0)->addWidget(makeScroll(centred));
        connect(m_filter, &QLineEdit::textChanged, this, &SettingsPage::filter);
        connect(m_nothing, &EmptyState::activated, m_filter, &QLineEdit::clear);
        setInitialFocus(m_filter);
        refresh();
    }

    QString title() const override { return tr("Settings"); }
    QString statusNote() const override { return tr("changes are saved immediately"); }

    // Shows all settings and focuses the setting `text`, a key of the table; "": none.
    void showRequest(const PageRequest& request) override
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

    // Call it after a setting was changed elsewhere.
    void refresh()
    {
        for (SettingRow* row : m_rows)
            row->setValue(m_settings.value(row->setting().key));
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        refresh(); // the menu can change the theme, too
        Page::showEvent(event);
    }

private:
    QWidget* makeHead()
    {
        m_filter->setPlaceholderText(tr("Find a setting"));
        m_filter->setClearButtonEnabled(true);
        m_filter->setFixedWidth(240);
        QPushButton* reset
            = makeButton(tr("Reset all"), "resetSettings", "", this, [this] { resetAll(); });
        reset->setToolTip(tr("Sets every setting to its default"));
        return makeRow({}, 8, {{makeLabel(tr("Settings"), "title"), 1}, m_filter, reset}, "");
    }

    void addRows(QVBoxLayout& column)
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
            row->changed = [this, &setting](const QVariant& value) { store(setting, value); };
            column.addWidget(row);
            m_rows.push_back(row);
            m_groups.push_back(title);
        }
    }

    // Shows the settings that match `text`, and the titles of their groups.
    void filter(const QString& text)
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

    void resetAll()
    {
        std::vector<const char*> changed;
        for (const Setting& setting : settingTable()) {
            if (m_settings.value(setting.key) == setting.byDefault)
                continue;
            m_settings.setValue(setting.key, setting.byDefault);
            changed.push_back(setting.key);
        }
        for (const char* key : changed)
            applySetting(key, m_settings, m_theme);
        refresh();
    }

    void store(const Setting& setting, const QVariant& value)
    {
        m_settings.setValue(setting.key, value);
        applySetting(setting.key, m_settings, m_theme);
    }

    ThemeController& m_theme;
    Settings& m_settings;
    QLineEdit* m_filter = named(new QLineEdit, "settingsFilter", tr("Find a m_setting"));
    EmptyState* m_nothing = named(new EmptyState(m_theme,
                                                 {Icon::Search, tr("No m_setting has these words"),
                                                  tr("Try fewer words."), tr("Show all")}),
                                  "noSetting");
    std::vector<SettingRow*> m_rows;
    // For each row, the title of its group if it is the first row of the group, otherwise nullptr.
    std::vector<QWidget*> m_groups;
};

} // namespace

void scaleWindow(const Settings& settings)
{
    constexpr const char* kFactor = "QT_SCALE_FACTOR";
    const double size = settings.value(key::kTextSize).toInt() / 100.0;
    bool hasOwn = false;
    const double own = qEnvironmentVariable(kFactor).toDouble(&hasOwn);
    if (size != 1)
        qputenv(kFactor, QByteArray::number(hasOwn ? own * size : size));
}

void applyLookSettings(const Settings& settings, ThemeController& theme,
                       ThemeController::Choice choice)
{
    theme.setLook(choice, settings.value(key::kPalette).toString());
    theme.setUnits(settings.units());
}

Page* makeSettings(ThemeController& theme, Settings& settings)
{
    return new SettingsPage(theme, settings);
}

} // namespace app
