#include "app/widgets/forms/cost_form.h"

#include "app/widgets/controls/controls.h"
#include "app/widgets/forms/cost_source_form.h"
#include "app/widgets/forms/form_rows.h"
#include "app/widgets/forms/more_options.h"
#include "app/widgets/forms/slider_field.h"

#include <QHBoxLayout>

namespace app {
namespace {

constexpr int kMostCost = 100'000; // hundredths, typed
constexpr int kCostStep = 5;
constexpr int kMostOp = 400, kMostP2P = 200, kMostAllReduce = 800; // of the sliders

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
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum); // never taller than its rows
    QVBoxLayout& column = *spaced(new QVBoxLayout(this), QMargins(14, 14, 14, 14), 6);
    column.addWidget(m_source);
    column.addWidget(m_units);
    column.addWidget(m_hint);
    column.addWidget(m_more);
    column.addStretch();
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
    const auto add = [&](const QString& title, SliderField* field) {
        column.addLayout(makeSliderRow(title, field));
    };
    add(tr("Forward F"), makeCost("costF", &CostSetting::forward, kMostOp));
    add(tr("Backward, input"), makeCost("costI", &CostSetting::inputGradient, kMostOp));
    add(tr("\u2026 weights W"), makeCost("costW", &CostSetting::weightGradient, kMostOp));
    add(tr("P2P message"), makeCost("costP2P", &CostSetting::p2p, kMostP2P));
    add(tr("All-reduce"), makeCost("costAllReduce", &CostSetting::allReduce, kMostAllReduce));
    return units;
}

void CostForm::makeHead(QVBoxLayout& column)
{
    auto* head = spaced(new QHBoxLayout, QMargins(), 8);
    head->addWidget(makeLabel(tr("A unit is one forward of a device"), "secondary"), 1);
    QPushButton* usual = makeButton(tr("F 1, B 2"), QStringLiteral("usualCosts"), "link");
    usual->setToolTip(tr("Forward 1, backward 2, free links: what closed forms are stated for"));
    connect(usual, &QPushButton::clicked, this, [this] {
        m_plan.request.costs = {};
        showPlan();
        changed();
    });
    head->addWidget(usual);
    column.addLayout(head);
}

SliderField* CostForm::makeCost(const char* name, int CostSetting::*member, int most)
{
    auto* spin = new HundredthsField(m_theme);
    spin->setObjectName(QString::fromLatin1(name));
    spin->setRange(0, kMostCost);
    spin->setSingleStep(kCostStep);
    auto* field = new SliderField(spin, most);
    field->setRest([](int value) { return (value + kCostStep / 2) / kCostStep * kCostStep; });
    connect(spin, &QSpinBox::valueChanged, this, [this, member](int value) {
        m_plan.request.costs.*member = value;
        changed();
    });
    m_costs.emplace_back(field, member);
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
    const CostSetting costs = m_plan.request.costs;
    for (const auto& [field, member] : m_costs)
        field->field()->setValue(costs.*member);
    m_source->showPlan();
    m_units->setVisible(m_plan.request.source.isUnits());
    m_more->showPlan();
    m_isShowing = false;
    showHint();
}

void CostForm::showHint()
{
    const bool assumes = !m_plan.request.source.isUnits() || !m_plan.request.costs.isUsual();
    setHint(m_hint,
            !assumes ? QString()
                : m_plan.mode == engine::Mode::Simulate && !m_plan.request.source.isUnits()
                ? tr("nothing runs: closed forms say nothing about these times")
                : m_plan.mode == engine::Mode::Simulate
                ? tr("closed forms hold for F 1, B 2, free links")
                : tr("of the prediction alone: a run measures its own"));
}

} // namespace app
