#include "app/compare/compare_widget.h"

#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/header_painter.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/paint/legend.h"
#include "app/timeline/paint/marks_painter.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/navigation.h"
#include "app/ui/icons.h"
#include "app/ui/table_model.h"
#include "app/ui/text.h"
#include "app/ui/verdict.h"

#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace app {
namespace {

constexpr double kNamesWidth = 140;
constexpr double kRankRight = 30, kChevron = 38, kName = 58; // of the columns of a compact row

double textWidth(const QString& text, const QFont& font)
{
    return QFontMetricsF(font).horizontalAdvance(text);
}

double inTicks(std::int64_t time)
{
    return static_cast<double>(time);
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

// The device with the most bubble.
engine::DeviceId worstDevice(const profiler::RunMetrics& metrics)
{
    return metrics.devices.empty()
        ? engine::DeviceId{0}
        : std::ranges::max_element(metrics.devices, {}, &profiler::DeviceMetrics::bubble)->device;
}

class RowPainter : ComparePainter
{
public:
    RowPainter(const ComparePainter& of, const CompareRow& row)
        : ComparePainter(of)
        , m_row(row)
        , m_axis(m_scene.axisOf(row))
        , m_baseline(m_scene.baselineOf(row))
        , m_isCurrent(static_cast<int>(row.run) == m_scene.current)
    { }

    void paintTall() const;
    void paintCompact() const;

private:
    double x(double ticks) const { return m_axis.snappedX(ticks); }
    QRectF lane() const // of a compact row
    {
        const QRectF& area = m_scene.area;
        return {area.left(), m_row.top + CompareLayout::kLaneTop, area.width(), m_scene.rows.lane};
    }

    void paintTitle() const;
    void paintRunName(const QRectF& area, const QString& suffix = {}) const;
    void paintDeviceNames(double right) const;
    void paintDevices(const std::vector<Lane>& lanes) const;
    void paintBaselineBoxes() const;
    void paintEnd() const;
    void paintEndMark(double top, double bottom, double whisker) const;
    void paintGap(double from, double to) const;
    void paintKeyNumbers(const QRectF& column) const;
    void paintMemory(const QRectF& column) const;
    void paintCompactName() const;
    void paintLane() const;
    void paintBeyond() const;
    void paintCells() const;
    void paintCell(const CompareColumn& column, const CompareCell& cell, const QRectF& box,
                   bool isOfDevice) const;

    const CompareRow& m_row;
    const TimeAxis m_axis;
    const CompareRow* m_baseline; // nullptr: the baseline has another unit, or is this row
    const bool m_isCurrent;
};

// Draws the parts one after another, and shortens the last one that has room.
void RowPainter::paintTitle() const
{
    constexpr double kMargin = 16;
    const QFontMetricsF font(uiFont(11));
    const auto parts = m_scene.title(m_row);
    double x = m_axis.left + kMargin;
    m_painter.setFont(uiFont(11));
    for (const CompareScene::TitlePart& part : parts) {
        const QString text = &part == &parts.back() ? part.text : part.text + tr(", ");
        const QString shown
            = font.elidedText(text, Qt::ElideRight, m_scene.area.right() - kMargin - x);
        m_painter.setPen(verdictInk(chrome(), part.verdict, chrome().text2));
        m_painter.drawText(QPointF(x, m_row.top + 21), shown);
        if (shown != text)
            break;
        x += font.horizontalAdvance(text);
    }
    m_painter.setPen(chrome().text2);
}

void RowPainter::paintTall() const
{
    const QRectF &area = m_scene.area, column = m_scene.columnOf(m_row);
    const QRectF lanes(area.left(), m_row.top, area.width(), m_row.height);
    fill(column, chrome().surfaceAlt);
    fill({column.left(), m_row.top, 1, m_row.height}, chrome().line);
    m_painter.save();
    m_painter.setClipRect(lanes, Qt::IntersectClip);
    paintGrid(m_painter, m_scene.rows.ruler(m_row, m_axis), m_axis, theme(), lanes);
    paintTitle();
    if (m_row.iteration < 0)
        m_painter.drawText(QPointF(m_axis.left + 16, m_row.top + CompareLayout::kTitle + 16),
                           tr("no iteration yet"));
    else
        paintDevices(m_row.lanes);
    paintBaselineBoxes();
    fill({x(inTicks(m_row.window().begin)) - 1, m_row.top, 1, m_row.height}, chrome().text2);
    paintEnd();
    m_painter.restore();
    paintRunName({24, m_row.top + 8, kNamesWidth - 32, m_row.pitch >= 17 ? 34.0 : 18.0});
    paintDeviceNames(kNamesWidth - 12);
    if (!m_row.view->metrics(m_row.iteration) || !m_scene.rows.hasColumn)
        return;
    paintKeyNumbers(column);
    paintMemory(column);
}

// The name of the run, and that of its file if the area has two lines.
void RowPainter::paintRunName(const QRectF& area, const QString& suffix) const
{
    constexpr double kTwoLines = 30, kLine = 17, kDeviceName = 46, kHighLane = 34;
    const bool isHigh = area.height() >= kTwoLines, hasFile = isHigh && !m_row.file.isEmpty();
    const QFont bold = uiFont(isHigh ? 13 : 12, QFont::Medium), small = uiFont(11);
    QRectF line(area.left(), area.top(), area.width(), hasFile ? kLine : area.height());
    const double suffixWidth = suffix.isEmpty() ? 0 : textWidth(suffix, small) + 6;
    const QString name
        = QFontMetricsF(bold).elidedText(m_row.name, Qt::ElideMiddle, line.width() - suffixWidth);
    write(line, name, bold, chrome().text);
    write(line.adjusted(textWidth(name, bold) + 6, 0, 0, 0), suffix, small, chrome().text2);
    if (!hasFile)
        return;
    // Beside the file is the name of the first device if the lanes are low.
    if (m_row.lanesTop - m_row.top <= CompareLayout::kTitle && m_row.pitch < kHighLane)
        line.setWidth(line.width() - kDeviceName);
    const QString file = m_row.file.section(QLatin1Char('/'), -1);
    write(line.translated(0, kLine),
          QFontMetricsF(small).elidedText(file, Qt::ElideMiddle, line.width()), small,
          chrome().text2);
}

void RowPainter::paintDeviceNames(double right) const
{
    const std::size_t every = m_row.pitch >= 11 ? 1 : 4; // 4: labels of all devices would overlap
    for (std::size_t d = 0; d < m_row.lanes.size(); d += every)
        write({24, m_row.lanes[d].computeTop(), right - 24, m_row.lanes[d].compute},
              tr("device %1").arg(d), uiFont(m_row.pitch >= 17 ? 11 : 10), chrome().text2,
              kAtRight | Qt::TextDontClip);
}

// Draws only the compared iteration, because adjacent iterations would look like parts of it.
void RowPainter::paintDevices(const std::vector<Lane>& lanes) const
{
    m_painter.save();
    m_painter.setClipRect(stretch(m_axis, m_row.window(), lanes.front().top,
                                  lanes.back().bottom() - lanes.front().top),
                          Qt::IntersectClip);
    LanePainter painter(m_painter, *m_row.view, m_axis, m_colours);
    painter.setLabels(LanePainter::Labels::Numbers); // the same labels in rows of all heights
    for (std::size_t d = 0; d < lanes.size(); ++d)
        painter.paintCompute(engine::DeviceId{static_cast<int>(d)}, lanes[d].computeTop(),
                             lanes[d].compute);
    m_painter.restore();
}

// Outlines the boxes of the baseline over those of the run, if the user asked for it.
void RowPainter::paintBaselineBoxes() const
{
    if (!m_scene.hasGhost || !m_baseline || m_baseline->view->devices() != m_row.view->devices())
        return;
    TimeAxis axis = m_axis; // converted below to the clock of the baseline
    const double ticks = m_baseline->ticksPerUnit() / m_row.ticksPerUnit();
    axis.begin = m_baseline->origin + (m_axis.begin - m_row.origin) * ticks;
    axis.end = m_baseline->origin + (m_axis.end - m_row.origin) * ticks;
    QColor ink = chrome().text;
    ink.setAlphaF(0.6F);
    m_painter.save();
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(ink, 1));
    for (std::size_t d = 0; d < m_row.lanes.size(); ++d)
        walkLane(*m_baseline->view, engine::DeviceId{static_cast<int>(d)}, axis,
                 [&, lane = m_row.lanes[d]](const Piece& piece) {
                     if (piece.kind == Piece::Kind::Op && piece.iteration == m_baseline->iteration)
                         paintGhost(m_painter,
                                    boxRect(axis, piece.window, lane.computeTop(), lane.compute)
                                        .adjusted(0.5, 0.5, -0.5, -0.5));
                 });
    m_painter.restore();
}

// The end of the iteration, and the gap to the end of the baseline if it has room for its text.
void RowPainter::paintEnd() const
{
    constexpr double kGapFrom = 110;
    if (m_row.iteration < 0)
        return;
    const double end = x(inTicks(m_row.window().end)), below = m_row.lanes.back().bottom() + 1;
    if (m_scene.rows.isCompact)
        fill({end, m_row.lanesTop - 2, 2, below - m_row.lanesTop + 2}, chrome().text);
    else
        paintEndMark(m_row.top + 8, below, m_row.top + 14);
    if (!m_baseline)
        return;
    const double past
        = (inTicks(m_baseline->window().end) - m_baseline->origin) / m_baseline->ticksPerUnit();
    const double other = x(m_row.origin + past * m_row.ticksPerUnit());
    if (other - end >= kGapFrom)
        paintGap(end + 2, other);
}

// The end of the iteration with its 95 % interval.
void RowPainter::paintEndMark(double top, double bottom, double whisker) const
{
    const auto begin = inTicks(m_row.window().begin);
    fill({x(inTicks(m_row.window().end)), top, 2, bottom - top}, chrome().text);
    if (m_row.most <= 0)
        return;
    const double from = x(begin + m_row.least), to = x(begin + m_row.most);
    fill({from, whisker, std::max(1.0, to - from), 1}, chrome().text);
    for (const double end : {from, to})
        fill({end, whisker - 4, 1, 9}, chrome().text);
}

void RowPainter::paintGap(double from, double to) const
{
    const double height = m_row.pitch * m_row.view->devices();
    const double middle = std::round(m_row.lanesTop + height / 2);
    fill({from + 5, middle, to - from - 8, 1}, chrome().text2);
    for (const auto& [tip, side] : {std::pair(from + 5, 6.0), std::pair(to - 3, -6.0)})
        fillPolygon(
            m_painter,
            QPolygonF{{tip, middle + 0.5}, {tip + side, middle - 2.5}, {tip + side, middle + 3.5}},
            chrome().text2);
    const auto change = m_scene.change(m_row);
    if (!change)
        return;
    const Scale scale
        = m_scene.numbers() ? m_scene.numbers()->time() : m_scene.rows.time(*m_baseline);
    const auto line = [&](double top, const QString& text, const QFont& font, const QColor& ink) {
        write({from, middle + top, to - from, 16}, text, font, ink, Qt::AlignCenter);
    };
    const QColor ink = verdictInk(chrome(), m_scene.verdict(m_row), chrome().text);
    line(-21, signedPercent(change->share()), uiFont(13, QFont::Medium), ink);
    line(5, scale.difference(change->by.value) + QLatin1Char(' ') + scale.unit(),
         uiFont(12, QFont::Medium), ink);
    if (change->by.spread == profiler::Spread::Interval && height > 80)
        line(21,
             tr("%1 to %2")
                 .arg(scale.difference(change->by.least), scale.difference(change->by.most)),
             uiFont(11), chrome().text2);
}

// The iteration, its interval, the difference from the baseline, the bubble and the peak. The
// difference is directly below the iteration time, to which it refers.
void RowPainter::paintKeyNumbers(const QRectF& column) const
{
    const Scale scale = m_scene.rows.time(m_row);
    const double left = column.left() + 16;
    double y = m_row.top + CompareRow::kFirstLine;
    const auto iteration = compareIteration(m_scene.rows, m_row);
    const QString amount = iteration.value_or(kNoValue);
    const QFont large = uiFont(15, QFont::Medium);
    m_painter.setFont(large);
    m_painter.setPen(chrome().text);
    m_painter.drawText(QPointF(left, y), amount);
    m_painter.setFont(uiFont(11));
    m_painter.setPen(chrome().text2);
    if (iteration)
        m_painter.drawText(QPointF(left + textWidth(amount, large) + 4, y), scale.unit());
    const auto line = [&](const QString& text) {
        m_painter.drawText(QPointF(left, y += CompareRow::kLine), text);
    };
    if (m_row.showsDifference() && m_row.most > 0)
        line(tr("%1 to %2").arg(scale.text(m_row.least), scale.text(m_row.most)));
    const auto change = m_scene.change(m_row);
    if (m_row.showsDifference() && change) {
        m_painter.setPen(verdictInk(chrome(), m_scene.verdict(m_row), chrome().text2));
        line(signedPercent(change->share()));
        m_painter.setPen(chrome().text2);
    } else if (m_row.showsDifference() && m_row.group == 0 && !m_baseline) {
        line(tr("baseline"));
    }
    for (const QString& text : compareKeyTexts(m_row)) // the peak is the last, with its bars below
        line(text);
}

// A bar per device, with the numbers of as many devices as fit.
void RowPainter::paintMemory(const QRectF& column) const
{
    constexpr double kDigits = 13, kNumber = 16; // height and least width of a number
    const RunView& view = *m_row.view;
    const QRectF area = m_row.memoryArea(column);
    if (area.isEmpty() || !view.knowsMemory())
        return;
    const double scale = memoryScales(m_scene.rows).of(view);
    const double height = area.height() - (area.height() >= 2 * kDigits ? kDigits : 0);
    int step = 1;
    while (m_row.memorySlot(area, 0).width() * step < kNumber)
        step *= 2;
    const auto& devices = view.metrics(m_row.iteration)->devices;
    for (const engine::DeviceId d : devices.ids()) {
        const QRectF slot = m_row.memorySlot(area, d.value);
        const double gap = std::clamp(std::floor(slot.width() / 3), 1.0, 8.0);
        const QRectF bar(slot.left(), slot.top(), std::max(1.0, slot.width() - gap), height);
        fill(bar, chrome().hover);
        paintMemoryParts(m_painter, memoryParts(view, devices[d], theme()), scale, bar);
        if (height < area.height() && d.value % step == 0)
            write(bar.adjusted(-8, height, 8, kDigits), QString::number(d.value), uiFont(10),
                  chrome().text2, Qt::AlignHCenter | Qt::AlignBottom);
    }
}

void RowPainter::paintCompact() const
{
    const QRectF& area = m_scene.area;
    const QRectF time(area.left(), m_row.top, area.width(), m_row.height);
    if (m_isCurrent) {
        fill({0, m_row.top, area.left(), m_row.height}, chrome().selected);
        fill({area.right(), m_row.top, m_scene.columnsWidth(), m_row.height}, chrome().selected);
    }
    paintCompactName();
    if (m_scene.numbers())
        paintCells();
    if (m_row.iteration < 0)
        return;
    m_painter.save();
    m_painter.setClipRect(time, Qt::IntersectClip);
    paintGrid(m_painter, m_scene.rows.ruler(m_row, m_axis), m_axis, theme(), time);
    paintLane();
    if (m_row.isExpanded) {
        paintDevices(m_row.lanes);
        paintBaselineBoxes();
        paintEnd();
    }
    if (m_axis.x(inTicks(m_row.window().end)) > m_axis.right())
        paintBeyond();
    else
        paintEndMark(lane().top() - 1, lane().bottom() + 1, std::round(lane().center().y()));
    m_painter.restore();
}

void RowPainter::paintCompactName() const
{
    constexpr double kFact = 15;
    const QRectF line(0, m_row.top, m_scene.area.left(), m_scene.rows.rowHeight());
    const double middle = line.center().y(),
                 height = m_scene.rows.hasTwoLines() ? 34 : line.height();
    if (const CompareNumbers* numbers = m_scene.numbers())
        write({0, line.top(), kRankRight, line.height()},
              fromUtf8(numbers->ranking.rankText(m_row.run)), uiFont(12), chrome().text2, kAtRight);
    paintIcon(m_painter, m_row.isExpanded ? Icon::ChevronDown : Icon::ChevronRight,
              QRectF(kChevron, std::round(middle - 7), 14, 14), chrome().text2);
    paintRunName({kName, std::round(middle - height / 2), line.width() - kName - 8, height},
                 m_row.run == m_scene.arrangement.baseline ? tr("baseline") : QString());
    if (!m_row.isExpanded)
        return;
    paintDeviceNames(m_scene.area.left() - 10);
    QRectF place(kName, m_row.lanesTop, line.width() - kName - 64, kFact);
    for (const QString& fact : compareSubtitle(m_row).split(QStringLiteral(", "))) {
        if (place.bottom() > m_row.top + m_row.height)
            break;
        write(place, fact, uiFont(11), chrome().text2);
        place.translate(0, kFact);
    }
}

// A trace that has only totals has no spans, so its lane shows a text instead.
void RowPainter::paintLane() const
{
    std::vector<int> devices(static_cast<std::size_t>(m_row.view->devices()));
    std::iota(devices.begin(), devices.end(), 0);
    const bool hasSpans = std::ranges::any_of(devices, [this](int device) {
        return !m_row.view->spans(engine::DeviceId{device}, engine::Track::Kind::Compute).empty();
    });
    if (m_scene.arrangement.lane == LaneOf::WorstDevice)
        devices = {worstDevice(*m_row.view->metrics(m_row.iteration)).value};
    if (!hasSpans)
        write(lane().adjusted(8, 0, 0, 0), tr("no timeline in this file"), uiFont(11),
              chrome().text3);
    else if (m_scene.showsDevices())
        paintDevices(m_row.folded);
    else
        LanePainter(m_painter, *m_row.view, m_axis, m_colours)
            .paintMean(devices, m_row.window(), lane().top(), lane().height());
}

// An arrow with the duration, because the end is beyond the ruler.
void RowPainter::paintBeyond() const
{
    const QFont font = uiFont(11, QFont::Medium);
    const QString text = m_scene.rows.time(m_row).withUnit(inTicks(m_row.window().duration()));
    const double width = textWidth(text, font) + 24;
    const QRectF plate(m_axis.right() - width - 4, std::round(lane().center().y() - 8), width, 16);
    fill(plate, chrome().surface);
    write(plate.adjusted(4, 0, 0, 0), text, font, chrome().text);
    paintIcon(m_painter, Icon::ChevronRight, QRectF(plate.right() - 16, plate.top() + 1, 14, 14),
              chrome().text);
}

void RowPainter::paintCells() const
{
    for (const CompareColumn& column : m_scene.columns) {
        const QRectF box(column.left, m_row.top, column.width - 6, m_scene.rows.rowHeight());
        paintCell(column, compareCell(*m_scene.numbers(), m_row, column), box, false);
        for (std::size_t d = 0; d < m_row.lanes.size(); ++d)
            paintCell(
                column,
                compareCell(*m_scene.numbers(), m_row, engine::DeviceId{static_cast<int>(d)},
                            column),
                {box.left(), m_row.lanes[d].computeTop(), box.width(), m_row.lanes[d].compute},
                true);
    }
}

void RowPainter::paintCell(const CompareColumn& column, const CompareCell& cell, const QRectF& box,
                           bool isOfDevice) const
{
    constexpr double kBar = 54, kBarHeight = 10, kLine = 17;
    const bool isKey = column.title == m_scene.columns.front().title;
    const bool hasBelow = !cell.below.isEmpty() && m_scene.rows.hasTwoLines();
    const QFont font = uiFont(12, isKey ? QFont::Medium : QFont::Normal);
    if (hasBelow)
        write(box.adjusted(0, kLine, 0, 0), cell.below, uiFont(11), chrome().text2, kAtRight);
    write(box.adjusted(0, 0, 0, hasBelow ? -kLine : 0), cell.text, font,
          verdictInk(chrome(), cell.verdict,
                     cell.isHint || isOfDevice ? chrome().text2 : chrome().text),
          kAtRight);
    if (cell.share < 0 || box.width() - textWidth(cell.text, font) - 8 < kBar)
        return;
    const QRectF bar(box.left() + 6, std::round(box.center().y() - kBarHeight / 2), kBar,
                     kBarHeight);
    fill(bar, m_isCurrent ? chrome().pressed : chrome().hover);
    fill({bar.left(), bar.top(), std::round(kBar * cell.share), bar.height()}, chrome().text3);
}

constexpr double kNear = 4; // a drag starts at most this many pixels from the end of an op

} // namespace

