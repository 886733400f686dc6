#include "app/widgets/forms/bound_fields.h"

#include "app/widgets/forms/form_rows.h"
#include "app/widgets/forms/slider_field.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>

#include <utility>

namespace app {
namespace {

constexpr int kNumberWidth = 92;

} // namespace

BoundFields::BoundFields(const ThemeController& theme, QObject* parent)
    : QObject(parent)
    , m_theme(theme)
{ }

void BoundFields::show()
{
    m_isShowing = true;
    for (const auto& one : m_show)
        one();
    m_isShowing = false;
}

void BoundFields::changed()
{
    if (!m_isShowing)
        Q_EMIT edited();
}

SpinField* BoundFields::bound(SpinField* field, const char* name, int& value, const Range& range)
{
    field->setObjectName(QString::fromLatin1(name));
    field->setRange(range.least, range.most);
    field->setSpecialValueText(range.leastText);
    field->setFixedWidth(kNumberWidth);
    m_show.emplace_back([field, &value] { field->setValue(value); });
    connect(field, &QSpinBox::valueChanged, this, [this, &value](int number) {
        value = number;
        changed();
    });
    return field;
}

SpinField* BoundFields::number(const char* name, int& value, const Range& range)
{
    return bound(new SpinField(m_theme), name, value, range);
}

SpinField* BoundFields::hundredths(const char* name, int& value, const Range& range)
{
    constexpr int kStep = 5;
    auto* field = new HundredthsField(m_theme);
    field->setSingleStep(kStep);
    return bound(field, name, value, range);
}

QCheckBox* BoundFields::flag(const char* name, const QString& text, bool& value)
{
    auto* box = new QCheckBox(text);
    box->setObjectName(QString::fromLatin1(name));
    m_show.emplace_back([box, &value] { box->setChecked(value); });
    connect(box, &QCheckBox::toggled, this, [this, &value](bool isOn) {
        value = isOn;
        changed();
    });
    return box;
}

QLineEdit* BoundFields::text(const char* name, QString& value)
{
    auto* field = new QLineEdit;
    field->setObjectName(QString::fromLatin1(name));
    field->setFixedWidth(kFormFieldWidth);
    m_show.emplace_back([field, &value] { field->setText(value); });
    connect(field, &QLineEdit::textChanged, this, [this, &value](const QString& written) {
        value = written.trimmed();
        changed();
    });
    return field;
}

QComboBox* BoundFields::choice(const char* name, const QStringList& words, std::function<int()> get,
                               std::function<void(int)> set)
{
    QComboBox* combo = makeFormCombo(QString::fromLatin1(name));
    combo->addItems(words);
    m_show.emplace_back([combo, get = std::move(get)] { combo->setCurrentIndex(get()); });
    connect(combo, &QComboBox::currentIndexChanged, this, [this, set = std::move(set)](int index) {
        set(index);
        changed();
    });
    return combo;
}

} // namespace app
