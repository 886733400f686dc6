#include "app/memory/memory_page.h"

#include "app/figures/scene_view.h"
#include "app/figures/write_figure.h"
#include "app/plan/schedule_preview.h"
#include "app/shell/run_saver.h"
#include "app/timeline/paint/legend.h"
#include "app/timeline/widget/timeline_widget.h"
#include "app/ui/data_table.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/ticks.h"

#include <QAccessible>
#include <QAction>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QPixmap>
#include <QPushButton>
#include <QRectF>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>
#include <utility>

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

std::int64_t MemoryReport::stash(DeviceId device) const
{
    using enum profiler::MemoryKind;
    std::int64_t largest = 0;
    for (const profiler::MemoryStep& step : steps[device])
        largest = std::max(largest, step.bytes[Stash] + step.bytes[Guest]);
    return largest;
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

class Areas : public MemoryAreas
{
public:
    explicit Areas(const ThemeController& theme)
        : MemoryAreas(theme)
    {
        setObjectName(QStringLiteral("memoryAreas"));
        setAccessibleName(tr("Memory of the devices over time"));
        setFocusPolicy(Qt::StrongFocus);
        setMouseTracking(true);
    }
    void show(Report report) override
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
    void setOrder(MemoryReport::Order order) override
    {
        m_order = order;
        if (m_report)
            m_shown = m_report->order(order);
        changed();
    }
    void setWithoutMovesShown(bool isShown) override
    {
        m_isWithoutMovesShown = isShown;
        changed();
    }
    engine::DeviceId device() const override { return m_device; }
    std::int64_t time() const override { return m_time; }
    void choose(DeviceId device, std::int64_t time) override
    {
        m_device = device;
        m_time = time;
        speak();
        update();
        Q_EMIT chosen(device, time);
    }
    void goToPeak(int step) override
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
    void setLeastWidth(int pixels) override { m_leastWidth = pixels; }
    profiler::Scene scene() const override
    {
        profiler::Scene scene = sceneOf({panels(rect()), rulers({})});
        scene.width = width();
        scene.height = height();
        return scene;
    }

protected:
    // Draws only the panels in sight: those of a thousand devices would be a picture of 200 MB.
    void paintEvent(QPaintEvent* event) override
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
    // forgets the picture if the theme or the size changes
    bool event(QEvent* event) override
    {
        if (event->type() == QEvent::Resize || event->type() == QEvent::StyleChange
            || event->type() == QEvent::PaletteChange)
            changed();
        return ThemedWidget::event(event);
    }
    void mousePressEvent(QMouseEvent* event) override
    {
        const int at = isEmpty() ? -1 : panelAt(event->position());
        if (event->button() != Qt::LeftButton || at < 0)
            return;
        const auto position = static_cast<std::size_t>(at);
        m_hover.reset();
        choose(m_shown[position],
               m_report->timeAt(fraction(plot(position), event->position().x())));
    }
    void mouseMoveEvent(QMouseEvent* event) override
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
    void leaveEvent(QEvent*) override
    {
        m_hover.reset();
        update();
    }
    void keyPressEvent(QKeyEvent* event) override
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

private:
    bool isEmpty() const { return !m_report || m_report->isEmpty(); }
    int columns() const
    {
        if (m_report && m_order == MemoryReport::Order::Pairs)
            return 2;
        return std::clamp(width() / m_leastWidth, 1, std::max(1, static_cast<int>(m_shown.size())));
    }
    int rows() const
    {
        const int devices = static_cast<int>(m_shown.size());
        return std::max(1, (devices + columns() - 1) / columns());
    }
    // The panels get more height if the scroll area has it.
    void fitHeight() { setMinimumHeight(kRuler + rows() * kPanel); }
    QRectF panel(std::size_t position) const
    {
        const int across = columns(), at = static_cast<int>(position);
        const double each = static_cast<double>(width()) / across;
        const int height = std::clamp((this->height() - kRuler) / rows(), kPanel, kMostPanel);
        return {std::round(each * (at % across)),
                static_cast<double>(kRuler + at / across * height),
                std::round(each * (at % across + 1)) - std::round(each * (at % across)),
                static_cast<double>(height)};
    }
    QRectF plot(std::size_t position) const { return plotIn(panel(position)); }
    // -1: none
    int panelAt(QPointF at) const
    {
        for (std::size_t k = 0; k < m_shown.size(); ++k)
            if (panel(k).contains(at))
                return static_cast<int>(k);
        return -1;
    }
    // Moves the cursor to the previous or next change of the device's memory.
    void moveCursor(int step)
    {
        const auto& steps = m_report->steps[m_device];
        const auto next = std::ranges::upper_bound(steps, m_time, {}, &profiler::MemoryStep::time);
        if (step > 0 && next != steps.end())
            choose(m_device, next->time);
        const auto here = std::ranges::lower_bound(steps, m_time, {}, &profiler::MemoryStep::time);
        if (step < 0 && here != steps.begin())
            choose(m_device, (here - 1)->time);
    }
    void moveDevice(int step)
    {
        const auto here = std::ranges::find(m_shown, m_device);
        const auto to = here - m_shown.begin() + step;
        if (to >= 0 && to < static_cast<std::ptrdiff_t>(m_shown.size()))
            choose(m_shown[static_cast<std::size_t>(to)], m_time);
    }
    void speak()
    {
        const auto& steps = m_report->steps[m_device];
        setAccessibleDescription(
            steps.empty() ? tr("Device %1: not recorded").arg(m_device.value)
                          : tr("Device %1 at %2 %3: %4 %5")
                                .arg(QString::number(m_device.value), m_report->at(m_time),
                                     m_report->time.unit(),
                                     m_report->amount(profiler::stepAt(steps, m_time).total()),
                                     m_report->bytes.unit()));
        QAccessibleEvent event(this, QAccessible::DescriptionChanged);
        QAccessible::updateAccessibility(&event);
    }
    void changed()
    {
        m_picture = {};
        fitHeight();
        update();
    }
    profiler::Group panels(const QRectF& within) const
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
    profiler::Group rulers(std::optional<std::int64_t> cursor) const
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
    void paintCursor(QPainter& painter, std::size_t position, std::int64_t time) const
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

    Report m_report;
    MemoryReport::Order m_order = MemoryReport::Order::Devices;
    std::vector<engine::DeviceId> m_shown; // in the current order
    bool m_isWithoutMovesShown = true;
    int m_leastWidth = 420;
    engine::DeviceId m_device{0};
    std::int64_t m_time = 0;
    std::optional<std::int64_t> m_hover;
    QPixmap m_picture; // of the panels in m_pictured; null: not drawn yet
    QRect m_pictured;
};

} // namespace

