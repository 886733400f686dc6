#include "app/memory/memory_areas.h"

#include "app/figures/device_columns.h"
#include "app/figures/write_figure.h"
#include "app/plan/scene_sheet.h"
#include "app/ui/text.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/ticks.h"

#include <QAccessible>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace app {

using engine::DeviceId;

namespace {

// Rounds up to a number that is suitable for the end of an axis: a multiple of half a power of ten.
// For example, 66.91 becomes 70, because the step is 5.
std::int64_t roundedUp(std::int64_t bytes, double perUnit)
{
    if (bytes <= 0)
        return bytes;
    const double amount = static_cast<double>(bytes) / perUnit;
    const double step = std::pow(10.0, std::floor(std::log10(amount))) / 2;
    return std::llround(std::ceil(amount / step) * step * perUnit);
}

} // namespace

bool MemoryReport::isPredicted() const
{
    return run->info.mode == engine::Mode::Simulate;
}

bool MemoryReport::isEmpty() const
{
    return std::ranges::all_of(steps, [](const auto& one) { return one.empty(); });
}

std::int64_t MemoryReport::stash(DeviceId device) const
{
    using enum profiler::MemoryKind;
    std::int64_t largest = 0;
    for (const profiler::MemoryStep& step : steps[device])
        largest = std::max(largest, step.bytes[Stash] + step.bytes[Guest]);
    return largest;
}

bool MemoryReport::hasPairs() const
{
    return std::ranges::any_of(partners, [](const auto& one) { return one.has_value(); });
}

bool MemoryReport::hasGuests() const
{
    return std::ranges::any_of(partners, [](const auto& one) { return one && one->device; });
}

std::vector<DeviceId> MemoryReport::order(Order order) const
{
    std::vector<DeviceId> all;
    const auto add = [&all](DeviceId device) {
        if (std::ranges::find(all, device) == all.end())
            all.push_back(device);
    };
    for (const DeviceId device : steps.ids()) {
        const auto& partner = partners[device];
        if (order == Order::Pairs && partner && partner->isEvictor) {
            add(device);
            if (partner->device)
                add(*partner->device);
        }
    }
    for (const DeviceId device : steps.ids())
        add(device);
    return all;
}

QString MemoryReport::role(DeviceId device) const
{
    const auto& partner = partners[device];
    if (!partner)
        return {};
    if (!partner->device)
        return QStringLiteral("evicts to the host");
    return (partner->isEvictor ? QStringLiteral("evicts to %1") : QStringLiteral("accepts from %1"))
        .arg(partner->device->value);
}

double MemoryReport::shareOf(std::int64_t when) const
{
    return static_cast<double>(when - window.begin)
        / static_cast<double>(std::max<std::int64_t>(1, window.duration()));
}

std::int64_t MemoryReport::timeAt(double share) const
{
    return window.begin + std::llround(share * static_cast<double>(window.duration()));
}

QString MemoryReport::at(std::int64_t when) const
{
    return time.text(when - window.begin);
}

MemoryReport memoryReport(const RunPointer& run, int iteration)
{
    MemoryReport report;
    report.run = run;
    report.iteration = iteration;
    if (iteration >= 0)
        report.window = run->timeline.iterations[static_cast<std::size_t>(iteration)].window;
    report.steps = profiler::memorySteps(*run, iteration);
    report.partners = profiler::memoryPartners(*run, iteration);
    report.memory = profiler::deviceMemory(*run);
    if (report.memory.isKnown())
        report.limit = report.memory.usable();
    for (const profiler::MemorySteps& steps : report.steps)
        for (const profiler::MemoryStep& step : steps)
            report.highest = std::max({report.highest, step.total(), step.withoutMoves()});
    report.time = timeScale(run->info, report.window.duration());
    const bool endsAtLimit = isInSight(report.limit, static_cast<double>(report.highest))
        && *report.limit >= report.highest;
    report.bytes = byteScale(endsAtLimit ? *report.limit : report.highest);
    report.highest
        = endsAtLimit ? *report.limit : roundedUp(report.highest, report.bytes.perUnit());
    return report;
}

