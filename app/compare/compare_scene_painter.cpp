#include "app/compare/compare_scene_painter.h"

#include "app/compare/compact_row_painter.h"
#include "app/compare/compare_memory.h"
#include "app/compare/compare_painter.h"
#include "app/timeline/paint/legend.h"
#include "app/timeline/paint/marks_painter.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/widget/time_canvas.h"
#include "app/ui/text.h"

#include <QFontMetricsF>
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
    const RulerScale scale = compareScale(m_scene.rows, first, axis);
    m_painter.save();
    m_painter.setClipRect(QRectF(area.left(), 0, area.width(), CompareScene::kRuler));
    paintRuler(m_painter, scale, axis, m_theme,
               QRectF(area.left(), 0, area.width(), CompareScene::kRuler - 1));
    if (const CompareRow* base = m_scene.baseline(); base && base->iteration >= 0)
        paintTriangle(m_painter,
                      {m_scene.axisOf(*base).snappedX(static_cast<double>(base->window().end)) + 1,
                       CompareScene::kRuler - 1},
                      m_theme.chrome.text);
    m_painter.restore();
    paintTitles();
}

// Paints the titles of the columns beside the ruler. The column that ranks the runs has an arrow.
void CompareScenePainter::paintTitles() const
{
    const Chrome& chrome = m_theme.chrome;
    const CompareRow& first = m_scene.rows.rows.front();
    const double height = CompareScene::kRuler - 1;
    m_painter.setFont(uiFont(11));
    m_painter.setPen(chrome.text2);
    if (!m_scene.rows.isCompact()) {
        m_painter.drawText(QRectF(24, 0, m_scene.headerWidth() - 24, height),
                           Qt::AlignLeft | Qt::AlignVCenter,
                           compareScale(m_scene.rows, first, m_scene.axisOf(first)).title);
        m_painter.drawText(
            QRectF(m_scene.rowsArea().right() + 16, 0, m_scene.columnsWidth() - 16, height),
            Qt::AlignLeft | Qt::AlignVCenter, TimeCanvas::tr("Iteration"));
        return;
    }
    paintCompactTitles(m_painter, m_scene, m_theme);
}

// Paints a strip above a group whose runs are not ranked with those above. The strip has a ruler if
// the runs have another unit, and a title if they have another mode.
void CompareScenePainter::paintHead(const CompareGroup& group, const CompareRow& first) const
{
    if (group.hasRuler) {
        paintOtherRuler(group, first);
        return;
    }
    const QRectF strip(0, group.headTop, m_scene.size.width(), group.headHeight());
    m_painter.fillRect(strip, m_theme.chrome.surfaceAlt);
    m_painter.fillRect(QRectF(0, strip.bottom() - 1, strip.width(), 1), m_theme.chrome.line);
    m_painter.setFont(uiFont(11));
    m_painter.setPen(m_theme.chrome.text2);
    m_painter.drawText(strip.adjusted(24, 0, -24, 0), Qt::AlignLeft | Qt::AlignVCenter,
                       TimeCanvas::tr("%1: ranked separately")
                           .arg(capitalized(fromUtf8(engine::modeAdjective(group.mode)))));
}

// Draws the ruler of runs in another unit, with a note that explains it.
void CompareScenePainter::paintOtherRuler(const CompareGroup& group, const CompareRow& first) const
{
    const QRectF area = m_scene.rowsArea();
    const QRectF strip(0, group.headTop, m_scene.size.width(), CompareLayout::kRuler);
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
    const RulerScale scale = compareScale(m_scene.rows, first, axis);
    m_painter.save();
    m_painter.setClipRect(QRectF(area.left(), strip.top(), area.width(), strip.height()));
    paintRuler(m_painter, scale, axis, m_theme,
               QRectF(area.left(), strip.top() + 14, area.width(), strip.height() - 14));
    m_painter.restore();
    m_painter.setPen(m_theme.chrome.text2);
    m_painter.drawText(QPointF(24, strip.bottom() - 8), scale.title);
    m_painter.fillRect(QRectF(0, strip.bottom() - 1, m_scene.size.width(), 1), m_theme.chrome.line);
}

