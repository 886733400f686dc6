#include "app/plan/schedule_preview.h"

#include "app/timeline/paint/ruler_painter.h"
#include "app/ui/text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace app {
namespace {

constexpr int kBars = 8;       // devices that are drawn
constexpr int kBarsFrom = 640; // pixels; in narrower widgets, only the numbers are shown

KeyNumbers::Item iterationItem(const Prediction& prediction)
{
    const engine::RunInfo& info = prediction.info;
    const auto [least, most] = std::ranges::minmax_element(prediction.metrics.devices, {},
                                                           &profiler::DeviceMetrics::compute);
    const Scale scale = timeScale(info, prediction.metrics.duration);
    const auto text = [&](std::int64_t ticks) {
        return info.inUnits()
            ? unitsText(static_cast<double>(ticks) / static_cast<double>(info.ticksPerUnit))
            : scale.text(ticks);
    };
    const QString from = text(least->compute), to = text(most->compute);
    const QString busy = from == to ? fromUtf8("%1 busy on every device").arg(to)
                                    : fromUtf8("each device busy %1 to %2").arg(from, to);
    return {fromUtf8("Iteration"), text(prediction.metrics.duration), scale.unit(), busy,
            from == to ? fromUtf8("%1 busy").arg(to) : fromUtf8("%1 to %2 busy").arg(from, to)};
}

// The hint is short, because the verdict shows the complete closed form.
KeyNumbers::Item bubbleItem(const Prediction& prediction)
{
    const std::optional<double>& form = prediction.bubbleForm.value;
    const QString hint = !form           ? fromUtf8("no closed form applies")
        : prediction.matchesClosedForm() ? fromUtf8("matches the closed form")
                                         : fromUtf8("closed form %1").arg(percent(*form));
    const QString brief = !form          ? fromUtf8("no closed form")
        : prediction.matchesClosedForm() ? fromUtf8("= closed form")
                                         : fromUtf8("formula %1").arg(percent(*form));
    return {fromUtf8("Bubble"), bubbleNumber(prediction.metrics), QStringLiteral("%"), hint, brief};
}

KeyNumbers::Item messagesItem(const Prediction& prediction)
{
    const auto most = std::ranges::max_element(prediction.metrics.devices, {},
                                               &profiler::DeviceMetrics::messagesSent);
    const int local = prediction.metrics.localCopies;
    return {fromUtf8("Messages"), number(prediction.metrics.messages, 0),
            local > 0 ? fromUtf8("+ %1 local").arg(number(local, 0)) : QString(),
            fromUtf8("at most %1 sent by a device").arg(number(most->messagesSent, 0)),
            fromUtf8("up to %1 each").arg(number(most->messagesSent, 0))};
}

// The peak memory in bytes if the costs are those of a model, otherwise the peak stash in M_a.
KeyNumbers::Item memoryItem(const Prediction& prediction)
{
    const QString stash = number(prediction.metrics.peakStash(), 1);
    if (const auto bytes = prediction.metrics.peakBytes()) {
        const Scale scale = byteScale(*bytes);
        return {fromUtf8("Peak memory"), scale.text(*bytes), scale.unit(),
                fromUtf8("largest stash %1 Mₐ").arg(stash), fromUtf8("stash %1 Mₐ").arg(stash)};
    }
    return {fromUtf8("Peak stash"), stash, QStringLiteral("Mₐ"),
            fromUtf8("weights %1 Mθ").arg(unitsText(prediction.metrics.weights()))};
}

// Returns the two parts of a device's bar: other memory and stash in bytes or, if the bytes are
// unknown, weights in Mθ and stash in M_a.
std::pair<double, double> barOf(const profiler::DeviceMetrics& device)
{
    if (!device.peakBytes)
        return {device.weights, device.peakStash};
    const auto stash = static_cast<double>(device.bytesAtPeak[engine::MemoryCategory::Stash]);
    return {static_cast<double>(*device.peakBytes) - stash, stash};
}

} // namespace

QList<KeyNumbers::Item> keyNumbers(const Prediction* prediction)
{
    if (prediction == nullptr || prediction->metrics.devices.empty()) {
        const QString dash = QStringLiteral("–");
        return {{fromUtf8("Iteration"), dash, {}, {}},
                {fromUtf8("Bubble"), dash, {}, {}},
                {fromUtf8("Messages"), dash, {}, {}},
                {fromUtf8("Peak stash"), dash, {}, {}}};
    }
    return {iterationItem(*prediction), bubbleItem(*prediction), messagesItem(*prediction),
            memoryItem(*prediction)};
}

KeyNumbers::KeyNumbers(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setFixedHeight(90);
    show(nullptr);
}

