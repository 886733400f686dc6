#include "app/compare/compact_row_painter.h"

#include "app/compare/compare_chart.h"
#include "app/timeline/view/translate.h"
#include "app/ui/icons.h"
#include "app/ui/verdict.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace app {
namespace {

constexpr double kRankRight = 30, kChevron = 38, kName = 58;
constexpr double kLaneTop = 2, kLaneHeight = 20;
constexpr double kPeakBar = 54, kPeakBarHeight = 10;

class CompactRow
{
public:
    CompactRow(const ComparePaint& paint, const CompareScene& scene)
        : m_paint(paint)
        , m_scene(scene)
        , m_row(paint.row)
        , m_painter(paint.painter)
        , m_chrome(paint.colours.theme().chrome)
        , m_isBaseline(m_row.run == scene.arrangement.baseline)
        , m_isCurrent(static_cast<int>(m_row.run) == scene.current)
    { }

    void paint() const;

private:
    const profiler::ComparedRun& numbers() const
    {
        return m_scene.numbers->comparison.runs[m_row.run];
    }
    void paintName() const;
    void paintTime() const;
    void paintLane() const;
    void paintEnd() const;
    void paintBeyond(double ticks) const;
    void paintCells() const;
    void paintCell(const CompareColumn& column, const CompareCell& cell, const QRectF& box,
                   bool isOfDevice) const;
    QRectF lane() const
    {
        const QRectF area = m_scene.rowsArea();
        return {area.left(), m_row.top + kLaneTop, area.width(), kLaneHeight};
    }