MemoryScales memoryScales(const CompareLayout& layout)
{
    MemoryScales scales{1e-9, 1e-9};
    for (const CompareRow& row : layout.rows) {
        double& scale = row.view->hasMemory() ? scales.bytes : scales.stash;
        if (const auto* metrics = row.view->metrics(row.iteration))
            for (const auto& device : metrics->devices)
                scale = std::max(scale, memoryPeak(*row.view, device));
    }
    return scales;
}

void ComparePainter::paintFrame() const
{
    const double width = m_scene.size.width();
    const QRectF& area = m_scene.area;
    fill({0, 0, width, CompareScene::kRuler}, chrome().surfaceAlt);
    fill({0, area.bottom(), width, CompareScene::kLegend}, chrome().surfaceAlt);
    for (const double y : {CompareScene::kRuler - 1, area.bottom(), m_scene.size.height() - 1.0})
        fill({0, y, width, 1}, chrome().line);
    const QRectF ruler(area.left(), 0, area.width(), CompareScene::kRuler - 1);
    paintRulerOf(m_scene.rows.rows.front(), ruler);
    const CompareRow* base = m_scene.baseline();
    if (base && base->iteration >= 0) {
        m_painter.save();
        m_painter.setClipRect(ruler);
        paintTriangle(
            m_painter,
            {m_scene.axisOf(*base).snappedX(inTicks(base->window().end)) + 1, ruler.bottom()},
            chrome().text);
        m_painter.restore();
    }
    paintTitles();
}

