#include "app/compare/compare_painter.h"

#include "app/documents/runs_model.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/lane_walk.h"
#include "app/timeline/view/translate.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStringList>

namespace app {
namespace {

constexpr double kHeader = 140;
constexpr double kGapFrom = 74;               // least width in pixels of a gap with text
constexpr double kFirstLine = 22, kLine = 17; // y of the first key number, line height
constexpr double kAllLinesFrom = 120;         // height of a row that shows all key numbers

double lanesHeight(const CompareRow& row)
{
    return row.view->devices() * row.pitch;
}

double lanesTop(const ComparePaint& paint)
{
    return paint.top + paint.row.lanesTop - paint.row.top;
}

QString differenceText(const CompareRow& row, const CompareRow& baseline)
{
    return signedPercent(row.duration() / baseline.duration() - 1);
}

bool showsDifference(const CompareRow& row)
{
    return row.height >= kAllLinesFrom;
}

void arrow(QPainter& painter, double from, double to, double y, QColor ink)
{
    painter.fillRect(QRectF(from, y, to - from, 1), ink);
    for (const auto& [tip, side] : {std::pair(from, 1.0), std::pair(to, -1.0)})
        fillPolygon(painter,
                    QPolygonF{{tip, y + 0.5}, {tip + 6 * side, y - 2.5}, {tip + 6 * side, y + 3.5}},
                    ink);
}

void paintGap(const ComparePaint& paint, double from, double to)
{
    QPainter& painter = paint.painter;
    const Chrome& chrome = paint.colours.theme().chrome;
    const double middle = std::round(lanesTop(paint) + lanesHeight(paint.row) / 2);
    arrow(painter, from + 5, to - 3, middle, chrome.text2);
    const Scale scale = compareTime(paint.layout, paint.row);
    const double difference
        = (paint.row.duration() - paint.baseline->duration()) * paint.row.ticksPerUnit();
    const QRectF above(from, middle - 22, to - from, 18), below(from, middle + 6, to - from, 16);
    painter.setFont(uiFont(13, QFont::Medium));
    painter.setPen(chrome.text);
    painter.drawText(above, Qt::AlignCenter, differenceText(paint.row, *paint.baseline));
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text2);
    painter.drawText(below, Qt::AlignCenter,
                     scale.difference(difference) + QLatin1Char(' ') + scale.unit());
}

// Draws the outline of a box. Leaves a gap in the middle of the left and right side, where adjacent
// boxes have their numbers.
void paintGhost(QPainter& painter, const QRectF& box)
{
    constexpr double kNumber = 13, kLeast = 3;
    const double corner = std::max(kLeast, std::floor((box.height() - kNumber) / 2));
    for (const double x : {box.left(), box.right()}) {
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.top() + corner));
        painter.drawLine(QPointF(x, box.bottom() - corner), QPointF(x, box.bottom()));
    }
    for (const double y : {box.top(), box.bottom()})
        painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y));
}

} // namespace

QString compareSubtitle(const CompareRow& row)
{
    const auto& run = row.view->run();
    const auto& shape = run.schedule.shape;
    QString text = shapeText(run);
    if (shape.chunks() > 1)
        text += QStringLiteral(", v %1").arg(shape.chunks());
    text += QLatin1String(", ") + modeText(run.info);
    if (row.iteration >= 0
        && row.view->timeline().iterations[static_cast<std::size_t>(row.iteration)].kind
            == engine::Iteration::Kind::Replay)
        text += tr(", median");
    return text;
}

double baselineEnd(const ComparePaint& paint)
{
    const CompareRow& base = *paint.baseline;
    const double past
        = (static_cast<double>(base.window().end) - base.origin) / base.ticksPerUnit();
    return paint.axis.snappedX(paint.row.origin + past * paint.row.ticksPerUnit());
}

Scale compareTime(const CompareLayout& layout, const CompareRow& row)
{
    const double longest = layout.groups[static_cast<std::size_t>(row.group)].longest;
    return timeScale(row.view->run().info, static_cast<std::int64_t>(longest * row.ticksPerUnit()));
}

