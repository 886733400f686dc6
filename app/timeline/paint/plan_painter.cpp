#include "app/timeline/paint/plan_painter.h"

#include "app/timeline/paint/lane_painter.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {

Plan::Plan(std::shared_ptr<const engine::Run> run)
    : m_run(std::move(run))
    , m_index(m_run->schedule)
{ }

std::int64_t Plan::duration() const
{
    const auto& iterations = m_run->timeline.iterations;
    return iterations.empty() ? 0 : iterations.front().window.duration();
}

std::span<const engine::Span> Plan::ops(engine::DeviceId device) const
{
    const auto* track = m_run->timeline.track(device, engine::Track::Kind::Compute);
    return track == nullptr ? std::span<const engine::Span>() : track->spans;
}

int PlanView::done(engine::DeviceId device) const
{
    if (isComplete)
        return INT_MAX;
    const auto at = static_cast<std::size_t>(device.value);
    return at < devices.size() ? devices[at] : 0;
}

std::size_t PlanView::next(engine::DeviceId device) const
{
    const auto ops = plan->ops(device);
    const auto found
        = std::ranges::lower_bound(ops, done(device), {}, [this](const engine::Span& span) {
              return plan->positionOf(span.op);
          });
    return static_cast<std::size_t>(found - ops.begin());
}

std::int64_t PlanView::reached() const
{
    if (!isUnderWay())
        return begin;
    std::int64_t reached = window().end;
    for (const engine::DeviceId device : plan->run().schedule.program.ids()) {
        const auto ops = plan->ops(device);
        if (const std::size_t first = next(device); first < ops.size())
            reached = std::min(reached, begin + ops[first].begin);
    }
    return reached;
}

const engine::Span* PlanView::at(engine::DeviceId device, double time) const
{
    if (plan == nullptr)
        return nullptr;
    const auto ops = plan->ops(device);
    const double wanted = time - static_cast<double>(begin);
    const auto after = std::ranges::upper_bound(
        ops, wanted, {}, [](const engine::Span& span) { return static_cast<double>(span.begin); });
    if (after == ops.begin() || wanted >= static_cast<double>((after - 1)->end))
        return nullptr;
    return &*(after - 1);
}

namespace {

constexpr double kSingleFrom = 3; // pixels; narrower ops are merged into one outline

using Emphasis = BoxColours::Emphasis;

const BoxColours::Look& look(const RunView& view, const BoxColours& colours, std::uint32_t op,
                             Emphasis emphasis)
{
    const engine::Op& of = view.op(op);
    return colours.look(of.kind, view.chunk(of), emphasis);
}

} // namespace

PlanPainter::PlanPainter(QPainter& painter, const RunView& view, const TimeAxis& axis,
                         const BoxColours& colours)
    : m_painter(painter)
    , m_view(view)
    , m_axis(axis)
    , m_colours(colours)
    , m_boxes(painter, axis, colours)
{ }

void PlanPainter::paint(const PlanView& plan, engine::DeviceId device, const Lane& lane)
{
    const engine::Window sight = m_axis.window();
    if (plan.plan == nullptr || !lane.hasBoxes() || !plan.window().intersects(sight))
        return;
    const auto ops = plan.plan->ops(device);
    const std::size_t next = plan.isUnderWay() ? plan.next(device) : 0;
    const auto first = std::ranges::lower_bound(ops, sight.begin - plan.begin + 1, {},
                                                [](const engine::Span& op) { return op.end; });
    auto at = static_cast<std::size_t>(first - ops.begin());
    for (; at < ops.size(); ++at) {
        const engine::Window window = plan.windowOf(ops[at]);
        if (window.begin >= sight.end)
            break;
        const QRectF box = boxRect(m_axis, window, lane.computeTop(), lane.compute);
        const bool isNarrow = box.width() < kSingleFrom;
        if (at == next || !isNarrow || box.left() - m_merged.right() > kSingleFrom)
            flush(at <= next); // the merged ops precede `at`, so they have run if at <= next
        if (isNarrow)
            m_merged = m_merged.united(box);
        else if (at < next)
            fill(ops[at], window, lane);
        else if (at == next && plan.isUnderWay())
            outline(box, look(m_view, m_colours, ops[at].op, Emphasis::Normal).flat);
        else
            outline(box, m_colours.theme().chrome.lineStrong);
    }
    flush(at <= next);
}

void PlanPainter::paintHover(const PlanView& plan, const engine::Span& op, const Lane& lane)
{
    outline(boxRect(m_axis, plan.windowOf(op), lane.computeTop(), lane.compute),
            m_colours.theme().chrome.text);
}

void PlanPainter::outline(const QRectF& box, const QColor& colour)
{
    m_painter.setPen(QPen(colour, 1));
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
}

void PlanPainter::fill(const engine::Span& op, engine::Window window, const Lane& lane)
{
    m_boxes.draw(stretch(m_axis, window, lane.computeTop(), lane.compute),
                 look(m_view, m_colours, op.op, Emphasis::Dimmed),
                 boxText(m_view.op(op.op), widthForText(m_axis, window)));
}

void PlanPainter::flush(bool isDone)
{
    const QRectF box = std::exchange(m_merged, {});
    if (isDone)
        m_painter.fillRect(box, m_colours.theme().chrome.lineStrong);
    else if (!box.isNull())
        outline(box, m_colours.theme().chrome.lineStrong);
}

void paintNow(QPainter& painter, const NowLine& now, const TimeAxis& axis, const Theme& theme)
{
    constexpr double kWidth = 54, kHeight = 18, kLine = 2;
    const double x = std::round(axis.x(now.time));
    if (x < axis.left || x > axis.right())
        return;
    painter.fillRect(QRectF(x - kLine / 2, now.lanes.top(), kLine, now.lanes.height()),
                     theme.chrome.text);
    const QFont font = uiFont(11, QFont::Medium);
    const double width = std::max(kWidth, QFontMetricsF(font).horizontalAdvance(now.text) + 12);
    QRectF plate(x - width / 2, now.ruler.bottom() - kHeight - 1, width, kHeight);
    plate.moveLeft(std::clamp(plate.left(), now.ruler.left(),
                              std::max(now.ruler.left(), now.ruler.right() - width)));
    painter.fillRect(plate, theme.chrome.primary);
    painter.setFont(font);
    painter.setPen(theme.chrome.primaryText);
    painter.drawText(plate, Qt::AlignCenter, now.text);
}

} // namespace app