MemoryAreas* MemoryAreas::make(const ThemeController& theme)
{
    return new Areas(theme);
}

namespace {

std::vector<AliveRow> aliveRows(const MemoryReport& report, DeviceId device, std::int64_t time)
{
    using Kind = AliveRow::Kind;
    std::vector<AliveRow> rows;
    std::int64_t sum = 0;
    for (const auto& one : profiler::aliveAt(*report.run, device, time)) {
        rows.push_back({Kind::Tensor,
                        one.owner ? MemoryAreas::tr("stash of device %1").arg(one.owner->value)
                                  : memoryKindName(one.kind),
                        one.op,
                        one.op ? std::optional(one.since) : std::nullopt,
                        one.bytes,
                        {}});
        sum += one.bytes;
    }
    rows.push_back({Kind::Sum, MemoryAreas::tr("Alive"), {}, {}, sum, {}});
    for (const auto& one : profiler::evictedAt(*report.run, device, time))
        rows.push_back({Kind::Evicted,
                        one.partner
                            ? MemoryAreas::tr("evicted to device %1").arg(one.partner->value)
                            : MemoryAreas::tr("evicted to the host"),
                        one.op, one.left, one.bytes, one.back});
    if (const auto& partner = report.partners[device];
        partner && partner->device && !report.steps[*partner->device].empty())
        rows.push_back({Kind::Partner,
                        MemoryAreas::tr("device %1 at this time").arg(partner->device->value),
                        {},
                        {},
                        profiler::stepAt(report.steps[*partner->device], time).total(),
                        {}});
    return rows;
}

} // namespace