void ComparePainter::paintRulerOf(const CompareRow& row, const QRectF& strip) const
{
    const TimeAxis axis = m_scene.axisOf(row);
    m_painter.save();
    m_painter.setClipRect(strip);
    paintRuler(m_painter, m_scene.rows.ruler(row, axis), axis, theme(), strip);
    m_painter.restore();
}

// The titles of the columns beside the ruler. The column that ranks the runs has an arrow.
void ComparePainter::paintTitles() const
{
    const double height = CompareScene::kRuler - 1, left = m_scene.area.left();
    if (!m_scene.rows.isCompact) {
        const CompareRow& first = m_scene.rows.rows.front();
        write({24, 0, left - 24, height}, m_scene.rows.ruler(first, m_scene.axisOf(first)).title,
              uiFont(11), chrome().text2);
        write({m_scene.area.right() + 16, 0, m_scene.columnsWidth() - 16, height}, tr("Iteration"),
              uiFont(11), chrome().text2);
        return;
    }
    const QFont font = uiFont(12, QFont::Medium);
    write({0, 0, kRankRight + 8, height}, tr("Rank"), font, chrome().text2, kAtRight);
    write({kName, 0, left - kName, height}, tr("Run"), font, chrome().text2);
    write({kName, 0, left - kName - 8, height}, m_scene.rows.time(m_scene.rows.rows.front()).unit(),
          uiFont(11), chrome().text2,
          kAtRight); // of the ruler
    for (const CompareColumn& column : m_scene.columns) {
        const CompareNumbers& numbers = *m_scene.numbers();
        const bool isRanked
            = numbers.by == column.ranksBy && column.shows == CompareColumn::Shows::Value;
        const QRectF box(column.left, 0, column.width - 6, height);
        write(box, column.title, font, isRanked ? chrome().text : chrome().text2, kAtRight);
        if (isRanked)
            paintIcon(m_painter,
                      numbers.direction == profiler::RankOrder::BestFirst ? Icon::ChevronUp
                                                                          : Icon::ChevronDown,
                      QRectF(box.right() - textWidth(column.title, font) - 12, 8, 10, 10),
                      chrome().text2);
    }
}

