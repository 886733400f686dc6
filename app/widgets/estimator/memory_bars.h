#pragma once

#include "app/models/plan/bpipe_memory.h"
#include "app/models/theme.h"

#include <QWidget>

namespace app {

// Two groups of stacked bars, one bar per device: the memory of 1F1B and of BPipe at its highest
// moment, with the capacity as a line.
class MemoryBars : public QWidget
{
    Q_OBJECT

public:
    explicit MemoryBars(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const BpipeMemory& memory, double capacity); // bytes
    void clear(const QString& reason);                     // shows the reason instead
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintGroup(QPainter& painter, const QString& title, const std::vector<DevicePeak>& peaks,
                    const QRectF& plot) const;
    void paintBar(QPainter& painter, const DevicePeak& peak, double left, double width,
                  const QRectF& plot) const;
    void paintScale(QPainter& painter, const QRectF& plot) const;
    void paintLegend(QPainter& painter) const;
    double yOf(double bytes, const QRectF& plot) const;

    const ThemeController& m_theme;
    BpipeMemory m_memory;
    double m_capacity = 0, m_top = 1; // bytes
    QString m_reason;
};

} // namespace app
