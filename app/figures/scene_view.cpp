#include "app/figures/scene_view.h"

#include "app/documents/run_document.h"
#include "app/figures/write_figure.h"
#include "app/ui/controls.h"
#include "profiler/analysis/alive.h"
#include "profiler/analysis/device_memory.h"
#include "profiler/analysis/ticks.h"
#include "profiler/figure/legend_entries.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace app {
namespace {

using profiler::SceneMark;

QPointF centre(const SceneMark& mark)
{
    return toQt(mark.rect).center();
}

// Returns the distance of a mark in the direction of an arrow key; infinite if it is not in that
// direction. Left and right prefer marks of the same row; up and down prefer the same column.
double distance(int key, const SceneMark& from, const SceneMark& to)
{
    constexpr double kAside = 8, kNone = std::numeric_limits<double>::infinity();
    const QPointF way = centre(to) - centre(from);
    const bool isSideways = key == Qt::Key_Left || key == Qt::Key_Right;
    const double sign = key == Qt::Key_Right || key == Qt::Key_Down ? 1 : -1;
    const double ahead = sign * (isSideways ? way.x() : way.y());
    const double aside = std::abs(isSideways ? way.y() : way.x());
    if (ahead < 0.5)
        return kNone;
    return ahead + (isSideways && from.row == to.row ? 0 : kAside * aside);
}

} // namespace

profiler::ChartStyle chartStyle(const Theme& theme, QSize size)
{
    const auto of = [](const QColor& colour) {
        return profiler::Colour{static_cast<std::uint8_t>(colour.red()),
                                static_cast<std::uint8_t>(colour.green()),
                                static_cast<std::uint8_t>(colour.blue())};
    };
    profiler::ChartStyle style;
    style.width = size.width();
    style.height = size.height();
    style.fillsHeight = true;
    style.ground = of(theme.chrome.surface);
    style.ink = of(theme.chrome.text);
    style.text = of(theme.chrome.text2);
    style.grid = of(theme.chrome.line);
    style.shade = of(theme.chrome.surfaceAlt);
    style.alert = of(theme.chrome.error);
    if (theme.isDark()) {
        style.low = of(theme.chrome.hover);
        style.high = of(theme.chrome.text2);
    }
    return style;
}

SceneView::SceneView(const ThemeController& theme, Describe describe, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_theme(theme)
    , m_describe(std::move(describe))
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    connect(&theme, &ThemeController::changed, this, &SceneView::redraw);
}

void SceneView::draw(DrawChart chart)
{
    m_draw = std::move(chart);
    if (!m_draw)
        show(nullptr);
    redraw();
}

void SceneView::redraw()
{
    if (m_draw && !viewport()->size().isEmpty())
        show(std::make_shared<const profiler::MarkedScene>(
            m_draw({chartStyle(m_theme.theme(), viewport()->size()), m_theme.theme().palette})));
}

void SceneView::show(std::shared_ptr<const profiler::MarkedScene> scene)
{
    m_hovered = nullptr;
    m_band = {};
    m_scene = std::move(scene);
    m_picture = {};
    fitScrollBar();
    describeSelection();
    viewport()->update();
}

void SceneView::select(std::optional<std::size_t> point)
{
    m_point = point;
    describeSelection();
    viewport()->update();
    Q_EMIT highlightChanged();
}

std::optional<std::size_t> SceneView::highlighted() const
{
    return m_hovered != nullptr ? m_hovered->point : m_point;
}

void SceneView::describeSelection()
{
    const SceneMark* const mark = selected();
    setAccessibleDescription(mark == nullptr ? tr("Nothing is selected") : m_describe(mark->point));
}

const SceneMark* SceneView::selected() const
{
    if (m_scene == nullptr)
        return nullptr;
    const auto found = std::ranges::find(m_scene->marks, m_point, &SceneMark::point);
    return found == m_scene->marks.end() ? nullptr : &*found;
}