MemoryReport stashReport(const RunView& view, int iteration)
{
    constexpr double kParts = 1000; // of M_a
    MemoryReport report = memoryReport(view.shared(), iteration);
    for (const DeviceId device : report.steps.ids()) {
        const MemorySeries& series = view.memory(device);
        const auto add = [&](std::int64_t time) {
            profiler::MemoryStep& step = report.steps[device].emplace_back();
            step.time = time;
            step.bytes[profiler::MemoryKind::Stash]
                = std::llround(kParts * series.at(static_cast<double>(time)).total);
        };
        if (iteration >= 0 && !series.isEmpty())
            add(report.window.begin);
        for (const std::int64_t time : series.times())
            if (time > report.window.begin && time < report.window.end)
                add(time);
    }
    report.bytes = Scale(kParts, 1, QString::fromUtf8("Mₐ"));
    report.highest = roundedUp(std::llround(kParts * view.memoryScale()), kParts);
    return report;
}

QString memoryKindName(profiler::MemoryKind kind)
{
    return kind == profiler::MemoryKind::Guest
        ? QStringLiteral("guest stash")
        : fromUtf8(memoryCategoryName(static_cast<engine::MemoryCategory>(kind)));
}

using engine::DeviceId;

MemoryColours::MemoryColours(const Theme& theme)
    : line(toQt(theme.palette.forward))
{
    using enum profiler::MemoryKind;
    const QColor surface = theme.chrome.surface;
    for (const engine::MemoryCategory category : profiler::kMemoryStack)
        fills[profiler::kindOf(category)] = toQt(theme.palette.*profiler::memoryFill(category));
    fills[Stash] = mixed(line, surface, theme.isDark() ? 0.45 : 0.58);
    fills[Guest] = mixed(line, surface, 0.78);
}

namespace {

using Anchor = SceneSheet::Anchor;

constexpr double kTexts = 96; // width of the texts beside the plot
constexpr double kScale = 40, kTop = 14, kMoves = 9, kBottom = 22, kRight = 14;

QRectF plotIn(const QRectF& panel)
{
    return panel.adjusted(kTexts + kScale, kTop, -kRight, -kBottom);
}

profiler::Scene sceneOf(std::vector<profiler::Group> groups)
{
    profiler::Scene scene;
    scene.groups = std::move(groups);
    return scene;
}

// Draws the panel of one device.
class MemoryPicture
{
public:
    MemoryPicture(SceneSheet& sheet, const Theme& theme, const MemoryReport& report,
                  DeviceId device, const QRectF& panel)
        : m_sheet(sheet)
        , m_theme(theme)
        , m_report(report)
        , m_device(device)
        , m_panel(panel)
        , m_plot(plotIn(panel))
    { }

    double xOf(std::int64_t time) const
    {
        return m_plot.left() + m_plot.width() * m_report.shareOf(time);
    }
    double yOf(std::int64_t bytes) const
    {
        const auto highest = static_cast<double>(std::max<std::int64_t>(1, m_report.highest));
        return std::round(m_plot.bottom() - m_plot.height() * static_cast<double>(bytes) / highest);
    }
    void draw(bool hasWithoutMoves)
    {
        drawTexts();
        drawAreas();
        if (m_report.hasPairs() && hasWithoutMoves)
            drawWithoutMoves();
        drawMoves();
        if (m_report.isLimitInSight())
            m_sheet.box(QRectF(m_plot.left(), yOf(*m_report.limit) - 1, m_plot.width(), 1.5),
                        m_theme.chrome.text);
        m_sheet.box(QRectF(m_plot.left(), m_plot.bottom(), m_plot.width(), 1),
                    m_theme.chrome.lineStrong);
    }

private:
    void drawTexts()
    {
        const Chrome& chrome = m_theme.chrome;
        const auto& steps = m_report.steps[m_device];
        const double left = m_panel.left() + 12, top = m_panel.top() + 18;
        m_sheet.text(left, top, MemoryAreas::tr("Device %1").arg(m_device.value),
                     {13, chrome.text, true});
        m_sheet.text(left, top + 17, m_report.role(m_device), {11, chrome.text2});
        if (steps.empty())
            return m_sheet.text(left, top + 38, MemoryAreas::tr("not recorded"),
                                {11, chrome.text2});
        const auto& peak = profiler::peakOf(steps);
        const bool isOver = m_report.limit && peak.total() > *m_report.limit;
        m_sheet.text(left, top + 38, m_report.amount(peak.total()),
                     {15, isOver ? chrome.error : chrome.text, true});
        m_sheet.text(left, top + 56, MemoryAreas::tr("peak, %1").arg(m_report.bytes.unit()),
                     {11, chrome.text2});
        const std::int64_t stash = m_report.stash(m_device);
        const bool isKnown
            = stash > 0 || peak.bytes[profiler::kindOf(engine::MemoryCategory::Unknown)] == 0;
        if (m_report.hasBytes() && isKnown)
            m_sheet.text(left, top + 72, MemoryAreas::tr("stash %1").arg(m_report.amount(stash)),
                         {11, chrome.text2});
        for (const std::int64_t bytes :
             {std::int64_t{0}, m_report.isLimitInSight() ? *m_report.limit : m_report.highest})
            m_sheet.text(m_plot.left() - 5, yOf(bytes), m_report.amount(bytes),
                         {10, chrome.text2, false, Anchor::End});
    }

