#pragma once

#include "app/widgets/forms/spin_field.h"

#include <QSlider>

#include <functional>

namespace app {

// A number in hundredths, shown as a decimal: "0.25". What is typed is rounded to hundredths.
class HundredthsField : public SpinField
{
    Q_OBJECT

public:
    using SpinField::SpinField;
    void stepBy(int steps) override; // rests on multiples of the step

protected:
    QString textFromValue(int value) const override;
    int valueFromText(const QString& text) const override;
    QValidator::State validate(QString& text, int& position) const override;
};

// A number to type and a slider to drag, beside each other. The slider ends earlier than the field:
// a larger number is typed and leaves the knob at its end.
class SliderField : public QWidget
{
    Q_OBJECT

public:
    // Takes the field over; `most` is the end of the slider.
    SliderField(SpinField* field, int most, QWidget* parent = nullptr);

    SpinField* field() const { return m_field; }
    QSlider* slider() const { return m_slider; }
    // Where the knob may rest: dragging lands on rest(value). Typing is free.
    void setRest(std::function<int(int)> rest) { m_rest = std::move(rest); }
    void setReason(const QString& reason); // as SpinField; takes the slider's room

private:
    void showValue(int value);
    void dragged(int value);

    SpinField* m_field;
    QSlider* m_slider;
    std::function<int(int)> m_rest;
};

} // namespace app
