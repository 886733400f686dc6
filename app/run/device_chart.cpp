#include "app/run/device_chart.h"

#include "app/memory/memory_report.h"
#include "app/timeline/paint/header_painter.h"
#include "app/timeline/view/translate.h"
#include "app/ui/text.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/ticks.h"
#include "profiler/figure/legend_entries.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace app {

namespace {

using engine::DeviceId;
using profiler::DeviceMetrics;
using profiler::Palette;
using profiler::RunMetrics;

DeviceColumns columnsOf(const engine::Run& run, const RunMetrics& metrics)
{
    DeviceColumns columns;
    columns.amounts.resize(metrics.devices.size());
    for (const DeviceId device : metrics.devices.ids())
        columns.names.push_back(
            tr("Device %1, %2").arg(QString::number(device.value), deviceText(run, device)));
    return columns;
}

void addPart(DeviceColumns& columns, const RunMetrics& metrics, DeviceColumns::Part part,
             const std::function<double(const DeviceMetrics&)>& amount)
{
    if (std::ranges::none_of(metrics.devices, [&](const auto& one) { return amount(one) > 0; }))
        return;
    columns.parts.push_back(std::move(part));
    for (const DeviceId device : metrics.devices.ids())
        columns.amounts[device].push_back(amount(metrics.devices[device]));
}

constexpr double kLeft = 44, kRight = 12, kHeader = 26, kLegendLine = 16, kFoot = 22;
constexpr double kMostStep = 64, kMostColumn = 40;
constexpr double kSwatch = 10, kTextGap = 5, kEntryGap = 14;
constexpr double kAbove = 1.15; // space for a number above the highest column
constexpr double kTickDistance = 26;

// The space between two columns. Narrow columns touch.
double gapOf(double step)
{
    return step < 3 ? 0 : step < 12 ? 1 : 2;
}

// Omits the decimals of a whole number, because limits are often whole: "80", but "80.50".
QString roundText(const Scale& scale, double value)
{
    const double shown = value / scale.perUnit();
    return std::abs(shown - std::round(shown)) < 1e-6 ? number(shown, 0) : scale.text(value);
}

} // namespace

double DeviceColumns::total(DeviceId device) const
{
    return std::accumulate(amounts[device].begin(), amounts[device].end(), 0.0);
}

double DeviceColumns::highest() const
{
    double most = 0;
    for (const DeviceId device : amounts.ids())
        most = std::max(most, total(device));
    return most;
}

bool DeviceColumns::isLimitInSight() const
{
    return isInSight(limit, highest());
}

QString DeviceColumns::text(DeviceId device) const
{
    QString text = names[device];
    const auto add = [&](const QString& name, double amount) {
        text += QStringLiteral("\n%1 %2").arg(name, scale.withUnit(amount));
    };
    for (std::size_t part = parts.size(); part-- > 0 && parts.size() > 1;)
        add(parts[part].name, amounts[device][part]);
    add(sum, total(device));
    if (isOver(device))
        text += tr(", %1 over the limit").arg(scale.withUnit(total(device) - *limit));
    else if (limit)
        text += tr(", limit %1").arg(scale.withUnit(*limit));
    return text;
}

DeviceColumns memoryColumns(const engine::Run& run, const RunMetrics& metrics)
{
    DeviceColumns columns = columnsOf(run, metrics);
    columns.axis = tr("%1 per device");
    if (!run.timeline.memory.empty()) {
        columns.title = tr("Peak memory");
        columns.sum = tr("peak");
        for (const auto& [category, fill] : memoryFills())
            addPart(columns, metrics, {fromUtf8(engine::memoryCategoryName(category)), fill},
                    [category = category](const DeviceMetrics& one) {
                        return static_cast<double>(one.bytesAtPeak[category]);
                    });
        if (const auto memory = profiler::deviceMemory(run); memory.isKnown())
            columns.limit = static_cast<double>(memory.usable());
        const double largest = columns.isLimitInSight()
            ? std::max(columns.highest(), *columns.limit)
            : columns.highest();
        columns.scale = byteScale(static_cast<std::int64_t>(largest));
    } else if (engine::knowsMicroBatches(run.info)) {
        columns.title = tr("Peak stash");
        columns.sum = tr("stash");
        addPart(columns, metrics, {tr("stash"), &Palette::stash}, &DeviceMetrics::peakStash);
        columns.scale = Scale(1, 1, QStringLiteral("Mₐ"));
    }
    return columns;
}