// The rows in sight and, on top of them, what covers several rows or is between them.
void ComparePainter::paintRows() const
{
    const QRectF& area = m_scene.area;
    const CompareLayout& rows = m_scene.rows;
    const double width = m_scene.size.width(), top = m_scene.scroll, bottom = top + area.height();
    m_painter.translate(0, -top);
    if (!rows.isCompact && rows.hasColumn) {
        fill({area.right(), top, m_scene.columnsWidth(), area.height()}, chrome().surfaceAlt);
        fill({area.right(), top, 1, area.height()}, chrome().line);
    }
    for (const CompareRow& row : rows.rows)
        if (row.top < bottom && row.top + row.height > top)
            paintRow(row);
    int group = 0;
    for (const CompareRow& row : rows.rows)
        if (std::exchange(group, row.group) != row.group)
            paintHead(rows.groups[static_cast<std::size_t>(row.group)], row);
    paintBaselineEnd();
    const CompareNumbers* numbers = m_scene.numbers();
    if (rows.isCompact && numbers && numbers->by == profiler::RankBy::Iteration)
        for (const auto& tie : numbers->ranking.ties)
            paintTie(tie);
    if (!m_scene.isBaselinePinned())
        return;
    const CompareRow& base = *m_scene.baseline();
    const QRectF strip(0, bottom - rows.rowHeight(), width, rows.rowHeight());
    m_painter.setClipRect(strip);
    fill(strip, chrome().surface);
    m_painter.translate(0, strip.top() - base.top);
    paintRow(base);
    fill({0, base.top, width, 1}, chrome().lineStrong);
}

