#pragma once

#include "app/documents/run_document.h"
#include "app/ui/controls.h"

namespace app {

// The progress of a run: a segment of 20 x 4 px per complete iteration, or one bar if there are
// many. Segments of warm-up iterations are paler.
class IterationSegments : public ThemedWidget
{
    Q_OBJECT

public:
    explicit IterationSegments(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const RunProgress& progress);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    RunProgress m_progress;
};

} // namespace app
