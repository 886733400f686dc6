#pragma once

#include "app/memory/memory_report.h"
#include "app/ui/controls.h"
#include "app/ui/theme.h"
#include "profiler/figure/scene.h"

#include <QPixmap>
#include <QRectF>

#include <memory>
#include <vector>

namespace app {

// The colours of memory by kind; the stash of a partner is hatched with `line`.
struct MemoryColours
{
    explicit MemoryColours(const Theme& theme);

    engine::EnumArray<profiler::MemoryKind, QColor, profiler::kMemoryKinds> fills;
    QColor line; // outline of the total
};

// The memory of every device over time, one panel each: areas by kind, the limit, evicts and loads,
// and one cursor through all panels. The panels and rulers are a scene, so that they are exported
// as they are shown. The left and right keys move the cursor to the previous or next change of the
// chosen device, the up and down keys choose a device, and the bracket keys go from peak to peak.
class MemoryAreas : public ThemedWidget
{
    Q_OBJECT

public:
    using Report = std::shared_ptr<const MemoryReport>;

    explicit MemoryAreas(const ThemeController& theme, QWidget* parent = nullptr);

    void show(Report report); // nullptr: nothing to show
    using QWidget::show;
    void setOrder(MemoryReport::Order order);
    // Shows or hides the memory that a device would need if no stash moved between devices.
    void setWithoutMovesShown(bool isShown);
    engine::DeviceId device() const { return m_device; }
    std::int64_t time() const { return m_time; }
    void choose(engine::DeviceId device, std::int64_t time);
    void goToPeak(int step); // the next (1) or previous (-1) peak of the device
    void setLeastWidth(int pixels) { m_leastWidth = pixels; } // of a panel
    profiler::Scene scene() const;                            // without the cursor

Q_SIGNALS:
    void chosen(engine::DeviceId device, std::int64_t time);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override; // forgets the picture if the theme or the size changes
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool isEmpty() const { return !m_report || m_report->isEmpty(); }
    int columns() const;
    int rows() const;
    void fitHeight();
    QRectF panel(std::size_t position) const;
    QRectF plot(std::size_t position) const;
    int panelAt(QPointF at) const; // -1: none
    void moveCursor(int step);
    void moveDevice(int step);
    void speak();
    void changed();
    profiler::Group panels() const;
    profiler::Group rulers(std::optional<std::int64_t> cursor) const;
    void paintCursor(QPainter& painter, std::size_t position, std::int64_t time) const;

    Report m_report;
    MemoryReport::Order m_order = MemoryReport::Order::Devices;
    std::vector<engine::DeviceId> m_shown; // in the current order
    bool m_isWithoutMovesShown = true;
    int m_leastWidth = 420;
    engine::DeviceId m_device{0};
    std::int64_t m_time = 0;
    std::optional<std::int64_t> m_hover;
    QPixmap m_picture; // of the panels; null: not drawn yet
};

} // namespace app
