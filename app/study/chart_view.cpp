#include "app/study/chart_view.h"

#include "app/figures/paint_scene.h"
#include "app/study/study_options.h"
#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"

#include <QComboBox>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <limits>

namespace app {
namespace {

using profiler::ChartMark;

QRectF toQt(const profiler::Rect& r)
{
    return {r.x, r.y, r.width, r.height};
}

QPointF centre(const ChartMark& mark)
{
    return toQt(mark.rect).center();
}

// Returns the distance of a mark in the direction of an arrow key; infinite if it is not in that
// direction. Left and right prefer marks of the same row; up and down prefer the same column.
double distance(int key, const ChartMark& from, const ChartMark& to)
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

QComboBox* makeChoice(const QString& prefix, const char* name, const QString& accessibleName)
{
    auto* combo = new QComboBox;
    combo->setObjectName(prefix + QLatin1String(name));
    combo->setAccessibleName(accessibleName);
    combo->setFocusPolicy(Qt::TabFocus);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    return combo;
}

} // namespace

ChartView::ChartView(const ThemeController& theme, Describe describe, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_theme(theme)
    , m_describe(std::move(describe))
{
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
}

void ChartView::show(std::shared_ptr<const profiler::DrawnChart> chart)
{
    m_hovered = nullptr;
    m_chart = std::move(chart);
    m_picture = {};
    fitScrollBar();
    describeSelection();
    viewport()->update();
}

void ChartView::select(std::size_t point)
{
    m_point = point;
    describeSelection();
    viewport()->update();
}

void ChartView::describeSelection()
{
    const ChartMark* const mark = selected();
    setAccessibleDescription(mark == nullptr ? tr("No point of this chart is selected")
                                             : m_describe(mark->point));
}

const ChartMark* ChartView::selected() const
{
    if (m_chart == nullptr)
        return nullptr;
    const auto found = std::ranges::find(m_chart->marks, m_point, &ChartMark::point);
    return found == m_chart->marks.end() ? nullptr : &*found;
}

QRect ChartView::rectOf(std::size_t point) const
{
    if (m_chart != nullptr)
        for (const ChartMark& mark : m_chart->marks)
            if (mark.point == point)
                return toQt(mark.rect).translated(0, -verticalScrollBar()->value()).toAlignedRect();
    return {};
}

const ChartMark* ChartView::markAt(const QPoint& position) const
{
    const QPointF at = position + QPoint(0, verticalScrollBar()->value());
    const ChartMark* nearest = nullptr;
    const auto away
        = [&at](const ChartMark& mark) { return (centre(mark) - at).manhattanLength(); };
    if (m_chart != nullptr)
        for (const ChartMark& mark : m_chart->marks)
            if (toQt(mark.rect).contains(at) && (nearest == nullptr || away(mark) < away(*nearest)))
                nearest = &mark;
    return nearest;
}

void ChartView::choose(const ChartMark& mark)
{
    const std::size_t point = mark.point; // copied, because the signal may replace the chart
    select(point);
    const QRect rect = toQt(mark.rect).toAlignedRect();
    QScrollBar* bar = verticalScrollBar();
    if (rect.top() < bar->value() || rect.bottom() > bar->value() + viewport()->height())
        bar->setValue(rect.center().y() - viewport()->height() / 2);
    Q_EMIT pointChosen(point);
}

void ChartView::hover(const ChartMark* mark)
{
    if (mark == m_hovered)
        return;
    m_hovered = mark;
    viewport()->setCursor(mark != nullptr ? Qt::PointingHandCursor : Qt::ArrowCursor);
    viewport()->update();
}

void ChartView::mouseMoveEvent(QMouseEvent* event)
{
    hover(markAt(event->pos()));
}

void ChartView::mousePressEvent(QMouseEvent* event)
{
    if (const ChartMark* mark = markAt(event->pos()); mark && event->button() == Qt::LeftButton)
        choose(*mark);
}

void ChartView::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const ChartMark* mark = markAt(event->pos()); mark && event->button() == Qt::LeftButton)
        Q_EMIT pointOpened(mark->point);
}