    // Draws the highest step of every pixel column, so that no peak is lost. Equal columns share a
    // box.
    void drawAreas()
    {
        const auto& steps = m_report.steps[m_device];
        const MemoryColours colours(m_theme);
        const int width = static_cast<int>(m_plot.width());
        std::size_t next = 0;
        const profiler::MemoryStep* shown = nullptr;
        double begin = 0, previous = -1;
        for (int x = 0; x <= width && !steps.empty(); ++x) {
            const std::int64_t end = m_report.timeAt((x + 1) / m_plot.width());
            const profiler::MemoryStep* highest = &steps[next > 0 ? next - 1 : 0];
            for (; next < steps.size() && steps[next].time < end; ++next)
                if (steps[next].total() > highest->total())
                    highest = &steps[next];
            if (highest == shown && x < width)
                continue;
            if (shown != nullptr)
                previous = drawStep(*shown, QPointF(begin, x), previous, colours);
            shown = highest;
            begin = x;
        }
    }

    // Returns the top of the step, which covers the pixel columns from `columns.x()` on.
    double drawStep(const profiler::MemoryStep& step, const QPointF& columns, double previous,
                    const MemoryColours& colours)
    {
        const double left = m_plot.left() + columns.x(), wide = columns.y() - columns.x();
        std::int64_t sum = 0;
        double bottom = m_plot.bottom();
        const auto draw = [&](profiler::MemoryKind kind) {
            sum += step.bytes[kind];
            const double top = yOf(sum);
            if (top < bottom && kind == profiler::MemoryKind::Guest)
                m_sheet.group.shapes.emplace_back(profiler::Hatch{{left, top, wide, bottom - top},
                                                                  fromQt(colours.fills[kind]),
                                                                  fromQt(colours.line),
                                                                  4,
                                                                  1,
                                                                  {},
                                                                  profiler::HatchLines::Rising,
                                                                  0,
                                                                  true});
            else if (top < bottom)
                m_sheet.box(QRectF(left, top, wide, bottom - top), colours.fills[kind]);
            bottom = std::min(bottom, top);
        };
        for (const engine::MemoryCategory category : profiler::kMemoryStack)
            draw(profiler::kindOf(category));
        draw(profiler::MemoryKind::Guest);
        m_sheet.box(QRectF(left, bottom, wide, 1), colours.line);
        if (previous >= 0)
            m_sheet.box(QRectF(left, std::min(previous, bottom), 1,
                               std::max(1.0, std::abs(previous - bottom))),
                        colours.line);
        return bottom;
    }

    void drawWithoutMoves()
    {
        std::optional<QPointF> last;
        const auto to = [&](const QPointF& at) {
            if (last) {
                m_sheet.line(*last, {at.x(), last->y()}, 1, fromQt(m_theme.chrome.text2), true);
                m_sheet.line({at.x(), last->y()}, at, 1, fromQt(m_theme.chrome.text2), true);
            }
            last = at;
        };
        for (const profiler::MemoryStep& step : m_report.steps[m_device])
            to({std::round(xOf(step.time)) + 0.5, yOf(step.withoutMoves()) + 0.5});
        if (last)
            to({m_plot.right(), last->y()});
    }

