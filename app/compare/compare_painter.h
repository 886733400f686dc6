#pragma once

#include "app/compare/compare_scene.h"
#include "app/timeline/paint/box_painter.h"

#include <QPainter>

namespace app {

// The memory scales of a comparison, shared by all its runs: one for bytes, one for M_a.
struct MemoryScales
{
    double bytes = 1, stash = 1;

    double of(const RunView& view) const { return view.hasMemory() ? bytes : stash; }
};
MemoryScales memoryScales(const CompareLayout& layout);

// Draws a CompareScene that is not empty.
class ComparePainter
{
public:
    ComparePainter(QPainter& painter, const CompareScene& scene, const BoxColours& colours)
        : m_painter(painter)
        , m_scene(scene)
        , m_colours(colours)
    { }

    void paintFrame() const; // everything except the rows
    void paintRows() const;  // slow, so cache the result; the area of the rows begins at y = 0
    void paintMarks() const;
    void paintLegend() const;

protected:
    const Theme& theme() const { return m_colours.theme(); }
    const Chrome& chrome() const { return theme().chrome; }
    void fill(const QRectF& area, const QColor& colour) const { m_painter.fillRect(area, colour); }
    void write(const QRectF& area, const QString& text, const QFont& font, const QColor& ink,
               int flags = Qt::AlignLeft | Qt::AlignVCenter) const
    {
        paintText(m_painter, area, text, font, ink, flags);
    }

    QPainter& m_painter;
    const CompareScene& m_scene;
    const BoxColours& m_colours;

private:
    void paintRow(const CompareRow& row) const; // in coordinates of the rows before scrolling
    void paintRulerOf(const CompareRow& row, const QRectF& strip) const;
    void paintTitles() const;
    void paintHead(const CompareGroup& group, const CompareRow& first) const;
    void paintBaselineEnd() const;
    void paintTie(const profiler::Ranking::Tie& tie) const;
    QString hiddenRuns() const; // "": all runs are visible
};

} // namespace app
