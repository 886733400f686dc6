#include "app/plan/schedule_preview.h"

#include "app/timeline/paint/lane_painter.h"
#include "app/timeline/paint/ruler_painter.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"

#include <QPainter>

#include <algorithm>
#include <tuple>
#include <utility>

namespace app {
namespace {

// At most kRows rows are drawn. A row is at most as high as one of kFewRows rows that fill the
// height.
constexpr int kRows = 16, kFewRows = 4;
constexpr double kTop = 26, kNames = 66, kRight = 12;
constexpr int kHeight = 184;
constexpr int kPatience = 200; // ms before the picture is faded

} // namespace

struct SchedulePreview::Geometry
{
    TimeAxis axis;
    std::int64_t duration = 0; // of the iteration
    int rows = 0;
    double row = 0, height = 0; // distance of rows; height of boxes

    // The number of devices that are drawn. If not all fit, the last row states the number of the
    // others.
    int whole(const RunView& view) const { return view.devices() > rows ? rows - 1 : rows; }
};

SchedulePreview::SchedulePreview(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
    , m_rowsHeight(kHeight)
{
    setRowsHeight(kHeight);
    m_fadeTimer.setSingleShot(true);
    m_fadeTimer.setInterval(kPatience);
    connect(&m_fadeTimer, &QTimer::timeout, this, [this] {
        m_isWaiting = true;
        update();
    });
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
              static_cast<double>(std::max(window.end, window.begin + m_axis)), kNames,
              width() - kNames - kRight, devicePixelRatioF()};
    g.rows = std::min(run.schedule.shape.devices, kRows);
    g.row = (m_rowsHeight + 4.0) / std::max(kFewRows, g.rows);
    g.height = g.row - (g.row >= 20 ? 4 : g.row >= 12 ? 2 : 1);
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
    paintText(painter, {0, 0, kNames - 8, kTop},
              QFontMetricsF(bold).elidedText(m_name, Qt::ElideRight, kNames - 8), bold,
              theme().chrome.text);
    for (int d = 0; d < g.rows; ++d) {
        const QRectF box(0, kTop + d * g.row, kNames - 8, g.height);
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

void SchedulePreview::paintOutlines(QPainter& painter, const Geometry& g,
                                    const BoxColours& colours) const
{
    PlanPainter outlines(painter, *m_view, g.axis, colours);
    const PlanView plan{m_plan.get(), 0, m_done};
    Lane lane;
    lane.compute = g.height;
    for (int d = 0; d < g.whole(*m_view); ++d) {
        lane.top += kTop + d * g.row - lane.computeTop();
        outlines.paint(plan, {d}, lane);
    }
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
        return mark.device < g.whole(*m_view) && mark.window.intersects(g.axis.window());
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

void SchedulePreview::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (m_view == nullptr || m_view->isEmpty()) {
        paintNothing(painter);
        return;
    }
    const Geometry g = geometry();
    const BoxColours colours(theme(), devicePixelRatioF());
    LanePainter lanes(painter, *m_view, g.axis, colours);
    paintRuler(painter, g);
    paintNames(painter, g);
    painter.setClipRect(
        QRectF(g.axis.left - 2, 0, g.axis.width + 4, height())); // only this iteration
    if (m_plan)
        paintOutlines(painter, g, colours);
    else
        for (int d = 0; d < g.whole(*m_view); ++d)
            lanes.paintCompute({d}, kTop + d * g.row, g.height);
    paintMarks(painter, g);
    painter.setClipping(false);
    if (m_isWaiting || m_isStale) {
        QColor veil = theme().chrome.surface;
        veil.setAlphaF(0.5F);
        painter.fillRect(rect(), veil);
    }
}

} // namespace app
