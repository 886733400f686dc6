#pragma once

#include "app/timeline/paint/hatch.h"
#include "app/timeline/view/memory_series.h"
#include "app/ui/controls.h"
#include "profiler/analysis/alive.h"

class QPainter;

namespace app {

// The colours of memory by kind; the stash of a partner is hatched.
class MemoryColours
{
public:
    MemoryColours(const Theme& theme, double dpr);

    void fill(QPainter& painter, const QRectF& rect, profiler::MemoryKind kind,
              double originX) const;
    QColor line() const { return m_line; } // outline of the total
    QColor plain(profiler::MemoryKind kind) const { return m_fills[kind]; }

private:
    engine::EnumArray<profiler::MemoryKind, QColor, profiler::kMemoryKinds> m_fills;
    QColor m_line;
    Hatch m_guest;
};

// The legend of MemoryAreas.
class MemoryLegend : public ThemedWidget
{
public:
    explicit MemoryLegend(const ThemeController& theme, QWidget* parent = nullptr);
    // `hasMoves`: whether stashes move between devices.
    void show(const RecordedCategories& recorded, bool hasMoves);
    using QWidget::show;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    RecordedCategories m_recorded = {};
    bool m_hasMoves = false;
};

} // namespace app
