#include "app/mapping/mapping_view.h"

#include "app/figures/scene_view.h"
#include "app/mapping/mapping_study.h"
#include "app/ui/band.h"
#include "app/ui/empty_state.h"
#include "app/ui/form_rows.h"
#include "app/ui/latest.h"
#include "app/ui/row_table.h"
#include "app/ui/segment_control.h"
#include "app/ui/table_text.h"
#include "app/ui/text.h"
#include "engine/base/try.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QResizeEvent>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTimer>

#include <algorithm>
#include <cmath>

namespace app {
namespace {

constexpr int kDebounce = 60; // ms
constexpr int kDock = 352, kNarrow = 860;
constexpr int kFile = 3;          // segment of the picker
constexpr int kMostPictured = 16; // nodes
constexpr int kRow = 23, kMostRows = 8, kBarsHeight = 176;

// The highest table of the panels: eight rows and a half.
constexpr int kTallest = 28 + kMostRows * kRow + kRow / 2;

int segmentOf(const QString& mapping)
{
    for (std::size_t i = 0; i < engine::kMappingNames.size(); ++i)
        if (mapping == fromUtf8(engine::kMappingNames[i]))
            return static_cast<int>(i);
    return kFile;
}

// The traffic of the selected link, and the all-reduces of the schedule.
class LinkPanel : public QWidget
{
public:
    explicit LinkPanel(const ThemeController& theme)
        : m_theme(theme)
    {
        auto* head = spaced(new QHBoxLayout, {12, 10, 12, 0}, 8, {m_title, kStretch, m_load});
        m_sentence->setContentsMargins(12, 2, 12, 6);
        spaced(new QVBoxLayout(m_sumPart), {}, 0,
               {makeLine(Qt::Horizontal),
                makeBar(36, 8, {makeLabel(tr("All-reduces"), "dock"), kStretch, m_members}),
                makeLine(Qt::Horizontal), m_sums});
        spaced(new QVBoxLayout(this), {}, 0,
               {makeBar(40, 8,
                        {makeLabel(tr("Selected link"), "dock"), kStretch,
                         makeLabel(tr("Esc clears"), "hint")}),
                makeLine(Qt::Horizontal), head, m_sentence, m_flows, m_sumPart});
    }

    void showStudy(const MappingStudy& study)
    {
        const auto& sums = study.shown().loads.allReduces;
        m_sums->show(allReduceColumns(), sums);
        m_sums->fit(kTallest);
        m_sumPart->setVisible(!sums.empty());
        m_members->setText(
            sums.empty() ? QString() : tr("of %1 each").arg(countOf(sums.front().ranks, "member")));
    }

    void showLink(const MappingStudy& study, const std::optional<NodePair>& nodes)
    {
        const profiler::LinkLoad* link
            = nodes ? study.shown().loads.find(nodes->first, nodes->second) : nullptr;
        m_title->setText(link == nullptr ? tr("None") : linkTitle(*link));
        m_load->setText(link == nullptr ? QString() : loadText(link->bytes()));
        m_sentence->setText(link == nullptr
                                ? tr("Click a link in the picture, or press the arrow keys there.")
                                : linkSentence(study, *link));
        m_flows->show(flowColumns(study.prediction->run->schedule.shape.replicas),
                      link == nullptr ? std::vector<profiler::LinkFlow>() : link->flows);
        m_flows->fit(kTallest);
    }

private:
    const ThemeController& m_theme;
    RowTable<profiler::LinkFlow>* m_flows = new RowTable<profiler::LinkFlow>(
        m_theme, kRow, "linkFlows", tr("Traffic of the link"), 0);
    RowTable<profiler::AllReduceLoad>* m_sums
        = new RowTable<profiler::AllReduceLoad>(m_theme, kRow, "allReduces", tr("All-reduces"), 0);
    QLabel *m_title = named(makeLabel({}, "section"), "linkTitle"),
           *m_load = named(makeLabel({}, "section"), "linkLoad"),
           *m_sentence = makeWrapped("hint", "linkSentence"), *m_members = makeLabel({}, "hint");
    QWidget* m_sumPart = new QWidget;
};

// The memory of the model on the devices: sizes of the stages, bytes per device, and whether they
// fit.
class ModelPanel : public QWidget
{
public:
    explicit ModelPanel(const ThemeController& theme)
        : m_theme(theme)
    {
        m_bars->setFixedHeight(kBarsHeight);
        auto* fit = spaced(new QHBoxLayout, {}, 8, {{m_icon, 0, Qt::AlignTop}, {m_fit, 1}});
        spaced(new QVBoxLayout(this), {}, 0,
               {makeLine(Qt::Horizontal),
                makeBar(36, 8,
                        {makeLabel(tr("Model"), "dock"), new Tag(m_theme, tr("simulated")),
                         kStretch, m_model}),
                makeLine(Qt::Horizontal), m_stages, m_bars,
                spaced(new QVBoxLayout, {12, 8, 12, 12}, 4, {fit, m_twice, m_remedy})});
    }

