#include "app/figures/figure_preview.h"

#include "app/figures/write_figure.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/segment_control.h"
#include "profiler/figure/layout.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QPainter>
#include <QScrollArea>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr double kMargin = 32, kGutter = 30, kFigureTop = 26; // pixels of the page
constexpr double kWidestColumn = 3.6 * profiler::kPointsPerInch;
constexpr double kWidestPage = 8.5 * profiler::kPointsPerInch;
constexpr int kZoomPadding = 20, kPreviewMargin = 24;
constexpr double kZoomStep = 1.25;
const QColor kPaper(Qt::white), kBars(0xDF, 0xE2, 0xE7), kCaption(0x1A, 0x1F, 0x27);

// Draws lines in place of the text of a page.
void paintBars(QPainter& painter, QRectF area)
{
    for (double y = area.top(); y + 4 < area.bottom(); y += 12)
        painter.fillRect(QRectF(area.left(), std::round(y), area.width(), 4), kBars);
}

} // namespace

// A figure on paper, which is white in both themes.
class FigureView : public QWidget
{
public:
    FigureView(const ThemeController& theme, const QString& name)
        : m_theme(theme)
    {
        setAccessibleName(name);
    }

    virtual void setScene(const profiler::Scene& scene)
    {
        m_scene = scene;
        update();
    }

protected:
    double screenScale() const { return logicalDpiX() / profiler::kPointsPerInch; }
    void paintPaper(QPainter& painter, QPointF at, double scale) const
    {
        painter.fillRect(rect(), kPaper);
        painter.setPen(m_theme.theme().chrome.lineStrong);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
        painter.save();
        painter.translate(at);
        painter.scale(scale, scale);
        paintScene(painter, m_scene);
        painter.restore();
    }

    const ThemeController& m_theme;
    profiler::Scene m_scene;
};

// The figure at its true size on a mock page with text around it. A figure wider than the view is
// scaled down; pageText() states the scale.
class FigurePageView : public FigureView
{
public:
    explicit FigurePageView(const ThemeController& theme)
        : FigureView(theme, FigurePreview::tr("Figure at its true size"))
    {
        setMinimumSize(400, 180);
    }

    QString pageText() const; // "in a two-column page, this screen at 96 dpi"
    QSize sizeHint() const override { return {736, 372}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    // Pixels per point of this screen; less if the figure would not fit.
    double pixelsPerPoint() const
    {
        return m_scene.width > 0 ? std::min(screenScale(), (width() - 2 * kMargin) / m_scene.width)
                                 : screenScale();
    }
    bool isColumn() const { return m_scene.width <= kWidestColumn; }
    bool isSlide() const { return m_scene.width > kWidestPage; }
    void paintMeasure(QPainter& painter, double left, double width) const;
    void paintText(QPainter& painter, double left, double below) const;
    double paintCaption(QPainter& painter, const QRectF& place) const;
};

class FigureZoomView : public FigureView
{
public:
    explicit FigureZoomView(const ThemeController& theme)
        : FigureView(theme, FigurePreview::tr("The figure enlarged"))
    {
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    }