void ComparePainter::paintRow(const CompareRow& row) const
{
    if (m_scene.rows.isCompact)
        RowPainter(*this, row).paintCompact();
    else
        RowPainter(*this, row).paintTall();
    fill({0, row.top + row.height - 1, m_scene.size.width(), 1},
         m_scene.rows.isCompact ? chrome().grid : chrome().line);
}

// A strip above a group whose runs are not ranked with those above. If they have another unit, it
// has their ruler.
void ComparePainter::paintHead(const CompareGroup& group, const CompareRow& first) const
{
    const QRectF strip(0, group.headTop, m_scene.size.width(), group.headHeight());
    fill(strip, group.hasRuler ? chrome().warningTint : chrome().surfaceAlt);
    if (group.hasRuler)
        paintRulerOf(
            first,
            {m_scene.area.left(), strip.top() + 14, m_scene.area.width(), strip.height() - 14});
    fill({0, strip.bottom() - 1, strip.width(), 1}, chrome().line);
    const QFont font = uiFont(11);
    if (!group.hasRuler) {
        write(strip.adjusted(24, 0, -24, 0),
              group.haveOlderWeights
                  ? tr("Older weights: asynchronous schemes are not ranked and "
                       "not on the Pareto front.")
                  : tr("%1: ranked separately")
                        .arg(capitalized(fromUtf8(engine::modeAdjective(group.mode)))),
              font, chrome().text2);
        return;
    }
    m_painter.setFont(font);
    m_painter.setPen(chrome().warning);
    m_painter.drawText(
        QPointF(24, strip.top() + 14),
        group.isInUnits
            ? tr("In abstract units, on a separate scale: not comparable with the times above.")
            : tr("In measured time, on a separate scale: not comparable with the units above."));
    m_painter.setPen(chrome().text2);
    m_painter.drawText(QPointF(24, strip.bottom() - 8),
                       m_scene.rows.ruler(first, m_scene.axisOf(first)).title);
}

// A dashed line from the first to the last row that is compared with the baseline.
void ComparePainter::paintBaselineEnd() const
{
    double top = -1, bottom = 0;
    const CompareRow* base = m_scene.baseline();
    if (!base || base->iteration < 0)
        return;
    for (const CompareRow& row : m_scene.rows.rows) {
        if (&row != base && !m_scene.baselineOf(row))
            continue;
        top = top < 0 ? row.top : top;
        bottom = row.top + row.height;
    }
    const QRectF& area = m_scene.area;
    if (m_scene.isBaselinePinned())
        bottom = std::max(bottom, m_scene.scroll + area.height());
    const double x = m_scene.axisOf(*base).snappedX(inTicks(base->window().end));
    if (x < area.left() || x > area.right())
        return;
    QPen pen(chrome().text, 1);
    pen.setDashPattern({4, 3});
    m_painter.setPen(pen);
    m_painter.drawLine(QPointF(x + 0.5, top), QPointF(x + 0.5, bottom));
}

