#include "app/memory/memory_picture.h"

#include "app/memory/memory_areas.h"
#include "app/memory/memory_colours.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {

using engine::DeviceId;

namespace {

constexpr double kScale = 40, kTop = 14, kMoves = 9, kBottom = 22, kRight = 14;

} // namespace

MemoryPicture::MemoryPicture(QPainter& painter, const Theme& theme, const MemoryReport& report,
                             DeviceId device, const QRectF& panel)
    : m_painter(painter)
    , m_theme(theme)
    , m_report(report)
    , m_device(device)
    , m_panel(panel)
    , m_plot(plotIn(panel))
{ }

QRectF MemoryPicture::plotIn(const QRectF& panel)
{
    return panel.adjusted(kTexts + kScale, kTop, -kRight, -kBottom);
}

void MemoryPicture::paintLimit() const
{
    if (m_report.isLimitInSight())
        m_painter.fillRect(QRectF(m_plot.left(), yOf(*m_report.limit) - 1, m_plot.width(), 1.5),
                           m_theme.chrome.text);
}

double MemoryPicture::xOf(std::int64_t time) const
{
    return m_plot.left() + m_plot.width() * m_report.shareOf(time);
}

double MemoryPicture::yOf(std::int64_t bytes) const
{
    const auto highest = static_cast<double>(std::max<std::int64_t>(1, m_report.highest));
    return std::round(m_plot.bottom() - m_plot.height() * static_cast<double>(bytes) / highest);
}

