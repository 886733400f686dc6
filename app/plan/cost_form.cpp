#include "app/plan/cost_form.h"

#include "app/documents/run_document.h"
#include "app/ui/controls.h"
#include "app/ui/form.h"
#include "app/ui/text.h"
#include "engine/cost/training_setup.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/experiment_fields.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <utility>

namespace app {
namespace {

using Kind = CostSource::Kind;

constexpr int kCostStep = 5;                                       // hundredths
constexpr int kMostOp = 400, kMostP2P = 200, kMostAllReduce = 800; // maxima of the sliders

// The costs with sliders, and --backward, which is their sum. The section has all others.
constexpr std::string_view kSliders[]{"--forward",         "--backward", "--input-gradient",
                                      "--weight-gradient", "--p2p",      "--allreduce"};

} // namespace

FoldSection::FoldSection(QString title, const QString& objectName)
    : m_title(std::move(title))
    , m_button(makeButton({}, objectName, "link", this, [this] { setOpen(!isOpen()); }))
    , m_content(new QWidget)
    , m_rows(spaced(new QVBoxLayout(m_content), {}, 6))
{
    spaced(new QVBoxLayout(this), {}, 6, {{m_button, 0, Qt::AlignLeft}, m_content});
    setOpen(false);
}

void FoldSection::setOpen(bool open)
{
    m_content->setVisible(open);
    m_button->setText((open ? QStringLiteral("\u25be ") : QStringLiteral("\u25b8 ")) + m_title);
    m_button->setAccessibleDescription(open ? tr("open") : tr("closed"));
}

namespace {

class Form : public CostForm
{
public:
    Form(const ThemeController& theme, RunPlan& plan, Order order)
        : m_theme(theme)
        , m_plan(plan)
        , m_order(order)
        , m_more(new FoldSection(order == Order::Built ? tr("More costs and passes")
                                                       : tr("More costs"),
                                 QStringLiteral("moreCosts")))
    {
        setObjectName(QStringLiteral("costForm"));
        m_kind->setToolTip(
            tr("Use assumed costs in units, closed-form costs of a model on hardware, "
               "or medians of a recorded run with the same stages"));
        makeHardware();
        makeRecorded();
        makeUnits();
        makeMore();
        spaced(
            new QVBoxLayout(this), {14, 14, 14, 14}, 6,
            {makeFormRow(tr("Costs"), {m_kind}), m_hardware, m_recorded, m_units, m_hint, m_more});
        showPlan();
        connect(m_kind, &SegmentControl::currentChanged, this, [this](int kind) {
            if (kind
                != static_cast<int>(std::exchange(m_plan.source.kind, static_cast<Kind>(kind))))
                replaced(); // otherwise showPlan() has set the control, not the user
        });
        connect(m_fields, &BoundFields::edited, this, &Form::changed);
        connect(&m_loader, &RunLoader::loaded, this, &Form::take);
        connect(&m_loader, &RunLoader::failed, this,
                [this](const QString& reason) { setHint(m_fileHint, reason); });
    }

    void showPlan() override
    {
        const CostSource& source = m_plan.source;
        const Kind kind = source.kind;
        m_fields->show();
        m_kind->setCurrent(static_cast<int>(kind));
        const QString file = fromUtf8(source.file);
        m_file->setText(file.section(QLatin1Char('/'), -1));
        m_file->setToolTip(file);
        setHint(m_fileHint, {});
        m_hardware->setVisible(kind == Kind::Hardware);
        m_recorded->setVisible(kind == Kind::Recorded);
        for (QWidget* part : {m_units, m_assumed, m_across})
            part->setVisible(kind == Kind::Units);
        m_nodes->setVisible(kind != Kind::Hardware);
        m_joint->setVisible(kind != Kind::Recorded);
        if (kind == Kind::Recorded && !source.run && !file.isEmpty()) {
            takeRun(file);
            m_isOfPlan = true;
        }
        const engine::ScheduleRequest& schedule = m_plan.experiment.schedule;
        if (!isSimple(applicableCosts(source, m_plan.costs)) || m_plan.evict
            || schedule.dataParallel > 1 || schedule.mapping != engine::kDefaultMapping)
            m_more->setOpen(true);
        showHint();
    }