void showAlive(TableModel<AliveRow>& model, const MemoryReport& report, DeviceId device,
               std::int64_t time)
{
    const auto tr = [](const char* text) { return MemoryAreas::tr(text); };
    using Row = AliveRow;
    using Shown = TableColumn<Row>;
    std::vector<Row> rows = aliveRows(report, device, time);
    const Scale bytes = report.bytes, clock = report.time;
    // A column with what `of` returns of the op of a row; "" without an op.
    const auto ofOp = [run = report.run,
                       index = std::make_shared<const engine::OpIndex>(report.run->schedule)](
                          const QString& title, auto of, Qt::AlignmentFlag align = Qt::AlignRight) {
        return Shown(
            title,
            [=](const Row& row) {
                return row.op ? QString(of(*run, engine::opAt(run->schedule, *index, *row.op)))
                              : QString();
            },
            align);
    };
    const auto number
        = [](auto id) { return id.isValid() ? QString::number(id.value) : QString(); };
    const auto at = [clock, origin = report.window.begin](std::optional<std::int64_t> Row::*when) {
        return [=](const Row& row) {
            return row.*when ? clock.text(*(row.*when) - origin) : QString();
        };
    };
    std::int64_t largest = 1;
    bool hasEvicted = false;
    for (const Row& row : rows) {
        largest = row.kind == Row::Kind::Tensor ? std::max(largest, row.bytes) : largest;
        hasEvicted = hasEvicted || row.kind == Row::Kind::Evicted;
    }
    std::vector<Shown> columns{
        {tr("Category"), &Row::category, Qt::AlignLeft},
        ofOp(
            tr("Op"),
            [](const engine::Run& run, const engine::Op& op) { return opName(run.info, op); },
            Qt::AlignLeft)
            .flag(kCodeRole),
        ofOp(tr("Micro-batch"),
             [number](const auto&, const auto& op) { return number(op.microBatch); }),
        ofOp(tr("Stage"), [number](const auto&, const auto& op) { return number(op.stage); }),
        {{tr("Since, %1"), clock}, at(&Row::since)},
        Shown({QStringLiteral("%1"), bytes}, [bytes](const Row& row) {
            return bytes.text(row.bytes);
        }).with(kShareRole, [largest](const Row& row) {
            return row.kind == Row::Kind::Tensor
                ? QVariant(static_cast<double>(row.bytes) / static_cast<double>(largest))
                : QVariant();
        })};
    if (hasEvicted)
        columns.push_back({{tr("Back, %1"), clock}, at(&Row::back)});
    for (auto& column : columns)
        column.with(kStrongRole, [](const Row& row) { return row.kind == Row::Kind::Sum; })
            .with(kHintRole, [](const Row& row) {
                return row.kind == Row::Kind::Evicted || row.kind == Row::Kind::Partner;
            });
    model.reset(std::move(columns), std::move(rows));
}

namespace {

using Bytes = std::optional<std::int64_t>; // nullopt: unknown
using OfDevice = std::function<Bytes(DeviceId)>;

// The columns of stashes that move between devices.
void addMoves(const std::shared_ptr<const MemoryReport>& shown,
              const std::function<void(const QString& title, const OfDevice& of)>& add,
              std::vector<TableColumn<DeviceId>>& columns)
{
    add(MemoryAreas::tr("Without moves"), [=](DeviceId device) {
        Bytes highest;
        for (const auto& step : shown->steps[device])
            highest = std::max(highest.value_or(0), step.withoutMoves());
        return highest;
    });
    columns.emplace_back(MemoryAreas::tr("Moves"), [=](DeviceId device) {
        const auto& partner = shown->partners[device];
        return partner ? QString::number(partner->moves) : kNoValue;
    });
    add(MemoryAreas::tr("Moved"), [=](DeviceId device) {
        const auto& partner = shown->partners[device];
        return partner && partner->bytes > 0 ? Bytes(partner->bytes) : Bytes();
    });
}

} // namespace

