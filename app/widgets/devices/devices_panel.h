#pragma once

#include "app/models/run_document.h"
#include "app/models/theme.h"
#include "profiler/analysis/metrics.h"

#include <QWidget>

class QBoxLayout;
class QFrame;
class QLabel;
class QScrollArea;

namespace app {

class DeviceChart;

// Peak memory and bubble by cause, one column per device: two charts beside each other, or above
// each other if the panel is narrow.
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
    QFrame* m_line;                   // between charts beside each other
    QBoxLayout* m_charts;
    QScrollArea* m_scroll;
    QLabel* m_empty; // in place of the charts
};

} // namespace app
