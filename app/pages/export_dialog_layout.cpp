// Two views of the figure, and the buttons: the parts of the export dialog that are not options.
#include "app/pages/export_dialog.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/segment_control.h"
#include "app/widgets/figure/figure_views.h"

#include <QBoxLayout>
#include <QScrollArea>

namespace app {
namespace {

constexpr double kZoomStep = 1.25;

} // namespace

QWidget* ExportDialog::makePreview()
{
    QWidget* preview = makeSurface("window");
    auto* layout = spaced(new QVBoxLayout(preview), {kPreviewMargin, 10, kPreviewMargin, 10}, 8);
    m_page = new FigurePageView(m_theme);
    m_page->setMaximumWidth(736);
    m_page->setObjectName(QStringLiteral("figurePage"));
    m_zoom = new FigureZoomView(m_theme);
    m_zoom->setObjectName(QStringLiteral("figureZoom"));
    m_zoomArea = new QScrollArea; // can also be scrolled by keyboard
    m_zoomArea->setFrameShape(QFrame::NoFrame);
    m_zoomArea->setWidget(m_zoom);
    m_zoomArea->setAccessibleName(tr("The figure, enlarged"));
    m_zoomArea->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_zoomArea->setStyleSheet(QStringLiteral("QScrollArea, QScrollArea > QWidget > QWidget "
                                             "{ background: transparent; }"));
    layout->addWidget(makePageHeader());
    auto* page = spaced(new QHBoxLayout, {}, 0);
    page->addWidget(m_page);
    layout->addLayout(page, 4);
    layout->addWidget(makeZoomHeader());
    layout->addWidget(m_zoomArea, 4);
    m_problem = new Band(m_theme, Band::Shape::Verdict);
    m_problem->setObjectName(QStringLiteral("figureProblem"));
    m_problem->hide();
    layout->addWidget(m_problem);
    auto* checks = new QWidget;
    checks->setFixedHeight(28);
    m_checks = spaced(new QHBoxLayout(checks), {}, 6);
    layout->addWidget(checks);
    return preview;
}

QWidget* ExportDialog::makePageHeader()
{
    auto* header = new QWidget;
    auto* layout = spaced(new QHBoxLayout(header), {}, 10);
    m_pageText = makeLabel({}, "small");
    auto* sight = new SegmentControl(
        m_theme, {tr("colour"), tr("grey"), tr("deuteranopia"), tr("protanopia")});
    sight->setObjectName(QStringLiteral("figureSight"));
    sight->setCompact();
    sight->setName(tr("Seen as"));
    layout->addWidget(makeLabel(tr("True size"), "section"));
    layout->addWidget(m_pageText, 1);
    layout->addWidget(sight);
    connect(sight, &SegmentControl::currentChanged, this, [this](int choice) {
        m_sight = profiler::Sight(choice);
        showDraft();
    });
    return header;
}

QWidget* ExportDialog::makeZoomHeader()
{
    auto* header = new QWidget;
    auto* layout = spaced(new QHBoxLayout(header), {}, 10);
    m_zoomText = makeLabel({}, "small");
    auto* out = makeButton(QStringLiteral("\u2212"), QStringLiteral("figureZoomOut"), "tool");
    auto* in = makeButton(QStringLiteral("+"), QStringLiteral("figureZoomIn"), "tool");
    out->setAccessibleName(tr("Smaller"));
    in->setAccessibleName(tr("Larger"));
    layout->addWidget(makeLabel(tr("Enlarged"), "section"));
    layout->addWidget(m_zoomText, 1);
    layout->addWidget(out);
    layout->addWidget(in);
    connect(out, &QPushButton::clicked, this, [this] { setZoom(m_zoom->zoom() / kZoomStep); });
    connect(in, &QPushButton::clicked, this, [this] { setZoom(m_zoom->zoom() * kZoomStep); });
    return header;
}

QWidget* ExportDialog::makeButtons()
{
    QWidget* buttons = makeSurface("alt");
    auto* layout = spaced(new QHBoxLayout(buttons), {18, 12, 18, 12}, 8);
    auto* cancel = makeButton(tr("Cancel"), QStringLiteral("figureCancel"));
    m_export = makeButton({}, QStringLiteral("figureExport"), "primary");
    m_export->setDefault(true);
    cancel->setAutoDefault(false);
    m_savePreset = makeButton({}, QStringLiteral("figureSavePreset"));
    m_savePreset->setAutoDefault(false);
    layout->addWidget(m_savePreset);
    layout->addStretch();
    layout->addWidget(cancel);
    layout->addWidget(m_export);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_savePreset, &QPushButton::clicked, this, &ExportDialog::saveOrRemovePreset);
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::exportFiles);
    return buttons;
}

} // namespace app