void showMemory(TableModel<DeviceId>& model, const std::shared_ptr<const MemoryReport>& shown)
{
    const auto tr = [](const char* text) { return MemoryAreas::tr(text); };
    std::vector<TableColumn<DeviceId>> columns{
        {tr("Device"), [=](DeviceId device) { return tr("Device %1").arg(device.value); },
         Qt::AlignLeft}};
    const auto add = [&](const QString& title, const OfDevice& of) {
        columns.emplace_back(title, [=](DeviceId device) {
            const Bytes bytes = of(device);
            return bytes ? shown->amount(*bytes) : kNoValue;
        });
    };
    const OfDevice peak = [=](DeviceId device) {
        const auto& steps = shown->steps[device];
        return steps.empty() ? Bytes() : profiler::peakOf(steps).total();
    };
    const auto ofArena = [=](auto member) -> OfDevice {
        return [=](DeviceId device) {
            const auto* use = arenaOf(shown->run->info, device);
            return use != nullptr ? Bytes(use->*member) : Bytes();
        };
    };
    if (shown->hasPairs())
        columns.emplace_back(
            tr("Role"), [=](DeviceId device) { return shown->role(device); }, Qt::AlignLeft);
    const OfDevice live = ofArena(&engine::ArenaUse::live);
    add(tr("Predicted"), shown->isPredicted() ? peak : live);
    if (!shown->isPredicted()) {
        add(tr("Measured peak"), peak);
        columns.emplace_back(tr("Difference, bytes"), [=](DeviceId device) {
            return live(device) && peak(device)
                ? signedNumber(static_cast<double>(*peak(device) - *live(device)), 0)
                : kNoValue;
        });
        add(tr("Touched"), ofArena(&engine::ArenaUse::touched));
        add(tr("Arena"), ofArena(&engine::ArenaUse::arena));
    }
    if (shown->limit) {
        const auto share = [=](DeviceId device) {
            return static_cast<double>(peak(device).value_or(0))
                / static_cast<double>(*shown->limit);
        };
        columns
            .emplace_back(tr("Of limit, %"),
                          [=](DeviceId device) { return number(100 * share(device), 1); })
            .with(kShareRole, share)
            .onlyIf([=](DeviceId device) { return peak(device).has_value(); });
    }
    if (shown->hasPairs())
        addMoves(shown, add, columns);
    std::vector<DeviceId> rows;
    for (const DeviceId device : shown->steps.ids())
        rows.push_back(device);
    model.reset(std::move(columns), std::move(rows));
}

namespace {

constexpr int kAliveWidth = 480, kLeastAlive = 300, kTableHeight = 260, kTableTitle = 32;

class MemoryLegend : public ThemedWidget
{
public:
    explicit MemoryLegend(const ThemeController& theme)
        : ThemedWidget(theme)
    {
        setFixedHeight(28);
    }