QRect SceneView::rectOf(std::size_t point) const
{
    if (m_scene != nullptr)
        for (const SceneMark& mark : m_scene->marks)
            if (mark.point == point)
                return toQt(mark.rect).translated(0, -verticalScrollBar()->value()).toAlignedRect();
    return {};
}

const SceneMark* SceneView::markAt(const QPoint& position) const
{
    const QPointF at = position + QPoint(0, verticalScrollBar()->value());
    const SceneMark* nearest = nullptr;
    const auto away
        = [&at](const SceneMark& mark) { return (centre(mark) - at).manhattanLength(); };
    if (m_scene != nullptr)
        for (const SceneMark& mark : m_scene->marks)
            if (toQt(mark.rect).contains(at) && (nearest == nullptr || away(mark) < away(*nearest)))
                nearest = &mark;
    return nearest;
}

void SceneView::choose(const SceneMark* mark)
{
    if (mark == nullptr)
        return;
    const std::size_t point = mark->point; // copied, because the signal may replace the scene
    const QRect rect = toQt(mark->rect).toAlignedRect();
    m_hovered = nullptr;
    select(point);
    QScrollBar* bar = verticalScrollBar();
    if (rect.top() < bar->value() || rect.bottom() > bar->value() + viewport()->height())
        bar->setValue(rect.center().y() - viewport()->height() / 2);
    Q_EMIT pointChosen(point);
}

void SceneView::hover(const SceneMark* mark)
{
    if (mark == m_hovered)
        return;
    m_hovered = mark;
    viewport()->setCursor(mark != nullptr ? Qt::PointingHandCursor : Qt::ArrowCursor);
    viewport()->update();
    Q_EMIT highlightChanged();
}

void SceneView::mark(std::set<std::size_t> points)
{
    m_marked = std::move(points);
    viewport()->update();
    Q_EMIT markedChanged();
}

void SceneView::mouseMoveEvent(QMouseEvent* event)
{
    constexpr double kLeastDrag = 6;
    hover(markAt(event->pos()));
    if (!m_canMark || m_scene == nullptr || !event->buttons().testFlag(Qt::LeftButton)
        || (event->position() - m_pressed).manhattanLength() < kLeastDrag)
        return;
    m_band = QRectF(m_pressed, event->position()).normalized();
    std::set<std::size_t> inside;
    for (const SceneMark& one : m_scene->marks)
        if (m_band.contains(centre(one)))
            inside.insert(one.point);
    mark(std::move(inside));
}

void SceneView::mouseReleaseEvent(QMouseEvent*)
{
    if (m_canMark && m_band.isEmpty()) // a click
        mark({});
    m_band = {};
    viewport()->update();
}

void SceneView::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->position();
    if (event->button() == Qt::LeftButton)
        choose(markAt(event->pos()));
}

void SceneView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const SceneMark* mark = markAt(event->pos()); mark && event->button() == Qt::LeftButton)
        Q_EMIT pointOpened(mark->point);
}

const SceneMark* SceneView::next(int key) const
{
    const SceneMark* const from = selected();
    if (m_scene == nullptr || m_scene->marks.empty())
        return nullptr;
    if (from == nullptr || key == Qt::Key_Home || key == Qt::Key_End)
        return key == Qt::Key_End ? &m_scene->marks.back() : &m_scene->marks.front();
    const std::vector<SceneMark>& marks = m_scene->marks;
    if (m_isListed) {
        const std::size_t step = key == Qt::Key_Right || key == Qt::Key_Down ? 1 : marks.size() - 1;
        return &marks[(static_cast<std::size_t>(from - marks.data()) + step) % marks.size()];
    }
    const auto away = [&](const SceneMark& mark) { return distance(key, *from, mark); };
    const auto nearest = std::ranges::min_element(m_scene->marks, {}, away);
    return std::isfinite(away(*nearest)) ? &*nearest : nullptr;
}

