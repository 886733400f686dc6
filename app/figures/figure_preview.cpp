#include "app/figures/figure_preview.h"

#include "app/figures/figure_views.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/flow_layout.h"
#include "app/ui/segment_control.h"

#include <QBoxLayout>
#include <QScrollArea>

#include <cmath>

namespace app {
namespace {

constexpr int kPreviewMargin = 24;
constexpr double kZoomStep = 1.25;

void clear(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

} // namespace

FigurePreview::FigurePreview(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_page(named(new FigurePageView(theme), "figurePage"))
    , m_zoom(named(new FigureZoomView(theme), "figureZoom"))
    , m_pageText(makeLabel({}, "small"))
    , m_zoomText(makeLabel({}, "small"))
    , m_band(named(new Band(theme, Band::Shape::Verdict), "figureProblem"))
    , m_checks(new FlowLayout(8))
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
    auto* checks = new QWidget;
    checks->setLayout(m_checks);
    auto* page = spaced(new QHBoxLayout, {}, 0, {m_page});
    spaced(new QVBoxLayout(this), {kPreviewMargin, 10, kPreviewMargin, 10}, 8,
           {makePageHeader(), {page, 4}, makeZoomHeader(), {area, 4}, m_band, checks});
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
    clear(m_checks);
    for (const profiler::FigureCheck& check : m_draft.checks) {
        auto* both = new QWidget;
        spaced(new QHBoxLayout(both), {0, 0, 10, 0}, 6,
               {new IconLabel(m_theme, check.good ? Icon::Check : Icon::Warning,
                              check.good ? &Chrome::ok : &Chrome::warning, 14),
                named(makeLabel(QString::fromStdString(check.text), "small"), "figureCheck")});
        m_checks->addWidget(both);
    }
}

void FigurePreview::setZoom(double zoom)
{
    m_isZoomed = true;
    m_zoom->setZoom(zoom);
    m_zoomText->setText(tr("%1 %").arg(std::lround(100 * m_zoom->zoom())));
}

} // namespace app
