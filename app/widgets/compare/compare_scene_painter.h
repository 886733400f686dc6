#pragma once

#include "app/timeline/paint/box_colours.h"
#include "app/widgets/compare/compare_scene.h"

class QPainter;

namespace app {

// Draws a CompareScene that is not empty.
class CompareScenePainter
{
public:
    CompareScenePainter(QPainter& painter, const CompareScene& scene, const BoxColours& colours);

    void paintFrame() const; // paints everything except the rows, with the first ruler
    // Paints the rows relative to the painter's origin; slow, so cache the result.
    void paintRows() const;
    void paintMarks() const;
    void paintLegend() const;

private:
    void paintFirstRuler() const;
    void paintOtherRuler(const CompareGroup& group, const CompareRow& first) const;
    void paintBaselineEnd() const;

    QPainter& m_painter;
    const CompareScene& m_scene;
    const BoxColours& m_colours;
    const Theme& m_theme;
};

} // namespace app
