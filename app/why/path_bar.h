#pragma once

#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "profiler/why/why.h"

namespace app {

// The shares of a critical path as one bar, in the colours of the lanes, with a tick at the lower
// bound.
class PathBar : public ThemedWidget
{
    Q_OBJECT

public:
    explicit PathBar(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const profiler::PathShares& shares, std::int64_t bound, const Scale& scale);
    using QWidget::show;
    QSize sizeHint() const override { return {240, 34}; }
    QSize minimumSizeHint() const override { return {120, 34}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    profiler::PathShares m_shares;
    std::int64_t m_bound = 0;
    Scale m_scale;
};

} // namespace app
