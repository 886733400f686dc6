#pragma once

#include "app/editor/schedule_check.h"
#include "app/ui/theme.h"

#include <QWidget>

class QLabel;

namespace app {

class KeyNumbers;
class SchedulePreview;

// The simulated times of an edited schedule. While the schedule is not valid, the panel shows the
// times of the last valid order.
class TimesPanel : public QWidget
{
    Q_OBJECT

public:
    explicit TimesPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const ScheduleCheck& check, const PredictionRequest& request);
    void setLow(bool low); // true: hides the key numbers; the title has the main ones

private:
    SchedulePreview* m_preview;
    KeyNumbers* m_numbers;
    QLabel* m_note;
};

} // namespace app
