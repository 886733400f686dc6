#pragma once

#include "app/compare/compare_painter.h"
#include "app/compare/compare_scene.h"
#include "app/timeline/paint/box_colours.h"

class QPainter;

namespace app {

// Draws a CompareScene that is not empty.
class CompareScenePainter
{
public:
    CompareScenePainter(QPainter& painter, const CompareScene& scene, const BoxColours& colours);

    void paintFrame() const; // paints everything except the rows, including the first ruler
    // Paints one row at its place in the rows; slow, so cache the result.
    void paintRow(const CompareRow& row) const;
    // The next two functions use coordinates of the rows before scrolling. paintGround() paints the
    // backgrounds. paintOverRows() paints the heads of groups, the end of the baseline, and the
    // brackets of runs that cannot be distinguished.
    void paintGround() const;
    void paintOverRows() const;
    void paintMarks() const;
    void paintLegend() const;

private:
    void paintFirstRuler() const;
    void paintTitles() const;
    void paintHead(const CompareGroup& group, const CompareRow& first) const;
    void paintOtherRuler(const CompareGroup& group, const CompareRow& first) const;
    void paintTall(const ComparePaint& paint) const;
    void paintBaselineEnd() const;
    void paintTies() const;
    QString hiddenRuns() const; // "": all runs are visible
    ComparePaint paintOf(const CompareRow& row) const;

    QPainter& m_painter;
    const CompareScene& m_scene;
    const BoxColours& m_colours;
    const Theme& m_theme;
};

} // namespace app
