#include "app/memory/memory_areas.h"

#include "app/memory/memory_colours.h"
#include "profiler/analysis/ticks.h"

#include <QAccessible>
#include <QMouseEvent>
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

using engine::DeviceId;

namespace {

constexpr int kRuler = 26, kPanel = 132, kMostPanel = 200, kLeast = 420;

double fraction(const QRectF& plot, double x)
{
    return std::clamp((x - plot.left()) / plot.width(), 0.0, 1.0);
}

} // namespace

MemoryAreas::MemoryAreas(const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    setObjectName(QStringLiteral("memoryAreas"));
    setAccessibleName(tr("Memory of the devices over time"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
}

void MemoryAreas::show(Report report)
{
    const bool isSame = m_report && report && !isEmpty() && m_report->window == report->window;
    m_report = std::move(report);
    m_hover.reset();
    m_shown = m_report ? m_report->order(m_order) : std::vector<DeviceId>();
    if (isEmpty())
        return update();
    if (!m_report->steps.has(m_device))
        m_device = DeviceId{0};
    const auto& steps = m_report->steps[m_device];
    if (!isSame) // a growing run keeps the cursor
        m_time = steps.empty() ? m_report->window.begin : profiler::peakOf(steps).time;
    choose(m_device, m_time);
}

void MemoryAreas::setOrder(MemoryReport::Order order)
{
    m_order = order;
    if (m_report)
        m_shown = m_report->order(order);
    update();
}

void MemoryAreas::setWithoutMovesShown(bool isShown)
{
    m_isWithoutMovesShown = isShown;
    update();
}

void MemoryAreas::choose(DeviceId device, std::int64_t time)
{
    m_device = device;
    m_time = time;
    speak();
    update();
    Q_EMIT chosen(device, time);
}

void MemoryAreas::speak()
{
    const auto& steps = m_report->steps[m_device];
    setAccessibleDescription(
        steps.empty()
            ? tr("Device %1: not recorded").arg(m_device.value)
            : tr("Device %1 at %2 %3: %4 %5")
                  .arg(QString::number(m_device.value), m_report->at(m_time), m_report->time.unit(),
                       m_report->amount(profiler::stepAt(steps, m_time).total()),
                       m_report->bytes.unit()));
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

int MemoryAreas::columns() const
{
    if (m_report && m_order == MemoryReport::Order::Pairs)
        return 2;
    return std::clamp(width() / kLeast, 1, std::max(1, static_cast<int>(m_shown.size())));
}

int MemoryAreas::heightFor(int width) const
{
    const int across = m_order == MemoryReport::Order::Pairs ? 2 : std::max(1, width / kLeast);
    const int devices = static_cast<int>(m_shown.size());
    return kRuler + (devices + across - 1) / across * kPanel;
}

int MemoryAreas::rows() const
{
    const int devices = static_cast<int>(m_shown.size());
    return std::max(1, (devices + columns() - 1) / columns());
}

QRectF MemoryAreas::panel(std::size_t position) const
{
    const int across = columns(), at = static_cast<int>(position);
    const double each = static_cast<double>(width()) / across;
    const int height = std::clamp((this->height() - kRuler) / rows(), kPanel, kMostPanel);
    return {std::round(each * (at % across)), static_cast<double>(kRuler + at / across * height),
            std::round(each * (at % across + 1)) - std::round(each * (at % across)),
            static_cast<double>(height)};
}

QRectF MemoryAreas::plot(std::size_t position) const
{
    return MemoryPicture::plotIn(panel(position));
}

int MemoryAreas::panelAt(QPointF at) const
{
    for (std::size_t k = 0; k < m_shown.size(); ++k)
        if (panel(k).contains(at))
            return static_cast<int>(k);
    return -1;
}

void MemoryAreas::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.fillRect(event->rect(), theme().chrome.surface);
    if (isEmpty())
        return;
    paintRulers(painter);
    for (std::size_t k = 0; k < m_shown.size(); ++k)
        if (panel(k).intersects(event->rect()))
            paintPanel(painter, k);
}

// Paints the title and the time above each column, with the time of the cursor in a box.
void MemoryAreas::paintRulers(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    painter.fillRect(QRectF(0, 0, width(), kRuler), chrome.surfaceAlt);
    for (int column = 0; column < columns(); ++column) {
        const auto position = static_cast<std::size_t>(column);
        const QRectF area = plot(position);
        painter.setFont(uiFont(12, QFont::Medium));
        painter.setPen(chrome.text);
        const QString title = m_order == MemoryReport::Order::Pairs
            ? (column == 0 ? tr("Evictors") : tr("Acceptors"))
            : column == 0 ? tr("Time in %1").arg(m_report->time.unit())
                          : QString();
        painter.drawText(QRectF(panel(position).left() + 12, 0, MemoryPicture::kTexts + 20, kRuler),
                         Qt::AlignLeft | Qt::AlignVCenter, title);
        const QString text = m_report->at(m_hover.value_or(m_time));
        const double wide = QFontMetricsF(uiFont(11, QFont::Medium)).horizontalAdvance(text) + 12;
        const QRectF plate(std::round(area.left()
                                      + area.width() * m_report->shareOf(m_hover.value_or(m_time))
                                      - wide / 2),
                           4, wide, 18);
        const double perUnit = m_report->time.perUnit();
        const double length = static_cast<double>(m_report->window.duration()) / perUnit;
        const auto marks = profiler::ticks(0, length, 60 * length / area.width());
        painter.setFont(uiFont(11));
        painter.setPen(chrome.text2);
        for (const double mark : marks.major) {
            const double x = std::round(area.left() + area.width() * mark / length);
            painter.fillRect(QRectF(x, kRuler - 7, 1, 6), chrome.text3);
            const QString label = number(mark, marks.decimals);
            const QRectF place(x + 3, 0, QFontMetricsF(painter.font()).horizontalAdvance(label),
                               kRuler - 4);
            if (x + 30 < area.right() + 14 && !place.intersects(plate))
                painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, label);
        }
        painter.setFont(uiFont(11, QFont::Medium));
        painter.fillRect(plate, chrome.text);
        painter.setPen(chrome.surface);
        painter.drawText(plate, Qt::AlignCenter, text);
    }
    painter.fillRect(QRectF(0, kRuler - 1, width(), 1), chrome.line);
}

void MemoryAreas::paintPanel(QPainter& painter, std::size_t position) const
{
    const Chrome& chrome = theme().chrome;
    const QRectF box = panel(position), area = plot(position);
    painter.fillRect(QRectF(box.left(), box.bottom() - 1, box.width(), 1), chrome.line);
    painter.fillRect(QRectF(box.right() - 1, box.top(), 1, box.height()), chrome.line);
    const MemoryPicture picture(painter, theme(), *m_report, m_shown[position], box);
    picture.paintTexts();
    picture.paintAreas();
    if (m_report->hasPairs()) {
        if (m_isWithoutMovesShown)
            picture.paintWithoutMoves();
        picture.paintMoves();
    }
    picture.paintLimit();
    painter.fillRect(QRectF(area.left(), area.bottom(), area.width(), 1), chrome.lineStrong);
    if (m_hover)
        picture.paintCursor(*m_hover, false, true);
    picture.paintCursor(m_time, true, !m_hover);
    if (m_shown[position] != m_device)
        return;
    painter.setPen(QPen(hasFocus() ? chrome.text : chrome.text3, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(1, 1, -2, -2));
}

void MemoryAreas::mousePressEvent(QMouseEvent* event)
{
    const int at = isEmpty() ? -1 : panelAt(event->position());
    if (event->button() != Qt::LeftButton || at < 0)
        return;
    const auto position = static_cast<std::size_t>(at);
    m_hover.reset();
    choose(m_shown[position], m_report->timeAt(fraction(plot(position), event->position().x())));
}

void MemoryAreas::mouseMoveEvent(QMouseEvent* event)
{
    const int at = isEmpty() ? -1 : panelAt(event->position());
    if (at < 0)
        return leaveEvent(nullptr);
    const QRectF area = plot(static_cast<std::size_t>(at));
    const std::int64_t time = m_report->timeAt(fraction(area, event->position().x()));
    if (event->buttons() & Qt::LeftButton)
        return choose(m_device, time);
    m_hover.reset();
    if (event->position().x() >= area.left() && event->position().x() <= area.right())
        m_hover = time;
    update();
}

void MemoryAreas::leaveEvent(QEvent*)
{
    m_hover.reset();
    update();
}

// Moves the cursor to the previous or next change of the device's memory.
void MemoryAreas::moveCursor(int step)
{
    const auto& steps = m_report->steps[m_device];
    const auto next = std::ranges::upper_bound(steps, m_time, {}, &profiler::MemoryStep::time);
    if (step > 0 && next != steps.end())
        choose(m_device, next->time);
    const auto here = std::ranges::lower_bound(steps, m_time, {}, &profiler::MemoryStep::time);
    if (step < 0 && here != steps.begin())
        choose(m_device, (here - 1)->time);
}

void MemoryAreas::moveDevice(int step)
{
    const auto here = std::ranges::find(m_shown, m_device);
    const auto to = here - m_shown.begin() + step;
    if (to >= 0 && to < static_cast<std::ptrdiff_t>(m_shown.size()))
        choose(m_shown[static_cast<std::size_t>(to)], m_time);
}

void MemoryAreas::goToPeak(int step)
{
    if (isEmpty())
        return;
    const auto times = profiler::peakTimes(m_report->steps[m_device]);
    const auto next = std::ranges::upper_bound(times, m_time);
    const auto here = std::ranges::lower_bound(times, m_time);
    if (step > 0 && next != times.end())
        choose(m_device, *next);
    if (step < 0 && here != times.begin())
        choose(m_device, *(here - 1));
}

void MemoryAreas::keyPressEvent(QKeyEvent* event)
{
    if (isEmpty())
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
        return moveCursor(-1);
    case Qt::Key_Right:
        return moveCursor(1);
    case Qt::Key_Up:
        return moveDevice(-columns());
    case Qt::Key_Down:
        return moveDevice(columns());
    case Qt::Key_Home:
        return choose(m_device, m_report->window.begin);
    case Qt::Key_End:
        return choose(m_device, m_report->window.end);
    case Qt::Key_BracketLeft:
        return goToPeak(-1);
    case Qt::Key_BracketRight:
        return goToPeak(1);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace app
