#include "app/timeline/paint/ruler_painter.h"

#include "app/documents/run_document.h"
#include "app/timeline/paint/box_painter.h"
#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/text.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

using engine::Note;

constexpr std::size_t kMost = 20; // visible iterations; with more, times count from the run's start

// Indices of the visible iterations, without those that are almost completely outside the view.
// Empty if more than kMost are visible.
std::vector<int> largeInSight(const RunView& view, const TimeAxis& axis)
{
    std::vector<int> shown;
    const auto& iterations = view.timeline().iterations;
    const auto inSight = iterationsInSight(iterations, axis);
    if (inSight.size() > kMost + 2)
        return shown;
    for (const auto& one : inSight) {
        const double begin = std::max(axis.begin, static_cast<double>(one.window.begin));
        const double end = std::min(axis.end, static_cast<double>(one.window.end));
        if (end - begin > (axis.end - axis.begin) / 20
            || 2 * (end - begin) > static_cast<double>(one.window.duration()))
            shown.push_back(static_cast<int>(&one - iterations.data()));
    }
    return shown;
}

QString originText(const RunView& view, const std::vector<int>& shown)
{
    if (shown.size() == 1)
        return tr("from iteration start");
    return shown.empty() || shown.front() == 0
        ? tr("from run start")
        : tr("from start of %1").arg(iterationName(view.timeline(), shown.front()));
}

constexpr int kRows = 8;          // more devices are merged
constexpr double kLabelRoom = 64; // pixels for "iteration 100"

QRectF rowsArea(const QRectF& area)
{
    return area.adjusted(0, kOverviewLabels + 1, 0, -4);
}

constexpr double kLabelFrom = 20; // pixels; an iteration that is narrower has no label

Scale stripScale(const RunView& view, std::int64_t greatest)
{
    return timeScale(view.run().info, greatest);
}

QString fromTo(const Scale& scale, std::int64_t least, std::int64_t greatest)
{
    const QString from = scale.text(least);
    const QString to = scale.withUnit(greatest);
    return least == greatest ? to : tr("%1 to %2").arg(from, to);
}

void paintLabel(QPainter& painter, const QRectF& cell, const QString& text)
{
    if (QFontMetricsF(painter.font()).horizontalAdvance(text) + 8 <= cell.width())
        painter.drawText(cell, Qt::AlignCenter | Qt::TextSingleLine, text);
}

constexpr double kFlag = 13, kBody = 10, kTip = 5; // a flag: width, height of body and of tip
constexpr double kLeastText = 40;

double flagX(const NoteStrip& strip, std::size_t note)
{
    return std::round(strip.axis.x(strip.notes[note].window.begin));
}

bool isInSight(const NoteStrip& strip, double x)
{
    return x >= strip.area.left() - kFlag / 2 && x <= strip.area.right() + kFlag / 2;
}

// Whether the flag of the next note is at the same place and hides this flag.
bool isCovered(const NoteStrip& strip, std::size_t note)
{
    return note + 1 < strip.notes.size() && flagX(strip, note + 1) == flagX(strip, note);
}

QPolygonF flag(double x, double top)
{
    const double left = x - kFlag / 2, right = x + kFlag / 2;
    return {{left, top},
            {right, top},
            {right, top + kBody},
            {x, top + kBody + kTip},
            {left, top + kBody}};
}

void paintRangeText(QPainter& painter, const NoteStrip& strip, std::size_t note,
                    const Chrome& chrome)
{
    const double left = flagX(strip, note) + kFlag / 2 + 4;
    const double next = note + 1 < strip.notes.size() ? flagX(strip, note + 1) - kFlag / 2 - 4
                                                      : strip.area.right() - 2;
    const QString text = fromUtf8(strip.notes[note].text);
    if (next - left < kLeastText || text.isEmpty())
        return;
    painter.setFont(uiFont(11));
    painter.setPen(static_cast<int>(note) == strip.current ? chrome.text : chrome.text2);
    const QFontMetricsF metrics(painter.font());
    painter.drawText(QRectF(left, strip.area.top(), next - left, strip.area.height()),
                     Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(text, Qt::ElideRight, next - left));
}