const ChartMark* ChartView::next(int key) const
{
    const ChartMark* const from = selected();
    if (from == nullptr || m_chart->marks.empty())
        return m_chart == nullptr || m_chart->marks.empty() ? nullptr : &m_chart->marks.front();
    const auto away = [&](const ChartMark& mark) { return distance(key, *from, mark); };
    const auto nearest = std::ranges::min_element(m_chart->marks, {}, away);
    return std::isfinite(away(*nearest)) ? &*nearest : nullptr;
}

void ChartView::keyPressEvent(QKeyEvent* event)
{
    const ChartMark* const mark = selected();
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (const ChartMark* const to = next(event->key()))
            choose(*to);
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

bool ChartView::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave)
        hover(nullptr);
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const ChartMark* const mark = markAt(help->pos());
        mark == nullptr ? QToolTip::hideText()
                        : QToolTip::showText(help->globalPos(),
                                             toolTipText(m_describe(mark->point)), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void ChartView::fitScrollBar()
{
    const int height = m_chart == nullptr ? 0 : static_cast<int>(std::ceil(m_chart->scene.height));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(20);
    verticalScrollBar()->setRange(0, std::max(0, height - viewport()->height()));
}

void ChartView::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    fitScrollBar();
    Q_EMIT resized();
}

void ChartView::paintRing(QPainter& painter, const ChartMark& mark, double width) const
{
    constexpr double kMarker = 16; // marks up to this size are point markers and get a round ring
    const QRectF rect = toQt(mark.rect).adjusted(-1, -1, 1, 1);
    const double radius = rect.width() <= kMarker && rect.height() <= kMarker ? kMarker / 2 : 0;
    const Chrome& chrome = m_theme.theme().chrome;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(chrome.surface, width + 2));
    painter.drawRoundedRect(rect, radius, radius);
    painter.setPen(QPen(chrome.text, width));
    painter.drawRoundedRect(rect, radius, radius);
}

void ChartView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), m_theme.theme().chrome.surface);
    if (m_chart == nullptr)
        return;
    const double ratio = devicePixelRatioF();
    if (m_picture.isNull() || m_picture.devicePixelRatioF() != ratio) {
        const QSizeF size(m_chart->scene.width, m_chart->scene.height);
        m_picture = QPixmap((size * ratio).toSize().expandedTo({1, 1}));
        m_picture.setDevicePixelRatio(ratio);
        m_picture.fill(Qt::transparent);
        QPainter picture(&m_picture);
        paintScene(picture, m_chart->scene);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(0, -verticalScrollBar()->value());
    painter.drawPixmap(QPointF(), m_picture);
    if (m_hovered != nullptr)
        paintRing(painter, *m_hovered, 1);
    if (const ChartMark* const mark = selected())
        paintRing(painter, *mark, 2);
}

