#pragma once

#include "app/timeline/details/details.h"
#include "app/ui/controls.h"

class QLabel;

namespace app {

// Two lines below the selected box, shown while the details dock is folded: op, duration, cause,
// and one link. A child of the timeline.
class SelectionPopover : public ThemedWidget
{
    Q_OBJECT

public:
    static constexpr int kWidth = 384;

    SelectionPopover(const ThemeController& theme, QWidget* timeline);

    // `box` is the box of the selection in timeline coordinates. If it is empty, the selection is
    // out of view and the popover is hidden.
    void show(const Details& details, const QRect& box);
    void place(const QRect& box);
    using QWidget::show;

Q_SIGNALS:
    void jumpTo(const app::Selection& selection);

protected:
    void paintEvent(QPaintEvent* event) override;
    // Handled here, so that clicks do not reach the timeline.
    void mousePressEvent(QMouseEvent* event) override;

private:
    QLabel *m_title, *m_left, *m_value, *m_sentence;
    Selection m_target;
};

} // namespace app