void paintFlag(QPainter& painter, const NoteStrip& strip, std::size_t note, const Chrome& chrome)
{
    const bool isCurrent = static_cast<int>(note) == strip.current;
    const double x = flagX(strip, note), top = strip.area.top() + 1.5;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(isCurrent ? chrome.text : chrome.text2, 1));
    painter.setBrush(isCurrent ? chrome.text : chrome.surface);
    painter.drawPolygon(flag(x + 0.5, top));
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (strip.notes[note].text.empty()) // a bookmark
        return;
    painter.setFont(uiFont(10, QFont::Medium));
    painter.setPen(isCurrent ? chrome.surface : chrome.text);
    painter.drawText(QRectF(x - kFlag / 2, top - 0.5, kFlag + 1, kBody + 2), Qt::AlignCenter,
                     QString::number(note + 1));
}

} // namespace

profiler::Ticks rulerMarks(const TimeAxis& axis, double origin, double perUnit)
{
    constexpr double kSpacing = 60;
    return profiler::ticks((axis.begin - origin) / perUnit, (axis.end - origin) / perUnit,
                           kSpacing / axis.pixels(perUnit));
}

RulerScale rulerFrom(double origin, const TimeAxis& axis,
                     const std::function<Scale(double longest)>& unit)
{
    RulerScale scale;
    scale.origin = origin;
    scale.unit = unit(std::max(std::abs(axis.end - origin), axis.end - axis.begin));
    scale.marks = rulerMarks(axis, origin, scale.unit.perUnit());
    return scale;
}

RulerScale rulerScale(const RunView& view, const TimeAxis& axis,
                      std::optional<std::int64_t> planned)
{
    const auto shown = largeInSight(view, axis);
    const auto& iterations = view.timeline().iterations;
    const std::size_t base = shown.empty() ? 0 : static_cast<std::size_t>(shown.front());
    const std::int64_t first = iterations.empty() ? 0 : iterations[base].window.begin;
    const auto origin = static_cast<double>(planned.value_or(first));
    RulerScale scale = rulerFrom(origin, axis, [&](double longest) {
        return timeScale(view.run().info, static_cast<std::int64_t>(longest));
    });
    scale.title = scale.unit.unit() + QLatin1Char(' ')
        + (planned ? tr("from planned start") : originText(view, shown));
    return scale;
}

double markX(const RulerScale& scale, const TimeAxis& axis, double mark)
{
    return axis.snappedX(scale.origin + mark * scale.unit.perUnit());
}

void paintRuler(QPainter& painter, const RulerScale& scale, const TimeAxis& axis,
                const Theme& theme, const QRectF& area)
{
    const double pixel = axis.gap();
    for (const double mark : scale.marks.minor)
        painter.fillRect(QRectF(markX(scale, axis, mark), area.bottom() - 4, pixel, 4),
                         theme.chrome.lineStrong);
    painter.setFont(uiFont(11));
    for (const double mark : scale.marks.major) {
        const double x = markX(scale, axis, mark);
        painter.fillRect(QRectF(x, area.bottom() - 8, pixel, 8), theme.chrome.text3);
        const QString text = number(mark, scale.marks.decimals);
        const double end = x + 4 + QFontMetricsF(painter.font()).horizontalAdvance(text);
        const auto covers = [&](const std::pair<double, double>& taken) {
            return taken.first < end + 2 && x + 2 < taken.second;
        };
        if (end > axis.right() || std::ranges::any_of(scale.taken, covers))
            continue;
        painter.setPen(theme.chrome.text2);
        painter.drawText(QPointF(x + 4, area.bottom() - 9), text);
    }
}

void paintGrid(QPainter& painter, const RulerScale& scale, const TimeAxis& axis, const Theme& theme,
               const QRectF& area)
{
    for (const double mark : scale.marks.major)
        painter.fillRect(QRectF(markX(scale, axis, mark), area.top(), axis.gap(), area.height()),
                         theme.chrome.grid);
}

void paintIterationEdges(const LaneCanvas& on, const QRectF& area)
{
    const TimeAxis& axis = on.axis;
    const auto inSight = iterationsInSight(on.view.timeline().iterations, axis);
    if (!areEdgesDrawn(inSight, axis))
        return;
    for (const auto& iteration : inSight) {
        for (const std::int64_t edge : {iteration.window.begin, iteration.window.end}) {
            const double x = axis.snappedX(edge);
            if (x >= axis.left && x <= axis.right())
                on.painter.fillRect(QRectF(x - (edge == iteration.window.begin ? axis.gap() : 0),
                                           area.top(), axis.gap(), area.height()),
                                    on.chrome().text2);
        }
    }
}