    // Draws evicts filled and loads outlined, for the device and for its partner.
    void drawMoves()
    {
        const auto& partner = m_report.partners[m_device];
        if (!partner)
            return;
        const double top = m_plot.bottom() + 6;
        const DeviceId owner = partner->isEvictor ? m_device : *partner->device;
        const engine::Run& run = *m_report.run;
        const auto* copies = run.timeline.track(owner, engine::Track::Kind::Copy);
        m_sheet.text(m_plot.left() - 5, top + kMoves / 2, MemoryAreas::tr("moves"),
                     {10, m_theme.chrome.text2, false, Anchor::End});
        const engine::OpIndex index(run.schedule);
        const QColor ink = toQt(m_theme.palette.communication);
        for (const engine::Span& span :
             copies != nullptr ? copies->spans : decltype(copies->spans)()) {
            if (!span.window().intersects(m_report.window))
                continue;
            const double left = std::round(xOf(span.begin));
            const QRectF box(left, top, std::max(3.0, std::round(xOf(span.end)) - left), kMoves);
            m_sheet.box(box, ink);
            if (opAt(run.schedule, index, span.op).kind != engine::OpKind::Evict)
                m_sheet.box(box.adjusted(1, 1, -1, -1), m_theme.chrome.surface);
        }
    }

    SceneSheet& m_sheet;
    const Theme& m_theme;
    const MemoryReport& m_report;
    DeviceId m_device;
    QRectF m_panel, m_plot;
};

constexpr int kRuler = 26, kPanel = 132, kMostPanel = 320;

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
    changed();
    if (isEmpty())
        return;
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
    changed();
}

void MemoryAreas::setWithoutMovesShown(bool isShown)
{
    m_isWithoutMovesShown = isShown;
    changed();
}

void MemoryAreas::changed()
{
    m_picture = {};
    fitHeight();
    update();
}

// The panels get more height if the scroll area has it.
void MemoryAreas::fitHeight()
{
    setMinimumHeight(kRuler + rows() * kPanel);
}

bool MemoryAreas::event(QEvent* event)
{
    if (event->type() == QEvent::Resize || event->type() == QEvent::StyleChange
        || event->type() == QEvent::PaletteChange)
        changed();
    return ThemedWidget::event(event);
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
    return std::clamp(width() / m_leastWidth, 1, std::max(1, static_cast<int>(m_shown.size())));
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
    return plotIn(panel(position));
}

int MemoryAreas::panelAt(QPointF at) const
{
    for (std::size_t k = 0; k < m_shown.size(); ++k)
        if (panel(k).contains(at))
            return static_cast<int>(k);
    return -1;
}