// Paints the three causes in the greys of the palette, which also stand for memory categories.
DeviceColumns bubbleColumns(const engine::Run& run, const RunMetrics& metrics)
{
    DeviceColumns columns = columnsOf(run, metrics);
    columns.title = tr("Bubble by cause");
    columns.axis = tr("%1 of the iteration");
    columns.sum = tr("bubble");
    columns.scale = Scale(0.01, 1, QStringLiteral("%"));
    const auto add = [&](const QString& name, profiler::Colour Palette::*fill,
                         std::int64_t DeviceMetrics::*ticks) {
        addPart(columns, metrics, {name, fill}, [&metrics, ticks](const DeviceMetrics& one) {
            return static_cast<double>(one.*ticks)
                / static_cast<double>(std::max<std::int64_t>(1, metrics.duration));
        });
    };
    add(tr("fill"), &Palette::optimizerState, &DeviceMetrics::fill);
    add(tr("wait"), &Palette::gradients, &DeviceMetrics::wait);
    add(tr("drain"), &Palette::weights, &DeviceMetrics::drain);
    columns.mean = metrics.bubbleRatio;
    return columns;
}

std::vector<int> labelledDevices(int devices, double step, double width)
{
    int every = 1;
    while (every < devices && every * step < width)
        every *= 2;
    std::vector<int> labelled;
    for (int device = 0; device < devices; device += every)
        labelled.push_back(device);
    if (devices > 0 && (devices - 1 - labelled.back()) * step >= width)
        labelled.push_back(devices - 1);
    return labelled;
}

DeviceChart::DeviceChart(const char* name, const ThemeController& theme, QWidget* parent)
    : ThemedWidget(theme, parent)
{
    named(this, name, tr("Devices"));
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent); // FocusRing frames it
}

void DeviceChart::show(DeviceColumns columns)
{
    m_columns = std::move(columns);
    const double line = m_columns.isLimitInSight() ? *m_columns.limit : m_columns.mean.value_or(0);
    m_top = std::max({m_columns.highest(), line, 1e-9}) * kAbove;
    if (!m_columns.isEmpty())
        setAccessibleName(m_columns.title);
    describe();
    update();
}

void DeviceChart::mark(DeviceId device)
{
    m_marked = device;
    describe();
    update();
}

void DeviceChart::describe()
{
    setAccessibleDescription(m_columns.amounts.has(m_marked) ? m_columns.text(m_marked)
                                                             : unitText());
}

void DeviceChart::choose(DeviceId device)
{
    if (!m_columns.amounts.has(device))
        return;
    mark(device);
    Q_EMIT chosen(device);
}

QString DeviceChart::unitText() const
{
    if (m_columns.isEmpty())
        return {};
    const QString text = m_columns.axis.arg(m_columns.scale.unit());
    return m_columns.limit && !m_columns.isLimitInSight()
        ? tr("%1, limit %2").arg(text, roundText(m_columns.scale, *m_columns.limit))
        : text;
}

QString DeviceChart::lineText() const
{
    const Scale& scale = m_columns.scale;
    if (m_columns.limit)
        return m_columns.isLimitInSight() ? tr("%1 limit").arg(roundText(scale, *m_columns.limit))
                                          : QString();
    return m_columns.mean ? tr("mean %1").arg(scale.text(*m_columns.mean)) : QString();
}