ComparePaint CompareScenePainter::paintOf(const CompareRow& row) const
{
    return {m_painter, m_scene.rows,        row,    m_scene.baselineOf(row),
            m_colours, m_scene.axisOf(row), row.top};
}

void CompareScenePainter::paintGround() const
{
    if (m_scene.rows.isCompact())
        return;
    const QRectF area = m_scene.rowsArea();
    const QRectF column(area.right(), 0, m_scene.columnsWidth(),
                        std::max(m_scene.rows.height, area.height()));
    m_painter.fillRect(column, m_theme.chrome.surfaceAlt);
    m_painter.fillRect(QRectF(column.left(), 0, 1, column.height()), m_theme.chrome.line);
}

void CompareScenePainter::paintRow(const CompareRow& row) const
{
    const ComparePaint paint = paintOf(row);
    if (m_scene.rows.isCompact())
        paintCompactRow(paint, m_scene);
    else
        paintTall(paint);
    m_painter.fillRect(QRectF(0, row.top + row.height - 1, m_scene.size.width(), 1),
                       m_scene.rows.isCompact() ? m_theme.chrome.grid : m_theme.chrome.line);
}

void CompareScenePainter::paintTall(const ComparePaint& paint) const
{
    const CompareRow& row = paint.row;
    const QRectF area = m_scene.rowsArea(), column = m_scene.columnOf(row);
    const QRectF lanes(area.left(), row.top, area.width(), row.height);
    m_painter.fillRect(column, m_theme.chrome.surfaceAlt);
    m_painter.fillRect(QRectF(column.left(), row.top, 1, row.height), m_theme.chrome.line);
    m_painter.save();
    m_painter.setClipRect(lanes, Qt::IntersectClip);
    paintGrid(m_painter, compareScale(m_scene.rows, row, paint.axis), paint.axis, m_theme, lanes);
    paintCompareLanes(paint);
    if (m_scene.hasGhost && paint.baseline)
        paintCompareGhost(paint);
    const double begin = paint.axis.snappedX(static_cast<double>(row.window().begin));
    m_painter.fillRect(QRectF(begin - 1, row.top, 1, row.height), m_theme.chrome.text2);
    paintCompareEnd(paint);
    m_painter.restore();
    paintCompareHeader(paint);
    paintCompareNumbers(paint, column);
    paintCompareMemory(paint, memoryScales(m_scene.rows), column);
}

void CompareScenePainter::paintOverRows() const
{
    for (const CompareRow& row : m_scene.rows.rows) {
        const bool isFirst = &row == &m_scene.rows.rows.front() || (&row - 1)->group != row.group;
        if (row.group > 0 && isFirst)
            paintHead(m_scene.rows.groups[static_cast<std::size_t>(row.group)], row);
    }
    paintBaselineEnd();
    if (m_scene.rows.isCompact() && m_scene.numbers)
        paintTies();
}

void CompareScenePainter::paintBaselineEnd() const
{
    double top = -1, bottom = 0;
    const CompareRow* base = m_scene.baseline();
    if (!base || base->iteration < 0)
        return;
    for (const auto& row : m_scene.rows.rows) {
        if (&row != base && !m_scene.baselineOf(row))
            continue;
        top = top < 0 ? row.top : top;
        bottom = row.top + row.height;
    }
    if (m_scene.isBaselinePinned())
        bottom = std::max(bottom, m_scene.scroll + m_scene.rowsArea().height());
    const double x = m_scene.axisOf(*base).snappedX(static_cast<double>(base->window().end));
    if (x < m_scene.rowsArea().left() || x > m_scene.rowsArea().right())
        return;
    QPen pen(m_theme.chrome.text, 1);
    pen.setDashPattern({4, 3});
    m_painter.setPen(pen);
    m_painter.drawLine(QPointF(x + 0.5, top), QPointF(x + 0.5, bottom));
}

