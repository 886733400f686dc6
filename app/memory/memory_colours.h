#pragma once

#include "app/timeline/view/run_view.h"
#include "app/ui/controls.h"
#include "profiler/analysis/alive.h"

namespace app {

// The colours of memory by kind; the stash of a partner is hatched with `line`.
struct MemoryColours
{
    explicit MemoryColours(const Theme& theme);

    engine::EnumArray<profiler::MemoryKind, QColor, profiler::kMemoryKinds> fills;
    QColor line; // outline of the total
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