void paintTriangle(QPainter& painter, QPointF tip, QColor colour)
{
    fillPolygon(painter, {tip, tip + QPointF(-5, -7), tip + QPointF(5, -7)}, colour);
}

void paintEndTriangles(const LaneCanvas& on, double bottom)
{
    const TimeAxis& axis = on.axis;
    const auto inSight = iterationsInSight(on.view.timeline().iterations, axis);
    if (!areEdgesDrawn(inSight, axis))
        return;
    for (const auto& iteration : inSight) {
        const double x = axis.x(iteration.window.end);
        if (x >= axis.left && x <= axis.right())
            paintTriangle(on.painter, {axis.snap(x) + 0.5, bottom}, on.chrome().text);
    }
}

// The iteration of typical ops was not recorded, so the overview leaves it out.
static engine::Window recordedExtent(const RunView& view)
{
    engine::Window extent = view.extent();
    const auto& iterations = view.timeline().iterations;
    if (iterations.size() > 1 && iterations.back().kind == engine::Iteration::Kind::Replay)
        extent.end = std::max(extent.begin, iterations.back().window.begin);
    return extent;
}

TimeAxis overviewAxis(const RunView& view, const QRectF& area, double dpr)
{
    const auto extent = recordedExtent(view);
    return {static_cast<double>(extent.begin),
            static_cast<double>(std::max(extent.end, extent.begin + 1)), area.left(), area.width(),
            dpr};
}

QString shortTitle(const engine::Iteration& iteration)
{
    using enum engine::Iteration::Kind;
    return iteration.kind == Warmup ? tr("warm-up")
        : iteration.kind == Replay  ? tr("typical")
                                    : tr("iteration %1").arg(iteration.number);
}

void paintOverview(const LaneCanvas& on, const QRectF& area)
{
    const TimeAxis axis = overviewAxis(on.view, area, on.axis.dpr);
    const QRectF rows = rowsArea(area);
    const int count = std::min(on.view.devices(), kRows);
    const double pitch = std::min(std::max(7.0, 28.0 / count), rows.height() / count);
    const auto inks = shareColours(on.colours, BoxColours::Emphasis::Normal);
    for (int row = 0; row < count; ++row) {
        const int first = row * on.view.devices() / count,
                  last = (row + 1) * on.view.devices() / count;
        const double top = axis.snap(rows.top() + row * pitch);
        const double bottom = axis.snap(rows.top() + (row + 1) * pitch - (pitch > 4 ? 1 : 0));
        RunView::MeanSweep mean;
        for (int device = first; device < last; ++device)
            mean.devices.emplace_back(on.view, engine::DeviceId{device});
        paintColumns(on.painter, axis,
                     Columns<kShares>{QRectF(area.left(), top, area.width(), bottom - top),
                                      recordedExtent(on.view), inks},
                     [mean](double time) mutable { return mean.before(time); });
    }
}

void paintOverviewLabels(const LaneCanvas& on, const QRectF& area, int current)
{
    const TimeAxis axis = overviewAxis(on.view, area, 1);
    const auto& iterations = on.view.timeline().iterations;
    const int step = labelStep(area.width() / static_cast<double>(iterations.size()), kLabelRoom);
    std::vector<QRectF> drawn;
    const auto label = [&](std::size_t k) {
        const bool isCurrent = static_cast<int>(k) == current;
        on.painter.setFont(uiFont(10, isCurrent ? QFont::Medium : QFont::Normal));
        const QString text = shortTitle(iterations[k]);
        const double width = QFontMetricsF(on.painter.font()).horizontalAdvance(text);
        const QRectF box(axis.x(iterations[k].window.begin), area.top(), width + 8,
                         kOverviewLabels);
        const bool isFree = std::ranges::none_of(
            drawn, [&](const QRectF& other) { return other.intersects(box); });
        if (!isFree || box.left() + width > area.right() + 1)
            return;
        on.painter.setPen(isCurrent ? on.chrome().text : on.chrome().text2);
        on.painter.drawText(QPointF(box.left() + 1, area.top() + 11), text);
        drawn.push_back(box);
    };
    if (current >= 0 && current < static_cast<int>(iterations.size()))
        label(static_cast<std::size_t>(current));
    for (std::size_t k = 0; k < iterations.size(); ++k) {
        const auto& one = iterations[k];
        const bool repeats = k > 0 && one.kind == engine::Iteration::Kind::Warmup
            && iterations[k - 1].kind == engine::Iteration::Kind::Warmup;
        if (!repeats && one.number % step == 0 && static_cast<int>(k) != current)
            label(k);
    }
}

