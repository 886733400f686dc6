#pragma once

#include "app/ui/controls.h"

#include <QStringList>

namespace app {

// Two to four exclusive choices in one frame; the left and right arrow keys change the choice. The
// tooltip of a disabled choice states why it is disabled.
class SegmentControl : public ThemedWidget
{
    Q_OBJECT

public:
    SegmentControl(const ThemeController& theme, QStringList choices, QWidget* parent = nullptr);

    void setName(const QString& name); // accessible name: "Times"
    int current() const { return m_current; }
    void setCurrent(int choice); // emits no signal if unchanged
    void setText(int choice, const QString& text);
    void setCompact(); // 24 px high, for toolbars
    QSize sizeHint() const override;

Q_SIGNALS:
    void currentChanged(int choice);
    void chosenAgain(int choice); // a click on the current choice, or the space bar

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void speak();
    QRect segment(int choice) const;
    int choiceAt(const QPoint& position) const; // -1: none

    QStringList m_choices;
    QString m_name;
    int m_current = 0, m_hovered = -1;
};

} // namespace app