// A bracket at the right of consecutive runs that share a rank by iteration, with the interval of
// the difference between the first and the last.
void ComparePainter::paintTie(const profiler::Ranking::Tie& tie) const
{
    constexpr double kAfter = 14, kHook = 5, kInset = 6;
    const CompareNumbers& numbers = *m_scene.numbers();
    const auto& order = numbers.ranking.order;
    const double right = m_scene.area.right();
    double x = 0, top = 0, bottom = 0;
    for (std::size_t k = tie.first; k <= tie.last; ++k) {
        const CompareRow* row = m_scene.rows.rowOf(order[k]);
        if (!row || row->iteration < 0)
            continue;
        const double end = std::max(row->most, inTicks(row->window().duration()));
        x = std::max(x, m_scene.axisOf(*row).snappedX(inTicks(row->window().begin) + end) + kAfter);
        top = k == tie.first ? row->top + kInset : top;
        bottom = row->top + m_scene.rows.rowHeight() - kInset;
    }
    if (x + kHook > right)
        return;
    fill({x + kHook, top, 1, bottom - top}, chrome().text);
    for (const double y : {top, bottom - 1})
        fill({x, y, kHook, 1}, chrome().text);
    const auto between = numbers.comparison.change("iteration", order[tie.last], order[tie.first]);
    const QFont bold = uiFont(11, QFont::Medium);
    const QString text = tr("not distinguishable");
    const QRectF plate(x + kHook + 6, (top + bottom) / 2 - 16, textWidth(text, bold) + 4, 32);
    if (!between || plate.right() > right)
        return;
    fill(plate, chrome().surface);
    write(plate.adjusted(0, 0, 0, -16), text, bold, chrome().text);
    write(plate.adjusted(0, 16, 0, 0), numbers.spreadText(comparedMeasure("iteration"), *between),
          uiFont(11), chrome().text2, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip);
}

void ComparePainter::paintMarks() const
{
    const QRectF& area = m_scene.area;
    const CompareScene::Mark& selected = m_scene.selected;
    m_painter.save();
    m_painter.setClipRect(area);
    if (const QRectF box = m_scene.boxOf(m_scene.hover);
        !box.isEmpty() && m_scene.hover != selected)
        fillFrame(m_painter, box, 1, chrome().text);
    if (const QRectF box = m_scene.boxOf(selected); !box.isEmpty())
        fillFrame(m_painter, box.adjusted(-2, -2, 2, 2), 2, chrome().text);
    const bool isRange = selected.selection.kind == Selection::Kind::Range && selected.row >= 0;
    if (isRange)
        paintRange(m_painter, m_scene.axisOf(m_scene.row(selected.row)), theme(),
                   selected.selection.window, area);
    m_painter.restore();
    if (!isRange)
        return;
    const CompareRow& row = m_scene.row(selected.row);
    const TimeAxis axis = m_scene.axisOf(row);
    paintRangeBand(
        m_painter, m_scene.rows.ruler(row, axis), axis, theme(),
        {selected.selection.window, QRectF(area.left(), 0, area.width(), CompareScene::kRuler)});
}

// The number of runs below the visible ones, and the slowest of them.
QString ComparePainter::hiddenRuns() const
{
    const double bottom = m_scene.scroll + m_scene.area.height();
    int hidden = 0;
    const CompareRow* slowest = nullptr;
    for (const CompareRow& row : m_scene.rows.rows) {
        if (row.top + m_scene.rows.rowHeight() <= bottom)
            continue;
        ++hidden;
        if (!slowest || row.duration() > slowest->duration())
            slowest = &row;
    }
    if (!slowest)
        return {};
    return tr("%1 below; the slowest, %2, takes %3")
        .arg(countOf(hidden, "run"), slowest->name,
             m_scene.rows.time(*slowest).withUnit(inTicks(slowest->window().duration())));
}

void ComparePainter::paintLegend() const
{
    std::vector<LegendRun> shown;
    for (const CompareRow& row : m_scene.rows.rows)
        shown.push_back({row.view, m_scene.axisOf(row).ticksPerPixel()});
    const bool hasBoxes
        = m_scene.showsDevices() || std::ranges::any_of(m_scene.rows.rows, &CompareRow::isExpanded);
    Legend legend = legendOf(shown, m_colours,
                             m_scene.rows.hasColumn && !m_scene.rows.isCompact
                                 ? LegendDetail::ComputeAndMemory
                                 : hasBoxes ? LegendDetail::TimeOnly
                                            : LegendDetail::Coverage);
    const bool hasIntervals = std::ranges::any_of(
        m_scene.rows.rows, [](const CompareRow& row) { return row.most > 0; });
    if (hasIntervals)
        legend.left.push_back({profiler::LegendEntry::Look::Interval,
                               {fromQt(chrome().text)},
                               tr("end, 95 % interval").toStdString(),
                               {}});
    if (m_scene.rows.isCompact)
        legend.note = hiddenRuns();
    if (legend.note.isEmpty() && m_scene.rows.isCompact && m_scene.showsDevices())
        legend.note = tr("rows: device 0 at the top");
    app::paintLegend(m_painter, legend, m_colours,
                     {0, m_scene.area.bottom(), m_scene.size.width(), CompareScene::kLegend});
}

std::optional<OpEndDrag::Found> OpEndDrag::find(const CompareScene& scene, QPointF at) const
{
    const CompareRow* to = m_run < 0 ? nullptr : scene.rows.rowOf(static_cast<std::size_t>(m_run));
    if (to == nullptr || scene.rows.isCompact)
        return std::nullopt;
    for (const double left : {kNear, 0.0}) {
        const CompareScene::Mark mark = scene.hit(at - QPointF(left, 0));
        if (mark.selection.kind != Selection::Kind::Op || mark.selection.window.duration() <= 0
            || std::abs(scene.boxOf(mark).right() - at.x()) > kNear
            || scene.row(mark.row).view->run().schedule != to->view->run().schedule)
            continue;
        if (const auto changed = scene.opIn(*to, mark.selection.op))
            return Found{mark, *changed};
    }
    return std::nullopt;
}

// Stores the time scale for the whole drag, because the view may be fitted again meanwhile.
std::optional<CompareScene::Mark> OpEndDrag::begin(const CompareScene& scene, QPointF at)
{
    const auto found = find(scene, at);
    if (!found)
        return std::nullopt;
    m_isActive = true;
    m_ticksPerPixel = scene.axisOf(scene.row(found->at.row)).ticksPerPixel();
    m_before = found->at.selection.window.duration();
    m_now = found->changed.selection.window.duration();
    return found->changed;
}