void paintOverviewHits(const LaneCanvas& on, const QRectF& area, const std::vector<Selection>& hits)
{
    const TimeAxis axis = overviewAxis(on.view, area, 1);
    double last = -10;
    for (const Selection& hit : hits) {
        const auto begin = static_cast<double>(hit.window.begin);
        const double x = std::round(axis.x((begin + static_cast<double>(hit.window.end)) / 2));
        if (x - last < 2) // one mark per position
            continue;
        last = x;
        const double top = area.top() + kOverviewLabels - 2;
        fillPolygon(on.painter, QPolygonF{{x - 3.5, top}, {x + 3.5, top}, {x, top + 4.5}},
                    on.chrome().text);
    }
}

QRectF overviewWindowRect(const RunView& view, const QRectF& area, ViewWindow window)
{
    const TimeAxis axis = overviewAxis(view, area, 1);
    const double left = std::clamp(axis.x(window.begin), area.left(), area.right() - 4);
    const double right = std::clamp(axis.x(window.end), left + 4, area.right());
    return {std::round(left), area.top() + kOverviewLabels - 1, std::round(right - left),
            area.height() - kOverviewLabels - 1};
}

void paintOverviewWindow(const LaneCanvas& on, const QRectF& area)
{
    QPainter& painter = on.painter;
    const QRectF frame = overviewWindowRect(on.view, area, {on.axis.begin, on.axis.end});
    const QRectF rows = rowsArea(area);
    QColor veil = on.colours.surface();
    veil.setAlphaF(0.5);
    painter.fillRect(QRectF(area.left(), rows.top(), frame.left() - area.left(), rows.height()),
                     veil);
    painter.fillRect(QRectF(frame.right(), rows.top(), area.right() - frame.right(), rows.height()),
                     veil);
    const QColor ink = on.chrome().text;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink, 1.5));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(frame.adjusted(0.75, 0.75, -0.75, -0.75));
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink);
    for (const double x : {frame.left() + 0.75, frame.right() - 0.75})
        painter.drawRoundedRect(QRectF(x - 2, frame.center().y() - 7, 4, 14), 1, 1);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void paintIterationStrip(QPainter& painter, const RunView& view, const IterationStrip& strip,
                         const Theme& theme)
{
    const auto inSight = iterationsInSight(strip.iterations, strip.axis);
    const auto columns = iterationColumns(inSight, strip.axis);
    std::int64_t top = 1;
    for (const IterationColumn& column : columns)
        top = std::max(top, column.greatest);
    const QRectF plot = strip.area.adjusted(0, 3, 0, -1);
    const double pixel = strip.axis.gap();
    const auto y = [&](std::int64_t time) {
        return strip.axis.snap(
            plot.bottom() - plot.height() * static_cast<double>(time) / static_cast<double>(top));
    };
    for (const IterationColumn& one : columns) {
        const double width
            = one.right - one.left - (one.count == 1 && one.right - one.left > 3 ? pixel : 0);
        const double median = y(one.median), least = y(one.least), greatest = y(one.greatest);
        painter.fillRect(QRectF(one.left, median, width, plot.bottom() - median),
                         theme.chrome.selected);
        painter.fillRect(QRectF(one.left, greatest, width, least - greatest),
                         theme.chrome.lineStrong);
        painter.fillRect(QRectF(one.left, median, width, pixel), theme.chrome.text2);
    }
    painter.setFont(uiFont(10));
    painter.setPen(theme.chrome.text2);
    for (const IterationColumn& one : columns) {
        if (one.count != 1 || one.right - one.left < kLabelFrom)
            continue;
        const QRectF seen
            = QRectF(one.left, y(one.median), one.right - one.left, plot.bottom() - y(one.median))
                  .intersected(plot);
        if (seen.height() >= QFontMetricsF(painter.font()).capHeight() + 6)
            paintLabel(painter, seen, stripScale(view, top).withUnit(one.median));
    }
}