// The legend is to the right of the title, or in lines below it.
DeviceChart::Header DeviceChart::header() const
{
    const QFontMetricsF metrics(uiFont(11));
    std::vector<double> widths; // the top part first
    double all = -kEntryGap;
    for (std::size_t part = m_columns.parts.size(); part-- > 0;) {
        const double text = metrics.horizontalAdvance(m_columns.parts[part].name);
        widths.push_back(kSwatch + kTextGap + text);
        all += widths.back() + kEntryGap;
    }
    const double title = QFontMetricsF(uiFont(12, QFont::Medium)).horizontalAdvance(m_columns.title)
        + metrics.horizontalAdvance(unitText()) + 6;
    const bool isBeside = kRight + title + 2 * kEntryGap + all + kRight <= width();
    const double left = isBeside ? width() - kRight - all : kRight;
    const auto places = profiler::legendPositions(widths, kEntryGap, width() - kRight - left + 1);
    Header header{{}, kHeader};
    for (std::size_t k = places.size(); k-- > 0;)
        header.legend.emplace_back(left + places[k].x,
                                   (isBeside ? 8 : kHeader) + kLegendLine * places[k].line);
    if (!isBeside && !places.empty())
        header.height += kLegendLine * (places.back().line + 1) + 4;
    return header;
}

QRectF DeviceChart::plot() const
{
    const QString line = lineText();
    const double right = kRight
        + (line.isEmpty() ? 0 : std::ceil(QFontMetricsF(uiFont(11)).horizontalAdvance(line)) + 6);
    return QRectF(rect()).adjusted(kLeft, header().height, -right, -kFoot);
}

double DeviceChart::step(const QRectF& plot) const
{
    return std::min(kMostStep, plot.width() / std::max(1, devices()));
}

double DeviceChart::yOf(double amount, const QRectF& plot) const
{
    return std::round(plot.bottom() - plot.height() * amount / m_top);
}

QRectF DeviceChart::columnIn(const QRectF& plot, DeviceId device) const
{
    const double each = step(plot), left = std::round(plot.left() + each * device.value);
    const double space = std::round(plot.left() + each * (device.value + 1)) - left;
    const double width = std::clamp(space - gapOf(each), 1.0, kMostColumn);
    return {left + std::max(0.0, std::floor((space - width) / 2)), plot.top(), width,
            plot.height()};
}

DeviceId DeviceChart::deviceIn(const QRectF& plot, double x) const
{
    const double each = step(plot), at = x - plot.left();
    if (at < 0 || at >= each * devices())
        return {};
    if (each >= 1)
        return DeviceId{std::min(static_cast<int>(at / each), devices() - 1)};
    const int first = static_cast<int>(std::ceil(std::floor(at) / each));
    const int end = static_cast<int>(std::ceil((std::floor(at) + 1) / each));
    DeviceId highest{std::min(first, devices() - 1)};
    for (int device = first + 1; device < std::min(end, devices()); ++device)
        if (m_columns.total({device}) > m_columns.total(highest))
            highest = {device};
    return highest;
}

void DeviceChart::paintHeader(QPainter& painter) const
{
    const Chrome& chrome = theme().chrome;
    const QRectF line(kRight, 4, width() - 2 * kRight, 18);
    painter.setFont(uiFont(12, QFont::Medium));
    painter.setPen(chrome.text);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, m_columns.title);
    const double title = painter.fontMetrics().horizontalAdvance(m_columns.title);
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text2);
    painter.drawText(line.adjusted(title + 6, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     unitText());
    const Header header = this->header();
    for (std::size_t part = 0; part < m_columns.parts.size(); ++part) {
        const QRectF swatch(header.legend[part], QSizeF(kSwatch, kSwatch));
        painter.fillRect(swatch, toQt(theme().palette.*m_columns.parts[part].fill));
        painter.drawText(QRectF(swatch.right() + kTextGap, swatch.top() - 4, width(), 18),
                         Qt::AlignLeft | Qt::AlignVCenter, m_columns.parts[part].name);
    }
}