    QString problem() const override { return m_fields->problem(); }

    void showHint() override
    {
        const bool isSimulated = m_plan.experiment.mode == engine::Mode::Simulate;
        const bool isUnits = m_plan.source.isUnits();
        setHint(m_hint,
                (isUnits && m_plan.costs == engine::UnitCosts()) || m_order == Order::Searched
                    ? QString()
                    : !isSimulated ? tr("used for the prediction only; a run measures its costs")
                    : isUnits      ? tr("closed forms hold for F 1, B 2, free links")
                                   : tr("closed forms do not cover these times"));
    }

    void takeRun(const QString& file) override
    {
        m_isOfPlan = false;
        m_loading = file;
        setHint(m_fileHint, tr("reading"));
        m_loader.load(file);
    }

private:
    using CostField = engine::Field<engine::UnitCosts>;

    static QVBoxLayout& rowsOf(QWidget* part) { return *spaced(new QVBoxLayout(part), {}, 6); }

    void makeHardware()
    {
        QVBoxLayout& column = rowsOf(m_hardware);
        for (const char* flag : {"--model", "--hardware"})
            m_fields->addRow(column, *engine::findField(profiler::costSourceFields(), flag),
                             m_plan.source, "cost");
        for (const auto& field : engine::trainingSetupFields())
            m_fields->addRow(column, field, m_plan.source.setup, "cost");
    }

    void makeRecorded()
    {
        m_file->setReadOnly(true);
        m_file->setPlaceholderText(tr("none"));
        m_file->setFixedWidth(kFormFieldWidth - kBrowseWidth);
        QPushButton* browse = makeBrowseButton(
            "chooseCostRun", tr("Select a recorded run with the same stages"), this, [this] {
                askForFile(this, tr("Run with the costs"), tr("Runs (*.sqlite)"),
                           [this](const QString& file) { takeRun(file); });
            });
        auto& column = *spaced(new QVBoxLayout(m_recorded), {}, 4,
                               {makeFormRow(tr("Recorded run"), {m_file, browse}), m_fileHint});
        m_fields->addRow(column,
                         *engine::findField(profiler::costSourceFields(), "--split-backward"),
                         m_plan.source, "cost");
    }

    void makeUnits()
    {
        QPushButton* closedFormCosts
            = makeButton(tr("F 1, B 2"), "closedFormCosts", "link", this, [this] {
                  m_plan.costs = {};
                  showPlan();
                  changed();
              });
        closedFormCosts->setToolTip(
            tr("Use forward 1, backward 2, free links, as closed forms assume"));
        QVBoxLayout& column = rowsOf(m_units);
        column.addWidget(makeRow(
            {}, 8,
            {{makeLabel(tr("1 unit = one forward of a device"), "secondary"), 1}, closedFormCosts},
            ""));
        for (const auto& [flag, most] : {std::pair("--forward", kMostOp),
                                         {"--input-gradient", kMostOp},
                                         {"--weight-gradient", kMostOp},
                                         {"--p2p", kMostP2P},
                                         {"--allreduce", kMostAllReduce}}) {
            const CostField& cost = *engine::findField(engine::unitCostFields(), flag);
            auto* field = new SliderField(
                static_cast<SpinField*>(m_fields->add(cost, m_plan.costs, "cost")), most);
            field->setRest(
                [](int value) { return (value + kCostStep / 2) / kCostStep * kCostStep; });
            column.addLayout(makeSliderRow(fromUtf8(cost.label), field));
        }
    }

