#include "app/ui/form.h"

#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "engine/cost/fraction.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDoubleSpinBox>
#include <QFontMetrics>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>
#include <QPainter>
#include <QRegularExpression>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace app {
namespace {

constexpr int kWidth = 96;
constexpr int kButtons = 24; // width at the right
constexpr int kNumber = 52;  // width reserved for the value

} // namespace

SpinField::SpinField(const ThemeController& theme, QWidget* parent)
    : QSpinBox(parent)
    , m_theme(theme)
{
    setFixedWidth(kWidth);
    setFrame(false);
    setAccelerated(true);
    setKeyboardTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void SpinField::setReason(const QString& reason)
{
    if (reason == m_reason)
        return;
    m_reason = reason;
    setProperty("invalid", !reason.isEmpty());
    setToolTip(reason);
    const int text = QFontMetrics(uiFont(11)).horizontalAdvance(reason);
    setFixedWidth(reason.isEmpty() ? kWidth : std::max(kWidth, kNumber + text + kButtons + 8));
    update();
}

void SpinField::paintEvent(QPaintEvent* event)
{
    QSpinBox::paintEvent(event);
    if (m_reason.isEmpty())
        return;
    QPainter painter(this);
    painter.setFont(uiFont(11));
    painter.setPen(m_theme.theme().chrome.error);
    painter.drawText(rect().adjusted(kNumber, 0, -kButtons - 4, 0),
                     Qt::AlignVCenter | Qt::AlignRight, m_reason);
}

namespace {

constexpr int kFieldWidth = 72, kLeastSlider = 40;
constexpr double kHundred = 100;

} // namespace

QString HundredthsField::textFromValue(int value) const
{
    return unitsText(value / 100.0).remove(kNarrowSpace);
}

void HundredthsField::stepBy(int steps)
{
    setValue((std::max(value(), 0) / singleStep() + steps) * singleStep());
}

int HundredthsField::valueFromText(const QString& text) const
{
    const double value = decimal(text).value_or(0) * kHundred;
    return static_cast<int>(std::lround(std::clamp<double>(value, minimum(), maximum())));
}

QValidator::State HundredthsField::validate(QString& text, int&) const
{
    if (text.isEmpty() || text == QLatin1String("."))
        return QValidator::Intermediate;
    const auto value = decimal(text);
    if (!value || *value * kHundred > maximum())
        return QValidator::Invalid;
    return *value * kHundred < minimum() ? QValidator::Intermediate : QValidator::Acceptable;
}

SliderField::SliderField(SpinField* field, int most, QWidget* parent)
    : QWidget(parent)
    , m_field(field)
    , m_slider(new QSlider(Qt::Horizontal))
{
    m_slider->setRange(field->minimum(), most);
    m_slider->setSingleStep(field->singleStep());
    m_slider->setPageStep(std::max(field->singleStep(), most / 16));
    m_slider->setObjectName(field->objectName() + QStringLiteral("Slider"));
    m_slider->setFocusPolicy(Qt::StrongFocus);
    m_slider->setMinimumWidth(kLeastSlider);
    m_field->setFixedWidth(kFieldWidth);
    spaced(new QHBoxLayout(this), QMargins(), 8, {{m_slider, 1}, m_field});
    showValue(field->value());
    connect(m_field, &QSpinBox::valueChanged, this, &SliderField::showValue);
    connect(m_slider, &QSlider::valueChanged, this, &SliderField::dragged);
}

void SliderField::showValue(int value)
{
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(value);
}

void SliderField::dragged(int value)
{
    m_field->setValue(m_rest ? m_rest(value) : value);
}

void SliderField::setReason(const QString& reason)
{
    m_slider->setVisible(reason.isEmpty());
    m_field->setReason(reason);
    if (reason.isEmpty())
        m_field->setFixedWidth(kFieldWidth);
}

// Makes a row of the form. A long title wraps, and the fields keep their width.
QHBoxLayout* makeFormRow(const QString& title, const QList<QWidget*>& fields)
{
    auto* row = spaced(new QHBoxLayout, QMargins(), 8);
    QLabel* label = makeLabel(title);
    label->setWordWrap(true);
    row->addWidget(label, 1);
    for (QWidget* field : fields) {
        if (auto* segments = qobject_cast<SegmentControl*>(field))
            segments->setName(title);
        else if (field->accessibleName().isEmpty())
            field->setAccessibleName(title);
        row->addWidget(field);
    }
    return row;
}

QHBoxLayout* makeSliderRow(const QString& title, SliderField* field)
{
    constexpr int kTitle = 108;
    auto* row = spaced(new QHBoxLayout, QMargins(), 8);
    QLabel* label = makeLabel(title);
    label->setFixedWidth(kTitle);
    label->setBuddy(field->field());
    row->addWidget(label);
    row->addWidget(field, 1);
    field->field()->setAccessibleName(title);
    field->slider()->setAccessibleName(title);
    return row;
}

QLabel* makeFormHint()
{
    QLabel* hint = makeLabel({}, "hint");
    hint->setAlignment(Qt::AlignRight);
    hint->setWordWrap(true);
    hint->hide();
    return hint;
}

void setHint(QLabel* hint, const QString& text)
{
    hint->setText(text);
    hint->setVisible(!text.isEmpty());
}

QComboBox* makeFormCombo(const QString& objectName)
{
    auto* combo = new QComboBox;
    combo->setObjectName(objectName);
    combo->setFixedSize(kFormFieldWidth, 28);
    return combo;
}

QPushButton* makeBrowseButton(QAnyStringView objectName, const QString& tip, QObject* receiver,
                              const Clicked& clicked)
{
    QPushButton* button = makeButton(QStringLiteral("\u2026"), objectName, "", receiver, clicked);
    button->setFixedWidth(28);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    setLook(button, "kind", QStringLiteral("icon"));
    return button;
}

void askForFile(QWidget* parent, const QString& title, const QString& filter,
                const std::function<void(const QString&)>& take)
{
    auto* dialog = new QFileDialog(parent, title, {}, filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    QObject::connect(dialog, &QFileDialog::fileSelected, parent, take);
    dialog->open();
}

QVBoxLayout* makeFormSection(QVBoxLayout& column)
{
    if (column.count() > 0)
        column.addWidget(makeLine(Qt::Horizontal));
    auto* section = spaced(new QVBoxLayout, QMargins(14, 14, 14, 14), 6);
    column.addLayout(section);
    return section;
}

namespace {

using engine::FieldFacts;
using engine::FieldKind;

constexpr int kNumberWidth = 92;
constexpr int kMostCost = 100'000; // hundredths
constexpr int kUnset = -1;         // value of the field while an optional cost is not set

QString translated(std::string_view text)
{
    return text.empty() ? QString()
                        : QCoreApplication::translate("Fields", std::string(text).c_str());
}

int hundredths(const std::string& cost)
{
    const auto value = engine::parseFraction(cost);
    return value ? static_cast<int>(std::lround(std::min(value->value(), 1e6) * 100)) : kUnset;
}

// Returns the text of a field in the form. The items of a List are separated by line ends in the
// object, but by blanks in the form.
QString shownText(const FieldFacts& facts, const std::string& text)
{
    if (facts.kind == FieldKind::Memory && text == "0")
        return {};
    QString shown = QString::fromStdString(text);
    return facts.kind == FieldKind::List ? shown.replace(u'\n', u' ') : shown;
}

std::string typedText(const FieldFacts& facts, const QString& text)
{
    static const QRegularExpression kGap(QStringLiteral("[\\s,;]+"));
    if (facts.kind == FieldKind::List)
        return text.split(kGap, Qt::SkipEmptyParts).join(u'\n').toStdString();
    const std::string typed = text.trimmed().toStdString();
    return facts.kind == FieldKind::Memory && typed.empty() ? "0" : typed;
}

// A field for decimals. Shows a point in every locale, like all fields, and also accepts a comma.
class DecimalField : public QDoubleSpinBox
{
public:
    DecimalField() { setLocale(QLocale::c()); }

protected:
    QValidator::State validate(QString& text, int& position) const override
    {
        text.replace(u',', u'.');
        return QDoubleSpinBox::validate(text, position);
    }
};

} // namespace

QString fieldObjectName(const engine::FieldFacts& facts, const char* prefix)
{
    QString name = QString::fromLatin1(prefix);
    bool isUpper = !name.isEmpty();
    for (const char c : facts.longFlag().substr(2)) {
        if (c != '-')
            name += isUpper ? QChar(QLatin1Char(c)).toUpper() : QChar(QLatin1Char(c));
        isUpper = c == '-';
    }
    return name;
}

void replaceOption(QString& message, const engine::FieldFacts& facts)
{
    const QString flag = QRegularExpression::escape(QString::fromStdString(facts.longFlag()));
    message.replace(QRegularExpression(flag + QStringLiteral("(?![-\\w])")),
                    translated(facts.label).section(QStringLiteral(", "), 0, 0));
}

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
    showEffects();
}

void BoundFields::showEffects()
{
    for (const auto& one : m_showEffect)
        one();
}

void BoundFields::changed()
{
    if (!m_isShowing)
        Q_EMIT edited();
}

void BoundFields::write(QWidget* widget, const Binding& binding, const std::string& text)
{
    if (m_isShowing)
        return;
    m_refused.erase(widget);
    if (const auto done = binding.set(text); !done)
        m_refused[widget] = fromUtf8(done.error().message);
    setLook(widget, "invalid", m_refused.contains(widget));
    showEffects();
    Q_EMIT edited();
}

QWidget* BoundFields::make(const FieldFacts& facts, const char* prefix, Look look, Binding binding)
{
    QWidget* widget = look == Look::Spin ? makeSpin(facts, binding)
        : look == Look::Segments         ? makeSegments(facts, binding)
        : facts.kind == FieldKind::Flag  ? makeFlag(facts, binding)
        : !facts.names.empty()           ? makeChoice(facts, binding)
        : facts.kind == FieldKind::Cost  ? makeCost(facts, binding)
        : facts.kind == FieldKind::Integer && facts.most <= std::numeric_limits<int>::max()
        ? makeNumber(facts, binding)
        : makeText(facts, binding);
    widget->setObjectName(fieldObjectName(facts, prefix));
    widget->setAccessibleName(translated(facts.label));
    const QString tip = translated(facts.help);
    m_show.emplace_back([this, widget] {
        m_refused.erase(widget);
        setLook(widget, "invalid", false);
    });
    m_showEffect.emplace_back([this, widget, tip, off = std::move(binding.off)] {
        const QString reason = translated(off());
        const auto refused = m_refused.find(widget);
        widget->setEnabled(reason.isEmpty());
        widget->setToolTip(refused != m_refused.end() ? refused->second
                               : reason.isEmpty()     ? tip
                                                      : reason);
    });
    return widget;
}

void BoundFields::layRow(QVBoxLayout& rows, const FieldFacts& facts, QWidget* widget)
{
    if (facts.kind == FieldKind::Flag)
        rows.addWidget(widget);
    else
        rows.addLayout(makeFormRow(translated(facts.label), {widget}));
}

QWidget* BoundFields::makeNumber(const FieldFacts& facts, const Binding& binding)
{
    auto* field = new SpinField(m_theme);
    field->setRange(static_cast<int>(facts.least), static_cast<int>(facts.most));
    if (!facts.defaultText.empty() && facts.least == 0)
        field->setSpecialValueText(translated(facts.defaultText));
    field->setFixedWidth(kNumberWidth);
    m_show.emplace_back(
        [field, get = binding.get] { field->setValue(QString::fromStdString(get()).toInt()); });
    connect(field, &QSpinBox::valueChanged, this,
            [this, field, binding](int number) { write(field, binding, std::to_string(number)); });
    return field;
}

QWidget* BoundFields::makeSpin(const FieldFacts& facts, const Binding& binding)
{
    auto* field = new DecimalField;
    field->setRange(facts.least, facts.most);
    m_show.emplace_back(
        [field, get = binding.get] { field->setValue(engine::parseNumber(get()).value_or(0)); });
    connect(field, &QDoubleSpinBox::valueChanged, this, [this, field, binding](double number) {
        write(field, binding, engine::numberText(number));
    });
    return field;
}

QWidget* BoundFields::makeSegments(const FieldFacts& facts, const Binding& binding)
{
    QStringList names;
    for (const std::string_view name : facts.names)
        names.append(translated(name));
    auto* segments = new SegmentControl(m_theme, names);
    m_show.emplace_back([segments, facts, get = binding.get] {
        const auto at = std::ranges::find(facts.names, get());
        segments->setCurrent(static_cast<int>(at - facts.names.begin()));
    });
    connect(segments, &SegmentControl::currentChanged, this,
            [this, segments, facts, binding](int choice) {
                write(segments, binding,
                      std::string(facts.names[static_cast<std::size_t>(choice)]));
            });
    return segments;
}

QWidget* BoundFields::makeCost(const FieldFacts& facts, const Binding& binding)
{
    constexpr int kStep = 5;
    auto* field = new HundredthsField(m_theme);
    field->setRange(facts.isOptional ? kUnset : 0, kMostCost);
    if (facts.isOptional)
        field->setSpecialValueText(translated(facts.defaultText));
    field->setSingleStep(kStep);
    field->setFixedWidth(kNumberWidth);
    m_show.emplace_back([field, get = binding.get] { field->setValue(hundredths(get())); });
    connect(field, &QSpinBox::valueChanged, this, [this, field, binding](int number) {
        write(field, binding, number == kUnset ? "" : engine::scaledText(number, 2));
    });
    return field;
}

QWidget* BoundFields::makeText(const FieldFacts& facts, const Binding& binding)
{
    auto* field = new QLineEdit;
    field->setFixedWidth(kFormFieldWidth);
    field->setPlaceholderText(facts.kind == FieldKind::List ? fromUtf8(facts.value)
                                                            : translated(facts.defaultText));
    m_show.emplace_back(
        [field, facts, get = binding.get] { field->setText(shownText(facts, get())); });
    connect(field, &QLineEdit::textChanged, this,
            [this, field, facts, binding](const QString& text) {
                write(field, binding, typedText(facts, text));
            });
    return field;
}

QWidget* BoundFields::makeChoice(const FieldFacts& facts, const Binding& binding)
{
    QComboBox* combo = makeFormCombo({});
    for (const std::string_view name : facts.names)
        combo->addItem(fromUtf8(name));
    m_show.emplace_back(
        [combo, get = binding.get] { combo->setCurrentText(QString::fromStdString(get())); });
    connect(
        combo, &QComboBox::currentTextChanged, this,
        [this, combo, binding](const QString& name) { write(combo, binding, name.toStdString()); });
    return combo;
}

QWidget* BoundFields::makeFlag(const FieldFacts& facts, const Binding& binding)
{
    auto* box = new QCheckBox(translated(facts.label));
    m_show.emplace_back([box, get = binding.get] { box->setChecked(get() == "true"); });
    connect(box, &QCheckBox::toggled, this,
            [this, box, binding](bool isOn) { write(box, binding, isOn ? "true" : "false"); });
    return box;
}

QComboBox* BoundFields::choice(const char* name, const QStringList& names, std::function<int()> get,
                               std::function<void(int)> set)
{
    QComboBox* combo = makeFormCombo(QString::fromLatin1(name));
    combo->addItems(names);
    m_show.emplace_back([combo, get = std::move(get)] { combo->setCurrentIndex(get()); });
    connect(combo, &QComboBox::currentIndexChanged, this, [this, set = std::move(set)](int index) {
        set(index);
        changed();
    });
    return combo;
}

QFileDialog* openFileDialog(const FileQuestion& question, QWidget* parent)
{
    auto* dialog = named(new QFileDialog(parent, question.title, QString(), question.filter),
                         question.objectName);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(question.mode);
    dialog->open();
    return dialog;
}

} // namespace app
