#include "app/timeline/view/note_marks.h"

#include <QFontMetricsF>
#include <QPainter>

#include <cmath>

namespace app {
namespace {

using engine::Note;

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
    const QString text = QString::fromStdString(strip.notes[note].text);
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
        const double text
            = metrics.horizontalAdvance(QString::fromStdString(strip.notes[note].text));
        if (at.x() <= x + kFlag / 2 + 6 + text)
            found = static_cast<int>(note);
    }
    return found;
}

} // namespace app
