#include "app/setup/scheme_options.h"

#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/text.h"

#include <QComboBox>
#include <QLineEdit>
#include <QVBoxLayout>

namespace app {
namespace {

QString titleOf(const engine::SchemeOption& option)
{
    return capitalized(fromUtf8(option.title));
}

} // namespace

SchemeOptions::SchemeOptions(QWidget* parent)
    : QWidget(parent)
    , m_before(new QWidget(this))
    , m_layout(spaced(new QVBoxLayout(this), QMargins(), 0))
{
    m_before->setFocusPolicy(Qt::TabFocus); // otherwise it has no place in the tab order
    m_before->hide();
    m_shown.scheme.clear();
}

void SchemeOptions::show(const engine::ScheduleRequest& request)
{
    const bool isSame = m_shown.scheme == request.scheme && m_shown.options == request.options;
    if (isSame)
        return;
    m_shown = request;
    delete m_rows;
    m_combos.clear();
    m_rows = new QWidget;
    spaced(new QVBoxLayout(m_rows), QMargins(), 6);
    m_layout->addWidget(m_rows);
    const engine::Scheme* scheme = engine::findScheme(request.scheme);
    if (scheme != nullptr)
        for (const engine::SchemeOption& option : scheme->options)
            addRow(option, request);
    QWidget* before = m_before;
    for (QComboBox* combo : std::as_const(m_combos)) {
        setTabOrder(before, combo);
        before = combo;
    }
    setVisible(scheme != nullptr && !scheme->options.empty());
}

void SchemeOptions::addRow(const engine::SchemeOption& option,
                           const engine::ScheduleRequest& request)
{
    auto* rows = static_cast<QVBoxLayout*>(m_rows->layout());
    if (option.values.size() == 1 && !option.isOpen()) {
        rows->addLayout(makeFormRow(titleOf(option),
                                    {makeLabel(fromUtf8(option.values.front()), "secondary")}));
        return;
    }
    const QString key = fromUtf8(option.key);
    QComboBox* combo = makeFormCombo(QStringLiteral("option_") + key);
    for (const std::string_view value : option.values)
        combo->addItem(fromUtf8(value));
    combo->setAccessibleName(titleOf(option));
    combo->setToolTip(fromUtf8(option.help));
    if (option.isOpen()) {
        combo->setEditable(true);
        combo->setInsertPolicy(QComboBox::NoInsert);
        combo->setCompleter(nullptr);
        combo->setToolTip(option.smallest ? tr("any whole number from %1").arg(*option.smallest)
                                          : fromUtf8(option.form));
        combo->lineEdit()->setPlaceholderText(combo->itemText(0));
    }
    const auto set = request.options.find(option.key);
    if (set != request.options.end())
        combo->setCurrentText(QString::fromStdString(set->second));
    connect(combo, &QComboBox::currentTextChanged, this, [this, combo, key](const QString& text) {
        const QString value = text.trimmed();
        const bool isDefault = value.isEmpty() || value == combo->itemText(0);
        if (isDefault)
            m_shown.options.erase(key.toStdString());
        else
            m_shown.options[key.toStdString()] = value.toStdString();
        Q_EMIT changed(key, isDefault ? QString() : value);
    });
    m_combos.append(combo);
    rows->addLayout(makeFormRow(titleOf(option), {combo}));
}

void SchemeOptions::setRefused(bool isRefused)
{
    for (QComboBox* combo : std::as_const(m_combos)) {
        const bool isSet = combo->currentText() != combo->itemText(0);
        combo->setProperty("invalid", isRefused && isSet);
        combo->update();
    }
}

} // namespace app
