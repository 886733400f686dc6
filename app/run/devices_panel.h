#pragma once

#include "app/documents/run_document.h"
#include "app/ui/theme.h"
#include "profiler/analysis/metrics.h"

#include <QWidget>

class QBoxLayout;
class QFrame;
class QLabel;
class QScrollArea;

namespace app {

class DeviceChart;

// Charts of the peak memory and of the bubble by cause, with one column per device. The charts are
// side by side or, in a narrow panel, one above the other.
class DevicesPanel : public QWidget
{
    Q_OBJECT

public:
    explicit DevicesPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void showMetrics(const engine::Run& run, const profiler::RunMetrics& metrics);
    void mark(engine::DeviceId device); // without a signal; invalid: none

Q_SIGNALS:
    void chosen(engine::DeviceId device);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    DeviceChart *m_memory, *m_bubble; // hidden if they have nothing to show
    QFrame* m_line;                   // between the charts if they are side by side
    QBoxLayout* m_charts;
    QScrollArea* m_scroll;
    QLabel* m_empty; // in place of the charts
};

} // namespace app
