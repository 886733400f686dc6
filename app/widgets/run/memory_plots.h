#pragma once

#include "app/models/numbers.h"
#include "app/models/run_document.h"
#include "app/timeline/view/memory_series.h"
#include "app/widgets/controls/controls.h"
#include "profiler/analysis/metrics.h"

#include <optional>
#include <vector>

namespace app {

// The plots of MemoryPanel, in as many columns as fit.
class MemoryPlots : public ThemedWidget
{
    Q_OBJECT

public:
    explicit MemoryPlots(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const RunPointer& run, int iteration);
    int heightFor(int width) const;
    // The largest stash in the iteration, as in the metrics of the device.
    QString stashText(engine::DeviceId device) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    QRect cell(int device) const;
    QRectF plot(int device) const;
    double timeAt(const QRectF& plot, double x) const;
    QString text(double value) const; // formats bytes, or M_a if isStashOnly
    void paintCell(QPainter& painter, int device) const;
    void paintArea(QPainter& painter, int device, const QRectF& plot) const;
    void paintHead(QPainter& painter, int device) const;
    void paintTimes(QPainter& painter, const QRectF& plot) const;
    void paintCursor(QPainter& painter, int device, const QRectF& plot) const;

    engine::IdVector<engine::DeviceId, MemorySeries> m_series;
    engine::IdVector<engine::DeviceId, profiler::DeviceMetrics> m_peaks;
    engine::Window m_window;
    double m_highest = 0;
    Scale m_time, m_bytes;
    bool m_isStashOnly = false;     // no memory was recorded, so the stash in M_a is shown
    std::optional<double> m_cursor; // position of the cursor, in time of the timeline
};

} // namespace app
