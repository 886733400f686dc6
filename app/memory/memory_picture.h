#pragma once

#include "app/memory/memory_report.h"
#include "app/ui/theme.h"

#include <QRectF>

class QPainter;

namespace app {

// Draws the panel of one device for MemoryAreas.
class MemoryPicture
{
public:
    static constexpr double kTexts = 96; // width of the texts beside the plot

    MemoryPicture(QPainter& painter, const Theme& theme, const MemoryReport& report,
                  engine::DeviceId device, const QRectF& panel);

    static QRectF plotIn(const QRectF& panel);
    void paintTexts() const;
    void paintAreas() const;
    void paintLimit() const;
    void paintWithoutMoves() const; // a dashed line
    void paintMoves() const;
    void paintCursor(std::int64_t time, bool isPinned, bool isLabelled) const;

private:
    double xOf(std::int64_t time) const;
    double yOf(std::int64_t bytes) const;

    QPainter& m_painter;
    const Theme& m_theme;
    const MemoryReport& m_report;
    engine::DeviceId m_device;
    QRectF m_panel, m_plot;
};

} // namespace app
