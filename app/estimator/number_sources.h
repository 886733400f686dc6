#pragma once

#include "app/estimator/bpipe_text.h"
#include "app/ui/controls.h"
#include "profiler/study/reproduce.h"

namespace app {

// Published and computed speed-ups, one row of two lines per case.
class PublishedCases : public ThemedWidget
{
    Q_OBJECT

public:
    explicit PublishedCases(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const std::vector<profiler::Reproduced>& rows);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintRow(QPainter& painter, const profiler::Reproduced& row, const QRectF& box) const;

    std::vector<profiler::Reproduced> m_rows;
};

// The constants used by the page with their sources, one row of two lines each.
class NumberSources : public QWidget
{
    Q_OBJECT

public:
    explicit NumberSources(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const std::vector<NumberSource>& sources);

private:
    const ThemeController& m_theme;
};

} // namespace app