QString iterationRange(const RunView& view, const TimeAxis& axis)
{
    const auto inSight = iterationsInSight(view.timeline().iterations, axis);
    if (inSight.empty())
        return {};
    const auto [least, greatest] = std::ranges::minmax_element(
        inSight, {}, [](const engine::Iteration& one) { return one.window.duration(); });
    const std::int64_t to = greatest->window.duration();
    return fromTo(stripScale(view, to), least->window.duration(), to);
}

QString iterationToolTip(const RunView& view, const IterationStrip& strip, QPointF at)
{
    const IterationColumn column = columnAt(strip, at);
    if (column.count == 0)
        return {};
    const Scale scale = stripScale(view, column.greatest);
    const auto title = [&](std::size_t k) { return shortTitle(strip.iterations[k]); };
    if (column.count == 1)
        return tr("%1: %2").arg(capitalized(title(column.first)), scale.withUnit(column.median));
    return tr("%1 to %2: %3, median %4")
        .arg(capitalized(title(column.first)), title(column.first + column.count - 1),
             fromTo(scale, column.least, column.greatest), scale.withUnit(column.median));
}

Selection selectionOf(const RunView& view, const Note& note)
{
    Selection selection{
        .kind = Selection::Kind::Range,
        .iteration = note.iteration >= 0
            ? note.iteration
            : view.iterationAt(static_cast<double>(note.window.begin + note.window.end) / 2),
        .device = note.device,
        .window = note.window};
    if (!note.op)
        return selection;
    const auto span = view.spanOf(*note.op, note.iteration);
    if (!span)
        return selection;
    selection.kind = Selection::Kind::Op;
    selection.device = view.deviceOf(*note.op);
    selection.lane = engine::laneOf(view.op(*note.op).kind);
    selection.op = *note.op;
    selection.window = span->window();
    return selection;
}

bool canBeNoted(const Selection& selection)
{
    return selection.isOfTime();
}

Note noteOn(const Selection& selection)
{
    Note note;
    note.window = selection.window;
    note.iteration = selection.iteration;
    note.device = selection.device;
    if (selection.kind == Selection::Kind::Op && selection.iteration >= 0)
        note.op = selection.op;
    return note;
}

void paintNoteFlags(QPainter& painter, const NoteStrip& strip, const Theme& theme)
{
    painter.save();
    painter.setClipRect(strip.area.adjusted(-kFlag, 0, kFlag, 0));
    for (std::size_t note = 0; note < strip.notes.size(); ++note) {
        if (!isInSight(strip, flagX(strip, note)) || isCovered(strip, note))
            continue;
        paintRangeText(painter, strip, note, theme.chrome);
        if (static_cast<int>(note) != strip.current)
            paintFlag(painter, strip, note, theme.chrome);
    }
    // The current flag is drawn last, on top of the others.
    const auto current = static_cast<std::size_t>(strip.current);
    if (strip.current >= 0 && isInSight(strip, flagX(strip, current)))
        paintFlag(painter, strip, current, theme.chrome);
    painter.restore();
}

void paintNoteLines(QPainter& painter, const NoteStrip& strip, const QRectF& lanes,
                    const Theme& theme)
{
    QPen pen(theme.chrome.text2, 1);
    pen.setDashPattern({2, 4});
    pen.setCapStyle(Qt::FlatCap);
    painter.setPen(pen);
    for (std::size_t note = 0; note < strip.notes.size(); ++note) {
        const double x = flagX(strip, note) + 0.5;
        if (x >= lanes.left() && x <= lanes.right() && !isCovered(strip, note))
            painter.drawLine(QPointF(x, lanes.top()), QPointF(x, lanes.bottom()));
    }
}

// Returns the note whose flag or text is at a point; -1: none.
int noteAt(const NoteStrip& strip, QPointF at)
{
    if (at.y() < strip.area.top() || at.y() > strip.area.bottom())
        return -1;
    int found = -1;
    for (std::size_t note = 0; note < strip.notes.size(); ++note) {
        const double x = flagX(strip, note);
        if (!isInSight(strip, x) || at.x() < x - kFlag / 2 - 2)
            continue;
        const QFontMetricsF metrics(uiFont(11));
        const double text = metrics.horizontalAdvance(fromUtf8(strip.notes[note].text));
        if (at.x() <= x + kFlag / 2 + 6 + text)
            found = static_cast<int>(note);
    }
    return found;
}

} // namespace app