double OpEndDrag::moved(double pixels)
{
    const std::int64_t least = std::max<std::int64_t>(1, m_before / 100);
    const std::int64_t now = std::max<std::int64_t>(
        least, std::llround(static_cast<double>(m_before) + pixels * m_ticksPerPixel));
    return static_cast<double>(now) / static_cast<double>(std::exchange(m_now, now));
}

bool OpEndDrag::end()
{
    return std::exchange(m_isActive, false);
}

CompareWidget::CompareWidget(const ThemeController& theme, QWidget* parent)
    : TimeCanvas(QStringLiteral("compare"), theme, parent)
{
    setAccessibleName(tr("Comparison of runs"));
    setViews({}, 0);
}

void CompareWidget::setViews(std::vector<RunViewPointer> views, std::size_t baseline,
                             const RunNames& names)
{
    const bool isOther = views.size() != m_scene.runs.size();
    m_scene.setRuns(std::move(views), baseline, names);
    QStringList labels;
    for (const RunViewPointer& view : m_scene.runs)
        labels << QString::fromStdString(view->run().info.label);
    endHover();
    setSelected({});
    setAccessibleDescription(labels.join(QStringLiteral(", ")));
    if (m_scene.runs.empty())
        setEmptyState(EmptyState::Texts{
            Icon::Compare, tr("Nothing to compare yet"), tr("Tick two or more runs."), {}});
    else
        setEmptyState(std::nullopt);
    relayout();
    if (isOther) {
        forgetHistory();
        moveTo(m_scene.fit(), Remember::No);
    }
}

void CompareWidget::replaceView(std::size_t run, RunViewPointer view)
{
    const CompareScene::Mark mark = m_scene.selected;
    const bool isSelected = mark.row >= 0 && m_scene.row(mark.row).run == run;
    m_scene.runs[run] = std::move(view);
    endHover();
    keepFit([this] { relayout(); });
    if (!isSelected)
        return;
    const auto now = mark.selection.kind == Selection::Kind::Op
        ? m_scene.opIn(m_scene.row(mark.row), mark.selection.op)
        : std::nullopt;
    setSelected(now.value_or(CompareScene::Mark()));
}

void CompareWidget::setNumbers(CompareNumbersPointer numbers)
{
    keepFit([&] { // the columns change the width of the time area
        m_scene.arrangement.numbers = std::move(numbers);
        setSelected({}); // the order of the rows may change
        orderRows();
    });
}

void CompareWidget::setPredictedPeak(std::size_t run, std::int64_t bytes)
{
    if (std::exchange(m_scene.arrangement.predictedPeaks[run], bytes) != bytes)
        keepFit([this] { relayout(); });
}

void CompareWidget::setBaseline(std::size_t run)
{
    m_scene.arrangement.baseline = run;
    setSelected({}); // the order of the rows may change
    relayout();
}

void CompareWidget::setCurrent(int run)
{
    if (run == std::exchange(m_scene.current, run) || run < 0)
        return;
    if (const CompareRow* row = m_scene.chosen(); row && isCompact()) {
        const double height = timeArea().height() - 2 * m_scene.rows.rowHeight();
        if (row->top < scrollY() || row->top > scrollY() + height)
            scrollTo(static_cast<int>(row->top - height / 2));
    }
    contentChanged();
}

void CompareWidget::setExpanded(std::size_t run, bool isExpanded)
{
    if (isExpanded)
        m_scene.arrangement.expanded.insert(run);
    else
        m_scene.arrangement.expanded.erase(run);
    setSelected({});
    relayout();
}

void CompareWidget::setLane(LaneOf lane)
{
    m_scene.arrangement.lane = lane;
    relayout();
}

void CompareWidget::setAlign(CompareAlign align)
{
    m_scene.arrangement.align = align;
    relayout();
    moveTo(m_scene.fit(), Remember::No);
}

void CompareWidget::setGhost(bool hasGhost)
{
    m_scene.hasGhost = hasGhost;
    contentChanged();
}

void CompareWidget::setEditable(int run)
{
    m_opEnd.setRun(run);
    unsetCursor();
}

void CompareWidget::select(std::size_t run, const Selection& selection)
{
    if (const CompareRow* row = m_scene.rows.rowOf(run))
        selectAndReveal({m_scene.indexOf(*row), selection});
}

int CompareWidget::heightFor(double rows)
{
    return static_cast<int>(std::ceil(CompareScene::kRuler + CompareScene::kLegend + rows));
}

void CompareWidget::orderRows()
{
    m_scene.arrangement.order.clear();
    relayout();
}

void CompareWidget::relayout()
{
    const bool wasCompact = isCompact();
    m_scene.layout(size());
    layoutScrollBar(m_scene.contentHeight());
    if (wasCompact != isCompact())
        Q_EMIT styleChanged();
}

void CompareWidget::updateAxis()
{
    m_scene.window = inSight();
    m_scene.dpr = devicePixelRatioF();
    m_scene.scroll = scrollY();
}

void CompareWidget::paintCanvas(QPainter& painter)
{
    const ComparePainter comparison(painter, m_scene, colours());
    comparison.paintFrame();
    const QSizeF size(m_scene.size.width(), m_scene.area.height());
    painter.drawPixmap(QPointF(0, m_scene.area.top()),
                       m_rows.get(pictureKey(size), look().chrome.surface, [this](QPainter& on) {
                           ComparePainter(on, m_scene, colours()).paintRows();
                       }));
    comparison.paintMarks();
    comparison.paintLegend();
}

std::optional<ViewWindow> CompareWidget::selectedBox() const
{
    const CompareScene::Mark& selected = m_scene.selected;
    return selected.row < 0
        ? std::nullopt
        : std::optional(m_scene.shareOf(m_scene.row(selected.row), selected.selection.window));
}