    void show(const MappingStudy& study, const ModelFacts& facts)
    {
        m_stages->show(stageColumns(study.prediction->run->schedule.shape.stages), facts.stages);
        m_stages->fit();
        showModel(study.on->model);
        DeviceColumns peaks = facts.now.devices;
        if (peaks.isEmpty()) {
            m_bars->clear(tr("The memory of this schedule is not simulated."));
            for (QWidget* part : std::initializer_list<QWidget*>{m_icon, m_fit, m_twice, m_remedy})
                part->hide();
            return;
        }
        if (facts.twice) {
            peaks.outlines = facts.twice->devices.totals();
            peaks.axis += tr("; dashed: micro-batch size %1").arg(facts.twice->microBatchSize);
        }
        m_bars->show(std::move(peaks));
        m_icon->show();
        m_icon->setIcon(facts.now.fits() ? Icon::Check : Icon::Error,
                        facts.now.fits() ? &Chrome::ok : &Chrome::error);
        setHint(m_fit, fitText(facts.now, facts.now));
        setHint(m_twice, facts.twice ? fitText(*facts.twice, facts.now) : QString());
        setHint(m_remedy, remedyText(facts));
    }

private:
    void showModel(const engine::TransformerSpec& model)
    {
        const bool isTied = engine::isTied(model);
        m_model->setText(
            (isTied ? tr("%1, %2 B parameters, tied") : tr("%1, %2 B parameters"))
                .arg(fromUtf8(model.name), number(engine::parameterCount(model) / 1e9, 1)));
        m_model->setToolTip(isTied ? tr("Counts the tied embeddings once; the first and the last "
                                        "stage both store them")
                                   : QString());
    }

    const ThemeController& m_theme;
    RowTable<StageSizes>* m_stages
        = new RowTable<StageSizes>(m_theme, kRow, "stageSizes", tr("Sizes of the stages"), 0);
    DeviceView* m_bars = new DeviceView(m_theme, "deviceBytes");
    QLabel *m_model = named(makeLabel({}, "hint"), "modelName"),
           *m_fit = makeWrapped("dock", "memoryFit"),
           *m_twice = makeWrapped("small", "memoryTwice"),
           *m_remedy = makeWrapped("hint", "memoryRemedy");
    IconLabel* m_icon = new IconLabel(m_theme, Icon::Check, &Chrome::ok);
};

class View : public MappingView
{
public:
    explicit View(const ThemeController& theme)
        : m_theme(theme)
    {
        setObjectName(QStringLiteral("mappingView"));
        m_mapping->setName(tr("Mapping"));
        m_dockScroll->setFixedWidth(kDock);
        m_stack->addWidget(makeScroll(makeCentre()));
        m_stack->addWidget(makeColumn({24, 24, 24, 24}, 0, {m_empty, kStretch}));
        auto* left = spaced(new QVBoxLayout, {}, 0,
                            {makeToolbar(), makeLine(Qt::Horizontal), {m_stack, 1}});
        spaced(new QHBoxLayout(this), {}, 0, {{left, 1}, m_side});
        m_debounce.setSingleShot(true);
        m_debounce.setInterval(kDebounce);
        connectAll();
    }

    void setPlan(const RunPlan& plan, const QString& problem) override
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

    const MappingStudy* study() const override { return m_found ? &m_found->study : nullptr; }
    const std::vector<NodePair>& links() const override { return m_links; }
    QString csv() const override
    {
        return m_found && m_isAnswered ? csvOf(m_compared->rows()) : QString();
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        QWidget::showEvent(event);
        if (!m_isAsked)
            ask();
    }

    // Moves the panels below the picture in a narrow window.
    void resizeEvent(QResizeEvent* event) override
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

private:
    struct Found
    {
        MappingStudy study;
        ModelFacts facts;
    };

    static engine::Result<Found> find(const PredictionRequest& request,
                                      const std::atomic<bool>& isDropped)
    {
        const auto isCancelled = [&isDropped] { return isDropped.load(); };
        auto study = TRY(studyMappings(request, isCancelled));
        auto facts = TRY(modelFacts(request, study, isCancelled));
        return Found{std::move(study), std::move(facts)};
    }

    QWidget* makeToolbar()
    {
        for (QCheckBox* box : {m_messages, m_allReduces}) {
            box->setChecked(true);
            box->setToolTip(tr("Show the load of %1").arg(box->text()));
        }
        return makeBar(44, 12, {makeLabel(tr("Mapping"), "dock"), m_mapping, m_file, kStretch});
    }