// Draws only the panels in sight: those of a thousand devices would be a picture of 200 MB.
void MemoryAreas::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().chrome.surface);
    if (isEmpty())
        return;
    const double ratio = devicePixelRatioF();
    const QRect seen = event->rect().united(visibleRegion().boundingRect());
    if (m_picture.isNull() || seen != m_pictured) {
        m_pictured = seen;
        m_picture = QPixmap((QSizeF(seen.size()) * ratio).toSize());
        m_picture.setDevicePixelRatio(ratio);
        m_picture.fill(Qt::transparent);
        QPainter picture(&m_picture);
        picture.translate(-seen.topLeft());
        paintScene(picture, sceneOf({panels(seen)}));
    }
    painter.drawPixmap(seen.topLeft(), m_picture);
    paintScene(painter, sceneOf({rulers(m_hover.value_or(m_time))}));
    for (std::size_t k = 0; k < m_shown.size(); ++k) {
        if (!panel(k).intersects(seen))
            continue;
        paintCursor(painter, k, m_time);
        if (m_hover)
            paintCursor(painter, k, *m_hover);
        if (m_shown[k] != m_device)
            continue;
        painter.setPen(QPen(hasFocus() ? theme().chrome.text : theme().chrome.text3, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(panel(k).adjusted(1, 1, -2, -2));
    }
}

profiler::Scene MemoryAreas::scene() const
{
    profiler::Scene scene = sceneOf({panels(rect()), rulers({})});
    scene.width = width();
    scene.height = height();
    return scene;
}

profiler::Group MemoryAreas::panels(const QRectF& within) const
{
    SceneSheet sheet;
    sheet.group.id = "devices";
    for (std::size_t k = 0; k < m_shown.size(); ++k) {
        const QRectF box = panel(k);
        if (!box.intersects(within))
            continue;
        sheet.box(QRectF(box.left(), box.bottom() - 1, box.width(), 1), theme().chrome.line);
        sheet.box(QRectF(box.right() - 1, box.top(), 1, box.height()), theme().chrome.line);
        MemoryPicture(sheet, theme(), *m_report, m_shown[k], box).draw(m_isWithoutMovesShown);
    }
    return std::move(sheet.group);
}

// The title and the time above each column, with the time of the cursor in a box.
profiler::Group MemoryAreas::rulers(std::optional<std::int64_t> cursor) const
{
    const Chrome& chrome = theme().chrome;
    SceneSheet sheet;
    sheet.group.id = "time";
    sheet.box(QRectF(0, 0, width(), kRuler - 1), chrome.surfaceAlt);
    sheet.box(QRectF(0, kRuler - 1, width(), 1), chrome.line);
    for (int column = 0; column < columns(); ++column) {
        const auto position = static_cast<std::size_t>(column);
        const QRectF area = plot(position);
        const QString title = m_order == MemoryReport::Order::Pairs
            ? (column == 0 ? tr("Evictors") : tr("Acceptors"))
            : column == 0 ? tr("Time in %1").arg(m_report->time.unit())
                          : QString();
        sheet.text(panel(position).left() + 12, kRuler / 2.0, title, {12, chrome.text, true});
        QRectF plate;
        const QString text = cursor ? m_report->at(*cursor) : QString();
        if (cursor) {
            const double wide
                = QFontMetricsF(uiFont(11, QFont::Medium)).horizontalAdvance(text) + 12;
            const double x = area.left() + area.width() * m_report->shareOf(*cursor);
            plate = QRectF(std::round(x - wide / 2), 4, std::round(wide), 18);
        }
        const double length
            = static_cast<double>(m_report->window.duration()) / m_report->time.perUnit();
        const auto marks = profiler::ticks(0, length, 60 * length / area.width());
        for (const double mark : marks.major) {
            const double x = std::round(area.left() + area.width() * mark / length);
            sheet.box(QRectF(x, kRuler - 7, 1, 6), chrome.text3);
            const QString label = number(mark, marks.decimals);
            const QRectF place(x + 3, 0, QFontMetricsF(uiFont(11)).horizontalAdvance(label),
                               kRuler - 4);
            if (x + 30 < area.right() + 14 && !place.intersects(plate))
                sheet.text(place.left(), place.center().y(), label, {11, chrome.text2});
        }
        if (!cursor)
            continue;
        sheet.box(plate, chrome.text);
        sheet.text(plate.center().x(), plate.center().y(), text,
                   {11, chrome.surface, true, Anchor::Middle});
    }
    return std::move(sheet.group);
}

// The cursor at the mouse has the amount, otherwise the one that the user placed.
void MemoryAreas::paintCursor(QPainter& painter, std::size_t position, std::int64_t time) const
{
    const Chrome& chrome = theme().chrome;
    const QRectF area = plot(position);
    const auto& steps = m_report->steps[m_shown[position]];
    SceneSheet unused;
    const MemoryPicture picture(unused, theme(), *m_report, m_shown[position], panel(position));
    const double x = std::round(picture.xOf(time));
    const bool isHover = m_hover == time;
    painter.fillRect(QRectF(x, area.top() - kTop, 1, area.height() + kTop),
                     isHover ? chrome.text3 : chrome.text);
    if (steps.empty() || isHover != m_hover.has_value())
        return;
    const std::int64_t total = profiler::stepAt(steps, time).total();
    painter.fillRect(QRectF(x - 2, picture.yOf(total) - 2, 5, 5), chrome.text);
    painter.setFont(uiFont(11, QFont::Medium));
    painter.setPen(chrome.text);
    const bool isRight = x > area.center().x();
    painter.drawText(QRectF(isRight ? x - 84 : x + 5, area.top() - 14, 80, 14),
                     (isRight ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
                     m_report->amount(total));
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
