#pragma once

#include "app/ui/spin_field.h"

#include <QSlider>

#include <functional>

namespace app {

// A field for hundredths, shown as a decimal: "0.25". Input is rounded to hundredths.
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

// A number field with a slider. The field may accept larger numbers than the slider; for these, the
// knob stays at the end.
class SliderField : public QWidget
{
    Q_OBJECT

public:
    // Takes ownership of `field`. `most` is the maximum of the slider.
    SliderField(SpinField* field, int most, QWidget* parent = nullptr);

    SpinField* field() const { return m_field; }
    QSlider* slider() const { return m_slider; }
    // Snaps values from the slider to rest(value). Typed values do not snap.
    void setRest(std::function<int(int)> rest) { m_rest = std::move(rest); }
    // Shows the reason in place of the slider; see SpinField::setReason().
    void setReason(const QString& reason);

private:
    void showValue(int value);
    void dragged(int value);

    SpinField* m_field;
    QSlider* m_slider;
    std::function<int(int)> m_rest;
};

} // namespace app
