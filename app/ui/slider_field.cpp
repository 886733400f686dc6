#include "app/ui/slider_field.h"

#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

namespace app {
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

} // namespace app
