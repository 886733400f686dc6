#include "app/memory/memory_areas.h"

#include "app/memory/memory_picture.h"
#include "profiler/analysis/ticks.h"

#include <QAccessible>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {

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