void DeviceChart::paintAxis(QPainter& painter, const QRectF& plot) const
{
    const Chrome& chrome = theme().chrome;
    const double perUnit = m_columns.scale.perUnit(), highest = m_top / perUnit;
    const auto ticks
        = profiler::ticks(0, highest, kTickDistance * highest / std::max(1.0, plot.height()));
    painter.setFont(uiFont(11));
    painter.setPen(chrome.text3);
    for (const double mark : ticks.major) {
        const double y = yOf(mark * perUnit, plot);
        painter.fillRect(QRectF(plot.left(), y, plot.width(), 1),
                         mark == 0 ? chrome.lineStrong : chrome.grid);
        painter.drawText(QRectF(0, y - 8, kLeft - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                         number(mark, ticks.decimals));
    }
    const double label = painter.fontMetrics().horizontalAdvance(QString::number(devices())) + 12;
    for (const int device : labelledDevices(devices(), step(plot), label)) {
        const double middle = columnIn(plot, {device}).center().x();
        painter.drawText(QRectF(middle - 30, plot.bottom() + 4, 60, 14), Qt::AlignCenter,
                         QString::number(device));
    }
}

// Paints the part of the column above the limit in the error colour.
void DeviceChart::paintColumn(QPainter& painter, DeviceId device, const QRectF& column) const
{
    double sum = 0;
    for (std::size_t part = 0; part < m_columns.parts.size(); ++part) {
        const double from = yOf(sum, column);
        sum += m_columns.amounts[device][part];
        const double to = yOf(sum, column);
        painter.fillRect(QRectF(column.left(), to, column.width(), from - to),
                         toQt(theme().palette.*m_columns.parts[part].fill));
    }
    if (m_columns.isOver(device))
        painter.fillRect(QRectF(QPointF(column.left(), yOf(sum, column)),
                                QPointF(column.right(), yOf(*m_columns.limit, column))),
                         theme().chrome.error);
}

void DeviceChart::paintColumns(QPainter& painter, const QRectF& plot) const
{
    if (step(plot) >= 1) {
        for (const DeviceId device : m_columns.amounts.ids())
            paintColumn(painter, device, columnIn(plot, device));
        return;
    }
    for (double x = plot.left(); x < plot.right(); ++x)
        if (const DeviceId device = deviceIn(plot, x + 0.5); device.isValid())
            paintColumn(painter, device, {x, plot.top(), 1, plot.height()});
}

void DeviceChart::paintLine(QPainter& painter, const QRectF& plot) const
{
    const QString text = lineText();
    if (text.isEmpty())
        return;
    const double y = yOf(m_columns.limit ? *m_columns.limit : *m_columns.mean, plot);
    painter.fillRect(QRectF(plot.left(), y, plot.width(), 1), theme().chrome.text);
    painter.setFont(uiFont(11));
    painter.setPen(theme().chrome.text2);
    painter.drawText(QRectF(plot.right() + 6, y - 8, width() - plot.right(), 16),
                     Qt::AlignLeft | Qt::AlignVCenter, text);
}

// Writes the amounts that exceed the limit, the highest first. Numbers that would overlap are left
// out.
void DeviceChart::paintExcess(QPainter& painter, const QRectF& plot) const
{
    std::vector<DeviceId> over;
    for (const DeviceId device : m_columns.amounts.ids())
        if (m_columns.isOver(device))
            over.push_back(device);
    std::ranges::stable_sort(over, std::ranges::greater{},
                             [this](DeviceId device) { return m_columns.total(device); });
    painter.setFont(uiFont(11, QFont::Medium));
    painter.setPen(theme().chrome.error);
    const QFontMetricsF metrics(painter.font());
    std::vector<QRectF> written;
    for (const DeviceId device : over) {
        const double total = m_columns.total(device);
        const QString text = m_columns.scale.text(total);
        QRectF box(0, yOf(total, plot) - 15, metrics.horizontalAdvance(text) + 2, 14);
        box.moveLeft(
            std::max(plot.left() + 2, columnIn(plot, device).center().x() - box.width() / 2));
        if (std::ranges::any_of(written, [&box](const QRectF& other) {
                return other.adjusted(-4, 0, 4, 0).intersects(box);
            }))
            continue;
        written.push_back(box);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

void DeviceChart::paintMark(QPainter& painter, const QRectF& plot) const
{
    if (!m_columns.amounts.has(m_marked))
        return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme().chrome.text, 2, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    painter.drawRect(columnIn(plot, m_marked).adjusted(-1, 0, 1, 0));
}

void DeviceChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().chrome.surface);
    if (m_columns.isEmpty())
        return;
    const QRectF plot = this->plot();
    paintHeader(painter);
    paintAxis(painter, plot);
    paintColumns(painter, plot);
    paintLine(painter, plot);
    paintExcess(painter, plot);
    paintMark(painter, plot);
}

QString DeviceChart::toolTipAt(QPoint at) const
{
    const DeviceId device = deviceAt(at.x());
    return device.isValid() && at.y() >= plot().top() ? m_columns.text(device) : QString();
}

void DeviceChart::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && event->position().y() >= plot().top())
        choose(deviceAt(event->position().x()));
}