// Shift and an arrow key marks the selected point and the next one.
bool SceneView::markByKey(QKeyEvent& event)
{
    const int key = event.key();
    if (!m_marked.empty() && key == Qt::Key_Escape)
        return mark({}), true;
    if (m_marked.size() > 1 && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
        Q_EMIT markedOpened();
        return true;
    }
    const SceneMark* const to = key >= Qt::Key_Left && key <= Qt::Key_Down ? next(key) : nullptr;
    if (!event.modifiers().testFlag(Qt::ShiftModifier) || to == nullptr)
        return false;
    std::set<std::size_t> points = m_marked;
    points.insert(to->point);
    if (m_point)
        points.insert(*m_point);
    choose(to);
    mark(std::move(points));
    return true;
}

void SceneView::keyPressEvent(QKeyEvent* event)
{
    const SceneMark* const mark = selected();
    if (m_canMark && markByKey(*event))
        return;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
        return choose(next(event->key()));
    case Qt::Key_Escape:
        if (!m_isListed)
            return QAbstractScrollArea::keyPressEvent(event);
        m_hovered = nullptr;
        select({});
        Q_EMIT cleared();
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (mark != nullptr)
            Q_EMIT pointOpened(mark->point);
        return;
    default:
        QAbstractScrollArea::keyPressEvent(event);
    }
}

bool SceneView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave)
        hover(nullptr);
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const SceneMark* const mark = markAt(help->pos());
        mark == nullptr ? QToolTip::hideText()
                        : QToolTip::showText(help->globalPos(),
                                             toolTipText(m_describe(mark->point)), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void SceneView::fitScrollBar()
{
    const int height = m_scene == nullptr ? 0 : static_cast<int>(std::ceil(m_scene->scene.height));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(20);
    verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
}

void SceneView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    fitScrollBar();
    redraw();
    Q_EMIT resized();
}

void SceneView::paintRing(QPainter& painter, const SceneMark& mark, double width) const
{
    constexpr double kMarker = 16; // marks up to this size are point markers and get a round ring
    const QRectF rect = toQt(mark.rect).adjusted(-1, -1, 1, 1);
    const double radius = rect.width() <= kMarker && rect.height() <= kMarker ? kMarker / 2 : 0;
    const Chrome& chrome = m_theme.theme().chrome;
    if (rect.width() >= m_scene->scene.width || rect.height() >= m_scene->scene.height) {
        QColor ground = chrome.text;
        ground.setAlphaF(width > 1 ? 0.09F : 0.04F);
        return painter.fillRect(rect, ground);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(chrome.surface, width + 2));
    painter.drawRoundedRect(rect, radius, radius);
    painter.setPen(QPen(chrome.text, width));
    painter.drawRoundedRect(rect, radius, radius);
}

void SceneView::paintMarks(QPainter& painter) const
{
    const Chrome& chrome = m_theme.theme().chrome;
    painter.setPen(QPen(chrome.text2, 1));
    for (const SceneMark& one : m_scene->marks)
        if (m_marked.contains(one.point))
            painter.drawRect(QRectF(centre(one) - QPointF(6, 6), QSizeF(12, 12)));
    if (!m_band.isEmpty()) {
        painter.setPen(QPen(chrome.text2, 1, Qt::DashLine));
        painter.drawRect(m_band);
    }
}

void SceneView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.theme().chrome.surface);
    if (m_scene == nullptr)
        return;
    const double ratio = devicePixelRatioF();
    if (m_picture.isNull() || m_picture.devicePixelRatioF() != ratio) {
        const QSizeF size(m_scene->scene.width, m_scene->scene.height);
        m_picture = QPixmap((size * ratio).toSize().expandedTo({1, 1}));
        m_picture.setDevicePixelRatio(ratio);
        m_picture.fill(Qt::transparent);
        QPainter picture(&m_picture);
        paintScene(picture, m_scene->scene);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(0, -verticalScrollBar()->value());
    painter.drawPixmap(QPointF(), m_picture);
    paintMarks(painter);
    if (m_hovered != nullptr)
        paintRing(painter, *m_hovered, 1);
    if (const SceneMark* const mark = selected())
        paintRing(painter, *mark, 2);
}