RulerScale compareScale(const CompareLayout& layout, const CompareRow& row, const TimeAxis& axis)
{
    RulerScale scale;
    scale.origin
        = layout.align == CompareAlign::End ? static_cast<double>(row.window().end) : row.origin;
    const double reach = std::max(std::abs(axis.end - scale.origin), axis.end - axis.begin);
    scale.unit = timeScale(row.view->run().info, static_cast<std::int64_t>(reach));
    scale.title = tr("%1, same scale").arg(scale.unit.unit());
    scale.marks = rulerMarks(axis, scale.origin, scale.unit.perUnit());
    return scale;
}

void paintCompareLanes(const ComparePaint& paint)
{
    QPainter& painter = paint.painter;
    const Chrome& chrome = paint.colours.theme().chrome;
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text2);
    painter.drawText(QPointF(paint.axis.left + 16, paint.top + 21), compareSubtitle(paint.row));
    if (paint.row.iteration < 0) {
        painter.drawText(QPointF(paint.axis.left + 16, paint.top + CompareLayout::kTitle + 16),
                         tr("no iteration yet"));
        return;
    }
    paintCompareDevices(paint);
}

void paintCompareDevices(const ComparePaint& paint)
{
    // Draws only the compared iteration, because adjacent iterations would look like parts of it.
    QPainter& painter = paint.painter;
    const QRectF clip = stretch(paint.axis, paint.row.window(), paint.top,
                                lanesTop(paint) - paint.top + lanesHeight(paint.row));
    painter.save();
    painter.setClipRect(clip, Qt::IntersectClip);
    LanePainter lanes(painter, *paint.row.view, paint.axis, paint.colours);
    lanes.setLabels(LanePainter::Labels::Numbers); // the same labels in rows of all heights
    for (int d = 0; d < paint.row.view->devices(); ++d)
        lanes.paintCompute(engine::DeviceId{d}, lanesTop(paint) + d * paint.row.pitch,
                           paint.row.pitch - 2);
    painter.restore();
}

void paintCompareGhost(const ComparePaint& paint)
{
    const CompareRow* base = paint.baseline;
    if (!base || base->iteration < 0 || base->view->devices() != paint.row.view->devices())
        return;
    QPainter& painter = paint.painter;
    TimeAxis axis = paint.axis; // converted below to the clock of the baseline
    const double ticks = base->ticksPerUnit() / paint.row.ticksPerUnit();
    axis.begin = base->origin + (paint.axis.begin - paint.row.origin) * ticks;
    axis.end = base->origin + (paint.axis.end - paint.row.origin) * ticks;
    painter.save();
    painter.setBrush(Qt::NoBrush);
    QColor ink = paint.colours.theme().chrome.text;
    ink.setAlphaF(0.6F);
    painter.setPen(QPen(ink, 1));
    for (int d = 0; d < base->view->devices(); ++d)
        walkLane(*base->view, engine::DeviceId{d}, axis, [&](const Piece& piece) {
            if (piece.kind != Piece::Kind::Op || piece.iteration != base->iteration)
                return;
            const QRectF box = boxRect(axis, piece.window, lanesTop(paint) + d * paint.row.pitch,
                                       paint.row.pitch - 2);
            paintGhost(painter, box.adjusted(0.5, 0.5, -0.5, -0.5));
        });
    painter.restore();
}

