#include "app/plan/cost_form.h"

#include "app/plan/more_options.h"
#include "app/ui/bound_fields.h"
#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/segment_control.h"
#include "app/ui/slider_field.h"
#include "app/ui/text.h"
#include "engine/cost/training_setup.h"
#include "engine/cost/unit_cost_fields.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>

namespace app {
namespace {

using Kind = CostSource::Kind;

} // namespace

CostSourceForm::CostSourceForm(const ThemeController& theme, RunPlan& plan, QWidget* parent)
    : QWidget(parent)
    , m_plan(plan)
    , m_fields(new BoundFields(theme, this))
    , m_kind(named(new SegmentControl(theme, {tr("units"), tr("hardware"), tr("a run")}),
                   "costSource"))
{
    setObjectName(QStringLiteral("costSourceForm"));
    m_kind->setToolTip(tr("Use assumed costs in units, closed-form costs of a model on hardware, "
                          "or medians of a recorded run with the same stages"));
    m_hardware = makeHardware();
    m_recorded = makeRecorded();
    spaced(new QVBoxLayout(this), QMargins(), 6,
           {makeFormRow(tr("Costs"), {m_kind}), m_hardware, m_recorded});
    showPlan();
    connect(m_kind, &SegmentControl::currentChanged, this, [this](int kind) {
        if (kind == static_cast<int>(std::exchange(m_plan.source.kind, static_cast<Kind>(kind))))
            return; // showPlan() has set the control, not the user
        showKind();
        Q_EMIT planChanged();
    });
    connect(m_fields, &BoundFields::edited, this, &CostSourceForm::edited);
    connect(&m_loader, &RunLoader::loaded, this, &CostSourceForm::take);
    connect(&m_loader, &RunLoader::failed, this,
            [this](const QString& reason) { setHint(m_hint, reason); });
}

QWidget* CostSourceForm::makeHardware()
{
    auto* rows = new QWidget;
    auto& column = *spaced(new QVBoxLayout(rows), QMargins(), 6);
    for (const char* flag : {"--model", "--hardware"})
        m_fields->addRow(column, *engine::findField(profiler::costSourceFields(), flag),
                         m_plan.source, "cost");
    for (const auto& field : engine::trainingSetupFields())
        m_fields->addRow(column, field, m_plan.source.setup, "cost");
    return rows;
}

QWidget* CostSourceForm::makeRecorded()
{
    m_file = named(new QLineEdit, "costRun");
    m_file->setReadOnly(true);
    m_file->setPlaceholderText(tr("none"));
    m_file->setFixedWidth(kFormFieldWidth - kBrowseWidth);
    QPushButton* browse = makeBrowseButton(QStringLiteral("chooseCostRun"),
                                           tr("Select a recorded run with the same stages"));
    connect(browse, &QPushButton::clicked, this, &CostSourceForm::choose);
    m_hint = named(makeFormHint(), "costRunHint");
    auto* rows = new QWidget;
    auto& column = *spaced(new QVBoxLayout(rows), QMargins(), 4);
    column.addLayout(makeFormRow(tr("Recorded run"), {m_file, browse}));
    column.addWidget(m_hint);
    m_fields->addRow(column, *engine::findField(profiler::costSourceFields(), "--split-backward"),
                     m_plan.source, "cost");
    return rows;
}

QString CostSourceForm::problem() const
{
    return m_fields->problem();
}

void CostSourceForm::choose()
{
    askForFile(this, tr("Run with the costs"), tr("Runs (*.sqlite)"),
               [this](const QString& file) { takeRun(file); });
}

void CostSourceForm::takeRun(const QString& file)
{
    m_isOfPlan = false;
    m_loading = file;
    setHint(m_hint, tr("reading"));
    m_loader.load(file);
}

// Also takes D, N and the data-parallel width of the run, so that other schemes with the same
// stages can be chosen. If the plan named this run already, keeps the sizes of the plan.
void CostSourceForm::take(const RunPointer& run)
{
    CostSource& source = m_plan.source;
    if (m_isOfPlan && (source.run || source.file != m_loading.toStdString()))
        return; // the plan was replaced meanwhile
    source.run = run;
    if (m_isOfPlan)
        return Q_EMIT planChanged();
    source.kind = Kind::Recorded;
    source.file = m_loading.toStdString();
    engine::ScheduleRequest& schedule = m_plan.experiment.schedule;
    schedule.devices = run->schedule.shape.devices;
    schedule.microBatches = run->schedule.shape.microBatches;
    schedule.dataParallel = run->schedule.shape.dataParallel;
    schedule = withStagesOf(source, schedule);
    Q_EMIT planChanged();
}

void CostSourceForm::showKind()
{
    const Kind kind = m_plan.source.kind;
    m_hardware->setVisible(kind == Kind::Hardware);
    m_recorded->setVisible(kind == Kind::Recorded);
}

void CostSourceForm::showPlan()
{
    m_fields->show();
    m_kind->setCurrent(static_cast<int>(m_plan.source.kind));
    const QString file = fromUtf8(m_plan.source.file);
    m_file->setText(file.section(QLatin1Char('/'), -1));
    m_file->setToolTip(file);
    setHint(m_hint, {});
    showKind();
    const CostSource& source = m_plan.source;
    if (source.kind == Kind::Recorded && !source.run && !file.isEmpty()) {
        takeRun(file);
        m_isOfPlan = true;
    }
}

namespace {

constexpr int kMostTyped = 100'000; // in hundredths
constexpr int kCostStep = 5;
constexpr int kMostOp = 400, kMostP2P = 200, kMostAllReduce = 800; // maxima of the sliders

} // namespace

CostForm::CostForm(const ThemeController& theme, RunPlan& plan, Order order, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_plan(plan)
    , m_order(order)
    , m_source(new CostSourceForm(theme, plan))
    , m_units(makeUnits())
    , m_hint(makeFormHint())
    , m_more(new MoreCosts(theme, plan, order == Order::Built,
                           order == Order::Searched ? "--seed" : ""))
{
    QVBoxLayout& column = *spaced(new QVBoxLayout(this), QMargins(14, 14, 14, 14), 6);
    column.addWidget(m_source);
    column.addWidget(m_units);
    column.addWidget(m_hint);
    column.addWidget(m_more);
    connect(m_source, &CostSourceForm::edited, this, &CostForm::changed);
    connect(m_source, &CostSourceForm::planChanged, this, [this] {
        showPlan();
        Q_EMIT planChanged();
    });
    connect(m_more, &MoreCosts::edited, this, &CostForm::changed);
}

QWidget* CostForm::makeUnits()
{
    auto* units = new QWidget;
    QVBoxLayout& column = *spaced(new QVBoxLayout(units), QMargins(), 6);
    makeHead(column);
    const auto add = [&](const char* flag, int most) {
        SliderField* field = makeCost(flag, most);
        column.addLayout(makeSliderRow(fromUtf8(m_costs.back().second->label), field));
    };
    add("--forward", kMostOp);
    add("--input-gradient", kMostOp);
    add("--weight-gradient", kMostOp);
    add("--p2p", kMostP2P);
    add("--allreduce", kMostAllReduce);
    return units;
}

void CostForm::makeHead(QVBoxLayout& column)
{
    auto* head = spaced(new QHBoxLayout, QMargins(), 8,
                        {{makeLabel(tr("1 unit = one forward of a device"), "secondary"), 1}});
    QPushButton* closedFormCosts
        = makeButton(tr("F 1, B 2"), QStringLiteral("closedFormCosts"), "link");
    closedFormCosts->setToolTip(
        tr("Use forward 1, backward 2, free links, as closed forms assume"));
    connect(closedFormCosts, &QPushButton::clicked, this, [this] {
        m_plan.costs = {};
        showPlan();
        changed();
    });
    head->addWidget(closedFormCosts);
    column.addLayout(head);
}

SliderField* CostForm::makeCost(const char* flag, int most)
{
    const auto* cost = engine::findField(engine::unitCostFields(), flag);
    auto* spin = new HundredthsField(m_theme);
    spin->setObjectName(fieldObjectName(*cost, "cost"));
    spin->setRange(0, kMostTyped);
    spin->setSingleStep(kCostStep);
    auto* field = new SliderField(spin, most);
    field->setRest([](int value) { return (value + kCostStep / 2) / kCostStep * kCostStep; });
    connect(spin, &QSpinBox::valueChanged, this, [this, cost](int value) {
        if (m_isShowing)
            return;
        static_cast<void>(cost->set(m_plan.costs, engine::scaledText(value, 2)));
        changed();
    });
    m_costs.emplace_back(field, cost);
    return field;
}

void CostForm::changed()
{
    if (m_isShowing)
        return;
    showHint();
    Q_EMIT edited();
}

void CostForm::showPlan()
{
    m_isShowing = true;
    for (const auto& [field, cost] : m_costs) {
        const auto value = engine::parseFraction(cost->get(m_plan.costs));
        field->field()->setValue(qRound(value.value_or(engine::Fraction{}).value() * 100));
    }
    m_source->showPlan();
    m_units->setVisible(m_plan.source.isUnits());
    m_more->showPlan();
    m_isShowing = false;
    showHint();
}

void CostForm::showHint()
{
    const bool assumes = !m_plan.source.isUnits() || m_plan.costs != engine::UnitCosts();
    setHint(m_hint,
            !assumes || m_order == Order::Searched ? QString()
                : m_plan.experiment.mode == engine::Mode::Simulate && !m_plan.source.isUnits()
                ? tr("closed forms do not cover these times")
                : m_plan.experiment.mode == engine::Mode::Simulate
                ? tr("closed forms hold for F 1, B 2, free links")
                : tr("used for the prediction only; a run measures its costs"));
}

QString CostForm::problem() const
{
    const QString ofSource = m_source->problem();
    return ofSource.isEmpty() ? m_more->problem() : ofSource;
}

} // namespace app
