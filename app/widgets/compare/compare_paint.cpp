#include "app/timeline/paint/compare_memory.h"
#include "app/timeline/paint/legend.h"
#include "app/timeline/paint/marks_painter.h"
#include "app/timeline/view/labels.h"
#include "app/widgets/compare/compare_impl.h"

#include <QPainter>
#include <QScrollBar>

namespace app {

BoxColours& CompareWidget::Impl::boxColours()
{
    if (!colours || coloursDpr != widget.devicePixelRatioF()) {
        coloursDpr = widget.devicePixelRatioF();
        colours = std::make_unique<BoxColours>(theme.theme(), coloursDpr);
        pictureKey = {};
    }
    return *colours;
}

void CompareWidget::Impl::paint(QPainter& painter)
{
    painter.fillRect(widget.rect(), theme.theme().chrome.surface);
    if (layout.rows.empty())
        return;
    boxColours();
    paintFrame(painter);
    paintFirstRuler(painter);
    painter.drawPixmap(QPointF(0, kRuler), rowsPicture());
    paintMarks(painter);
    std::vector<LegendRun> shown;
    for (const CompareRow& row : layout.rows)
        shown.push_back({row.view, axisOf(row).ticksPerPixel()});
    paintLegend(painter, legendOf(shown, *colours, LegendDetail::ComputeAndMemory), *colours,
                QRectF(0, rowsArea().bottom(), widget.width(), kLegend));
}

void CompareWidget::Impl::paintFrame(QPainter& painter) const
{
    const Chrome& chrome = theme.theme().chrome;
    const QRectF area = rowsArea();
    painter.fillRect(QRectF(0, 0, widget.width(), kRuler), chrome.surfaceAlt);
    painter.fillRect(QRectF(0, area.bottom(), widget.width(), kLegend), chrome.surfaceAlt);
    for (const double y : {kRuler - 1, area.bottom(), widget.height() - 1.0})
        painter.fillRect(QRectF(0, y, widget.width(), 1), chrome.line);
}

void CompareWidget::Impl::paintFirstRuler(QPainter& painter) const
{
    const Theme& look = theme.theme();
    const CompareRow& first = layout.rows.front();
    const QRectF area = rowsArea();
    const TimeAxis axis = axisOf(first);
    const RulerScale scale = compareScale(first, axis);
    painter.save();
    painter.setClipRect(QRectF(area.left(), 0, area.width(), kRuler));
    paintRuler(painter, scale, axis, look, QRectF(area.left(), 0, area.width(), kRuler - 1));
    for (const auto& row : layout.rows) {
        if (row.run == baseline && row.group == 0)
            paintTriangle(
                painter,
                {axisOf(row).snappedX(static_cast<double>(row.window().end)) + 1, kRuler - 1},
                look.chrome.text);
    }
    painter.restore();
    painter.setFont(uiFont(11));
    painter.setPen(look.chrome.text2);
    painter.drawText(QRectF(24, 0, kHeader - 24, kRuler - 1), Qt::AlignLeft | Qt::AlignVCenter,
                     scale.title);
    painter.drawText(QRectF(area.right() + 16, 0, kColumn - 16, kRuler - 1),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("Iteration"));
}

// Runs in another unit: their own ruler, and the reason in words.
void CompareWidget::Impl::paintOtherRuler(QPainter& painter, const CompareGroup& group,
                                          const CompareRow& first) const
{
    const Theme& look = theme.theme();
    const QRectF area = rowsArea();
    const QRectF strip(0, group.rulerTop, widget.width(), CompareLayout::kRuler);
    painter.fillRect(strip, look.chrome.warningTint);
    painter.setFont(uiFont(11));
    painter.setPen(look.chrome.warning);
    const QString note = group.isInUnits
        ? tr("In abstract units, on a scale of their own: not comparable with the times above.")
        : tr("In measured time, on a scale of their own: not comparable with the units above.");
    painter.drawText(QPointF(24, strip.top() + 14), note);
    const TimeAxis axis = axisOf(first);
    const RulerScale scale = compareScale(first, axis);
    painter.save();
    painter.setClipRect(QRectF(area.left(), strip.top(), area.width(), strip.height()));
    paintRuler(painter, scale, axis, look,
               QRectF(area.left(), strip.top() + 14, area.width(), strip.height() - 14));
    painter.restore();
    painter.setPen(look.chrome.text2);
    painter.drawText(QPointF(24, strip.bottom() - 8), scale.title);
    painter.fillRect(QRectF(0, strip.bottom() - 1, widget.width(), 1), look.chrome.line);
}

const QPixmap& CompareWidget::Impl::rowsPicture()
{
    const double dpr = widget.devicePixelRatioF();
    const PictureKey key{window, QSizeF(widget.size()), dpr, scrollBar->value(),
                         serial, theme.theme().mode};
    if (key == pictureKey && !picture.isNull())
        return picture;
    pictureKey = key;
    picture = QPixmap((QSizeF(widget.width(), rowsArea().height()) * dpr).toSize());
    picture.setDevicePixelRatio(dpr);
    picture.fill(theme.theme().chrome.surface);
    QPainter painter(&picture);
    painter.translate(0, -scrollBar->value());
    paintRows(painter);
    paintBaselineEnd(painter);
    return picture;
}

void CompareWidget::Impl::paintRows(QPainter& painter) const
{
    const Chrome& chrome = theme.theme().chrome;
    const QRectF area = rowsArea();
    const QRectF column(area.right(), 0, kColumn, std::max(layout.height, area.height()));
    painter.fillRect(column, chrome.surfaceAlt);
    painter.fillRect(QRectF(column.left(), 0, 1, column.height()), chrome.line);
    const MemoryScales memory = memoryScales(layout);
    for (const auto& row : layout.rows) {
        const auto& group = layout.groups[static_cast<std::size_t>(row.group)];
        const TimeAxis axis = axisOf(row);
        const QRectF lanes(area.left(), row.top, area.width(), row.height);
        if (&row == &layout.rows.front() || (&row - 1)->group != row.group) {
            if (row.group > 0)
                paintOtherRuler(painter, group, row);
        }
        const ComparePaint paint{painter, layout, row, baselineOf(row), *colours, axis, row.top};
        painter.save();
        painter.setClipRect(lanes);
        paintGrid(painter, compareScale(row, axis), axis, theme.theme(), lanes);
        paintCompareLanes(paint);
        const double begin = axis.snappedX(static_cast<double>(row.window().begin));
        painter.fillRect(QRectF(begin - 1, row.top, 1, row.height), chrome.text2);
        paintCompareEnd(paint);
        painter.restore();
        paintCompareHeader(paint);
        paintCompareNumbers(paint, columnOf(row));
        paintCompareMemory(paint, memory, columnOf(row));
        painter.fillRect(QRectF(0, row.top + row.height - 1, widget.width(), 1), chrome.line);
    }
}

QRectF CompareWidget::Impl::columnOf(const CompareRow& row) const
{
    return {rowsArea().right(), row.top, kColumn, row.height};
}

// The baseline's end as a dashed line through all runs of its unit.
void CompareWidget::Impl::paintBaselineEnd(QPainter& painter) const
{
    double top = -1, bottom = 0;
    const CompareRow* base = nullptr;
    for (const auto& row : layout.rows) {
        if (row.run == baseline)
            base = &row;
    }
    if (!base || base->iteration < 0)
        return;
    for (const auto& row : layout.rows) {
        if (row.group != base->group)
            continue;
        top = top < 0 ? row.top : top;
        bottom = row.top + row.height;
    }
    const double x = axisOf(*base).snappedX(static_cast<double>(base->window().end));
    if (x < rowsArea().left() || x > rowsArea().right())
        return;
    QPen pen(theme.theme().chrome.text, 1);
    pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.drawLine(QPointF(x + 0.5, top), QPointF(x + 0.5, bottom));
}

QRectF CompareWidget::Impl::boxOf(const Mark& mark) const
{
    if (mark.row < 0 || mark.row >= static_cast<int>(layout.rows.size())
        || !mark.selection.device.isValid())
        return {};
    const CompareRow& row = layout.rows[static_cast<std::size_t>(mark.row)];
    const double top = row.lanesTop + mark.selection.device.value * row.pitch;
    return boxRect(axisOf(row), mark.selection.window, top, row.pitch - 2)
        .translated(0, kRuler - scrollBar->value());
}

void CompareWidget::Impl::paintMarks(QPainter& painter) const
{
    const Chrome& chrome = theme.theme().chrome;
    const QRectF area = rowsArea();
    painter.save();
    painter.setClipRect(area);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(chrome.text, 1));
    if (const QRectF box = boxOf(hover); !box.isEmpty() && hover != selected)
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    painter.setPen(QPen(chrome.text, 2));
    if (const QRectF box = boxOf(selected); !box.isEmpty())
        painter.drawRect(box.adjusted(-1, -1, 1, 1));
    if (selected.selection.kind == Selection::Kind::Range && selected.row >= 0) {
        const CompareRow& row = layout.rows[static_cast<std::size_t>(selected.row)];
        const TimeAxis axis = axisOf(row);
        const QRectF range = stretch(axis, selected.selection.window, area.top(), area.height());
        QColor fill = chrome.text;
        fill.setAlphaF(0.045F);
        painter.fillRect(range, fill);
        for (const double x : {range.left(), range.right()})
            painter.fillRect(QRectF(x - 1, area.top(), 1.5, area.height()), chrome.text);
        painter.restore();
        paintRangeBand(painter, compareScale(row, axis), axis, theme.theme(),
                       {selected.selection.window, QRectF(area.left(), 0, area.width(), kRuler)});
        return;
    }
    painter.restore();
}

} // namespace app