    QWidget* makeCentre()
    {
        auto* centre = makeSurface("plain");
        auto* loads = spaced(new QHBoxLayout, {}, 14, {m_messages, m_allReduces, kStretch});
        auto* head = spaced(new QVBoxLayout, {14, 10, 14, 8}, 6, {m_crossing, loads});
        auto* picture = spaced(new QVBoxLayout, {14, 0, 14, 8}, 8, {m_picture});
        auto* verdict = spaced(new QVBoxLayout, {14, 10, 14, 10}, 0, {m_verdict});
        m_centre = spaced(
            new QVBoxLayout(centre), {}, 0,
            {head, picture, makeLine(Qt::Horizontal),
             makeBar(36, 8,
                     {makeLabel(tr("Mappings compared"), "dock"), new Tag(m_theme, tr("simulated")),
                      kStretch, makeLabel(tr("exposed: mean of the devices"), "hint")}),
             makeLine(Qt::Horizontal), verdict, m_compared, kStretch});
        return centre;
    }

    void connectAll()
    {
        connect(&m_debounce, &QTimer::timeout, this, &View::ask);
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
        connect(m_compared, &QAbstractItemView::clicked, this, &View::offerRow);
        connect(m_compared, &QAbstractItemView::activated, this, &View::offerRow);
        for (QCheckBox* box : {m_messages, m_allReduces})
            connect(box, &QCheckBox::toggled, this, &View::drawPicture);
        m_picture->setListed();
        connect(m_picture, &SceneView::resized, this, &View::drawPicture);
        connect(&m_theme, &ThemeController::changed, this, &View::drawPicture);
        connect(m_picture, &SceneView::pointChosen, this,
                [this](std::size_t link) { m_selected = m_links[link]; });
        connect(m_picture, &SceneView::cleared, this, [this] {
            m_selected.reset();
            m_isCleared = true;
        });
        connect(m_picture, &SceneView::highlightChanged, this, [this] {
            if (m_found)
                m_link->showLink(m_found->study, highlighted());
        });
        connect(m_empty, &EmptyState::activated, this, [this] {
            RunPlan plan = m_plan;
            plan.source.kind = CostSource::Kind::Hardware;
            Q_EMIT planOffered(plan);
        });
    }

    void ask()
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

    void showAnswer(engine::Result<Found> answer)
    {
        if (!answer)
            return showEmpty(tr("Not predicted"), capitalized(fromUtf8(answer.error().message)),
                             false);
        m_found = std::make_shared<const Found>(*std::move(answer));
        showFound();
        m_isAnswered = true;
        Q_EMIT csvChanged();
    }

    void showFound()
    {
        const MappingStudy& study = m_found->study;
        m_stack->setCurrentIndex(0);
        showSide();
        const bool isPictured = study.nodes.size() <= kMostPictured;
        m_mapping->setEnabled(true);
        for (QWidget* widget :
             std::initializer_list<QWidget*>{m_messages, m_allReduces, m_picture}) {
            widget->setEnabled(true);
            widget->setVisible(isPictured);
        }
        m_crossing->setText(
            crossingText(study)
            + (isPictured ? QString()
                          : tr(" Machines of up to %1 nodes are drawn.").arg(kMostPictured)));
        m_link->showStudy(study);
        const profiler::LinkLoads& loads = study.shown().loads;
        if (m_selected && loads.find(m_selected->first, m_selected->second) == nullptr)
            m_selected.reset();
        if (const profiler::LinkLoad* most = loads.largest(); !m_selected && !m_isCleared && most)
            m_selected = NodePair(most->from, most->to);
        drawPicture();
        const MappingVerdict verdict = mappingVerdict(study);
        m_verdict->show(verdict.isBest ? Band::Kind::Ok : Band::Kind::Warning, verdict.bold,
                        verdict.rest);
        m_compared->show(mappingColumns(study), study.all);
        m_compared->fit();
        m_compared->selectRow(static_cast<int>(study.chosen));
        m_model->show(study, m_found->facts);
    }

    // Keeps the selected link if it is in the picture.
    void drawPicture()
    {
        if (!m_found)
            return;
        const ShownLoads shown{m_messages->isChecked(), m_allReduces->isChecked()};
        const bool isPictured = m_found->study.nodes.size() <= kMostPictured;
        m_links = shownLinks(m_found->study, shown);
        if (isPictured && m_picture->width() > 0) {
            auto scene = std::make_shared<const profiler::MarkedScene>(
                nodeScene(m_found->study, shown, m_theme.theme(), m_picture->width()));
            m_picture->setFixedHeight(
                std::max(1, static_cast<int>(std::ceil(scene->scene.height))));
            m_picture->show(std::move(scene));
        }
        const auto selected = std::ranges::find(m_links, m_selected.value_or(NodePair(-1, -1)));
        if (selected == m_links.end())
            m_picture->select({});
        else
            m_picture->select(static_cast<std::size_t>(selected - m_links.begin()));
    }

