#include "app/mapping/mapping_view.h"

#include "app/mapping/link_panel.h"
#include "app/mapping/load_matrix.h"
#include "app/mapping/mapping_cards.h"
#include "app/mapping/mapping_key.h"
#include "app/mapping/mapping_text.h"
#include "app/mapping/model_panel.h"
#include "app/mapping/node_picture.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/form_rows.h"
#include "app/ui/segment_control.h"
#include "app/ui/text.h"
#include "engine/base/try.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QResizeEvent>
#include <QScrollArea>
#include <QStackedWidget>

namespace app {
namespace {

constexpr int kDebounce = 60; // ms
constexpr int kDock = 352, kNarrow = 860;
constexpr int kFile = 3; // segment of the picker

int segmentOf(const QString& mapping)
{
    for (std::size_t i = 0; i < engine::kMappingNames.size(); ++i)
        if (mapping == fromUtf8(engine::kMappingNames[i]))
            return static_cast<int>(i);
    return kFile;
}

} // namespace

MappingView::MappingView(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_mapping(named(new SegmentControl(theme,
                                         {tr("contiguous"), tr("replicas together"),
                                          tr("pair-adjacent"), tr("from file…")}),
                      "mapping"))
    , m_file(named(makeLabel({}, "hint"), "mappingFile"))
    , m_crossing(named(makeLabel({}, "secondary"), "mappingCrossing"))
    , m_messages(named(new QCheckBox(tr("messages")), "showMessages"))
    , m_allReduces(named(new QCheckBox(tr("all-reduces")), "showAllReduces"))
    , m_legend(new LoadLegend(theme))
    , m_picture(new NodePicture(theme))
    , m_key(new MappingKey(theme))
    , m_matrix(new LoadMatrix(theme))
    , m_verdict(named(new Band(theme, Band::Shape::Verdict), "mappingVerdict"))
    , m_cards(new MappingCards(theme))
    , m_exposed(new ExposedBars(theme))
    , m_link(new LinkPanel(theme))
    , m_model(new ModelPanel(theme))
    , m_stack(new QStackedWidget)
{
    setObjectName(QStringLiteral("mappingView"));
    m_mapping->setName(tr("Mapping"));
    m_dock = makeSurface("plain");
    spaced(new QVBoxLayout(m_dock), {}, 0, {m_link, m_model, kStretch});
    m_dockScroll = makeScroll(m_dock);
    m_dockScroll->setFixedWidth(kDock);
    m_centreScroll = makeScroll(makeCentre(theme));
    m_stack->addWidget(m_centreScroll);
    m_stack->addWidget(makeEmpty(theme));
    auto* left
        = spaced(new QVBoxLayout, {}, 0, {makeToolbar(), makeLine(Qt::Horizontal), {m_stack, 1}});
    m_side = makeSurface("plain");
    spaced(new QHBoxLayout(m_side), {}, 0, {makeLine(Qt::Vertical), m_dockScroll});
    spaced(new QHBoxLayout(this), {}, 0, {{left, 1}, m_side});
    m_debounce.setSingleShot(true);
    m_debounce.setInterval(kDebounce);
    connectAll();
}

QWidget* MappingView::makeToolbar()
{
    for (QCheckBox* box : {m_messages, m_allReduces}) {
        box->setChecked(true);
        box->setToolTip(tr("Show the load of %1").arg(box->text()));
    }
    return makeBar(44, 12, {makeLabel(tr("Mapping"), "dock"), m_mapping, m_file, kStretch});
}

QWidget* MappingView::makeCentre(const ThemeController& theme)
{
    auto* centre = makeSurface("plain");
    auto* loads = spaced(new QHBoxLayout, {}, 14, {m_messages, m_allReduces, {m_legend, 1}});
    auto* head = spaced(new QVBoxLayout, {14, 10, 14, 8}, 6, {m_crossing, loads});
    m_crossing->setWordWrap(true);
    auto* picture = spaced(new QVBoxLayout, {14, 0, 14, 8}, 8, {m_picture, m_matrix, m_key});
    auto* compared = spaced(new QVBoxLayout, {14, 10, 14, 12}, 10, {m_verdict, m_cards});
    auto* exposed = spaced(new QVBoxLayout, {14, 8, 14, 12}, 0, {m_exposed});
    const QString byKind = labelled(tr("Exposed communication by kind, %1"), Unit::Millisecond);
    m_centre = spaced(new QVBoxLayout(centre), {}, 0,
                      {head, picture, makeLine(Qt::Horizontal),
                       makeBar(36, 8,
                               {makeLabel(tr("Mappings compared"), "dock"),
                                new Tag(theme, tr("simulated")), kStretch}),
                       makeLine(Qt::Horizontal), compared, makeLine(Qt::Horizontal),
                       makeBar(36, 8,
                               {makeLabel(byKind, "dock"), kStretch,
                                makeLabel(tr("mean of the devices"), "hint")}),
                       makeLine(Qt::Horizontal), exposed, kStretch});
    return centre;
}

QWidget* MappingView::makeEmpty(const ThemeController& theme)
{
    m_empty = named(new EmptyState(theme, {Icon::Chip, {}, {}, tr("Use costs of hardware")}),
                    "mappingEmpty");
    auto* empty = makeSurface("plain");
    spaced(new QVBoxLayout(empty), {24, 24, 24, 24}, 0, {m_empty, kStretch});
    return empty;
}

void MappingView::connectAll()
{
    connect(&m_debounce, &QTimer::timeout, this, &MappingView::ask);
    connect(m_mapping, &SegmentControl::currentChanged, this, [this](int segment) {
        if (m_isShowing)
            return;
        if (segment == kFile)
            chooseFile();
        else
            offerMapping(fromUtf8(engine::kMappingNames[static_cast<std::size_t>(segment)]));
    });
    connect(m_mapping, &SegmentControl::chosenAgain, this, [this](int segment) {
        if (segment == kFile)
            chooseFile();
    });
    connect(m_cards, &MappingCards::chosen, this, &MappingView::offerMapping);
    for (QCheckBox* box : {m_messages, m_allReduces})
        connect(box, &QCheckBox::toggled, this, [this] {
            const ShownLoads shown{m_messages->isChecked(), m_allReduces->isChecked()};
            m_picture->setShownLoads(shown);
            m_matrix->setShownLoads(shown);
        });
    for (LinkChooser* each : std::initializer_list<LinkChooser*>{m_picture, m_matrix})
        connect(each, &LinkChooser::linkChanged, this, [this, each] {
            if (each == &chooser())
                m_link->showLink(each->highlighted());
        });
    connect(m_empty, &EmptyState::activated, this, [this] {
        RunPlan plan = m_plan;
        plan.source.kind = CostSource::Kind::Hardware;
        Q_EMIT planOffered(plan);
    });
}

LinkChooser& MappingView::chooser() const
{
    const bool isLarge = m_found && m_found->study.nodes.size() > kMostPictured;
    return isLarge ? static_cast<LinkChooser&>(*m_matrix) : *m_picture;
}

void MappingView::setPlan(const RunPlan& plan, const QString& problem)
{
    m_plan = plan;
    m_problem = problem;
    m_isAsked = m_isAnswered = false;
    m_studies.drop();
    Q_EMIT csvChanged();
    showMapping();
    if (isVisible())
        m_debounce.start();
}

void MappingView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    if (!m_isAsked)
        ask();
}

void MappingView::ask()
{
    m_isAsked = true;
    const PredictionRequest request = m_plan.request();
    if (m_problem.isEmpty() && hasNodes(request))
        return m_studies.ask(request);
    m_studies.drop();
    if (!m_problem.isEmpty())
        showEmpty(tr("No schedule with these numbers"), m_problem, false);
    else
        showEmpty(tr("The costs have no nodes"),
                  tr("Loads of links need the bytes of a model and the nodes of hardware: set "
                     "Costs to hardware, then choose a transformer and GPUs."),
                  true);
}

void MappingView::showEmpty(const QString& fact, const QString& advice, bool offersHardware)
{
    m_found.reset();
    m_empty->setTexts(fact, advice);
    m_empty->button()->setVisible(offersHardware);
    m_stack->setCurrentIndex(1);
    showSide();
    // A mapping that cannot be predicted can be replaced.
    m_mapping->setEnabled(m_problem.isEmpty() && hasNodes(m_plan.request()));
    for (QCheckBox* box : {m_messages, m_allReduces})
        box->setEnabled(false);
    m_isAnswered = true;
    Q_EMIT csvChanged();
}

engine::Result<MappingView::Found> MappingView::find(const PredictionRequest& request,
                                                     const std::atomic<bool>& isDropped)
{
    const auto isCancelled = [&isDropped] { return isDropped.load(); };
    auto study = TRY(studyMappings(request, isCancelled));
    auto facts = TRY(modelFacts(request, study, isCancelled));
    return Found{std::move(study), std::move(facts)};
}

void MappingView::showAnswer(engine::Result<Found> answer)
{
    if (!answer)
        return showEmpty(tr("Not predicted"), capitalized(fromUtf8(answer.error().message)), false);
    m_found = std::make_shared<const Found>(*std::move(answer));
    showFound();
    m_isAnswered = true;
    Q_EMIT csvChanged();
}

void MappingView::showFound()
{
    const std::shared_ptr<const MappingStudy> study(m_found, &m_found->study);
    m_stack->setCurrentIndex(0);
    showSide();
    for (QWidget* widget : std::initializer_list<QWidget*>{m_mapping, m_messages, m_allReduces})
        widget->setEnabled(true);
    m_crossing->setText(crossingText(*study));
    m_legend->show(LoadScale(*study));
    m_key->show(*study);
    LinkChooser& shown = chooser();
    LinkChooser& other = &shown == m_picture ? static_cast<LinkChooser&>(*m_matrix) : *m_picture;
    other.showStudy(nullptr);
    other.hide();
    m_link->showStudy(study);
    shown.show();
    shown.showStudy(study);
    m_key->setVisible(&shown == m_picture);
    const MappingVerdict verdict = mappingVerdict(*study);
    m_verdict->show(verdict.isBest ? Band::Kind::Ok : Band::Kind::Warning, verdict.bold,
                    verdict.rest);
    m_cards->show(study);
    m_exposed->show(study);
    m_model->show(*study, m_found->facts);
}

void MappingView::offerMapping(const QString& mapping)
{
    RunPlan plan = m_plan;
    plan.experiment.schedule.mapping = mapping.toStdString();
    Q_EMIT planOffered(plan);
}

void MappingView::chooseFile()
{
    showMapping(); // the picker keeps the current mapping until a file is chosen
    askForFile(this, tr("Mapping of the devices"), tr("Mappings (*.toml)"),
               [this](const QString& file) { offerMapping(file); });
}

void MappingView::showMapping()
{
    const QString mapping = QString::fromStdString(m_plan.experiment.schedule.mapping);
    m_isShowing = true;
    m_mapping->setCurrent(segmentOf(mapping));
    m_isShowing = false;
    const bool isFile = segmentOf(mapping) == kFile;
    m_file->setText(isFile ? mappingTitle(mapping) : QString());
    m_file->setToolTip(isFile ? toolTipText(mapping) : QString());
}

QString MappingView::csv() const
{
    return m_found && m_isAnswered ? mappingsCsv(m_found->study) : QString();
}

// Moves the panels below the picture in a narrow window.
void MappingView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const bool isNarrow = event->size().width() < kNarrow;
    const bool isBelow = m_dock->parentWidget() != nullptr && m_centre->indexOf(m_dock) >= 0;
    if (isNarrow == isBelow)
        return;
    if (isNarrow)
        m_centre->addWidget(m_dockScroll->takeWidget());
    else {
        m_centre->removeWidget(m_dock);
        m_dockScroll->setWidget(m_dock);
    }
    m_dock->show();
    showSide();
}

void MappingView::showSide()
{
    m_side->setVisible(m_stack->currentIndex() == 0 && m_centre->indexOf(m_dock) < 0);
}

} // namespace app