void MemoryPicture::paintTexts() const
{
    const Chrome& chrome = m_theme.chrome;
    const auto& steps = m_report.steps[m_device];
    const QRectF box = m_panel.adjusted(12, 8, 0, 0), area = m_plot;
    const auto write = [&](double top, const QFont& font, const QColor& ink, const QString& text) {
        m_painter.setFont(font);
        m_painter.setPen(ink);
        m_painter.drawText(QRectF(box.left(), box.top() + top, kTexts + 10, 20),
                           Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    write(0, uiFont(13, QFont::Medium), chrome.text,
          MemoryAreas::tr("Device %1").arg(m_device.value));
    write(17, uiFont(11), chrome.text2, m_report.role(m_device));
    if (steps.empty())
        return write(38, uiFont(11), chrome.text2, MemoryAreas::tr("not recorded"));
    const auto& peak = profiler::peakOf(steps);
    const bool isOver = m_report.limit && peak.total() > *m_report.limit;
    write(38, uiFont(15, QFont::Medium), isOver ? chrome.error : chrome.text,
          m_report.amount(peak.total()));
    write(56, uiFont(11), chrome.text2, MemoryAreas::tr("peak, %1").arg(m_report.bytes.unit()));
    write(72, uiFont(11), chrome.text2,
          MemoryAreas::tr("stash %1")
              .arg(m_report.amount(peak.bytes[profiler::MemoryKind::Stash]
                                   + peak.bytes[profiler::MemoryKind::Guest])));
    m_painter.setFont(uiFont(10));
    m_painter.setPen(chrome.text2);
    const auto mark = [&](std::int64_t bytes, const QString& text) {
        m_painter.drawText(QRectF(area.left() - kScale, yOf(bytes) - 8, kScale - 5, 16),
                           Qt::AlignRight | Qt::AlignVCenter, text);
    };
    mark(0, QStringLiteral("0"));
    const std::int64_t top = m_report.isLimitInSight() ? *m_report.limit : m_report.highest;
    mark(top, m_report.amount(top));
}

// Paints the highest step of every pixel column, so that no peak is lost.
void MemoryPicture::paintAreas() const
{
    const QRectF area = m_plot;
    const auto& steps = m_report.steps[m_device];
    if (steps.empty())
        return;
    const MemoryColours colours(m_theme, m_painter.device()->devicePixelRatioF());
    std::size_t next = 0;
    double previous = -1;
    for (int x = 0; x < static_cast<int>(area.width()); ++x) {
        const std::int64_t end = m_report.timeAt((x + 1) / area.width());
        const profiler::MemoryStep* highest = &steps[next > 0 ? next - 1 : 0];
        for (; next < steps.size() && steps[next].time < end; ++next)
            if (steps[next].total() > highest->total())
                highest = &steps[next];
        std::int64_t sum = 0;
        double bottom = area.bottom();
        for (const auto kind : highest->bytes.enumerators()) {
            sum += highest->bytes[kind];
            const double top = yOf(sum);
            if (top < bottom)
                colours.fill(m_painter, QRectF(area.left() + x, top, 1, bottom - top), kind,
                             area.left());
            bottom = std::min(bottom, top);
        }
        const double from = previous < 0 ? bottom : std::min(previous, bottom);
        const double to = previous < 0 ? bottom : std::max(previous, bottom);
        m_painter.fillRect(QRectF(area.left() + x, from, 1, std::max(1.0, to - from)),
                           colours.line());
        previous = bottom;
    }
}

void MemoryPicture::paintWithoutMoves() const
{
    const QRectF area = m_plot;
    const auto& steps = m_report.steps[m_device];
    QPolygonF line;
    for (const profiler::MemoryStep& step : steps) {
        const QPointF at(std::round(xOf(step.time)) + 0.5, yOf(step.withoutMoves()) + 0.5);
        if (!line.isEmpty())
            line << QPointF(at.x(), line.last().y());
        line << at;
    }
    if (line.isEmpty())
        return;
    line << QPointF(area.right(), line.last().y());
    QPen pen(m_theme.chrome.text2, 1);
    pen.setDashPattern({4, 3});
    m_painter.setPen(pen);
    m_painter.drawPolyline(line);
}

// Paints evicts filled and loads outlined, for the device and for its partner.
void MemoryPicture::paintMoves() const
{
    const auto& partner = m_report.partners[m_device];
    if (!partner)
        return;
    const QRectF area = m_plot;
    const QRectF row(area.left(), area.bottom() + 6, area.width(), kMoves);
    const DeviceId owner = partner->isEvictor ? m_device : partner->device;
    const engine::Run& run = *m_report.run;
    const auto* copies = run.timeline.track(owner, engine::Track::Kind::Copy);
    m_painter.setFont(uiFont(10));
    m_painter.setPen(m_theme.chrome.text2);
    m_painter.drawText(QRectF(row.left() - kScale, row.top() - 3, kScale - 5, 15),
                       Qt::AlignRight | Qt::AlignVCenter, MemoryAreas::tr("moves"));
    const engine::OpIndex index(run.schedule);
    const QColor ink = toQt(m_theme.palette.communication);
    for (const engine::Span& span : copies != nullptr ? std::span<const engine::Span>(copies->spans)
                                                      : std::span<const engine::Span>()) {
        if (!span.window().intersects(m_report.window))
            continue;
        const double left = std::round(xOf(span.begin));
        const QRectF box(left, row.top(), std::max(3.0, std::round(xOf(span.end)) - left),
                         row.height());
        if (opAt(run.schedule, index, span.op).kind == engine::OpKind::Evict) {
            m_painter.fillRect(box, ink);
            continue;
        }
        m_painter.setPen(ink);
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void MemoryPicture::paintCursor(std::int64_t time, bool isPinned, bool isLabelled) const
{
    const Chrome& chrome = m_theme.chrome;
    const QRectF area = m_plot;
    const auto& steps = m_report.steps[m_device];
    const double x = std::round(xOf(time));
    m_painter.fillRect(QRectF(x, area.top() - kTop, 1, area.height() + kTop),
                       isPinned ? chrome.text : chrome.text3);
    if (steps.empty() || !isLabelled)
        return;
    const std::int64_t total = profiler::stepAt(steps, time).total();
    m_painter.setRenderHint(QPainter::Antialiasing);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(chrome.text);
    m_painter.drawEllipse(QPointF(x + 0.5, yOf(total) + 0.5), 2.5, 2.5);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    m_painter.setFont(uiFont(11, QFont::Medium));
    m_painter.setPen(chrome.text);
    const bool isRight = x > area.center().x();
    m_painter.drawText(QRectF(isRight ? x - 84 : x + 5, area.top() - 14, 80, 14),
                       (isRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
                       m_report.amount(total));
}

} // namespace app