    void makeMore()
    {
        constexpr std::string_view kNodeSize = "--devices-per-node", kJoint = "--joint";
        const auto is = [](std::string_view flag) {
            return [flag](const CostField& cost) { return cost.longFlag() == flag; };
        };
        const auto isBeside = [](std::string_view flag) { // in its group
            const std::string_view group = engine::findField(engine::unitCostFields(), flag)->group;
            return [group, flag](const CostField& cost) {
                return cost.group == group && cost.longFlag() != flag;
            };
        };
        if (m_order == Order::Built)
            addPasses();
        m_assumed = addGroup(isBeside("--forward"));
        m_nodes = addGroup(is(kNodeSize));
        m_across = addGroup(isBeside(kNodeSize));
        m_more->rows().addWidget(makeLabel(tr("Interference"), "secondary"));
        m_joint = addGroup(is(kJoint));
        addGroup(isBeside(kJoint));
    }

    void addPasses()
    {
        QComboBox* evict = m_fields->choice(
            "evict", {tr("none"), tr("lazy"), tr("steady")},
            [this] { return m_plan.evict ? static_cast<int>(*m_plan.evict) + 1 : 0; },
            [this](int index) {
                m_plan.evict = index == 0
                    ? std::nullopt
                    : std::optional(static_cast<engine::EvictPolicy>(index - 1));
            });
        evict->setToolTip(tr("Share stashes between devices d and D-1-d, as BPipe does"));
        m_more->rows().addLayout(makeFormRow(tr("Evict"), {evict}));
        for (const char* flag : {"--data-parallel", "--mapping"})
            m_fields->addRow(m_more->rows(), engine::experimentField(flag), m_plan.experiment);
    }

    // A row for each cost for which `isIn` returns true. The costs of one group are hidden
    // together.
    QWidget* addGroup(const std::function<bool(const CostField&)>& isIn)
    {
        const std::string_view leftOut = m_order == Order::Searched ? "--seed" : "";
        auto* group = new QWidget;
        m_more->rows().addWidget(group);
        QVBoxLayout& column = rowsOf(group);
        for (const CostField& cost : engine::unitCostFields())
            if (isIn(cost) && cost.flag != leftOut
                && std::ranges::find(kSliders, cost.longFlag()) == std::end(kSliders))
                m_fields->addRow(column, cost, m_plan.costs, "cost");
        return group;
    }

    // Takes D, N and the data-parallel width, so that other schemes with the same stages can be
    // chosen.
    void take(const RunPointer& run)
    {
        CostSource& source = m_plan.source;
        if (m_isOfPlan && (source.run || source.file != m_loading.toStdString()))
            return; // the plan was replaced meanwhile
        source.run = run;
        if (!m_isOfPlan) {
            source.kind = Kind::Recorded;
            source.file = m_loading.toStdString();
            engine::ScheduleRequest& schedule = m_plan.experiment.schedule;
            schedule.devices = run->schedule.shape.devices;
            schedule.microBatches = run->schedule.shape.microBatches;
            schedule.dataParallel = run->schedule.shape.dataParallel;
            schedule = withStagesOf(source, schedule);
        }
        replaced();
    }

    void replaced() // more than a field has changed
    {
        showPlan();
        Q_EMIT planChanged();
    }

    void changed()
    {
        showHint();
        Q_EMIT edited();
    }

    const ThemeController& m_theme;
    RunPlan& m_plan;
    Order m_order;
    RunLoader m_loader;
    QString m_loading;
    bool m_isOfPlan = false; // the plan names the run that is being loaded
    BoundFields* m_fields = new BoundFields(m_theme, this);
    SegmentControl* m_kind = named(
        new SegmentControl(m_theme, {tr("units"), tr("hardware"), tr("a run")}), "costSource");
    QLineEdit* m_file = named(new QLineEdit, "costRun");
    QLabel *m_fileHint = named(makeFormHint(), "costRunHint"), *m_hint = makeFormHint();
    QWidget *m_hardware = new QWidget, *m_recorded = new QWidget, *m_units = new QWidget;
    FoldSection* m_more;
    QWidget *m_assumed, *m_nodes, *m_across, *m_joint; // groups of m_more
};

} // namespace

CostForm* CostForm::make(const ThemeController& theme, RunPlan& plan, Order order)
{
    return new Form(theme, plan, order);
}

} // namespace app