    void setScene(const profiler::Scene& scene) override
    {
        FigureView::setScene(scene);
        setZoom(m_zoom);
    }
    void setZoom(double zoom) // 1 is the true size
    {
        m_zoom = std::clamp(zoom, 0.25, 8.0);
        resize(sizeHint());
        updateGeometry();
        update();
    }
    double zoom() const { return m_zoom; }
    // The largest zoom, up to 2.5, at which the whole figure fits into `width` pixels.
    double fittingZoom(int width) const
    {
        const double pixels = m_scene.width * screenScale();
        return pixels > 0 ? std::clamp((width - 2 * kZoomPadding) / pixels, 0.25, 2.5) : 2.5;
    }
    QSize sizeHint() const override
    {
        const double scale = m_zoom * screenScale();
        return {static_cast<int>(std::ceil(m_scene.width * scale)) + 2 * kZoomPadding,
                static_cast<int>(std::ceil(m_scene.height * scale)) + 2 * kZoomPadding};
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        paintPaper(painter, {kZoomPadding, kZoomPadding}, m_zoom * screenScale());
    }

private:
    double m_zoom = 2.5;
};

QString FigurePageView::pageText() const
{
    const double share = pixelsPerPoint() / screenScale();
    const QString size = share < 0.995 ? tr("shown at %1 %").arg(std::lround(100 * share))
                                       : tr("this screen at %1 dpi").arg(logicalDpiX());
    return (isSlide()        ? tr("on a slide, %1")
                : isColumn() ? tr("in a two-column page, %1")
                             : tr("at full page width, %1"))
        .arg(size);
}

void FigurePageView::paintMeasure(QPainter& painter, double left, double width) const
{
    const QString text = tr("%1 in").arg(m_scene.width / profiler::kPointsPerInch, 0, 'f', 2);
    painter.setFont(uiFont(11));
    const double half = painter.fontMetrics().horizontalAdvance(text) / 2.0 + 8;
    const double y = 13.5, middle = left + width / 2, right = left + width;
    painter.setPen(QPen(QColor(0x52, 0x5B, 0x68), 1));
    for (const double x : {left, right})
        painter.drawLine(QPointF(x, y - 5), QPointF(x, y + 5));
    painter.drawLine(QPointF(left, y), QPointF(middle - half, y));
    painter.drawLine(QPointF(middle + half, y), QPointF(right, y));
    for (const double out : {-1.0, 1.0}) {
        const double tip = middle + out * width / 2;
        painter.drawLine(QPointF(tip, y), QPointF(tip - out * 5, y - 3));
        painter.drawLine(QPointF(tip, y), QPointF(tip - out * 5, y + 3));
    }
    painter.drawText(QRectF(left, y - 9, width, 18), Qt::AlignCenter, text);
}

double FigurePageView::paintCaption(QPainter& painter, const QRectF& place) const
{
    QFont font(QStringLiteral("serif"));
    font.setPixelSize(12);
    painter.setFont(font);
    painter.setPen(kCaption);
    const QString text = tr("Figure 1: %1.").arg(QString::fromStdString(m_scene.title));
    QRectF used;
    painter.drawText(place, Qt::AlignLeft | Qt::TextWordWrap, text, &used);
    return used.bottom();
}

void FigurePageView::paintText(QPainter& painter, double left, double below) const
{
    const double column = m_scene.width * pixelsPerPoint();
    const double text = paintCaption(painter, {left, below, column, 60}) + 12;
    paintBars(painter, {left, text, column, height() - text});
    if (isColumn())
        paintBars(painter, {left + column + kGutter, kFigureTop, column, height() - kFigureTop});
}

void FigurePageView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const double scale = pixelsPerPoint(), figureWidth = m_scene.width * scale;
    const double left = isColumn()
        ? std::max(kMargin / 2, std::round((width() - 2 * figureWidth - kGutter) / 2))
        : std::round((width() - figureWidth) / 2);
    paintPaper(painter, {left, kFigureTop}, scale);
    paintMeasure(painter, left, figureWidth);
    if (!isSlide())
        paintText(painter, left, kFigureTop + m_scene.height * scale + 10);
}

