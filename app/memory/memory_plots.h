#pragma once

#include "app/timeline/view/run_view.h"
#include "app/ui/controls.h"
#include "app/ui/numbers.h"

#include <optional>
#include <vector>

namespace app {

// The plots of MemoryPanel, in as many columns as fit.
class MemoryPlots : public ThemedWidget
{
    Q_OBJECT

public:
    explicit MemoryPlots(const ThemeController& theme, QWidget* parent = nullptr);

    void show(RunViewPointer view, int iteration);
    int heightFor(int width) const;
    // The largest stash in the iteration, as in the metrics of the device.
    QString stashText(engine::DeviceId device) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    int devices() const { return m_view ? m_view->devices() : 0; }
    const MemorySeries& seriesOf(int device) const { return m_view->memory({device}); }
    QRect cell(int device) const;
    QRectF plot(int device) const;
    double timeAt(const QRectF& plot, double x) const;
    QString text(double value) const; // formats bytes, or M_a if no memory was recorded
    void paintCell(QPainter& painter, int device) const;
    void paintArea(QPainter& painter, int device, const QRectF& plot) const;
    void paintHead(QPainter& painter, int device) const;
    void paintTimes(QPainter& painter, const QRectF& plot) const;
    void paintCursor(QPainter& painter, int device, const QRectF& plot) const;

    RunViewPointer m_view;
    int m_iteration = -1;
    engine::Window m_window;
    double m_highest = 0;
    Scale m_time, m_bytes;
    std::optional<double> m_cursor; // position of the cursor, in time of the timeline
};

} // namespace app