void paintCompareEnd(const ComparePaint& paint)
{
    if (paint.row.iteration < 0)
        return;
    const Chrome& chrome = paint.colours.theme().chrome;
    const double end = paint.axis.snappedX(static_cast<double>(paint.row.window().end));
    const double top = lanesTop(paint);
    paint.painter.fillRect(QRectF(end, top - 2, 2, lanesHeight(paint.row) + 2), chrome.text);
    if (!paint.baseline)
        return;
    const double other = baselineEnd(paint);
    if (other - end >= kGapFrom) {
        paintGap(paint, end + 2, other);
    } else if (other < end) {
        paint.painter.setFont(uiFont(13, QFont::Medium));
        const QString text = differenceText(paint.row, *paint.baseline);
        const double width = QFontMetricsF(paint.painter.font()).horizontalAdvance(text);
        paint.painter.setPen(chrome.text);
        if (end + 8 + width <= paint.axis.right())
            paint.painter.drawText(
                QPointF(end + 8, std::round(top + lanesHeight(paint.row) / 2 + 5)), text);
    }
}

void paintCompareHeader(const ComparePaint& paint)
{
    QPainter& painter = paint.painter;
    const Chrome& chrome = paint.colours.theme().chrome;
    painter.setFont(uiFont(13, QFont::Medium));
    painter.setPen(chrome.text);
    const QString name = QString::fromStdString(paint.row.name);
    painter.drawText(QPointF(24, paint.top + 21),
                     QFontMetricsF(painter.font()).elidedText(name, Qt::ElideRight, kHeader - 32));
    paintCompareDeviceNames(paint, kHeader - 20);
}

void paintCompareDeviceNames(const ComparePaint& paint, double right)
{
    QPainter& painter = paint.painter;
    const Chrome& chrome = paint.colours.theme().chrome;
    painter.setFont(uiFont(paint.row.pitch >= 17 ? 11 : 10));
    painter.setPen(chrome.text2);
    const int every = paint.row.pitch >= 11 ? 1 : 4; // 4: labels of all devices would overlap
    for (int d = 0; d < paint.row.view->devices(); d += every)
        painter.drawText(
            QRectF(24, lanesTop(paint) + d * paint.row.pitch, right - 24, paint.row.pitch - 2),
            Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip, tr("device %1").arg(d));
}

// Recorded or predicted bytes, or the peak stash.
QString comparePeak(const CompareRow& row)
{
    double bytes = static_cast<double>(row.predictedPeak), stash = 0;
    for (const auto& device : row.view->metrics(row.iteration)->devices) {
        bytes = std::max(bytes, static_cast<double>(device.peakBytes.value_or(0)));
        stash = std::max(stash, device.peakStash);
    }
    return bytes > 0 ? byteScale(static_cast<std::int64_t>(bytes)).withUnit(bytes)
                     : number(stash, 1) + QString::fromUtf8(" Mₐ");
}

void paintCompareNumbers(const ComparePaint& paint, const QRectF& column)
{
    const auto* metrics = paint.row.view->metrics(paint.row.iteration);
    if (!metrics)
        return;
    QPainter& painter = paint.painter;
    const Chrome& chrome = paint.colours.theme().chrome;
    const Scale scale = compareTime(paint.layout, paint.row);
    const double left = column.left() + 16;
    double y = paint.top + kFirstLine;
    painter.setFont(uiFont(15, QFont::Medium));
    painter.setPen(chrome.text);
    const QString amount = scale.text(static_cast<double>(metrics->duration));
    painter.drawText(QPointF(left, y), amount);
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(amount);
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text2);
    painter.drawText(QPointF(left + width + 4, y), scale.unit());
    const QString against
        = paint.baseline ? differenceText(paint.row, *paint.baseline) : tr("baseline");
    // Shows the difference directly below the iteration time, to which it refers.
    QStringList lines;
    if (showsDifference(paint.row) && (paint.baseline || paint.row.group == 0))
        lines << against;
    lines << tr("bubble %1").arg(percent(metrics->bubbleRatio));
    if (paint.row.view->knowsMemory())
        lines << tr("peak %1").arg(comparePeak(paint.row)); // with its bars below
    for (const QString& line : lines)
        painter.drawText(QPointF(left, y += kLine), line);
}

double compareNumbersHeight(const CompareRow& row)
{
    return kFirstLine + kLine * (showsDifference(row) ? 3 : 2);
}

} // namespace app
