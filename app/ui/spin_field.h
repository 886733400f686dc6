#pragma once

#include "app/ui/theme.h"

#include <QSpinBox>

namespace app {

// A field for whole numbers, 28 px high. A refused value stays in the field, with the reason at its
// right end and a frame in the error colour.
class SpinField : public QSpinBox
{
    Q_OBJECT

public:
    explicit SpinField(const ThemeController& theme, QWidget* parent = nullptr);

    void setReason(const QString& reason); // "": the value is valid
    QString reason() const { return m_reason; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const ThemeController& m_theme;
    QString m_reason;
};

} // namespace app