void KeyNumbers::show(const Prediction* prediction)
{
    m_items = keyNumbers(prediction);
    m_bars.clear();
    QStringList spoken, whole; // whole: with the hints, which narrow windows omit
    for (const Item& item : m_items) {
        spoken.append(item.title + QLatin1Char(' ') + item.value + QLatin1Char(' ') + item.unit);
        whole.append(item.hint.isEmpty() ? spoken.back()
                                         : spoken.back() + QStringLiteral(": ") + item.hint);
    }
    setAccessibleName(spoken.join(QStringLiteral(", ")));
    setToolTip(whole.join(QLatin1Char('\n')));
    m_limit = prediction != nullptr ? static_cast<double>(prediction->info.memory.usable()) : 0;
    m_isOfBytes = prediction != nullptr && prediction->metrics.peakBytes().has_value();
    if (prediction != nullptr)
        for (const profiler::DeviceMetrics& device : prediction->metrics.devices)
            if (m_bars.size() < kBars)
                m_bars.push_back(barOf(device));
    update();
}

void KeyNumbers::paintItem(QPainter& painter, const QRectF& box, const Item& item) const
{
    const Chrome& c = theme().chrome;
    paintText(painter, box.adjusted(0, 12, 0, 0), item.title, uiFont(12), c.text2, Qt::AlignLeft);
    paintText(painter, box.adjusted(0, 28, 0, 0), item.value, uiFont(24, QFont::Medium), c.text,
              Qt::AlignLeft);
    const int after = painter.fontMetrics().horizontalAdvance(item.value) + 5;
    painter.setFont(uiFont(13));
    painter.setPen(c.text2);
    drawSubscripted(painter, QRectF(box.x() + after, box.y() + 36, box.width() - after, 20), {},
                    item.unit);
    painter.setFont(uiFont(11));
    const QFontMetrics metrics = painter.fontMetrics();
    const int room = static_cast<int>(box.width());
    const bool fits = item.brief.isEmpty() || metrics.horizontalAdvance(item.hint) <= room;
    drawSubscripted(painter, QRectF(box.x(), box.y() + 63, room, 16), {},
                    metrics.elidedText(fits ? item.hint : item.brief, Qt::ElideRight, room));
}

// Draws one bar per device: weights or other memory below, stash above. The scale of all bars ends
// at the longest bar or, if that is larger, at the usable memory of a device, which a line marks.
void KeyNumbers::paintBars(QPainter& painter, const QRectF& box) const
{
    const double limit = m_isOfBytes ? m_limit : 0;
    double most = std::max(1.0, limit);
    for (const auto& [weights, stash] : m_bars)
        most = std::max(most, weights + stash);
    const Scale bytes = byteScale(static_cast<std::int64_t>(most));
    int decimals = most / bytes.perUnit() < 99.5 ? 1 : 0; // so that the number fits the bar
    for (double least = 0.095; decimals < 3 && most / bytes.perUnit() < least; least /= 10)
        ++decimals;
    const Scale scale(bytes.perUnit(), decimals, bytes.unit());
    constexpr double kWidth = 18, kGap = 8, kLong = 44;
    double x = box.right() - static_cast<double>(m_bars.size()) * (kWidth + kGap);
    const profiler::Palette& palette = theme().palette;
    for (const auto& [weights, stash] : m_bars) {
        const QRectF bar(x, box.y() + 16, kWidth, kLong);
        const double base = std::round(kLong * weights / most);
        const double top = std::round(kLong * stash / most);
        painter.fillRect(bar, theme().chrome.hover);
        painter.fillRect(QRectF(x, bar.bottom() - base, kWidth, base), toQt(palette.weights));
        painter.fillRect(QRectF(x, bar.bottom() - base - top, kWidth, top), toQt(palette.stash));
        if (limit > 0) {
            const double line = bar.bottom() - std::round(kLong * limit / most);
            const double full = bar.bottom() - base - top;
            if (weights + stash > limit)
                painter.fillRect(QRectF(x, full, kWidth, line - full), theme().chrome.error);
            painter.fillRect(QRectF(x - 3, line - 1, kWidth + 6, 2), theme().chrome.text);
        }
        paintText(painter, {x - 6, box.y() + 63, kWidth + 12, 14},
                  m_isOfBytes ? scale.text(weights + stash)
                              : unitsText(std::round(stash * 100) / 100),
                  uiFont(10), theme().chrome.text2, Qt::AlignCenter);
        x += kWidth + kGap;
    }
}

double KeyNumbers::itemWidth() const
{
    return width() / static_cast<double>(m_items.size() + (width() >= kBarsFrom ? 1 : 0));
}