namespace {

using engine::DeviceId;
using profiler::ChartCanvas;
using profiler::DeviceMetrics;
using profiler::kChartText;
using profiler::Palette;
using profiler::Rect;
using profiler::RunMetrics;
using profiler::Text;
using namespace run_chart;

// Omits the decimals of a whole number, because limits are often whole: "80", but "80.50".
QString roundText(const Scale& scale, double value)
{
    const double shown = value / scale.perUnit();
    return std::abs(shown - std::round(shown)) < 1e-6 ? number(shown, 0) : scale.text(value);
}

// The stashes of its partner that each device has at its peak.
engine::IdVector<DeviceId, double> guestBytes(const engine::Run& run, const RunMetrics& metrics)
{
    engine::IdVector<DeviceId, double> guests(metrics.devices.size(), 0);
    if (std::ranges::none_of(profiler::memoryPartners(run, -1),
                             [](const auto& one) { return one.has_value(); }))
        return guests;
    const auto steps = profiler::memorySteps(run, metrics.iteration);
    for (const DeviceId device : guests.ids())
        if (!steps[device].empty())
            guests[device] = static_cast<double>(
                profiler::peakOf(steps[device]).bytes[profiler::MemoryKind::Guest]);
    return guests;
}

} // namespace

double run_chart::gapOf(double step)
{
    return step < 3 ? 0 : step < 12 ? 1 : 2;
}

void run_chart::drawGrid(ChartCanvas& canvas, const Rect& plot, double highest)
{
    constexpr double kTickDistance = 26;
    const auto ticks
        = profiler::ticks(0, highest, kTickDistance * highest / std::max(1.0, plot.height));
    for (const double value : ticks.major) {
        const double at = std::round(plot.y + plot.height * (1 - value / highest)) + 0.5;
        canvas.line({plot.x, at}, {plot.x + plot.width, at}, value == 0 ? 1 : 0.5,
                    canvas.style().grid);
        canvas.text(plot.x - 8, at + kChartText / 3, number(value, ticks.decimals).toStdString(),
                    Text::Anchor::End);
    }
}

