#pragma once

#include "app/models/theme.h"

#include <QSpinBox>

namespace app {

// A whole number, 28 high. A refused value stays in the field, with the reason inside at the right
// and the frame in the colour of errors. The wheel works only with the focus.
class SpinField : public QSpinBox
{
    Q_OBJECT

public:
    explicit SpinField(const ThemeController& theme, QWidget* parent = nullptr);

    void setReason(const QString& reason); // "": the value is valid
    QString reason() const { return m_reason; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    const ThemeController& m_theme;
    QString m_reason;
};

} // namespace app