QString KeyNumbers::toolTipAt(QPoint at) const
{
    const Item item = m_items.value(static_cast<int>(at.x() / itemWidth()));
    // Looks up the bubble ratio as "Bubble, %", its title in the list of definitions.
    const QString title
        = item.unit == QStringLiteral("%") ? item.title + QStringLiteral(", %") : item.title;
    const QString text
        = definitionText(title, (item.value + QLatin1Char(' ') + item.unit).trimmed());
    return text.isEmpty() || item.hint.isEmpty() ? text : text + QLatin1Char('\n') + item.hint;
}

void KeyNumbers::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const bool hasBars = width() >= kBarsFrom;
    const double each = itemWidth();
    for (int i = 0; i < m_items.size(); ++i) {
        const double x = std::round(i * each);
        if (i > 0)
            painter.fillRect(QRectF(x, 0, 1, height()), theme().chrome.line);
        paintItem(painter, QRectF(x + 14, 0, each - 20, height()), m_items.at(i));
    }
    if (hasBars)
        paintBars(painter, QRectF(m_items.size() * each, 0, each - 8, height()));
}

namespace {

// At most kRows rows are drawn. A row is at most as high as one of kFewRows rows that fill the
// height.
constexpr int kRows = 16, kFewRows = 4;
constexpr double kTop = 26, kNameWidth = 66, kRight = 12;
constexpr int kHeight = 184;

} // namespace

struct SchedulePreview::Geometry
{
    TimeAxis axis;
    std::int64_t duration = 0; // of the iteration
    int rows = 0;
    double row = 0, height = 0; // distance of rows; height of boxes
    // Of the devices that are drawn. If not all fit, the last row states the number of the others.
    std::vector<Lane> lanes;
};

SchedulePreview::SchedulePreview(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
    , m_rowsHeight(kHeight)
{
    setRowsHeight(kHeight);
}

void SchedulePreview::show(RunViewPointer view)
{
    m_view = std::move(view);
    m_plan.reset();
    m_isWaiting = m_isStale = false;
    m_fadeTimer.stop();
    QWidget::show();
    update();
}

void SchedulePreview::showOutlines(RunViewPointer view)
{
    show(std::move(view));
    m_plan = std::make_shared<const Plan>(m_view->shared());
}

void SchedulePreview::setDone(std::vector<int> devices)
{
    if (devices == m_done)
        return;
    m_done = std::move(devices);
    update();
}

void SchedulePreview::setMarks(Marks marks)
{
    m_marks = std::move(marks);
    std::ranges::sort(m_marks.parts, {}, [](const Mark& mark) {
        return std::tuple(mark.device, mark.window.begin, mark.window.end);
    });
    update();
}

void SchedulePreview::setName(const QString& name)
{
    m_name = name;
    update();
}

void SchedulePreview::setPlaceholder(const QString& text)
{
    m_nothing = text;
    update();
}

void SchedulePreview::setStale()
{
    m_isStale = true;
    update();
}

void SchedulePreview::setWaiting()
{
    if (!m_fadeTimer.isActive() && !m_isWaiting)
        m_fadeTimer.start();
}

void SchedulePreview::setRowsHeight(int height)
{
    m_rowsHeight = height;
    setFixedHeight(static_cast<int>(kTop) + height + 8);
}

void SchedulePreview::setAxis(std::int64_t ticks)
{
    m_axis = ticks;
    update();
}

SchedulePreview::Geometry SchedulePreview::geometry() const
{
    const engine::Run& run = m_view->run();
    const auto& iterations = run.timeline.iterations;
    const auto shown = static_cast<std::size_t>(std::max(0, m_marks.iteration));
    const engine::Window window = iterations[shown < iterations.size() ? shown : 0].window;
    Geometry g;
    g.duration = window.duration();
    g.axis = {static_cast<double>(window.begin),
              static_cast<double>(std::max(window.end, window.begin + m_axis)), kNameWidth,
              width() - kNameWidth - kRight, devicePixelRatioF()};
    g.rows = std::min(run.schedule.shape.devices, kRows);
    g.row = (m_rowsHeight + 4.0) / std::max(kFewRows, g.rows);
    g.height = g.row - (g.row >= 20 ? 4 : g.row >= 12 ? 2 : 1);
    for (int d = 0; d < (m_view->devices() > g.rows ? g.rows - 1 : g.rows); ++d)
        g.lanes.push_back(
            {.kind = LaneKind::Dense, .top = kTop + d * g.row - 1, .compute = g.height});
    return g;
}

// The ruler of the timeline, with the duration at its end.
void SchedulePreview::paintRuler(QPainter& painter, const Geometry& g) const
{
    const engine::RunInfo& info = m_view->run().info;
    const auto duration = g.duration;
    const QRectF area(g.axis.left, 0, g.axis.width, kTop);
    const QString last = timeText(duration, info);
    paintText(painter, area.adjusted(0, 2, 0, -8), last, uiFont(11), theme().chrome.text2,
              kAtRight);
    RulerScale scale
        = rulerFrom(g.axis.begin, g.axis, [&](double) { return timeScale(info, duration); });
    scale.taken
        = {{area.right() - painter.fontMetrics().horizontalAdvance(last) - 8, area.right()}};
    app::paintRuler(painter, scale, g.axis, theme(), area);
}

void SchedulePreview::paintNames(QPainter& painter, const Geometry& g) const
{
    const int devices = m_view->devices();
    const QFont bold = uiFont(12, QFont::DemiBold);
    paintText(painter, {0, 0, kNameWidth - 8, kTop},
              QFontMetricsF(bold).elidedText(m_name, Qt::ElideRight, kNameWidth - 8), bold,
              theme().chrome.text);
    for (int d = 0; d < g.rows; ++d) {
        const QRectF box(0, kTop + d * g.row, kNameWidth - 8, g.height);
        const bool isRest = d + 1 == g.rows && devices > g.rows;
        paintText(painter, box,
                  isRest ? tr("%1 more").arg(devices - g.rows + 1) : tr("device %1").arg(d),
                  uiFont(g.row >= 14 ? 12 : 10), theme().chrome.text2);
    }
}

// Without a schedule, draws a frame with the reason.
void SchedulePreview::paintNothing(QPainter& painter) const
{
    const Chrome& c = theme().chrome;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(c.lineStrong, 1, Qt::DashLine));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 4.5, -kRight + 0.5, -4.5), 6, 6);
    paintText(painter, rect(), m_isWaiting ? tr("Simulating") : m_nothing, uiFont(13), c.text2,
              Qt::AlignCenter);
}