DeviceColumns columnsOf(const engine::Run& run, const RunMetrics& metrics)
{
    DeviceColumns columns;
    columns.amounts.resize(metrics.devices.size());
    for (const DeviceId device : metrics.devices.ids())
        columns.names.push_back(QStringLiteral("Device %1, %2")
                                    .arg(QString::number(device.value), deviceText(run, device)));
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

double DeviceColumns::total(DeviceId device) const
{
    return std::accumulate(amounts[device].begin(), amounts[device].end(), 0.0);
}

std::vector<double> DeviceColumns::totals() const
{
    std::vector<double> all;
    for (const DeviceId device : amounts.ids())
        all.push_back(total(device));
    return all;
}

double DeviceColumns::highest() const
{
    return isEmpty() ? 0 : total(fullest());
}

DeviceId DeviceColumns::fullest() const
{
    const auto all = totals();
    return {static_cast<int>(std::ranges::max_element(all) - all.begin())};
}

bool DeviceColumns::isLimitInSight() const
{
    return isInSight(limit, highest());
}

bool isInSight(std::optional<double> limit, double highest)
{
    constexpr double kFar = 3;
    return limit && *limit <= kFar * highest;
}

QString DeviceColumns::summary() const
{
    QStringList all;
    for (const double amount : totals())
        all.append(scale.text(amount));
    return QStringLiteral("%1, %2: %3")
        .arg(title, axis.arg(scale.unit()), all.join(QStringLiteral(", ")));
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
        text += QStringLiteral(", %1 over the limit").arg(scale.withUnit(total(device) - *limit));
    else if (limit)
        text += QStringLiteral(", limit %1").arg(scale.withUnit(*limit));
    return text;
}

DeviceColumns memoryColumns(const engine::Run& run, const RunMetrics& metrics)
{
    DeviceColumns columns = columnsOf(run, metrics);
    columns.axis = QStringLiteral("%1 per device");
    if (!run.timeline.memory.empty()) {
        columns.title = QStringLiteral("Peak memory");
        columns.sum = QStringLiteral("peak");
        const auto guests = guestBytes(run, metrics);
        for (const engine::MemoryCategory category : profiler::kMemoryStack)
            addPart(
                columns, metrics,
                {fromUtf8(engine::memoryCategoryName(category)), profiler::memoryFill(category)},
                [&](const DeviceMetrics& one) {
                    const bool isStash = category == engine::MemoryCategory::Stash;
                    return static_cast<double>(one.bytesAtPeak[category])
                        - (isStash ? guests[one.device] : 0);
                });
        addPart(columns, metrics, {QStringLiteral("guest stash"), &Palette::stash, true},
                [&](const DeviceMetrics& one) { return guests[one.device]; });
        if (const auto memory = profiler::deviceMemory(run); memory.isKnown())
            columns.limit = static_cast<double>(memory.usable());
        const double largest = columns.isLimitInSight()
            ? std::max(columns.highest(), *columns.limit)
            : columns.highest();
        columns.scale = byteScale(static_cast<std::int64_t>(largest));
    } else if (engine::knowsMicroBatches(run.info)) {
        columns.title = QStringLiteral("Peak stash");
        columns.sum = QStringLiteral("stash");
        addPart(columns, metrics, {QStringLiteral("stash"), &Palette::stash},
                &DeviceMetrics::peakStash);
        columns.scale = Scale(1, 1, QStringLiteral("Mₐ"));
    }
    return columns;
}

DeviceColumns predictedPeaks(const engine::Run* run, const RunMetrics& metrics)
{
    if (run == nullptr || run->timeline.memory.empty())
        return {};
    DeviceColumns columns = memoryColumns(*run, metrics);
    columns.scale = scaleIn(Unit::GiB);
    columns.areWritten = true;
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

namespace {

constexpr double kMostStep = 64, kMostColumn = 40, kEntryGap = 14, kSums = 15;
constexpr double kAbove = 1.15; // space for a number above the highest column

struct DeviceChart
{
    const DeviceColumns& columns;
    const ChartLook& look;
    ChartCanvas canvas{look.style};
    std::vector<profiler::SceneMark> marks = {};
    double top = kHeader, right = 0;
    double bottom = look.style.height - kFoot - (columns.areWritten ? kSums : 0);
    double most = 1; // the amount at the top of the plot
    double step = 1; // distance between columns

    double y(double amount) const { return std::round(bottom - (bottom - top) * amount / most); }

    QString unitText() const
    {
        const QString text = columns.axis.arg(columns.scale.unit());
        return columns.limit && (columns.areWritten || !columns.isLimitInSight())
            ? QStringLiteral("%1, limit %2").arg(text, roundText(columns.scale, *columns.limit))
            : text;
    }
    QString lineText() const
    {
        const Scale& scale = columns.scale;
        if (columns.limit)
            return columns.isLimitInSight() && !columns.areWritten
                ? QStringLiteral("%1 limit").arg(roundText(scale, *columns.limit))
                : QString();
        return columns.mean ? QStringLiteral("mean %1").arg(scale.text(*columns.mean)) : QString();
    }
    void layOut()
    {
        const double line = columns.isLimitInSight() ? *columns.limit : columns.mean.value_or(0);
        most = std::max({columns.highest(), line, columns.least, 1e-9});
        for (const double outline : columns.outlines)
            most = std::max(most, outline);
        most *= kAbove;
        const std::string text = lineText().toStdString();
        right = look.style.width - kRight - (text.empty() ? 0 : profiler::textWidth(text) + 6);
        step = std::min(kMostStep, (right - kLeft) / static_cast<double>(columns.amounts.size()));
    }
    // The legend is to the right of the title, or in lines below it.
    void drawHeader()
    {
        const double edge = look.style.width - kRight;
        const std::string title = columns.title.toStdString(), unit = unitText().toStdString();
        std::vector<double> widths; // the top part first
        double all = -kEntryGap;
        for (std::size_t part = columns.parts.size(); part-- > 0;) {
            widths.push_back(kSwatch + kTextGap
                             + profiler::textWidth(columns.parts[part].name.toStdString()));
            all += widths.back() + kEntryGap;
        }
        const double unitLeft = kRight + 1.1 * profiler::textWidth(title) + 6;
        const bool isBeside = unitLeft + profiler::textWidth(unit) + 2 * kEntryGap + all <= edge;
        const double left = isBeside ? edge - all : kRight;
        const auto places = profiler::legendPositions(widths, kEntryGap, edge - left + 1);
        canvas.text(kRight, 17, title, Text::Anchor::Start, {look.style.ink, true});
        canvas.text(unitLeft, 17, unit);
        for (std::size_t k = 0; k < places.size(); ++k) {
            const DeviceColumns::Part& part = columns.parts[places.size() - 1 - k];
            const double x = left + places[k].x;
            const double high = (isBeside ? 8 : kHeader) + kLegendLine * places[k].line;
            drawPart(part, {x, high, kSwatch, kSwatch});
            canvas.text(x + kSwatch + kTextGap, high + 9, part.name.toStdString());
        }
        if (!isBeside && !places.empty())
            top += kLegendLine * (places.back().line + 1) + 4;
    }
    void drawPart(const DeviceColumns::Part& part, const Rect& area)
    {
        canvas.box(area, look.palette.*part.fill,
                   part.isHatched ? profiler::HatchLines::Falling : profiler::HatchLines::None);
    }
    void drawAxis()
    {
        drawGrid(canvas, {kLeft, top, right - kLeft, bottom - top}, most / columns.scale.perUnit());
        const int devices = static_cast<int>(columns.amounts.size());
        const double label = columns.areWritten
            ? profiler::textWidth(columns.scale.text(columns.highest()).toStdString()) + 3
            : profiler::textWidth(std::to_string(devices)) + 12;
        for (const int device : labelledDevices(devices, step, label)) {
            const Rect under = column({device});
            const double middle = under.x + under.width / 2, below = bottom + 4 + kChartText;
            canvas.text(middle, below, std::to_string(device), Text::Anchor::Middle);
            if (columns.areWritten)
                canvas.text(middle, below + kSums,
                            columns.scale.text(columns.total({device})).toStdString(),
                            Text::Anchor::Middle,
                            {columns.isOver({device}) ? look.style.alert : look.style.ink, true});
        }
    }
    Rect column(DeviceId device) const
    {
        const double left = std::round(kLeft + step * device.value);
        const double space = std::round(kLeft + step * (device.value + 1)) - left;
        const double width = std::clamp(space - gapOf(step), 1.0, kMostColumn);
        return {left + std::max(0.0, std::floor((space - width) / 2)), top, width, bottom - top};
    }
    // The part of the column above the limit has the colour of errors.
    void drawColumn(DeviceId device, const Rect& area)
    {
        double sum = 0;
        for (std::size_t part = 0; part < columns.parts.size(); ++part) {
            const double from = y(sum);
            sum += columns.amounts[device][part];
            drawPart(columns.parts[part], {area.x, y(sum), area.width, from - y(sum)});
        }
        if (columns.isOver(device))
            canvas.box({area.x, y(sum), area.width, y(*columns.limit) - y(sum)}, look.style.alert);
        const auto at = static_cast<std::size_t>(device.value);
        if (at < columns.outlines.size()) {
            const double left = area.x + 0.5, end = area.x + area.width - 0.5,
                         over = y(columns.outlines[at]) + 0.5;
            for (const double x : {left, end})
                canvas.line({x, over}, {x, bottom}, 1, look.style.text, true);
            canvas.line({left, over}, {end, over}, 1, look.style.text, true);
        }
        marks.push_back({at, area});
    }
    void drawColumns()
    {
        const int devices = static_cast<int>(columns.amounts.size());
        const auto total = [this](int device) { return columns.total({device}); };
        for (int device = 0; step >= 1 && device < devices; ++device)
            drawColumn({device}, column({device}));
        for (double x = 0; step < 1 && x < step * devices; ++x) {
            std::vector<int> here;
            for (int device = static_cast<int>(std::ceil(x / step));
                 device < devices && step * device < x + 1; ++device)
                here.push_back(device);
            if (!here.empty())
                drawColumn({*std::ranges::max_element(here, {}, total)},
                           {kLeft + x, top, 1, bottom - top});
        }
    }
    void drawLine()
    {
        const std::string text = lineText().toStdString();
        if (columns.limit ? !columns.isLimitInSight() : !columns.mean)
            return;
        const double at = y(columns.limit ? *columns.limit : *columns.mean) + 0.5;
        canvas.line({kLeft, at}, {right, at}, 1, look.style.ink);
        canvas.text(right + 6, at + kChartText / 3, text);
    }
    // Writes the amounts that exceed the limit, the highest first. Numbers that would overlap are
    // left out.
    void drawExcess()
    {
        std::vector<DeviceId> over;
        for (const DeviceId device : columns.amounts.ids())
            if (columns.isOver(device) && !columns.areWritten)
                over.push_back(device);
        std::ranges::stable_sort(over, std::ranges::greater{},
                                 [this](DeviceId device) { return columns.total(device); });
        std::vector<std::pair<double, double>> written; // left and right edges
        for (const DeviceId device : over) {
            const double total = columns.total(device);
            const std::string text = columns.scale.text(total).toStdString();
            const double width = profiler::textWidth(text) + 2;
            const Rect under = column(device);
            const double left = std::max(kLeft + 2, under.x + (under.width - width) / 2);
            if (std::ranges::any_of(written, [&](const auto& other) {
                    return left < other.second + 4 && other.first < left + width + 4;
                }))
                continue;
            written.emplace_back(left, left + width);
            canvas.text(left + width / 2, y(total) - 4, text, Text::Anchor::Middle,
                        {look.style.alert, true});
        }
    }
};

} // namespace

profiler::MarkedScene deviceChart(const DeviceColumns& columns, const ChartLook& look)
{
    if (columns.isEmpty())
        return profiler::emptyChart(look.style, columns.title.toStdString());
    DeviceChart chart{columns, look};
    chart.layOut();
    chart.drawHeader();
    chart.drawAxis();
    chart.drawColumns();
    chart.drawLine();
    chart.drawExcess();
    return chart.canvas.finish(std::move(chart.marks));
}

DeviceView::DeviceView(const ThemeController& theme, const char* name)
    : SceneView(theme,
                [this](std::size_t device) { return m_columns.text({static_cast<int>(device)}); })
{
    named(this, name, tr("Devices"));
    setMinimumSize(240, 152);
    select(std::nullopt);
}

void DeviceView::show(DeviceColumns columns)
{
    m_columns = std::move(columns);
    setAccessibleName(m_columns.isEmpty() ? m_columns.title : m_columns.summary());
    draw([columns = m_columns](const ChartLook& look) { return deviceChart(columns, look); });
}

void DeviceView::clear(const QString& reason)
{
    DeviceColumns empty;
    empty.title = reason;
    show(std::move(empty));
}

} // namespace app
