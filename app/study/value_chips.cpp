#include "app/study/value_chips.h"

#include "app/study/study_options.h"
#include "app/ui/controls.h"
#include "app/ui/flow_layout.h"
#include "app/ui/text.h"
#include "engine/base/field.h"
#include "profiler/study/edit_study.h"
#include "profiler/study/metric_text.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QVBoxLayout>

#include <algorithm>

namespace app {
namespace {

constexpr std::size_t kMostChips = 12; // more values in equal steps are one chip

QString objectNameOf(const std::string& key, const char* what)
{
    return QString::fromStdString(key) + QLatin1String(what);
}

} // namespace

ValueChips::ValueChips(const ThemeController& theme, std::string key, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_key(std::move(key))
    , m_label(studyOptionLabel(m_key))
    , m_names(studyOptionNames(m_key))
    , m_flow(new FlowLayout(6))
    , m_line(new QLineEdit)
    , m_add(makeButton(QStringLiteral("+"), objectNameOf(m_key, "Add"), "chip"))
    , m_problem(makeLabel({}, "problem"))
{
    setObjectName(objectNameOf(m_key, "Values"));
    QLabel* label = makeLabel(m_label, "section");
    label->setToolTip(toolTipText(studyOptionHelp(m_key)));
    m_line->setObjectName(objectNameOf(m_key, "Line"));
    m_line->setAccessibleName(tr("Values of %1").arg(m_label));
    m_line->setPlaceholderText(tr("4, 8 or 0 to 0.5, 11 steps"));
    m_line->installEventFilter(this);
    m_line->hide();
    m_add->setAccessibleName(tr("Add a value of %1").arg(m_label));
    m_add->setToolTip(m_add->accessibleName());
    m_problem->setObjectName(objectNameOf(m_key, "Problem"));
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->hide();
    m_flow->addWidget(m_add);
    spaced(new QVBoxLayout(this), {}, 6, {label, m_flow, m_line, m_problem});
    connect(m_add, &QPushButton::clicked, this, &ValueChips::add);
    connect(m_line, &QLineEdit::returnPressed, this, &ValueChips::takeText);
}

void ValueChips::show(const std::vector<std::string>& values)
{
    m_values = values;
    while (m_flow->count() > 0) {
        QLayoutItem* item = m_flow->takeAt(0);
        if (item->widget() != m_add)
            item->widget()->deleteLater();
        delete item;
    }
    const QString text = fromUtf8(profiler::valuesText(values));
    if (values.size() > kMostChips) {
        addChip(text, tr("Edit the values of %1").arg(m_label), [this, text] {
            m_replaces = true;
            type(text);
        });
    } else {
        for (const std::string& value : values) {
            const QString title = fromUtf8(profiler::valueTitle(m_key, value));
            addChip(title, tr("Remove %1").arg(title), [this, value] { remove(value); });
        }
    }
    m_flow->addWidget(m_add);
    m_flow->invalidate();
    setAccessibleName(QStringLiteral("%1: %2").arg(m_label, text));
}

void ValueChips::addChip(const QString& text, const QString& tip,
                         const std::function<void()>& pressed)
{
    QPushButton* chip
        = makeButton(text, objectNameOf(m_key, "Chip") + QString::number(m_flow->count()), "chip");
    chip->setToolTip(tip);
    chip->setAccessibleDescription(tip);
    // Queued, because `pressed` deletes the chip. A double click may queue two calls.
    connect(chip, &QPushButton::clicked, this, pressed, Qt::QueuedConnection);
    m_flow->addWidget(chip);
    chip->show();
}

void ValueChips::setProblem(const QString& text)
{
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
}

QString ValueChips::problem() const
{
    return m_problem->text();
}

void ValueChips::remove(const std::string& value)
{
    std::vector<std::string> values = m_values;
    if (std::erase(values, value) == 0)
        return;
    change(std::move(values));
    m_add->setFocus();
}

void ValueChips::add()
{
    m_replaces = false;
    m_names.isEmpty() ? type({}) : chooseName();
}

void ValueChips::chooseName()
{
    auto* menu = named(new QMenu(this), "valueMenu");
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const QString& name : m_names) {
        if (std::ranges::find(m_values, name.toStdString()) != m_values.end())
            continue;
        menu->addAction(name, this, [this, name] {
            std::vector<std::string> values = m_values;
            values.push_back(name.toStdString());
            change(std::move(values));
        });
    }
    if (menu->isEmpty())
        menu->addAction(tr("All values are in the study"))->setEnabled(false);
    menu->popup(m_add->mapToGlobal(m_add->rect().bottomLeft()));
}

void ValueChips::type(const QString& text)
{
    m_line->setText(text);
    m_line->show();
    m_line->setFocus();
    m_line->selectAll();
}

void ValueChips::closeLine()
{
    setLook(m_line, "invalid", false);
    m_line->hide();
}

void ValueChips::takeText()
{
    const auto typed = profiler::parseValues(m_line->text().toStdString());
    setLook(m_line, "invalid", !typed);
    if (!typed)
        return setProblem(fromUtf8(typed.error().message));
    std::vector<std::string> values = m_replaces ? std::vector<std::string>() : m_values;
    for (const std::string& value : *typed)
        if (std::ranges::find(values, value) == values.end())
            values.push_back(value);
    // Sorts the values if all are numbers.
    if (std::ranges::all_of(values,
                            [](const auto& text) { return engine::parseNumber(text).has_value(); }))
        std::ranges::stable_sort(
            values, {}, [](const std::string& text) { return *engine::parseNumber(text); });
    closeLine();
    setProblem({});
    change(std::move(values));
    m_add->setFocus();
}

void ValueChips::change(std::vector<std::string> values)
{
    show(values);
    Q_EMIT edited(m_values);
}

// Escape closes the text field, and so does leaving it empty.
bool ValueChips::eventFilter(QObject* watched, QEvent* event)
{
    const bool isEscape = event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
    const bool isShortcut = event->type() == QEvent::ShortcutOverride
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
    if (isShortcut) { // claims Escape, which would otherwise cancel the study
        event->accept();
        return true;
    }
    if (isEscape) {
        closeLine();
        setProblem({});
        m_add->setFocus();
        return true;
    }
    if (event->type() == QEvent::FocusOut && m_line->text().isEmpty())
        closeLine();
    return QWidget::eventFilter(watched, event);
}

} // namespace app