// Marks that are less than three pixels apart share an outline.
void SchedulePreview::paintMarks(QPainter& painter, const Geometry& g) const
{
    constexpr double kNear = 3;
    const QColor ink = m_marks.areUncertain ? theme().chrome.error : theme().chrome.text;
    const auto frame = [&](int device, engine::Window window) {
        return stretch(g.axis, window, kTop + device * g.row, g.height);
    };
    const auto isShown = [&](const Mark& mark) {
        return std::cmp_less(mark.device, g.lanes.size())
            && mark.window.intersects(g.axis.window());
    };
    const auto draw = [&](QRectF box, double width) {
        box.setWidth(std::max(box.width(), width));
        fillFrame(painter, box.adjusted(-width, -width, width, width), width, ink);
    };
    const double width = g.axis.gap();
    std::optional<std::pair<int, QRectF>> open;
    for (const Mark& mark : m_marks.parts) {
        if (!isShown(mark))
            continue;
        const QRectF box = frame(mark.device, mark.window);
        if (mark.number > 0) {
            draw(box, 2 * width);
            paintNumber(painter, box, mark.number);
            continue;
        }
        if (open && open->first == mark.device && box.left() - open->second.right() < kNear) {
            open->second.setRight(std::max(open->second.right(), box.right()));
            continue;
        }
        if (open)
            draw(open->second, width);
        open = std::pair(mark.device, box);
    }
    if (open)
        draw(open->second, width);
    if (const auto& current = m_marks.current; current && isShown(*current))
        draw(frame(current->device, current->window), 2 * width);
}

// At the top of the box, or over it if the box is low.
void SchedulePreview::paintNumber(QPainter& painter, const QRectF& box, int number) const
{
    constexpr double kWidth = 14, kPlate = 12;
    const QRectF plate(box.center().x() - std::max(kWidth, box.width()) / 2,
                       std::max(0.0, box.top() - kPlate), std::max(kWidth, box.width()), kPlate);
    painter.fillRect(plate, theme().chrome.text);
    paintText(painter, plate, QString::number(number), uiFont(10, QFont::DemiBold),
              theme().chrome.surface, Qt::AlignCenter);
}

void SchedulePreview::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (m_view == nullptr || m_view->isEmpty()) {
        paintNothing(painter);
        return;
    }
    const Geometry g = geometry();
    const BoxColours colours(theme(), devicePixelRatioF());
    const LaneCanvas canvas{painter, *m_view, g.axis, colours, g.lanes};
    paintRuler(painter, g);
    paintNames(painter, g);
    painter.setClipRect(
        QRectF(g.axis.left - 2, 0, g.axis.width + 4, height())); // only this iteration
    if (m_plan)
        paintPlan(canvas, {m_plan.get(), 0, m_done}, devicesInSight(g.lanes, 0, height()));
    else
        paintBoxes(canvas, Labels::Names);
    paintMarks(painter, g);
    painter.setClipping(false);
    if (m_isWaiting || m_isStale) {
        QColor veil = theme().chrome.surface;
        veil.setAlphaF(0.5F);
        painter.fillRect(rect(), veil);
    }
}

} // namespace app
