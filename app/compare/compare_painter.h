#pragma once

#include "app/compare/compare_layout.h"
#include "app/compare/compare_scene.h"
#include "app/timeline/paint/box_colours.h"
#include "app/timeline/paint/ruler_painter.h"

class QPainter;

namespace app {

struct ComparePaint;

QString comparePeak(const CompareRow& row); // "16.4 MiB", "5.0 Mₐ"; the row has metrics
// Paints the title of a run in one or two lines: its name, and the name of its file.
void paintRunName(QPainter& painter, const CompareRow& row, const QRectF& area,
                  const Chrome& chrome, const QString& suffix = {});
QString compareSubtitle(const CompareRow& row); // "D 4, N 8, v 2, emulated"

// The ruler in the unit of the row's group. It counts from the instant at which runs are aligned.
RulerScale compareScale(const CompareLayout& layout, const CompareRow& row, const TimeAxis& axis);
Scale compareTime(const CompareLayout& layout, const CompareRow& row);

// The memory scales of a comparison, shared by all its runs: one for bytes, one for M_a.
struct MemoryScales
{
    double bytes = 1, stash = 1;

    double of(const RunView& view) const { return view.hasMemory() ? bytes : stash; }
};
MemoryScales memoryScales(const CompareLayout& layout);

// Returns the area of the memory bars, below the key numbers in the right column of a row; `column`
// is the area of that column. Empty if the bars do not fit.
QRectF compareMemoryArea(const CompareRow& row, const QRectF& column);
// Returns the part of `area` for one device, including the gap to the next device.
QRectF compareMemorySlot(const CompareRow& row, const QRectF& area, int device);

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
    void paintTieText(const profiler::Ranking::Tie& tie, QPointF at) const;
    QString hiddenRuns() const; // "": all runs are visible
    ComparePaint paintOf(const CompareRow& row) const;

    QPainter& m_painter;
    const CompareScene& m_scene;
    const BoxColours& m_colours;
    const Theme& m_theme;
};

} // namespace app