    const ComparePaint& m_paint;
    const CompareScene& m_scene;
    const CompareRow& m_row;
    QPainter& m_painter;
    const Chrome& m_chrome;
    bool m_isBaseline, m_isCurrent;
};

void CompactRow::paint() const
{
    if (m_isCurrent) {
        const QRectF area = m_scene.rowsArea();
        m_painter.fillRect(QRectF(0, m_row.top, area.left(), m_row.height), m_chrome.selected);
        m_painter.fillRect(QRectF(area.right(), m_row.top, m_scene.columnsWidth(), m_row.height),
                           m_chrome.selected);
    }
    paintName();
    if (m_row.iteration >= 0)
        paintTime();
    if (m_scene.numbers)
        paintCells();
}

void CompactRow::paintName() const
{
    const QRectF line(0, m_row.top, m_scene.headerWidth(), CompareLayout::kLane);
    m_painter.setFont(uiFont(12));
    m_painter.setPen(m_chrome.text2);
    if (m_scene.numbers)
        m_painter.drawText(QRectF(0, line.top(), kRankRight, line.height()),
                           Qt::AlignRight | Qt::AlignVCenter,
                           QString::number(m_scene.numbers->ranking.rank[m_row.run]));
    paintIcon(m_painter, m_row.isExpanded ? Icon::ChevronDown : Icon::ChevronRight,
              QRectF(kChevron, line.top() + 5, 14, 14), m_chrome.text2);
    const QString suffix = m_isBaseline ? tr("baseline") : QString();
    const QFontMetricsF hint(uiFont(11));
    const double suffixWidth = suffix.isEmpty() ? 0 : hint.horizontalAdvance(suffix) + 6;
    m_painter.setFont(uiFont(12, m_isCurrent || m_isBaseline ? QFont::Medium : QFont::Normal));
    m_painter.setPen(m_chrome.text);
    const QFontMetricsF metrics(m_painter.font());
    const QString name = elidedTitle(metrics, QString::fromStdString(m_row.name),
                                     line.width() - kName - 8 - suffixWidth);
    m_painter.drawText(line.adjusted(kName, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
    if (!suffix.isEmpty()) {
        m_painter.setFont(uiFont(11));
        m_painter.setPen(m_chrome.text2);
        m_painter.drawText(line.adjusted(kName + metrics.horizontalAdvance(name) + 6, 0, 0, 0),
                           Qt::AlignLeft | Qt::AlignVCenter, suffix);
    }
    if (!m_row.isExpanded)
        return;
    paintCompareDeviceNames(m_paint, m_scene.headerWidth() - 10);
    m_painter.setFont(uiFont(11));
    const QFontMetricsF small(m_painter.font());
    double top = m_row.lanesTop;
    for (const QString& fact : compareSubtitle(m_row).split(QStringLiteral(", "))) {
        if (top + 15 > m_row.top + m_row.height)
            break;
        m_painter.drawText(QRectF(kName, top, line.width() - kName - 64, 15),
                           Qt::AlignLeft | Qt::AlignVCenter, fact);
        top += 15;
    }
}

void CompactRow::paintTime() const
{
    const QRectF area = m_scene.rowsArea();
    const QRectF all(area.left(), m_row.top, area.width(), m_row.height);
    m_painter.save();
    m_painter.setClipRect(all, Qt::IntersectClip);
    paintGrid(m_painter, compareScale(m_paint.layout, m_row, m_paint.axis), m_paint.axis,
              m_paint.colours.theme(), all);
    paintLane();
    if (m_row.isExpanded) {
        paintCompareDevices(m_paint);
        if (m_scene.hasGhost && m_paint.baseline)
            paintCompareGhost(m_paint);
        paintCompareEnd(m_paint);
    }
    paintEnd();
    m_painter.restore();
}

// Paints the lane of a run. A trace that has only totals has no spans, so its lane shows a text
// instead.
void CompactRow::paintLane() const
{
    bool hasSpans = false;
    for (engine::DeviceId d{0}; d.value < m_row.view->devices(); ++d.value)
        hasSpans = hasSpans || !m_row.view->spans(d, engine::Track::Kind::Compute).empty();
    if (hasSpans) {
        paintCoverageLane(m_painter, *m_row.view, m_row.iteration, m_scene.lane, m_paint.axis,
                          lane(), m_paint.colours);
        return;
    }
    m_painter.setFont(uiFont(11));
    m_painter.setPen(m_chrome.text3);
    m_painter.drawText(lane().adjusted(8, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                       tr("no timeline in this file"));
}

// Paints the end of the iteration and its 95 % interval, or an arrow if the end is beyond the
// ruler.
void CompactRow::paintEnd() const
{
    const TimeAxis& axis = m_paint.axis;
    const engine::Window window = m_row.window();
    const auto at = [&](std::int64_t ticks) { return static_cast<double>(window.begin + ticks); };
    const double end = at(window.duration());
    const QRectF box = lane();
    if (axis.x(end) > axis.right()) {
        paintBeyond(static_cast<double>(window.duration()));
        return;
    }
    m_painter.fillRect(QRectF(axis.snappedX(end), box.top() - 1, 2, box.height() + 2),
                       m_chrome.text);
    if (!m_scene.numbers || !numbers().interval)
        return;
    const engine::Interval& interval = *numbers().interval;
    const double from = axis.snappedX(at(interval.least));
    const double to = axis.snappedX(at(interval.most));
    const double middle = std::round(box.center().y());
    m_painter.fillRect(QRectF(from, middle, std::max(1.0, to - from), 1), m_chrome.text);
    for (const double x : {from, to})
        m_painter.fillRect(QRectF(x, middle - 3, 1, 7), m_chrome.text);
}

void CompactRow::paintBeyond(double ticks) const
{
    const QString text = compareTime(m_paint.layout, m_row).withUnit(ticks);
    m_painter.setFont(uiFont(11, QFont::Medium));
    const double width = QFontMetricsF(m_painter.font()).horizontalAdvance(text);
    const QRectF plate(m_paint.axis.right() - width - 28, m_row.top + 4, width + 24, 16);
    m_painter.fillRect(plate, m_chrome.surface);
    m_painter.setPen(m_chrome.text);
    m_painter.drawText(plate.adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
    paintIcon(m_painter, Icon::ChevronRight, QRectF(plate.right() - 16, plate.top() + 1, 14, 14),
              m_chrome.text);
}

void CompactRow::paintCells() const
{
    for (const CompareColumn& column : m_scene.columns) {
        const QRectF box(column.left, m_row.top, column.width - 6, CompareLayout::kLane);
        paintCell(column, compareCell(*m_scene.numbers, m_paint.layout, m_row, column.kind), box,
                  false);
        for (engine::DeviceId d{0}; m_row.isExpanded && d.value < m_row.view->devices();
             ++d.value) {
            const QRectF line(box.left(), m_row.lanesTop + d.value * m_row.pitch, box.width(),
                              m_row.pitch - 2);
            paintCell(column, compareCell(*m_scene.numbers, m_row, d, column.kind), line, true);
        }
    }
}

void CompactRow::paintCell(const CompareColumn& column, const CompareCell& cell, const QRectF& box,
                           bool isOfDevice) const
{
    const bool isKey = column.kind == CompareColumn::Kind::Iteration;
    m_painter.setFont(uiFont(12, isKey ? QFont::Medium : QFont::Normal));
    m_painter.setPen(verdictInk(m_chrome, cell.verdict,
                                cell.isHint || isOfDevice ? m_chrome.text2 : m_chrome.text));
    m_painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, cell.text);
    const double room
        = box.width() - QFontMetricsF(m_painter.font()).horizontalAdvance(cell.text) - 8;
    if (cell.share < 0 || room < kPeakBar)
        return;
    const QRectF bar(box.left() + 6, std::round(box.center().y() - kPeakBarHeight / 2), kPeakBar,
                     kPeakBarHeight);
    m_painter.fillRect(bar, m_isCurrent ? m_chrome.pressed : m_chrome.hover);
    m_painter.fillRect(
        QRectF(bar.left(), bar.top(), std::round(kPeakBar * cell.share), bar.height()),
        m_chrome.text3);
}

} // namespace

void paintCompactRow(const ComparePaint& paint, const CompareScene& scene)
{
    CompactRow(paint, scene).paint();
}

void paintCompactTitles(QPainter& painter, const CompareScene& scene, const Theme& theme)
{
    const Chrome& chrome = theme.chrome;
    const double height = CompareScene::kRuler - 1;
    painter.setFont(uiFont(12, QFont::Medium));
    painter.setPen(chrome.text2);
    painter.drawText(QRectF(0, 0, kRankRight, height), Qt::AlignRight | Qt::AlignVCenter,
                     QStringLiteral("#"));
    painter.drawText(QRectF(kName, 0, scene.headerWidth() - kName, height),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("Run"));
    for (const CompareColumn& column : scene.columns) {
        const bool isRanked = scene.numbers->by == column.ranksBy()
            && (column.ranksBy() != profiler::RankBy::Iteration
                || column.kind == CompareColumn::Kind::Iteration);
        painter.setPen(isRanked ? chrome.text : chrome.text2);
        const QRectF box(column.left, 0, column.width - 6, height);
        painter.drawText(box, Qt::AlignRight | Qt::AlignVCenter, column.title);
        if (!isRanked)
            continue;
        const double left
            = box.right() - QFontMetricsF(painter.font()).horizontalAdvance(column.title) - 12;
        paintIcon(painter,
                  scene.numbers->direction == profiler::RankOrder::BestFirst ? Icon::ChevronUp
                                                                             : Icon::ChevronDown,
                  QRectF(left, 8, 10, 10), chrome.text2);
    }
}

} // namespace app
