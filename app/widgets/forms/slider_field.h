#pragma once

#include "app/widgets/forms/spin_field.h"

#include <QSlider>

#include <functional>

namespace app {

// A number in hundredths, shown as a decimal: "0.25". Input is rounded to hundredths.
class HundredthsField : public SpinField
{
    Q_OBJECT

public:
    using SpinField::SpinField;
    void stepBy(int steps) override; // snaps to multiples of the step

protected:
    QString textFromValue(int value) const override;
    int valueFromText(const QString& text) const override;
    QValidator::State validate(QString& text, int& position) const override;
};

// A number field beside a slider. The slider's maximum is lower than the field's: a larger typed
// number leaves the knob at its end.
class SliderField : public QWidget
{
    Q_OBJECT

public:
    // Takes ownership of the field; `most` is the slider's maximum.
    SliderField(SpinField* field, int most, QWidget* parent = nullptr);

    SpinField* field() const { return m_field; }
    QSlider* slider() const { return m_slider; }
    // Dragging snaps to rest(value); typing does not.
    void setRest(std::function<int(int)> rest) { m_rest = std::move(rest); }
    void setReason(const QString& reason); // like SpinField; replaces the slider

private:
    void showValue(int value);
    void dragged(int value);

    SpinField* m_field;
    QSlider* m_slider;
    std::function<int(int)> m_rest;
};

} // namespace app
