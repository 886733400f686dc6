#include "app/plan/cost_form.h"

#include "app/plan/cost_source_form.h"
#include "app/plan/more_options.h"
#include "app/ui/bound_fields.h"
#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/slider_field.h"
#include "app/ui/text.h"
#include "engine/cost/unit_cost_fields.h"

#include <QHBoxLayout>

namespace app {
namespace {

constexpr int kMostTyped = 100'000; // in hundredths
constexpr int kCostStep = 5;
constexpr int kMostOp = 400, kMostP2P = 200, kMostAllReduce = 800; // maxima of the sliders

} // namespace

CostForm::CostForm(const ThemeController& theme, RunPlan& plan, Order order, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_plan(plan)
    , m_source(new CostSourceForm(theme, plan))
    , m_units(makeUnits())
    , m_hint(makeFormHint())
    , m_more(new MoreCosts(theme, plan, order == Order::Built))
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
            !assumes ? QString()
                : m_plan.experiment.mode == engine::Mode::Simulate && !m_plan.source.isUnits()
                ? tr("closed forms do not cover these times")
                : m_plan.experiment.mode == engine::Mode::Simulate
                ? tr("closed forms hold for F 1, B 2, free links")
                : tr("used for the prediction only; a run measures its costs"));
}

QString CostForm::problem() const
{
    return m_more->problem();
}

} // namespace app
