#include "app/plan/more_options.h"

#include "app/ui/bound_fields.h"
#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/text.h"
#include "engine/cost/unit_cost_fields.h"
#include "engine/experiment/experiment_fields.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace app {

FoldSection::FoldSection(QString title, const QString& objectName, QWidget* parent)
    : QWidget(parent)
    , m_title(std::move(title))
    , m_button(makeButton({}, objectName, "link"))
    , m_content(new QWidget)
    , m_rows(spaced(new QVBoxLayout(m_content), QMargins(), 6))
{
    spaced(new QVBoxLayout(this), QMargins(), 6, {{m_button, 0, Qt::AlignLeft}, m_content});
    connect(m_button, &QPushButton::clicked, this, [this] { setOpen(!isOpen()); });
    setOpen(false);
}

bool FoldSection::isOpen() const
{
    return !m_content->isHidden();
}

void FoldSection::setOpen(bool open)
{
    m_content->setVisible(open);
    m_button->setText((open ? QStringLiteral("\u25be ") : QStringLiteral("\u25b8 ")) + m_title);
    m_button->setAccessibleDescription(open ? tr("open") : tr("closed"));
}

namespace {

// The options that the page shows elsewhere. MoreTraining has all others.
constexpr std::string_view kElsewhere[]{
    "--model",      "--micro-batch-size", "--sequence", "--recompute",
    "--iterations", "--warmup",           "--seed",     "--text",
    "--mode",       "--backend"};

// The costs with sliders, and --backward, which is their sum. MoreCosts has all others.
constexpr std::string_view kSliders[]{"--forward",         "--backward", "--input-gradient",
                                      "--weight-gradient", "--p2p",      "--allreduce"};

std::vector<const engine::Field<engine::Experiment>*> moreOfRun()
{
    std::vector<const engine::Field<engine::Experiment>*> fields;
    for (const auto& field : engine::experimentFields())
        if (!field.flag.empty() && field.group != "Schedule"
            && std::ranges::find(kElsewhere, field.flag) == std::end(kElsewhere))
            fields.push_back(&field);
    return fields;
}

} // namespace

MoreCosts::MoreCosts(const ThemeController& theme, RunPlan& plan, bool hasPasses,
                     std::string_view leftOut, QWidget* parent)
    : FoldSection(hasPasses ? tr("More costs and passes") : tr("More costs"),
                  QStringLiteral("moreCosts"), parent)
    , m_plan(plan)
    , m_leftOut(leftOut)
    , m_fields(new BoundFields(theme, this))
{
    if (hasPasses)
        addPasses();
    constexpr std::string_view kNodeSize = "--devices-per-node", kJoint = "--joint";
    const auto isOf = [](std::string_view flag) {
        const std::string_view group = engine::findField(engine::unitCostFields(), flag)->group;
        return [group, flag](const CostField& cost) {
            return cost.group == group && cost.longFlag() != flag;
        };
    };
    const auto is = [](std::string_view flag) {
        return [flag](const CostField& cost) { return cost.longFlag() == flag; };
    };
    m_units = addGroup(isOf("--forward"));
    m_nodes = addGroup(is(kNodeSize));
    m_across = addGroup(isOf(kNodeSize));
    rows().addWidget(makeLabel(tr("Interference"), "secondary"));
    m_joint = addGroup(is(kJoint));
    addGroup(isOf(kJoint));
    connect(m_fields, &BoundFields::edited, this, &MoreCosts::edited);
}

void MoreCosts::addPasses()
{
    QComboBox* evict = m_fields->choice(
        "evict", {tr("none"), tr("lazy"), tr("steady")},
        [this] { return m_plan.evict ? static_cast<int>(*m_plan.evict) + 1 : 0; },
        [this](int index) {
            m_plan.evict = index == 0 ? std::nullopt
                                      : std::optional(static_cast<engine::EvictPolicy>(index - 1));
        });
    evict->setToolTip(tr("Share stashes between devices d and D-1-d, as BPipe does"));
    rows().addLayout(makeFormRow(tr("Evict"), {evict}));
    for (const char* flag : {"--data-parallel", "--mapping"})
        m_fields->addRow(rows(), engine::experimentField(flag), m_plan.experiment);
}

QWidget* MoreCosts::addGroup(const std::function<bool(const CostField&)>& isIn)
{
    auto* group = new QWidget;
    rows().addWidget(group);
    QVBoxLayout& column = *spaced(new QVBoxLayout(group), QMargins(), 6);
    for (const CostField& cost : engine::unitCostFields())
        if (isIn(cost) && cost.flag != m_leftOut
            && std::ranges::find(kSliders, cost.longFlag()) == std::end(kSliders))
            m_fields->addRow(column, cost, m_plan.costs, "cost");
    return group;
}

void MoreCosts::showGroups()
{
    const CostSource::Kind kind = m_plan.source.kind;
    const bool isUnits = kind == CostSource::Kind::Units;
    m_units->setVisible(isUnits);
    m_nodes->setVisible(kind != CostSource::Kind::Hardware);
    m_across->setVisible(isUnits);
    m_joint->setVisible(kind != CostSource::Kind::Recorded);
}

void MoreCosts::showPlan()
{
    m_fields->show();
    showGroups();
    if (!isSimple(applicableCosts(m_plan.source, m_plan.costs)) || m_plan.evict
        || m_plan.experiment.schedule.dataParallel > 1
        || m_plan.experiment.schedule.mapping != engine::kDefaultMapping)
        setOpen(true);
}

MoreTraining::MoreTraining(const ThemeController& theme, RunPlan& plan, QWidget* parent)
    : FoldSection(tr("More run settings"), QStringLiteral("moreTraining"), parent)
    , m_plan(plan)
    , m_fields(new BoundFields(theme, this))
    , m_offReason(named(makeFormHint(), "gpuOptionsReason"))
{
    for (const auto* field : moreOfRun())
        m_fields->addRow(rows(), *field, plan.experiment);
    rows().addWidget(m_offReason);
    connect(m_fields, &BoundFields::edited, this, [this] {
        showEffects();
        Q_EMIT edited();
    });
}

void MoreTraining::showEffects()
{
    m_fields->showEffects();
    QString reasons;
    for (const char* flag : {"--transport", "--graphs"}) {
        const auto& field = engine::experimentField(flag);
        if (const std::string reason = field.off(m_plan.experiment); !reason.empty())
            reasons += (reasons.isEmpty() ? QString() : QStringLiteral("; "))
                + tr("%1: %2").arg(fromUtf8(field.label), fromUtf8(reason));
    }
    setHint(m_offReason, reasons);
}

void MoreTraining::showPlan()
{
    m_fields->show();
    showEffects();
    const engine::Experiment defaults = engine::defaultExperiment(m_plan.experiment);
    if (std::ranges::any_of(moreOfRun(), [&](const auto* field) {
            return field->get(m_plan.experiment) != field->get(defaults);
        }))
        setOpen(true);
}

QString MoreCosts::problem() const
{
    return m_fields->problem();
}

QString MoreTraining::problem() const
{
    return m_fields->problem();
}

} // namespace app