    // The link under the mouse, or else the selected one.
    std::optional<NodePair> highlighted() const
    {
        const auto link = m_picture->highlighted();
        return link && *link < m_links.size() ? std::optional(m_links[*link]) : std::nullopt;
    }

    QString describeLink(std::size_t link) const
    {
        const auto& [from, to] = m_links.at(link);
        const profiler::LinkLoad* load = m_found->study.shown().loads.find(from, to);
        const QString text = tr("%1, %2").arg(linkTitle(*load), loadText(load->bytes()));
        return from == to
            ? tr("%1: %2").arg(text, m_found->study.nodes[static_cast<std::size_t>(from)].summary)
            : text;
    }

    void showEmpty(const QString& fact, const QString& advice, bool offersHardware)
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

    void offerMapping(const QString& mapping)
    {
        RunPlan plan = m_plan;
        plan.experiment.schedule.mapping = mapping.toStdString();
        Q_EMIT planOffered(plan);
    }

    void offerRow(const QModelIndex& row)
    {
        if (const MappedPrediction& mapped = m_compared->at(row.row()); mapped.problem.isEmpty())
            offerMapping(mapped.mapping);
    }

    void chooseFile()
    {
        showMapping(); // the picker keeps the current mapping until a file is chosen
        askForFile(this, tr("Mapping of the devices"), tr("Mappings (*.toml)"),
                   [this](const QString& file) { offerMapping(file); });
    }

    void showMapping()
    {
        const QString mapping = QString::fromStdString(m_plan.experiment.schedule.mapping);
        m_isShowing = true;
        m_mapping->setCurrent(segmentOf(mapping));
        m_isShowing = false;
        const bool isFile = segmentOf(mapping) == kFile;
        m_file->setText(isFile ? mappingTitle(mapping) : QString());
        m_file->setToolTip(isFile ? toolTipText(mapping) : QString());
    }

    void showSide()
    {
        m_side->setVisible(m_stack->currentIndex() == 0 && m_centre->indexOf(m_dock) < 0);
    }

    const ThemeController& m_theme;
    RunPlan m_plan;
    QString m_problem;
    // Whether a study of the current plan was requested, and whether its answer has come. Until
    // then m_found is that of an earlier plan.
    bool m_isAsked = false, m_isAnswered = false;
    Latest<PredictionRequest, engine::Result<Found>> m_studies{
        this, &View::find, [this](engine::Result<Found> answer) { showAnswer(std::move(answer)); }};
    QTimer m_debounce;
    std::shared_ptr<const Found> m_found; // null: no answer
    bool m_isShowing = false;             // showMapping() is setting the picker
    SegmentControl* m_mapping = named(new SegmentControl(m_theme,
                                                         {tr("contiguous"), tr("replicas together"),
                                                          tr("pair-adjacent"), tr("from file…")}),
                                      "mapping");
    QLabel *m_file = named(makeLabel({}, "hint"), "mappingFile"),
           *m_crossing = makeWrapped("secondary", "mappingCrossing");
    QCheckBox *m_messages = named(new QCheckBox(tr("messages")), "showMessages"),
              *m_allReduces = named(new QCheckBox(tr("all-reduces")), "showAllReduces");
    SceneView* m_picture
        = named(new SceneView(m_theme, [this](std::size_t link) { return describeLink(link); }),
                "nodePicture", tr("Devices on nodes"));
    std::vector<NodePair> m_links; // of the marks in the picture
    std::optional<NodePair> m_selected;
    bool m_isCleared = false; // the user cleared the selection
    Band* m_verdict = named(new Band(m_theme, Band::Shape::Verdict), "mappingVerdict");
    RowTable<MappedPrediction>* m_compared
        = new RowTable<MappedPrediction>(m_theme, 28, "mappings", tr("Mappings compared"), 7);
    LinkPanel* m_link = new LinkPanel(m_theme);
    ModelPanel* m_model = new ModelPanel(m_theme);
    EmptyState* m_empty = named(
        new EmptyState(m_theme, {Icon::Chip, {}, {}, tr("Use costs of hardware")}), "mappingEmpty");
    QStackedWidget* m_stack = new QStackedWidget;
    // m_dock: the panels. m_side: the column in which a wide window shows them.
    QWidget* m_dock = makeColumn({}, 0, {m_link, m_model, kStretch});
    QScrollArea* m_dockScroll = makeScroll(m_dock);
    QWidget* m_side = makeRow({}, 0, {makeLine(Qt::Vertical), m_dockScroll});
    QVBoxLayout* m_centre;
};

} // namespace

MappingView* MappingView::make(const ThemeController& theme)
{
    return new View(theme);
}

} // namespace app
