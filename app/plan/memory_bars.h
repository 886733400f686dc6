#pragma once

#include "app/plan/prediction.h"
#include "app/ui/controls.h"

#include <QColor>

#include <utility>
#include <vector>

namespace app {

// The memory of one device in bytes, at the time of its peak in a simulated iteration.
struct DevicePeak
{
    double weights = 0, gradients = 0, optimizer = 0, stash = 0;
    double guests = 0; // stashes of the partner device, which are not part of `stash`

    double sum() const { return weights + gradients + optimizer + stash + guests; }
};
// Returns the peak of each device; empty if the prediction has no run with memory.
std::vector<DevicePeak> devicePeaks(const Prediction& prediction);

// Groups of stacked bars side by side. Each bar is the memory of a device at its peak; a line marks
// the capacity.
class MemoryBars : public ThemedWidget
{
    Q_OBJECT

public:
    struct Group
    {
        QString title; // "" if it is the only group
        std::vector<DevicePeak> peaks;
        // For each device: height of a dashed bar, in bytes; empty: no dashed bars.
        std::vector<double> outlines = {};
    };

    explicit MemoryBars(const ThemeController& theme, QWidget* parent = nullptr);

    void show(std::vector<Group> groups, double capacity); // bytes
    void clear(const QString& reason);                     // shows the reason instead
    QSize sizeHint() const override { return {600, 218}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    enum class Sample { Box, Line, Guests };
    struct Entry
    {
        QString name;
        QColor fill;
        Sample sample = Sample::Box;
    };
    std::vector<Entry> legend() const;
    void paintGroup(QPainter& painter, const Group& group, const QRectF& plot) const;
    void paintBar(QPainter& painter, const DevicePeak& peak, const QRectF& plot) const;
    void paintGuests(QPainter& painter, const QRectF& box) const;
    void paintScale(QPainter& painter, const QRectF& plot) const;
    void paintNumbers(QPainter& painter, const QRectF& plot) const;
    // The entries, and their places relative to the legend.
    std::vector<std::pair<QPointF, Entry>> placedLegend() const;
    void paintLegend(QPainter& painter) const;
    double yOf(double bytes, const QRectF& plot) const;

    std::vector<Group> m_groups;
    double m_capacity = 0, m_top = 1; // bytes
    QString m_reason;
};

} // namespace app