void CompareWidget::setSelected(const CompareScene::Mark& mark)
{
    if (mark == m_scene.selected)
        return;
    m_scene.selected = mark;
    update();
    const int run = mark.row < 0 ? -1 : static_cast<int>(m_scene.row(mark.row).run);
    Q_EMIT selectionChanged(run, mark.selection);
    if (run >= 0)
        choose(run);
}

void CompareWidget::selectAndReveal(const CompareScene::Mark& mark)
{
    setSelected(mark);
    const CompareRow& row = m_scene.row(mark.row);
    reveal(m_scene.shareOf(row, mark.selection.window));
    const double top = row.lanesTop + mark.selection.device.value * row.pitch;
    const double pinned = isCompact() ? m_scene.rows.rowHeight() : 0;
    revealLane(top - CompareLayout::kTitle, top + row.pitch + pinned);
}

void CompareWidget::choose(int run)
{
    if (run == m_scene.current)
        return;
    setCurrent(run);
    Q_EMIT runChosen(run);
}

void CompareWidget::click(QPointF at)
{
    if (const auto by = m_scene.rankAt(at)) {
        Q_EMIT rankRequested(*by);
        return;
    }
    const CompareScene::Mark mark = m_scene.hit(at);
    if (mark.row < 0 || mark.selection.kind != Selection::Kind::None)
        return setSelected(mark);
    const std::size_t run = m_scene.row(mark.row).run;
    setSelected({});
    choose(static_cast<int>(run));
    if (m_scene.isChevron(mark, at))
        setExpanded(run, !isExpanded(run));
}

void CompareWidget::contextMenuEvent(QContextMenuEvent* event)
{
    const bool isAboutChosen
        = event->reason() == QContextMenuEvent::Keyboard && m_scene.current >= 0;
    const CompareRow* row
        = event->pos().y() < CompareScene::kRuler ? nullptr : m_scene.rowAt(event->pos());
    if (!isAboutChosen && row == nullptr)
        return;
    const int index = isAboutChosen ? m_scene.current : static_cast<int>(row->run);
    const auto run = static_cast<std::size_t>(index);
    QMenu menu(this);
    connect(menu.addAction(tr("Open timeline")), &QAction::triggered, this,
            [this, index] { Q_EMIT openRequested(index); });
    connect(menu.addAction(tr("Set as baseline")), &QAction::triggered, this,
            [this, index] { Q_EMIT baselineRequested(index); });
    if (isCompact())
        connect(menu.addAction(isExpanded(run) ? tr("Hide devices") : tr("Show devices")),
                &QAction::triggered, this, [this, run] { setExpanded(run, !isExpanded(run)); });
    menu.exec(event->globalPos());
}

bool CompareWidget::hover(QPointF at)
{
    if (m_opEnd.isAt(m_scene, at))
        setCursor(Qt::SplitHCursor);
    else
        unsetCursor();
    const CompareScene::Mark under = m_scene.hit(at);
    return under != std::exchange(m_scene.hover, under);
}

void CompareWidget::selectRange(QPointF from, double toX)
{
    if (const auto range = m_scene.rangeAt(from, toX))
        setSelected(*range);
}

std::optional<ViewWindow> CompareWidget::openAt(QPointF at)
{
    if (at.y() < CompareScene::kRuler && at.x() >= timeArea().left()) {
        zoomToFit();
        return std::nullopt;
    }
    const CompareScene::Mark mark = m_scene.hit(at);
    const CompareRow* row = at.y() < CompareScene::kRuler ? nullptr : m_scene.rowAt(at);
    if (row && at.x() < timeArea().left() && mark.selection.kind == Selection::Kind::None
        && !m_scene.isChevron(mark, at))
        Q_EMIT openRequested(static_cast<int>(row->run)); // the name of the run
    if (mark.row < 0 || mark.selection.kind == Selection::Kind::None)
        return std::nullopt;
    setSelected(mark);
    return selectedBox();
}

bool CompareWidget::ownPress(QMouseEvent& event)
{
    const auto changed = event.button() == Qt::LeftButton && event.modifiers() == Qt::NoModifier
        ? m_opEnd.begin(m_scene, event.position())
        : std::nullopt;
    if (changed)
        setSelected(*changed);
    return changed.has_value();
}

void CompareWidget::ownDrag(QPointF from, QPointF to)
{
    if (const double ratio = m_opEnd.moved(to.x() - from.x()); ratio != 1)
        Q_EMIT opScaled(ratio, false);
}

void CompareWidget::mouseReleaseEvent(QMouseEvent* event)
{
    TimeCanvas::mouseReleaseEvent(event);
    if (m_opEnd.end())
        Q_EMIT opScaled(1, true);
}

bool CompareWidget::ownKey(int key, Qt::KeyboardModifiers)
{
    if (isCompact() && key >= Qt::Key_1 && key <= Qt::Key_4) {
        Q_EMIT rankRequested(kSorts[key - Qt::Key_1]);
        return true;
    }
    const bool isOnRow = isCompact() && m_scene.selected.row < 0;
    if (isOnRow && (key == Qt::Key_Up || key == Qt::Key_Down)) {
        choose(static_cast<int>(m_scene.steppedRun(key == Qt::Key_Up ? -1 : 1)));
        return true;
    }
    const auto run = static_cast<std::size_t>(std::max(0, m_scene.current));
    if (isOnRow && (key == Qt::Key_Return || key == Qt::Key_Enter) && m_scene.current >= 0) {
        setExpanded(run, !isExpanded(run));
        return true;
    }
    const bool isFolded = m_scene.current < 0 || !isExpanded(run);
    if (!isWalkKey(key) || (isOnRow && isFolded))
        return false;
    if (const auto to = m_scene.walkedTo(key))
        selectAndReveal(*to);
    return true;
}

void CompareWidget::resizeEvent(QResizeEvent*)
{
    keepFit([this] { orderRows(); });
}

} // namespace app