void DeviceChart::keyPressEvent(QKeyEvent* event)
{
    const int last = devices() - 1;
    switch (event->key()) {
    case Qt::Key_Left:
        return choose({m_marked.isValid() ? std::max(0, m_marked.value - 1) : last});
    case Qt::Key_Right:
        return choose({std::min(last, m_marked.value + 1)});
    case Qt::Key_Home:
        return choose({0});
    case Qt::Key_End:
        return choose({last});
    default:
        QWidget::keyPressEvent(event);
    }
}

DevicesPanel::DevicesPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_memory(new DeviceChart("devicesMemory", theme))
    , m_bubble(new DeviceChart("devicesBubble", theme))
    , m_line(makeLine(Qt::Vertical))
    , m_charts(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_empty(named(makeLabel(tr("The columns appear with the first complete iteration."), "hint"),
                    "devicesEmpty"))
{
    setObjectName(QStringLiteral("devicesPanel"));
    auto* charts = new QWidget;
    charts->setLayout(spaced(m_charts, {}, 0, {{m_memory, 1}, m_line, {m_bubble, 1}}));
    m_scroll = makeScroll(charts);
    m_empty->setContentsMargins(12, 10, 12, 10);
    m_empty->setAlignment(Qt::AlignTop);
    spaced(new QVBoxLayout(this), {}, 0, {{m_scroll, 1}, {m_empty, 1}});
    for (const DeviceChart* chart : {m_memory, m_bubble})
        connect(chart, &DeviceChart::chosen, this, &DevicesPanel::chosen);
    arrange();
}

void DevicesPanel::showMetrics(const engine::Run& run, const profiler::RunMetrics& metrics)
{
    m_memory->show(memoryColumns(run, metrics));
    m_bubble->show(bubbleColumns(run, metrics));
    m_empty->setText(tr("No device has a bubble, and no memory was recorded."));
    arrange();
}

void DevicesPanel::mark(engine::DeviceId device)
{
    m_memory->mark(device);
    m_bubble->mark(device);
}

void DevicesPanel::arrange()
{
    const bool hasMemory = !m_memory->columns().isEmpty(),
               hasBubble = !m_bubble->columns().isEmpty();
    constexpr int kBesideFrom = 700;
    const bool isBeside = width() >= kBesideFrom;
    m_charts->setDirection(isBeside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_memory->setVisible(hasMemory);
    m_bubble->setVisible(hasBubble);
    m_line->setVisible(isBeside && hasMemory && hasBubble);
    m_scroll->setVisible(hasMemory || hasBubble);
    m_empty->setVisible(!hasMemory && !hasBubble);
}

void DevicesPanel::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace app
