#include "app/compare/compare_painter.h"

#include "app/documents/run_document.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/paint/legend.h"
#include "app/timeline/paint/marks_painter.h"
#include "app/timeline/paint/memory_bar.h"
#include "app/timeline/view/labels.h"
#include "app/timeline/view/lane_walk.h"
#include "app/timeline/view/translate.h"
#include "app/timeline/widget/time_canvas.h"
#include "app/ui/icons.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/verdict.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace app {

// One row of a comparison and where it is drawn. `top` is the row's y on the painter.
struct ComparePaint
{
    QPainter& painter;
    const CompareLayout& layout;
    const CompareRow& row;
    const CompareRow* baseline; // nullptr: the baseline has another unit, or is this row
    const BoxColours& colours;
    const CompareNumbers* numbers; // nullptr: not computed
    TimeAxis axis;
    double top = 0;

    // The change of the iteration from the baseline. Without numbers, its spread is unknown.
    profiler::Change change() const
    {
        if (const auto known
            = numbers ? numbers->comparison.change("iteration", row.run) : std::nullopt)
            return *known;
        const double ticks = baseline->ticksPerUnit();
        return {baseline->duration() * ticks, {(row.duration() - baseline->duration()) * ticks}};
    }
    QColor changeInk(const QColor& neutral) const
    {
        const Verdict verdict
            = numbers ? numbers->colour(comparedMeasure("iteration"), row.run) : Verdict::Neutral;
        return verdictInk(colours.theme().chrome, verdict, neutral);
    }
};