FigurePreview::FigurePreview(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_page(named(new FigurePageView(theme), "figurePage"))
    , m_zoom(named(new FigureZoomView(theme), "figureZoom"))
    , m_pageText(makeLabel({}, "small"))
    , m_zoomText(makeLabel({}, "small"))
    , m_band(named(new Band(theme, Band::Shape::Verdict), "figureProblem"))
    , m_checks(new QGridLayout)
{
    setAttribute(Qt::WA_StyledBackground);
    setProperty("surface", QStringLiteral("window"));
    m_page->setMaximumWidth(736);
    m_band->hide();
    auto* area = new QScrollArea; // can also be scrolled by keyboard
    area->setFrameShape(QFrame::NoFrame);
    area->setWidget(m_zoom);
    area->setAccessibleName(tr("The figure, enlarged"));
    area->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    area->setStyleSheet(QStringLiteral("QScrollArea, QScrollArea > QWidget > QWidget "
                                       "{ background: transparent; }"));
    m_checks->setColumnStretch(0, 1);
    m_checks->setColumnStretch(1, 1);
    auto* page = spaced(new QHBoxLayout, {}, 0, {m_page});
    spaced(new QVBoxLayout(this), {kPreviewMargin, 10, kPreviewMargin, 10}, 8,
           {makePageHeader(), {page, 4}, makeZoomHeader(), {area, 4}, m_band, m_checks});
}

QWidget* FigurePreview::makePageHeader()
{
    auto* sight
        = named(new SegmentControl(
                    m_theme, {tr("colour"), tr("grey"), tr("deuteranopia"), tr("protanopia")}),
                "figureSight");
    sight->setCompact();
    sight->setName(tr("Colour vision"));
    connect(sight, &SegmentControl::currentChanged, this, [this](int choice) {
        m_sight = profiler::Sight(choice);
        showScene();
    });
    auto* header = new QWidget;
    spaced(new QHBoxLayout(header), {}, 10,
           {makeLabel(tr("True size"), "section"), {m_pageText, 1}, sight});
    return header;
}

QWidget* FigurePreview::makeZoomHeader()
{
    auto* out = makeButton(QStringLiteral("\u2212"), QStringLiteral("figureZoomOut"), "tool");
    auto* in = makeButton(QStringLiteral("+"), QStringLiteral("figureZoomIn"), "tool");
    out->setAccessibleName(tr("Smaller"));
    in->setAccessibleName(tr("Larger"));
    connect(out, &QPushButton::clicked, this, [this] { setZoom(m_zoom->zoom() / kZoomStep); });
    connect(in, &QPushButton::clicked, this, [this] { setZoom(m_zoom->zoom() * kZoomStep); });
    auto* header = new QWidget;
    spaced(new QHBoxLayout(header), {}, 10,
           {makeLabel(tr("Enlarged"), "section"), {m_zoomText, 1}, out, in});
    return header;
}

void FigurePreview::show(FigureDraft draft)
{
    m_draft = std::move(draft);
    showScene();
    showChecks();
}

void FigurePreview::addChecks(const std::vector<profiler::FigureCheck>& checks)
{
    m_draft.checks.insert(m_draft.checks.end(), checks.begin(), checks.end());
    showChecks();
}

void FigurePreview::showScene()
{
    const profiler::Scene scene = profiler::seen(m_draft.scene, m_sight);
    m_page->setScene(scene);
    m_zoom->setScene(scene);
    if (!m_isZoomed)
        m_zoom->setZoom(m_zoom->fittingZoom(width() - 2 * kPreviewMargin - 11));
    m_pageText->setText(m_page->pageText());
    m_zoomText->setText(tr("%1 %").arg(std::lround(100 * m_zoom->zoom())));
}

void FigurePreview::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    showScene();
}

void FigurePreview::showChecks()
{
    while (QLayoutItem* item = m_checks->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const profiler::FigureCheck& check : m_draft.checks) {
        auto* text = named(makeLabel(QString::fromStdString(check.text), "small"), "figureCheck");
        text->setWordWrap(true);
        auto* both = new QWidget;
        spaced(new QHBoxLayout(both), {}, 6,
               {new IconLabel(m_theme, check.good ? Icon::Check : Icon::Warning,
                              check.good ? &Chrome::ok : &Chrome::warning, 14),
                {text, 1}});
        const int count = m_checks->count();
        m_checks->addWidget(both, count / 2, count % 2);
    }
}

void FigurePreview::setZoom(double zoom)
{
    m_isZoomed = true;
    m_zoom->setZoom(zoom);
    m_zoomText->setText(tr("%1 %").arg(std::lround(100 * m_zoom->zoom())));
}

} // namespace app