ChartPanel::ChartPanel(const ThemeController& theme, StudyPanel which, const char* name,
                       const ChartView::Describe& describe, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_which(which)
    , m_chart(makeChoice(QString::fromLatin1(name), "Chart", tr("Chart")))
    , m_axis(makeChoice(QString::fromLatin1(name), "Axis", tr("Axis of the chart")))
    , m_over(makeLabel(tr("over"), "small"))
    , m_where(new ElidedLabel("hint"))
    , m_mode(new Tag(theme))
    , m_view(new ChartView(theme, describe))
{
    const QString prefix = QString::fromLatin1(name);
    m_view->setObjectName(prefix + QLatin1String("View"));
    m_view->setAccessibleName(tr("Chart"));
    m_where->setObjectName(prefix + QLatin1String("Where"));
    m_chart->setMinimumContentsLength(16);
    m_axis->setMinimumContentsLength(8);
    auto* save = makeIconButton("", Icon::Export, tr("Export the chart"), theme);
    save->setObjectName(prefix + QLatin1String("Export"));
    connect(save, &QToolButton::clicked, this, &ChartPanel::exportRequested);
    connect(m_view, &ChartView::resized, this, &ChartPanel::draw);
    connect(&theme, &ThemeController::changed, this, &ChartPanel::draw);
    for (QComboBox* combo : {m_chart, m_axis})
        connect(combo, &QComboBox::activated, this, [this] {
            show(m_data, m_point); // the axis decides which charts are offered
            Q_EMIT chartChosen();
        });
    constexpr int kBar = 40;
    auto* bar = makeBar(kBar, 8, {{m_chart, 2}, m_over, {m_axis, 1}, m_mode, {m_where, 1}, save});
    spaced(new QVBoxLayout(this), {}, 0, {bar, makeLine(Qt::Horizontal), {m_view, 1}});
}

void ChartPanel::show(const StudyPointer& results, std::size_t point)
{
    m_data = results;
    m_point = point;
    if (results == nullptr) {
        m_drawings.drop();
        m_view->show(nullptr);
        return;
    }
    const std::vector<std::string> axes = m_which == StudyPanel::Front
        ? std::vector<std::string>()
        : chartAxes(results->study, m_which);
    const bool isKnown = std::ranges::find(axes, axis()) != axes.end();
    offer(chartChoices(*results, m_which, isKnown ? axis() : std::string(), point), axes);
    m_mode->setText(modeText(results->study));
    m_view->select(point);
    draw();
}

void ChartPanel::offer(std::vector<ChartChoice> choices, const std::vector<std::string>& axes)
{
    const QString chart = m_chart->currentText(), axis = m_axis->currentData().toString();
    const int index = m_chart->currentIndex();
    m_choices = std::move(choices);
    m_axes = axes;
    m_chart->clear();
    for (const ChartChoice& choice : m_choices)
        m_chart->addItem(choice.title);
    m_axis->clear();
    for (const std::string& key : axes)
        m_axis->addItem(studyOptionLabel(key), fromUtf8(key));
    // Charts can share a title, so the chart at the previous position is preferred.
    const bool isSame = index >= 0 && m_chart->itemText(index) == chart;
    m_chart->setCurrentIndex(isSame ? index : std::max(0, m_chart->findText(chart)));
    m_axis->setCurrentIndex(std::max(0, m_axis->findData(axis)));
    showChoice();
}

// A chart that the study defines has a fixed axis, so the choice of an axis is hidden.
void ChartPanel::showChoice()
{
    const ChartChoice* const chosen = choice();
    const bool hasAxis = chosen != nullptr && !chosen->isOwn && m_axes.size() > 1;
    m_axis->setVisible(hasAxis);
    m_over->setVisible(hasAxis);
    m_where->setText(chosen == nullptr ? QString() : whereText(chosen->chart));
    m_view->setAccessibleName(chosen == nullptr ? tr("Chart") : chosen->title);
}

const ChartChoice* ChartPanel::choice() const
{
    const auto index = static_cast<std::size_t>(m_chart->currentIndex()); // -1: none
    return index < m_choices.size() ? &m_choices[index] : nullptr;
}

std::string ChartPanel::axis() const
{
    return m_axis->currentData().toString().toStdString();
}

void ChartPanel::draw()
{
    const QSize size = m_view->viewport()->size();
    if (m_data != nullptr && choice() != nullptr && !size.isEmpty())
        m_drawings.ask({m_data, choice()->chart, chartStyle(m_theme.theme(), size)});
}

ChartPanel::Drawn ChartPanel::drawn(const Drawing& of)
{
    return drawChart(of.data->study, of.chart, of.data->points, of.data->results, of.style);
}

RunSaver::MakeScene ChartPanel::figure() const
{
    return [of = Drawing{m_data, choice()->chart, {}}] {
        return drawn(of).map([](const profiler::DrawnChart& chart) { return chart.scene; });
    };
}

} // namespace app