// Paints a bracket at the right of consecutive runs whose 95 % intervals overlap.
void CompareScenePainter::paintTies() const
{
    constexpr double kAfter = 14, kHook = 5, kInset = 6;
    const auto& ranking = m_scene.numbers->ranking;
    const double right = m_scene.rowsArea().right();
    m_painter.setFont(uiFont(11, QFont::Medium));
    for (const auto& tie : ranking.ties) {
        double x = 0, top = 0, bottom = 0;
        for (std::size_t k = tie.first; k <= tie.last; ++k) {
            const CompareRow* row = m_scene.rows.rowOf(ranking.order[k]);
            if (!row || row->iteration < 0)
                continue;
            const auto end = static_cast<double>(row->window().end);
            x = std::max(x, m_scene.axisOf(*row).snappedX(end) + kAfter);
            top = k == tie.first ? row->top + kInset : top;
            bottom = row->top + CompareLayout::kLane - kInset;
        }
        if (x + kHook > right)
            continue;
        m_painter.fillRect(QRectF(x + kHook, top, 1, bottom - top), m_theme.chrome.text);
        for (const double y : {top, bottom - 1})
            m_painter.fillRect(QRectF(x, y, kHook, 1), m_theme.chrome.text);
        const QString text = TimeCanvas::tr("not distinguishable");
        const double width = QFontMetricsF(m_painter.font()).horizontalAdvance(text);
        const QRectF plate(x + kHook + 6, (top + bottom) / 2 - 8, width + 4, 16);
        if (plate.right() > right)
            continue;
        m_painter.fillRect(plate, m_theme.chrome.surface);
        m_painter.setPen(m_theme.chrome.text);
        m_painter.drawText(plate, Qt::AlignCenter, text);
    }
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
        paintRangeBand(m_painter, compareScale(m_scene.rows, row, axis), axis, m_theme,
                       {m_scene.selected.selection.window,
                        QRectF(area.left(), 0, area.width(), CompareScene::kRuler)});
        return;
    }
    m_painter.restore();
}

// Returns the number of runs below the visible ones, and the slowest of them, as text.
QString CompareScenePainter::hiddenRuns() const
{
    const double bottom = m_scene.scroll + m_scene.rowsArea().height();
    int hidden = 0;
    const CompareRow* slowest = nullptr;
    for (const CompareRow& row : m_scene.rows.rows) {
        if (row.top + CompareLayout::kLane <= bottom)
            continue;
        ++hidden;
        if (!slowest || row.duration() > slowest->duration())
            slowest = &row;
    }
    if (!slowest)
        return {};
    const auto ticks = static_cast<double>(slowest->window().duration());
    return TimeCanvas::tr("%1 below; the slowest, %2, takes %3")
        .arg(countOf(hidden, "run"), QString::fromStdString(slowest->name),
             compareTime(m_scene.rows, *slowest).withUnit(ticks));
}

void CompareScenePainter::paintLegend() const
{
    std::vector<LegendRun> shown;
    bool isAnyExpanded = false;
    for (const CompareRow& row : m_scene.rows.rows) {
        shown.push_back({row.view, m_scene.axisOf(row).ticksPerPixel()});
        isAnyExpanded = isAnyExpanded || row.isExpanded;
    }
    const LegendDetail detail = !m_scene.rows.isCompact() ? LegendDetail::ComputeAndMemory
        : isAnyExpanded                                   ? LegendDetail::TimeOnly
                                                          : LegendDetail::Coverage;
    Legend legend = legendOf(shown, m_colours, detail);
    if (m_scene.rows.isCompact())
        legend.note = hiddenRuns();
    app::paintLegend(
        m_painter, legend, m_colours,
        QRectF(0, m_scene.rowsArea().bottom(), m_scene.size.width(), CompareScene::kLegend));
}

} // namespace app