    // `hasMoves`: whether stashes move between devices.
    void show(const RecordedCategories& recorded, bool hasMoves)
    {
        m_recorded = recorded;
        m_hasMoves = hasMoves;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        using profiler::LegendEntry;
        const Theme& theme = this->theme();
        QPainter painter(this);
        painter.fillRect(rect(), theme.chrome.surfaceAlt);
        painter.fillRect(QRect(0, 0, width(), 1), theme.chrome.line);
        const MemoryColours colours(theme);
        const auto text = [this](const char* words) { return tr(words).toStdString(); };
        Legend legend;
        for (const auto category : profiler::kMemoryStack | std::views::reverse)
            if (m_recorded[category])
                legend.left.push_back({LegendEntry::Look::Fills,
                                       {fromQt(colours.fills[profiler::kindOf(category)])},
                                       std::string(memoryCategoryName(category)),
                                       {}});
        if (m_hasMoves)
            legend.left.push_back({LegendEntry::Look::Guest, {}, text("guest stash"), {}});
        if (m_hasMoves)
            legend.left.push_back({LegendEntry::Look::Fills,
                                   {theme.palette.communication},
                                   text("evict, load (outlined)"),
                                   {}});
        if (m_hasMoves)
            legend.note = QString::fromStdString(text("dashed: without evict and load"));
        paintLegend(painter, legend, BoxColours(theme, devicePixelRatioF()), QRectF(rect()));
    }

private:
    RecordedCategories m_recorded = {};
    bool m_hasMoves = false;
};

// Shows the memory of one run: every device over time with a common cursor, the contents at the
// cursor, and the planned and recorded peaks.
class MemoryPage : public Page
{
public:
    MemoryPage(const ThemeController& theme, std::shared_ptr<RunDocument> document)
        : m_theme(theme)
        , m_document(std::move(document))
    {
        setObjectName(QStringLiteral("memoryPage"));
        m_copy = makeAction("copyAlive", tr("Copy as CSV"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
                            [this] { copyText(csvOf(m_alive->rows())); });
        m_previousPeak = makeAction("previousPeak", tr("Previous peak"), Qt::Key_BracketLeft,
                                    [this] { m_areas->goToPeak(-1); });
        m_nextPeak = makeAction("nextPeak", tr("Next peak"), Qt::Key_BracketRight,
                                [this] { m_areas->goToPeak(1); });
        m_open = makeAction("openTimeline", tr("Show in timeline"), Qt::Key_Return, [this] {
            Q_EMIT pageRequested({"run", {m_document->file()}});
        });
        m_export = makeAction("exportMemory", tr("Export chart…"), Qt::CTRL | Qt::Key_E, [this] {
            m_saver.saveFigure(
                [scene = m_areas->scene()]() -> engine::Result<profiler::Scene> { return scene; },
                tr("memory"));
        });
        followTheme(m_copy, Icon::Copy, theme);
        followTheme(m_previousPeak, Icon::ChevronLeft, theme);
        followTheme(m_nextPeak, Icon::ChevronRight, theme);
        m_columns = makeSplitter(Qt::Horizontal, {{makeCentre(), 0, 1}, {makeAlive(), 0}});
        spaced(new QVBoxLayout(this), {}, 0)->addWidget(m_columns);
        inMenu(Menu::View, {m_previousPeak, m_nextPeak, m_open});
        inMenu(Menu::Export, {m_copy, m_export});
        setInitialFocus(m_areas);
        connectAll();
        showRun();
    }

    QString title() const override { return tr("Memory: %1").arg(m_document->title()); }

    QStringList statusTexts() const override
    {
        if (!m_report)
            return {};
        QStringList texts{
            tr("<b>%1</b> %2")
                .arg(capitalized(fromUtf8(engine::modeAdjective(m_report->run->info.mode))),
                     countOf(m_report->run->schedule.shape.devices, "device"))};
        int moves = 0;
        for (const auto& partner : m_report->partners)
            moves += partner && partner->isEvictor ? partner->moves : 0;
        if (moves > 0)
            texts << tr("%1 per iteration").arg(countOf(moves, "eviction"));
        texts << (m_report->limit ? fromUtf8(m_report->memory.text()) : tr("no known limit"));
        return texts;
    }

    QString statusNote() const override { return m_aliveNote->text(); }

    const RunDocument* document() const override { return m_document.get(); }

protected:
    // In a small window, the plots keep two thirds of the width.
    void resizeEvent(QResizeEvent* event) override
    {
        Page::resizeEvent(event);
        fitTable();
        const int alive = std::clamp(width() / 3, kLeastAlive, kAliveWidth);
        m_columns->setSizes({width() - alive, alive});
    }

private:
    QWidget* makeToolbar()
    {
        m_order->setName(tr("Order"));
        m_order->setCompact();
        m_withoutMoves->setChecked(true);
        m_withoutMoves->setToolTip(
            tr("Also draws the memory that the run would need without evicts "
               "and loads, as a dashed line"));
        return makeBar(
            40, 8,
            {m_stepper, makeLine(Qt::Vertical), m_orderLabel, m_order, m_withoutMoves, kStretch});
    }

    QWidget* makeCentre()
    {
        m_content->addWidget(makeScroll(m_areas));
        m_content->addWidget(makeColumn({24, 24, 24, 24}, 0, {kStretch, m_empty, kStretch}, ""));
        auto* top = makeColumn(
            {}, 0, {makeToolbar(), makeLine(Qt::Horizontal), {m_content, 1}, m_legend}, "");
        auto* bottom
            = makeLined({makeBar(kTableTitle, 8, {m_memoryTitle, kStretch}), {m_memory, 1}});
        return m_rows = makeSplitter(Qt::Vertical, {{top, 0, 1}, {bottom, 0}});
    }

    QWidget* makeAlive()
    {
        auto* head = makeRow({12, 8, 12, 2}, 8,
                             {m_aliveTitle, makeToolButton(m_previousPeak),
                              makeToolButton(m_nextPeak), kStretch, m_aliveValue});
        auto* note = makeRow({12, 0, 12, 8}, 0, {{m_aliveNote, 1}});
        auto* column = makeColumn({}, 0,
                                  {makeBar(40, 8,
                                           {makeLabel(tr("Alive at the cursor"), "dock"), kStretch,
                                            makeButton(m_open, "openTimelineButton", "link"),
                                            makeButton(m_copy, "copyAliveButton", "link")}),
                                   makeLine(Qt::Horizontal),
                                   head,
                                   note,
                                   {m_alive, 1}});
        column->setMinimumWidth(kLeastAlive);
        return column;
    }

    void connectAll()
    {
        connect(m_document.get(), &RunDocument::runChanged, this, &MemoryPage::showRun);
        connect(m_document.get(), &RunDocument::stateChanged, this, &Page::titleChanged);
        connect(&m_theme, &ThemeController::unitsChanged, this, &MemoryPage::showRun);
        connect(m_stepper, &IterationStepper::chosen, this, &MemoryPage::showIteration);
        connect(m_order, &SegmentControl::currentChanged, this, [this](int choice) {
            m_areas->setOrder(static_cast<MemoryReport::Order>(choice));
        });
        connect(m_withoutMoves, &QCheckBox::toggled, m_areas, &MemoryAreas::setWithoutMovesShown);
        connect(m_areas, &MemoryAreas::chosen, this, &MemoryPage::showAlive);
        connect(m_empty, &EmptyState::activated, this, [this] {
            Q_EMIT pageRequested({.kind = "setup",
                                  .plan = planFromExperiment(
                                      QString::fromStdString(m_document->run()->info.experiment))});
        });
        connect(m_memory, &QAbstractItemView::clicked, this, [this](const QModelIndex& index) {
            m_areas->choose(m_memory->at(index.row()), m_areas->time());
        });
    }

    void showRun()
    {
        const RunPointer run = m_document->run();
        if (!run || run->timeline.iterations.empty())
            return showParts(false);
        const int last = static_cast<int>(run->timeline.iterations.size()) - 1;
        showIteration(m_iteration >= 0 && m_iteration <= last
                          ? m_iteration
                          : engine::reportedIteration(run->timeline));
        Q_EMIT titleChanged();
    }

    void showIteration(int iteration)
    {
        const RunPointer run = m_document->run();
        m_iteration = iteration;
        m_stepper->show(run->timeline, iteration);
        m_report = std::make_shared<const MemoryReport>(memoryReport(run, iteration));
        const bool hasMemory = !m_report->isEmpty(), hasPairs = hasMemory && m_report->hasGuests();
        const bool isNew = m_order->isHidden() != !hasPairs || !m_memory->rows().rowCount();
        m_orderLabel->setVisible(hasPairs);
        m_order->setVisible(hasPairs);
        m_withoutMoves->setVisible(hasMemory && m_report->hasPairs());
        if (isNew && hasPairs)
            m_order->setCurrent(static_cast<int>(MemoryReport::Order::Pairs));
        m_areas->setOrder(hasPairs ? static_cast<MemoryReport::Order>(m_order->current())
                                   : MemoryReport::Order::Devices);
        const int devices = m_memory->rows().rowCount();
        showMemory(m_memory->rows(), m_report);
        if (m_memory->rows().rowCount() != devices)
            fitTable();
        m_memoryTitle->setText(
            (m_report->isPredicted() ? tr("Predicted, %1") : tr("Predicted and measured, %1"))
                .arg(m_report->bytes.unit()));
        showParts(hasMemory);
        m_legend->show(recordedCategories(*run), hasPairs);
        m_areas->show(m_report);
        if (!hasMemory)
            m_alive->show({}, {});
        Q_EMIT statusChanged();
    }

    // Without memory, shows only the stepper and an empty state.
    void showParts(bool hasMemory)
    {
        const RunPointer run = m_document->run();
        m_empty->button()->setVisible(run && !run->info.experiment.empty());
        if (run && run->info.mode == engine::Mode::Simulate && run->info.inUnits())
            m_empty->setTexts(tr("This run was simulated in abstract cost units"),
                              tr("Simulate a model on hardware to get bytes."));
        else
            m_empty->setTexts(tr("No memory was recorded"),
                              tr("Emulated and live runs record memory, and simulations of a model "
                                 "predict it."));
        m_content->setCurrentIndex(hasMemory ? 0 : 1);
        m_legend->setVisible(hasMemory);
        m_rows->widget(1)->setVisible(hasMemory);
        m_columns->widget(1)->setVisible(hasMemory);
        for (QAction* action : {m_copy, m_export, m_previousPeak, m_nextPeak})
            action->setEnabled(hasMemory);
    }

    void showAlive(engine::DeviceId device, std::int64_t time)
    {
        const auto& steps = m_report->steps[device];
        m_aliveTitle->setText(tr("Device %1").arg(device.value));
        m_memory->selectRow(device.value);
        if (steps.empty()) {
            m_alive->show({}, {});
            m_aliveValue->clear();
            m_aliveNote->setText(tr("not recorded"));
            return Q_EMIT statusChanged();
        }
        app::showAlive(m_alive->rows(), *m_report, device, time);
        const std::int64_t total = profiler::stepAt(steps, time).total();
        const auto& peak = profiler::peakOf(steps);
        m_aliveValue->setText(m_report->bytes.withUnit(total));
        const QString when = tr("at %1 %2").arg(m_report->at(time), m_report->time.unit());
        m_aliveNote->setText(total == peak.total()
                                 ? tr("%1, the peak").arg(when)
                                 : tr("%1, %2 below the peak")
                                       .arg(when, m_report->bytes.withUnit(peak.total() - total)));
        Q_EMIT statusChanged();
    }

    // Gives the table of devices the height that it needs and leaves the rest to the plots.
    void fitTable()
    {
        const int needed = std::min(kTableHeight, kTableTitle + 1 + m_memory->fittingHeight());
        m_rows->setSizes({height() - needed, needed});
    }

    const ThemeController& m_theme;
    std::shared_ptr<RunDocument> m_document;
    std::shared_ptr<const MemoryReport> m_report;
    int m_iteration = -1;
    IterationStepper* m_stepper = new IterationStepper(m_theme);
    QLabel* m_orderLabel = makeLabel(tr("Order"), "small");
    SegmentControl* m_order
        = named(new SegmentControl(m_theme, {tr("devices"), tr("pairs")}), "memoryOrder");
    QCheckBox* m_withoutMoves = named(new QCheckBox(tr("without moves")), "withoutMoves");
    MemoryAreas* m_areas = MemoryAreas::make(m_theme);
    MemoryLegend* m_legend = new MemoryLegend(m_theme);
    QSplitter *m_columns, *m_rows;                  // m_rows: the plots above the table
    QStackedWidget* m_content = new QStackedWidget; // m_areas or m_empty
    EmptyState* m_empty
        = named(new EmptyState(m_theme, {Icon::Chart, {}, {}, tr("New run with these settings")}),
                "memoryEmpty");
    RunSaver m_saver{this};
    RowTable<DeviceId>* m_memory
        = new RowTable<DeviceId>(m_theme, 26, "memoryTable", tr("Memory by device"));
    RowTable<AliveRow>* m_alive
        = new RowTable<AliveRow>(m_theme, 24, "aliveTable", tr("Alive at the cursor"), 0);
    QLabel *m_memoryTitle = named(makeLabel({}, "dock"), "memoryTitle"),
           *m_aliveTitle = named(makeLabel({}, "heading"), "aliveTitle"),
           *m_aliveValue = named(makeLabel({}, "heading"), "aliveValue"),
           *m_aliveNote = makeWrapped("hint", "aliveNote");
    QAction *m_copy, *m_export, *m_open, *m_previousPeak, *m_nextPeak;
};

} // namespace

Page* makeMemory(const ThemeController& theme, RunLibrary& /*library*/,
                 const std::shared_ptr<RunDocument>& document)
{
    return new MemoryPage(theme, document);
}

} // namespace app
