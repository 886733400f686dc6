#include "app/widgets/forms/more_options.h"

#include "app/models/text.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/forms/bound_fields.h"
#include "app/widgets/forms/form_rows.h"
#include "app/widgets/forms/spin_field.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>

#include <type_traits>

namespace app {
namespace {

constexpr int kMost = 100'000; // hundredths
constexpr int kSame = CostSetting::kSame;

// A row whose field says what its title says.
void add(QVBoxLayout& rows, const QString& title, QWidget* field, const QString& tip)
{
    field->setAccessibleName(title);
    field->setToolTip(tip);
    rows.addLayout(makeFormRow(title, {field}));
}

QLabel* heading(const QString& text)
{
    return makeLabel(text, "secondary");
}

} // namespace

MoreCosts::MoreCosts(const ThemeController& theme, RunPlan& plan, bool hasPasses, QWidget* parent)
    : FoldSection(hasPasses ? tr("More costs and passes") : tr("More costs"),
                  QStringLiteral("moreCosts"), parent)
    , m_plan(plan)
    , m_fields(new BoundFields(theme, this))
{
    if (hasPasses)
        addPasses();
    addCosts();
    addLinks();
    addRules();
    connect(m_fields, &BoundFields::edited, this, &MoreCosts::edited);
}

void MoreCosts::addPasses()
{
    add(rows(), tr("Evict"),
        m_fields->choice(
            "evict", {tr("none"), tr("lazy"), tr("steady")},
            [this] {
                const auto& evict = m_plan.request.evict;
                return evict ? static_cast<int>(*evict) + 1 : 0;
            },
            [this](int index) {
                m_plan.request.evict = index == 0
                    ? std::nullopt
                    : std::optional(static_cast<engine::EvictPolicy>(index - 1));
            }),
        tr("Share stashes between devices d and D-1-d, as BPipe does"));
    add(rows(), tr("Copies of the pipeline"),
        m_fields->number("dataParallel", m_plan.request.schedule.dataParallel, {1, 65536, {}}),
        tr("Data-parallel width: more than 1 adds all-reduces"));
}

QVBoxLayout& MoreCosts::addGroup(QWidget*& group)
{
    group = new QWidget;
    rows().addWidget(group);
    return *spaced(new QVBoxLayout(group), QMargins(), 6);
}

void MoreCosts::addCosts()
{
    QVBoxLayout& group = addGroup(m_units);
    CostSetting& costs = m_plan.request.costs;
    add(group, tr("Recompute, × F"),
        m_fields->hundredths("costRecompute", costs.recompute, {kSame, kMost, tr("usual")}),
        tr("A recompute op, times the forward it repeats: 1 for all of it, 0.2 for the attention"));
    add(group, tr("Optimizer"),
        m_fields->hundredths("costOptimizer", costs.optimizer, {0, kMost, {}}),
        tr("Optimizer step of a device"));
    add(group, tr("Evict or load"),
        m_fields->hundredths("costTransfer", costs.transfer, {0, kMost, {}}),
        tr("Of a device's stash of one micro-batch"));
    auto* stages = m_fields->text("stageCosts", costs.stages);
    stages->setPlaceholderText(tr("0=1.5:3 7=2:4"));
    add(group, tr("Unequal stages"), stages,
        tr("F and B of a stage that differs (embedding, head): 0=1.5:3; more with a space "
           "between"));
    group.addWidget(heading(tr("Links")));
    add(group, tr("Latency"), m_fields->hundredths("costLatency", costs.latency, {0, kMost, {}}),
        tr("A message arrives this much later than its link is free again"));
}

void MoreCosts::addLinks()
{
    CostSetting& costs = m_plan.request.costs;
    add(addGroup(m_nodes), tr("Devices per node"),
        m_fields->number("devicesPerNode", costs.devicesPerNode, {0, 65535, tr("all")}),
        tr("Devices 0 .. K-1 are one node, and so on"));
    QVBoxLayout& group = addGroup(m_across);
    add(group, tr("P2P across"),
        m_fields->hundredths("costP2PAcross", costs.p2pAcross, {kSame, kMost, tr("same")}),
        tr("A message between nodes"));
    add(group, tr("Latency across"),
        m_fields->hundredths("costLatencyAcross", costs.latencyAcross, {kSame, kMost, tr("same")}),
        tr("The latency between nodes"));
    add(group, tr("Evict across"),
        m_fields->hundredths("costTransferAcross", costs.transferAcross,
                             {kSame, kMost, tr("same")}),
        tr("Evict or load between nodes"));
}

void MoreCosts::addRules()
{
    constexpr int kMostPercent = 10'000;
    CostSetting& costs = m_plan.request.costs;
    rows().addWidget(heading(tr("How ops hinder one another")));
    rows().addWidget(
        m_fields->flag("blockingSend", tr("A send holds its device"), costs.blockingSend));
    add(addGroup(m_joint), tr("Joint F and B, ×"),
        m_fields->hundredths("costJoint", costs.joint, {0, kMost, {}}),
        tr("Ops that run as one take so much of their sum"));
    add(rows(), tr("Beside all-reduce, ×"),
        m_fields->hundredths("costSlowDown", costs.slowDown, {100, kMost, {}}),
        tr("Compute beside an all-reduce of its device takes so much longer"));
    add(rows(), tr("Jitter, %"),
        m_fields->hundredths("costJitter", costs.jitter, {0, kMostPercent, {}}),
        tr("Every duration is drawn evenly from so many percent about its cost"));
    add(rows(), tr("Seed of the jitter"),
        m_fields->number("costSeed", costs.seed, {0, 1'000'000'000, {}}),
        tr("The same seed, the same draw"));
}

void MoreCosts::showGroups()
{
    const CostSource::Kind kind = m_plan.request.source.kind;
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
    const CostSetting counting = countingBeside(m_plan.request.source, m_plan.request.costs);
    if (!counting.isSimple() || m_plan.request.evict || m_plan.request.schedule.dataParallel > 1)
        setOpen(true);
}

MoreTraining::MoreTraining(const ThemeController& theme, RunPlan& plan, QWidget* parent)
    : FoldSection(tr("More of the model"), QStringLiteral("moreTraining"), parent)
    , m_plan(plan)
    , m_fields(new BoundFields(theme, this))
{
    constexpr int kMostSize = 1 << 20;
    const QString own = tr("preset");
    add(rows(), tr("Layers"), m_fields->number("layers", plan.layers, {0, kMostSize, own}),
        tr("Transformer blocks"));
    add(rows(), tr("Width"), m_fields->number("width", plan.width, {0, kMostSize, own}),
        tr("Of the residual stream"));
    add(rows(), tr("Heads"), m_fields->number("heads", plan.heads, {0, kMostSize, own}),
        tr("Attention heads"));
    const auto choiceOf = [this, own](const char* name, engine::Names words, QString& field) {
        QStringList all = {own};
        for (const std::string_view word : words)
            all.append(fromUtf8(word));
        return m_fields->choice(
            name, all,
            [all, &field] { return static_cast<int>(std::max<qsizetype>(0, all.indexOf(field))); },
            [all, &field](int index) { field = index == 0 ? QString() : all.at(index); });
    };
    add(rows(), tr("Attention"), choiceOf("attention", engine::kAttentionNames, plan.attention),
        tr("standard keeps the scores, recompute makes them again in the backward, flash never has "
           "them all"));
    add(rows(), tr("Precision"), choiceOf("precision", engine::kPrecisionNames, plan.precision),
        tr("fp32, or mixed: weights, activations and messages in bf16, gradients and the optimizer "
           "in fp32"));
    add(rows(), tr("Link, GB/s"),
        m_fields->hundredths("linkBandwidth", plan.linkBandwidth, {0, 100'000'000, tr("free")}),
        tr("Assumed between devices of an emulated run"));
    add(rows(), tr("Link latency, µs"),
        m_fields->hundredths("linkLatency", plan.linkLatency, {0, 100'000'000, {}}),
        tr("... and how much later a message arrives"));
    auto* memory = m_fields->text("deviceMemory", plan.deviceMemory);
    memory->setPlaceholderText(tr("no limit"));
    add(rows(), tr("Device memory"), memory,
        tr("What one device may hold, as 16GiB: what needs more is refused, with what would fit"));
    const QStringList levels = {tr("usual"), QStringLiteral("off"), QStringLiteral("ops"),
                                QStringLiteral("kernels"), QStringLiteral("all")};
    add(rows(), tr("Record"),
        m_fields->choice(
            "trace", levels,
            [this, levels] {
                return static_cast<int>(std::max<qsizetype>(0, levels.indexOf(m_plan.trace)));
            },
            [this, levels](int index) {
                m_plan.trace = index == 0 ? QString() : levels.at(index);
            }),
        tr("Ops; on a GPU also kernels, copies and the calls that launch them; or all that CUPTI "
           "knows. Usual: kernels on a GPU, else ops"));
    addGpus();
    auto* exact = m_fields->flag("accumulateExact", tr("Exact sums of gradients"), plan.isExact);
    exact->setToolTip(tr("Bit for bit the same in any order, so that schemes can be compared"));
    rows().addWidget(exact);
    connect(m_fields, &BoundFields::edited, this, &MoreTraining::edited);
}

// Of a live run on GPUs, and of ops on GPUs: elsewhere they say why they are off.
void MoreTraining::addGpus()
{
    const auto choiceOf = [this](const char* name, const QStringList& words, auto& value) {
        using Value = std::remove_reference_t<decltype(value)>;
        return m_fields->choice(
            name, words, [&value] { return static_cast<int>(value); },
            [&value](int index) { value = static_cast<Value>(index); });
    };
    m_transport = choiceOf("transport", carrierWords(), m_plan.transport);
    m_graphs = choiceOf("graphs", graphsWords(), m_plan.graphs);
    m_offReason = makeFormHint();
    m_offReason->setObjectName(QStringLiteral("gpuOptionsReason"));
    add(rows(), tr("Messages by"), m_transport,
        tr("local: all devices are parts of the first GPU; peer: a GPU each, and copies between "
           "them; nccl: a GPU each, and NCCL's messages and sums; auto: as many GPUs as there are, "
           "and copies"));
    add(rows(), tr("CUDA graphs"), m_graphs,
        tr("Ops as graphs, one launch each; auto: those that the host launches hardly faster than "
           "they run"));
    rows().addWidget(m_offReason);
}

void MoreTraining::showGpus()
{
    const bool isOnGpus = m_plan.backend == engine::Backend::Cuda;
    const bool isLive = m_plan.mode == engine::Mode::Live;
    m_transport->setEnabled(isOnGpus && isLive);
    m_graphs->setEnabled(isOnGpus);
    setHint(m_offReason,
            !isOnGpus     ? tr("both are for runs on GPUs, not on the CPU")
                : !isLive ? tr("messages travel in live runs only")
                          : QString());
}

void MoreTraining::showPlan()
{
    m_fields->show();
    showGpus();
    if (m_plan.layers > 0 || m_plan.width > 0 || m_plan.heads > 0 || !m_plan.attention.isEmpty()
        || !m_plan.precision.isEmpty() || m_plan.isExact || m_plan.linkBandwidth > 0
        || m_plan.linkLatency > 0 || !m_plan.deviceMemory.isEmpty() || !m_plan.trace.isEmpty()
        || m_plan.transport != engine::Carrier::Auto || m_plan.graphs != engine::Graphs::Auto)
        setOpen(true);
}

} // namespace app
