#include "app/widgets/compare/compare_scene_painter.h"

#include "app/timeline/paint/compare_memory.h"
#include "app/timeline/paint/compare_painter.h"
#include "app/timeline/paint/legend.h"
#include "app/timeline/paint/marks_painter.h"
#include "app/timeline/view/labels.h"
#include "app/widgets/timeline/time_canvas.h"

#include <QPainter>

namespace app {

CompareScenePainter::CompareScenePainter(QPainter& painter, const CompareScene& scene,
                                         const BoxColours& colours)
    : m_painter(painter)
    , m_scene(scene)
    , m_colours(colours)
    , m_theme(colours.theme())
{ }

void CompareScenePainter::paintFrame() const
{
    const Chrome& chrome = m_theme.chrome;
    const QRectF area = m_scene.rowsArea();
    m_painter.fillRect(QRectF(0, 0, m_scene.size.width(), CompareScene::kRuler), chrome.surfaceAlt);
    m_painter.fillRect(QRectF(0, area.bottom(), m_scene.size.width(), CompareScene::kLegend),
                       chrome.surfaceAlt);
    for (const double y : {CompareScene::kRuler - 1, area.bottom(), m_scene.size.height() - 1.0})
        m_painter.fillRect(QRectF(0, y, m_scene.size.width(), 1), chrome.line);
    paintFirstRuler();
}

void CompareScenePainter::paintFirstRuler() const
{
    const CompareRow& first = m_scene.rows.rows.front();
    const QRectF area = m_scene.rowsArea();
    const TimeAxis axis = m_scene.axisOf(first);
    const RulerScale scale = compareScale(first, axis);
    m_painter.save();
    m_painter.setClipRect(QRectF(area.left(), 0, area.width(), CompareScene::kRuler));
    paintRuler(m_painter, scale, axis, m_theme,
               QRectF(area.left(), 0, area.width(), CompareScene::kRuler - 1));
    for (const auto& row : m_scene.rows.rows) {
        if (row.run == m_scene.baseline && row.group == 0)
            paintTriangle(m_painter,
                          {m_scene.axisOf(row).snappedX(static_cast<double>(row.window().end)) + 1,
                           CompareScene::kRuler - 1},
                          m_theme.chrome.text);
    }
    m_painter.restore();
    m_painter.setFont(uiFont(11));
    m_painter.setPen(m_theme.chrome.text2);
    m_painter.drawText(QRectF(24, 0, CompareScene::kHeader - 24, CompareScene::kRuler - 1),
                       Qt::AlignLeft | Qt::AlignVCenter, scale.title);
    m_painter.drawText(
        QRectF(area.right() + 16, 0, CompareScene::kColumn - 16, CompareScene::kRuler - 1),
        Qt::AlignLeft | Qt::AlignVCenter, TimeCanvas::tr("Iteration"));
}

// Draws a ruler of its own for runs in another unit, and the reason.
void CompareScenePainter::paintOtherRuler(const CompareGroup& group, const CompareRow& first) const
{
    const QRectF area = m_scene.rowsArea();
    const QRectF strip(0, group.rulerTop, m_scene.size.width(), CompareLayout::kRuler);
    m_painter.fillRect(strip, m_theme.chrome.warningTint);
    m_painter.setFont(uiFont(11));
    m_painter.setPen(m_theme.chrome.warning);
    const QString note = group.isInUnits
        ? TimeCanvas::tr(
            "In abstract units, on a separate scale: not comparable with the times above.")
        : TimeCanvas::tr(
            "In measured time, on a separate scale: not comparable with the units above.");
    m_painter.drawText(QPointF(24, strip.top() + 14), note);
    const TimeAxis axis = m_scene.axisOf(first);
    const RulerScale scale = compareScale(first, axis);
    m_painter.save();
    m_painter.setClipRect(QRectF(area.left(), strip.top(), area.width(), strip.height()));
    paintRuler(m_painter, scale, axis, m_theme,
               QRectF(area.left(), strip.top() + 14, area.width(), strip.height() - 14));
    m_painter.restore();
    m_painter.setPen(m_theme.chrome.text2);
    m_painter.drawText(QPointF(24, strip.bottom() - 8), scale.title);
    m_painter.fillRect(QRectF(0, strip.bottom() - 1, m_scene.size.width(), 1), m_theme.chrome.line);
}

void CompareScenePainter::paintRows() const
{
    const Chrome& chrome = m_theme.chrome;
    const QRectF area = m_scene.rowsArea();
    const QRectF column(area.right(), 0, CompareScene::kColumn,
                        std::max(m_scene.rows.height, area.height()));
    m_painter.fillRect(column, chrome.surfaceAlt);
    m_painter.fillRect(QRectF(column.left(), 0, 1, column.height()), chrome.line);
    const MemoryScales memory = memoryScales(m_scene.rows);
    for (const auto& row : m_scene.rows.rows) {
        const auto& group = m_scene.rows.groups[static_cast<std::size_t>(row.group)];
        const TimeAxis axis = m_scene.axisOf(row);
        const QRectF lanes(area.left(), row.top, area.width(), row.height);
        if (&row == &m_scene.rows.rows.front() || (&row - 1)->group != row.group) {
            if (row.group > 0)
                paintOtherRuler(group, row);
        }
        const ComparePaint paint{m_painter, m_scene.rows, row,    m_scene.baselineOf(row),
                                 m_colours, axis,         row.top};
        m_painter.save();
        m_painter.setClipRect(lanes);
        paintGrid(m_painter, compareScale(row, axis), axis, m_theme, lanes);
        paintCompareLanes(paint);
        const double begin = axis.snappedX(static_cast<double>(row.window().begin));
        m_painter.fillRect(QRectF(begin - 1, row.top, 1, row.height), chrome.text2);
        paintCompareEnd(paint);
        m_painter.restore();
        paintCompareHeader(paint);
        paintCompareNumbers(paint, m_scene.columnOf(row));
        paintCompareMemory(paint, memory, m_scene.columnOf(row));
        m_painter.fillRect(QRectF(0, row.top + row.height - 1, m_scene.size.width(), 1),
                           chrome.line);
    }
    paintBaselineEnd();
}

void CompareScenePainter::paintBaselineEnd() const
{
    double top = -1, bottom = 0;
    const CompareRow* base = nullptr;
    for (const auto& row : m_scene.rows.rows) {
        if (row.run == m_scene.baseline)
            base = &row;
    }
    if (!base || base->iteration < 0)
        return;
    for (const auto& row : m_scene.rows.rows) {
        if (row.group != base->group)
            continue;
        top = top < 0 ? row.top : top;
        bottom = row.top + row.height;
    }
    const double x = m_scene.axisOf(*base).snappedX(static_cast<double>(base->window().end));
    if (x < m_scene.rowsArea().left() || x > m_scene.rowsArea().right())
        return;
    QPen pen(m_theme.chrome.text, 1);
    pen.setDashPattern({4, 3});
    m_painter.setPen(pen);
    m_painter.drawLine(QPointF(x + 0.5, top), QPointF(x + 0.5, bottom));
}

void CompareScenePainter::paintMarks() const
{
    const Chrome& chrome = m_theme.chrome;
    const QRectF area = m_scene.rowsArea();
    m_painter.save();
    m_painter.setClipRect(area);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(chrome.text, 1));
    if (const QRectF box = m_scene.boxOf(m_scene.hover);
        !box.isEmpty() && m_scene.hover != m_scene.selected)
        m_painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    m_painter.setPen(QPen(chrome.text, 2));
    if (const QRectF box = m_scene.boxOf(m_scene.selected); !box.isEmpty())
        m_painter.drawRect(box.adjusted(-1, -1, 1, 1));
    if (m_scene.selected.selection.kind == Selection::Kind::Range && m_scene.selected.row >= 0) {
        const CompareRow& row = m_scene.rows.rows[static_cast<std::size_t>(m_scene.selected.row)];
        const TimeAxis axis = m_scene.axisOf(row);
        const QRectF range
            = stretch(axis, m_scene.selected.selection.window, area.top(), area.height());
        QColor fill = chrome.text;
        fill.setAlphaF(0.045F);
        m_painter.fillRect(range, fill);
        for (const double x : {range.left(), range.right()})
            m_painter.fillRect(QRectF(x - 1, area.top(), 1.5, area.height()), chrome.text);
        m_painter.restore();
        paintRangeBand(m_painter, compareScale(row, axis), axis, m_theme,
                       {m_scene.selected.selection.window,
                        QRectF(area.left(), 0, area.width(), CompareScene::kRuler)});
        return;
    }
    m_painter.restore();
}

void CompareScenePainter::paintLegend() const
{
    std::vector<LegendRun> shown;
    for (const CompareRow& row : m_scene.rows.rows)
        shown.push_back({row.view, m_scene.axisOf(row).ticksPerPixel()});
    app::paintLegend(
        m_painter, legendOf(shown, m_colours, LegendDetail::ComputeAndMemory), m_colours,
        QRectF(0, m_scene.rowsArea().bottom(), m_scene.size.width(), CompareScene::kLegend));
}

} // namespace app