namespace {

constexpr double kNamesWidth = 140;
constexpr double kGapFrom = 110;              // least width in pixels of a gap with text
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

QString differenceText(const ComparePaint& paint)
{
    return signedPercent(paint.change().share());
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
    const profiler::Change change = paint.change();
    const Scale scale
        = paint.numbers ? paint.numbers->time() : compareTime(paint.layout, *paint.baseline);
    const auto line = [&](double top, double height, const QString& text, const QFont& font) {
        painter.setFont(font);
        painter.drawText(QRectF(from, middle + top, to - from, height), Qt::AlignCenter, text);
    };
    painter.setPen(paint.changeInk(chrome.text));
    line(-22, 18, signedPercent(change.share()), uiFont(13, QFont::Medium));
    line(5, 16, scale.difference(change.by.value) + QLatin1Char(' ') + scale.unit(),
         uiFont(12, QFont::Medium));
    painter.setPen(chrome.text2);
    if (change.by.spread == profiler::Spread::Interval && lanesHeight(paint.row) > 80)
        line(
            21, 16,
            tr("%1 to %2").arg(scale.difference(change.by.least), scale.difference(change.by.most)),
            uiFont(11));
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

namespace {

// Times are per 1000 tokens if the rows have different numbers of them.
Scale perTokens(const CompareRow& row, double longest)
{
    const Scale scale
        = timeScale(row.view->run().info, static_cast<std::int64_t>(longest / row.tokens));
    return row.tokens == 1 ? scale
                           : Scale(scale.perUnit() * row.tokens, scale.decimals(), scale.unit());
}

} // namespace

Scale compareTime(const CompareLayout& layout, const CompareRow& row)
{
    const double longest = layout.groups[static_cast<std::size_t>(row.group)].longest;
    return perTokens(row, longest * row.ticksPerUnit());
}

RulerScale compareScale(const CompareLayout& layout, const CompareRow& row, const TimeAxis& axis)
{
    RulerScale scale;
    scale.origin
        = layout.align == CompareAlign::End ? static_cast<double>(row.window().end) : row.origin;
    const double reach = std::max(std::abs(axis.end - scale.origin), axis.end - axis.begin);
    scale.unit = perTokens(row, reach);
    scale.title = row.tokens == 1 ? tr("%1, same scale").arg(scale.unit.unit())
                                  : tr("%1 per 1000 tokens").arg(scale.unit.unit());
    scale.marks = rulerMarks(axis, scale.origin, scale.unit.perUnit());
    return scale;
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

void paintRunName(QPainter& painter, const CompareRow& row, const QRectF& area,
                  const Chrome& chrome, const QString& suffix)
{
    constexpr double kFileFrom = 30, kLineHeight = 16;
    const bool hasFile = area.height() >= kFileFrom && !row.file.empty();
    QRectF line(area.left(), area.top(), area.width(), hasFile ? kLineHeight + 1 : area.height());
    const double suffixWidth
        = suffix.isEmpty() ? 0 : QFontMetricsF(uiFont(11)).horizontalAdvance(suffix) + 6;
    painter.setFont(uiFont(area.height() >= kFileFrom ? 13 : 12, QFont::Medium));
    const QFontMetricsF metrics(painter.font());
    const QString name
        = metrics.elidedText(fromUtf8(row.name), Qt::ElideMiddle, line.width() - suffixWidth);
    painter.setPen(chrome.text);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text2);
    if (!suffix.isEmpty())
        painter.drawText(line.adjusted(metrics.horizontalAdvance(name) + 6, 0, 0, 0),
                         Qt::AlignLeft | Qt::AlignVCenter, suffix);
    if (!hasFile)
        return;
    // Beside the file is the name of the first device if the lanes are low.
    constexpr double kDeviceName = 46, kHighLane = 34;
    if (row.lanesTop - row.top <= CompareLayout::kTitle && row.pitch < kHighLane)
        line.setWidth(line.width() - kDeviceName);
    const QString file = fromUtf8(row.file).section(QLatin1Char('/'), -1);
    painter.drawText(line.translated(0, line.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(file, Qt::ElideMiddle, line.width()));
}

double compareNumbersHeight(const CompareRow& row)
{
    return kFirstLine + kLine * (2 + (showsDifference(row) ? 1 + (row.most > 0 ? 1 : 0) : 0));
}

namespace {

double baselineEnd(const ComparePaint& paint)
{
    const CompareRow& base = *paint.baseline;
    const double past
        = (static_cast<double>(base.window().end) - base.origin) / base.ticksPerUnit();
    return paint.axis.snappedX(paint.row.origin + past * paint.row.ticksPerUnit());
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

// Paints the end of the iteration with its 95 % interval, in a strip of the row.
void paintEndMark(const ComparePaint& paint, double top, double bottom, double whisker)
{
    const Chrome& chrome = paint.colours.theme().chrome;
    const auto at = [&](double ticks) {
        return paint.axis.snappedX(static_cast<double>(paint.row.window().begin) + ticks);
    };
    const double end = at(static_cast<double>(paint.row.window().duration()));
    paint.painter.fillRect(QRectF(end, top, 2, bottom - top), chrome.text);
    if (paint.row.most <= 0)
        return;
    const double from = at(paint.row.least), to = at(paint.row.most);
    paint.painter.fillRect(QRectF(from, whisker, std::max(1.0, to - from), 1), chrome.text);
    for (const double x : {from, to})
        paint.painter.fillRect(QRectF(x, whisker - 4, 1, 9), chrome.text);
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
    const double end = paint.axis.snappedX(static_cast<double>(paint.row.window().end));
    const double top = lanesTop(paint), below = top + lanesHeight(paint.row);
    if (paint.layout.isCompact())
        paint.painter.fillRect(QRectF(end, top - 2, 2, below - top + 2),
                               paint.colours.theme().chrome.text);
    else
        paintEndMark(paint, paint.top + 8, below, paint.top + 14);
    if (!paint.baseline)
        return;
    const double other = baselineEnd(paint);
    if (other - end >= kGapFrom) {
        paintGap(paint, end + 2, other);
    }
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

void paintCompareHeader(const ComparePaint& paint)
{
    paintRunName(paint.painter, paint.row,
                 QRectF(24, paint.top + 8, kNamesWidth - 32, paint.row.pitch >= 17 ? 34 : 18),
                 paint.colours.theme().chrome);
    paintCompareDeviceNames(paint, kNamesWidth - 12);
}

// The value of a measure in the shown iteration, for rows without numbers, too.
std::optional<double> measured(const CompareRow& row, const char* key)
{
    const auto all = profiler::runMeasures();
    const auto measure = std::ranges::find_if(
        all, [key](const profiler::MeasureInfo& one) { return one.key == key; });
    return (*measure)({row.view->run(), *row.view->metrics(row.iteration)}).number();
}

void paintCompareNumbers(const ComparePaint& paint, const QRectF& column)
{
    if (paint.row.view->metrics(paint.row.iteration) == nullptr)
        return;
    QPainter& painter = paint.painter;
    const Chrome& chrome = paint.colours.theme().chrome;
    const Scale scale = compareTime(paint.layout, paint.row);
    const double left = column.left() + 16;
    double y = paint.top + kFirstLine;
    painter.setFont(uiFont(15, QFont::Medium));
    painter.setPen(chrome.text);
    const QString amount = scale.text(measured(paint.row, "iteration").value_or(0));
    painter.drawText(QPointF(left, y), amount);
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(amount);
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text2);
    painter.drawText(QPointF(left + width + 4, y), scale.unit());
    const auto line
        = [&](const QString& text) { painter.drawText(QPointF(left, y += kLine), text); };
    // Shows the difference directly below the iteration time, to which it refers.
    if (showsDifference(paint.row) && paint.row.most > 0)
        line(tr("%1 to %2").arg(scale.text(paint.row.least), scale.text(paint.row.most)));
    if (showsDifference(paint.row) && paint.baseline) {
        painter.setPen(paint.changeInk(chrome.text2));
        line(differenceText(paint));
        painter.setPen(chrome.text2);
    } else if (showsDifference(paint.row) && paint.row.group == 0) {
        line(tr("baseline"));
    }
    if (const auto share = measured(paint.row, "bubble_ratio"))
        line(tr("bubble %1").arg(percent(*share)));
    if (paint.row.view->knowsMemory())
        line(tr("peak %1").arg(comparePeak(paint.row))); // with its bars below
}

constexpr double kNumbersBelow = 16, kSide = 16, kMemoryTop = 10, kBottom = 8; // in pixels
constexpr double kHighest = 64, kLowest = 14, kDigits = 13;

// Returns n such that labels of every n-th device fit.
int numberStep(double slot)
{
    int step = 1;
    while (slot * step < kNumbersBelow)
        step *= 2;
    return step;
}

} // namespace

MemoryScales memoryScales(const CompareLayout& layout)
{
    MemoryScales scales{1e-9, 1e-9};
    for (const auto& row : layout.rows) {
        const auto* metrics = row.view->metrics(row.iteration);
        if (!metrics)
            continue;
        double& scale = row.view->hasMemory() ? scales.bytes : scales.stash;
        for (const auto& device : metrics->devices)
            scale = std::max(scale, memoryPeak(*row.view, device));
    }
    return scales;
}

QRectF compareMemoryArea(const CompareRow& row, const QRectF& column)
{
    const double top = compareNumbersHeight(row) + kMemoryTop;
    const double height = std::min(kHighest + kDigits, row.height - top - kBottom);
    if (height < kLowest)
        return {};
    return {column.left() + kSide, column.top() + top, column.width() - 2 * kSide, height};
}

QRectF compareMemorySlot(const CompareRow& row, const QRectF& area, int device)
{
    const int devices = std::max(1, row.view->devices());
    const double slot = std::min(24.0, area.width() / devices);
    const double left = std::round(area.left() + slot * device);
    const double right = std::round(area.left() + slot * (device + 1));
    return {left, area.top(), right - left, area.height()};
}

namespace {

void paintCompareMemory(const ComparePaint& paint, const MemoryScales& scales, const QRectF& column)
{
    const RunView& view = *paint.row.view;
    const auto* metrics = view.metrics(paint.row.iteration);
    const QRectF area = compareMemoryArea(paint.row, column);
    if (!metrics || area.isEmpty() || !view.knowsMemory())
        return;
    QPainter& painter = paint.painter;
    const Theme& theme = paint.colours.theme();
    const bool hasDigits = area.height() >= 2 * kDigits;
    const double height = area.height() - (hasDigits ? kDigits : 0);
    const int step = numberStep(compareMemorySlot(paint.row, area, 0).width());
    painter.setFont(uiFont(10));
    for (const engine::DeviceId d : metrics->devices.ids()) {
        const int device = d.value;
        const QRectF slot = compareMemorySlot(paint.row, area, device);
        const double gap = std::min(8.0, std::max(1.0, std::floor(slot.width() / 3)));
        const QRectF bar(slot.left(), slot.top(), std::max(1.0, slot.width() - gap), height);
        painter.fillRect(bar, theme.chrome.hover);
        paintMemoryParts(painter, memoryParts(view, metrics->devices[d], theme), scales.of(view),
                         bar);
        if (!hasDigits || device % step != 0)
            continue;
        painter.setPen(theme.chrome.text2);
        painter.drawText(bar.adjusted(-8, height, 8, kDigits), Qt::AlignHCenter | Qt::AlignBottom,
                         QString::number(device));
    }
}

constexpr double kRankRight = 30, kChevron = 38, kName = 58;
constexpr double kLaneTop = 4;
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
    void paintBoxes() const;
    void paintEnd() const;
    void paintBeyond(double ticks) const;
    void paintCells() const;
    void paintCell(const CompareColumn& column, const CompareCell& cell, const QRectF& box,
                   bool isOfDevice) const;
    QRectF lane() const
    {
        const QRectF area = m_scene.rowsArea();
        return {area.left(), m_row.top + kLaneTop, area.width(), m_scene.rows.lane};
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
    const QRectF line(0, m_row.top, m_scene.headerWidth(), m_scene.rows.rowHeight());
    m_painter.setFont(uiFont(12));
    m_painter.setPen(m_chrome.text2);
    if (m_scene.numbers)
        m_painter.drawText(QRectF(0, line.top(), kRankRight, line.height()),
                           Qt::AlignRight | Qt::AlignVCenter,
                           fromUtf8(m_scene.numbers->ranking.rankText(m_row.run)));
    paintIcon(m_painter, m_row.isExpanded ? Icon::ChevronDown : Icon::ChevronRight,
              QRectF(kChevron, std::round(line.center().y() - 7), 14, 14), m_chrome.text2);
    const double height = m_scene.rows.hasTwoLines() ? 34 : line.height();
    paintRunName(
        m_painter, m_row,
        QRectF(kName, std::round(line.center().y() - height / 2), line.width() - kName - 8, height),
        m_chrome, m_isBaseline ? tr("baseline") : QString());
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
    if (hasSpans && m_scene.showsDevices()) {
        paintBoxes();
        return;
    }
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

// Paints the boxes of every device into the lane.
void CompactRow::paintBoxes() const
{
    const QRectF box = lane();
    const double pitch = std::floor(box.height() / m_row.view->devices());
    m_painter.save();
    m_painter.setClipRect(stretch(m_paint.axis, m_row.window(), box.top(), box.height()),
                          Qt::IntersectClip);
    LanePainter lanes(m_painter, *m_row.view, m_paint.axis, m_paint.colours);
    lanes.setLabels(LanePainter::Labels::Numbers);
    for (int d = 0; d < m_row.view->devices(); ++d)
        lanes.paintCompute(engine::DeviceId{d}, box.top() + d * pitch, pitch - 1);
    m_painter.restore();
}

// Paints the end of the iteration, or an arrow if the end is beyond the ruler.
void CompactRow::paintEnd() const
{
    const QRectF box = lane();
    if (m_paint.axis.x(static_cast<double>(m_row.window().end)) > m_paint.axis.right())
        paintBeyond(static_cast<double>(m_row.window().duration()));
    else
        paintEndMark(m_paint, box.top() - 1, box.bottom() + 1, std::round(box.center().y()));
}

void CompactRow::paintBeyond(double ticks) const
{
    const QString text = compareTime(m_paint.layout, m_row).withUnit(ticks);
    m_painter.setFont(uiFont(11, QFont::Medium));
    const double width = QFontMetricsF(m_painter.font()).horizontalAdvance(text);
    const QRectF plate(m_paint.axis.right() - width - 28, std::round(lane().center().y() - 8),
                       width + 24, 16);
    m_painter.fillRect(plate, m_chrome.surface);
    m_painter.setPen(m_chrome.text);
    m_painter.drawText(plate.adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
    paintIcon(m_painter, Icon::ChevronRight, QRectF(plate.right() - 16, plate.top() + 1, 14, 14),
              m_chrome.text);
}

void CompactRow::paintCells() const
{
    for (const CompareColumn& column : m_scene.columns) {
        const QRectF box(column.left, m_row.top, column.width - 6, m_scene.rows.rowHeight());
        paintCell(column, compareCell(*m_scene.numbers, m_row, column), box, false);
        for (engine::DeviceId d{0}; m_row.isExpanded && d.value < m_row.view->devices();
             ++d.value) {
            const QRectF line(box.left(), m_row.lanesTop + d.value * m_row.pitch, box.width(),
                              m_row.pitch - 2);
            paintCell(column, compareCell(*m_scene.numbers, m_row, d, column), line, true);
        }
    }
}

void CompactRow::paintCell(const CompareColumn& column, const CompareCell& cell, const QRectF& box,
                           bool isOfDevice) const
{
    const bool isKey = column.title == m_scene.columns.front().title;
    const bool hasBelow = !cell.below.isEmpty() && m_scene.rows.hasTwoLines();
    if (hasBelow) {
        m_painter.setFont(uiFont(11));
        m_painter.setPen(m_chrome.text2);
        m_painter.drawText(box.adjusted(0, 17, 0, 0), Qt::AlignRight | Qt::AlignVCenter,
                           cell.below);
    }
    m_painter.setFont(uiFont(12, isKey ? QFont::Medium : QFont::Normal));
    m_painter.setPen(verdictInk(m_chrome, cell.verdict,
                                cell.isHint || isOfDevice ? m_chrome.text2 : m_chrome.text));
    m_painter.drawText(hasBelow ? box.adjusted(0, 0, 0, -17) : box,
                       Qt::AlignRight | Qt::AlignVCenter, cell.text);
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

void paintCompactTitles(QPainter& painter, const CompareScene& scene, const Theme& theme)
{
    const Chrome& chrome = theme.chrome;
    const double height = CompareScene::kRuler - 1;
    painter.setFont(uiFont(12, QFont::Medium));
    painter.setPen(chrome.text2);
    painter.drawText(QRectF(0, 0, kRankRight + 8, height), Qt::AlignRight | Qt::AlignVCenter,
                     tr("Rank"));
    painter.drawText(QRectF(kName, 0, scene.headerWidth() - kName, height),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("Run"));
    for (const CompareColumn& column : scene.columns) {
        const bool isRanked
            = scene.numbers->by == column.ranksBy() && column.shows == CompareColumn::Shows::Value;
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

} // namespace

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
    m_painter.drawText(
        strip.adjusted(24, 0, -24, 0), Qt::AlignLeft | Qt::AlignVCenter,
        group.haveOlderWeights
            ? TimeCanvas::tr("Older weights: asynchronous schemes are not ranked and "
                             "not on the Pareto front.")
            : TimeCanvas::tr("%1: ranked separately")
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
    return {m_painter,
            m_scene.rows,
            row,
            m_scene.baselineOf(row),
            m_colours,
            m_scene.numbers.get(),
            m_scene.axisOf(row),
            row.top};
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
        CompactRow(paint, m_scene).paint();
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

// Paints a bracket at the right of consecutive runs that share a rank by iteration, with the
// interval of the difference between the first and the last.
void CompareScenePainter::paintTies() const
{
    constexpr double kAfter = 14, kHook = 5, kInset = 6;
    const auto& ranking = m_scene.numbers->ranking;
    const double right = m_scene.rowsArea().right();
    if (m_scene.numbers->by != profiler::RankBy::Iteration)
        return;
    for (const auto& tie : ranking.ties) {
        double x = 0, top = 0, bottom = 0;
        for (std::size_t k = tie.first; k <= tie.last; ++k) {
            const CompareRow* row = m_scene.rows.rowOf(ranking.order[k]);
            if (!row || row->iteration < 0)
                continue;
            const double end = std::max(row->most, static_cast<double>(row->window().duration()));
            x = std::max(
                x,
                m_scene.axisOf(*row).snappedX(static_cast<double>(row->window().begin) + end)
                    + kAfter);
            top = k == tie.first ? row->top + kInset : top;
            bottom = row->top + m_scene.rows.rowHeight() - kInset;
        }
        if (x + kHook > right)
            continue;
        m_painter.fillRect(QRectF(x + kHook, top, 1, bottom - top), m_theme.chrome.text);
        for (const double y : {top, bottom - 1})
            m_painter.fillRect(QRectF(x, y, kHook, 1), m_theme.chrome.text);
        paintTieText(tie, {x + kHook + 6, (top + bottom) / 2});
    }
}

void CompareScenePainter::paintTieText(const profiler::Ranking::Tie& tie, QPointF at) const
{
    const CompareNumbers& numbers = *m_scene.numbers;
    const auto between = numbers.comparison.change("iteration", numbers.ranking.order[tie.last],
                                                   numbers.ranking.order[tie.first]);
    const QFont bold = uiFont(11, QFont::Medium);
    const QString text = TimeCanvas::tr("not distinguishable");
    const QRectF plate(at.x(), at.y() - 16, QFontMetricsF(bold).horizontalAdvance(text) + 4, 32);
    if (!between || plate.right() > m_scene.rowsArea().right())
        return;
    m_painter.fillRect(plate, m_theme.chrome.surface);
    m_painter.setFont(bold);
    m_painter.setPen(m_theme.chrome.text);
    m_painter.drawText(plate.adjusted(0, 0, 0, -16), Qt::AlignLeft | Qt::AlignVCenter, text);
    m_painter.setFont(uiFont(11));
    m_painter.setPen(m_theme.chrome.text2);
    m_painter.drawText(plate.adjusted(0, 16, 0, 0),
                       Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip,
                       numbers.spreadText(comparedMeasure("iteration"), *between));
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
        if (row.top + m_scene.rows.rowHeight() <= bottom)
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
        : isAnyExpanded || m_scene.showsDevices()         ? LegendDetail::TimeOnly
                                                          : LegendDetail::Coverage;
    Legend legend = legendOf(shown, m_colours, detail);
    if (m_scene.rows.isCompact())
        legend.note = hiddenRuns();
    app::paintLegend(
        m_painter, legend, m_colours,
        QRectF(0, m_scene.rowsArea().bottom(), m_scene.size.width(), CompareScene::kLegend));
}

} // namespace app
