#pragma once

#include "app/ui/theme.h"
#include "engine/timeline/timeline.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace app {

// Selects the shown iteration: "Iteration < 2 of 0-4 >", or "typical ops".
class IterationStepper : public QWidget
{
    Q_OBJECT

public:
    explicit IterationStepper(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const engine::Timeline& timeline, int iteration); // index; -1: none yet
    int iteration() const { return m_iteration; }

Q_SIGNALS:
    void chosen(int iteration); // index into Timeline::iterations

private:
    QToolButton *m_previous, *m_next;
    QLabel* m_name;
    int m_iteration = -1, m_count = 0;
};

} // namespace app
