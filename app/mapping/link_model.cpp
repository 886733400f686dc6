#include "app/mapping/link_model.h"

#include "app/mapping/mapping_text.h"
#include "app/ui/text.h"

namespace app {
LinkFlowModel::LinkFlowModel(QObject* parent)
    : TableModel(parent)
{
    show({}, 1);
}

void LinkFlowModel::show(std::vector<profiler::LinkFlow> flows, int replicas)
{
    using Flow = profiler::LinkFlow;
    Columns columns{
        TableColumn<Flow>(
            tr("Traffic"), [replicas](const Flow& flow) { return flowTitle(flow, replicas); },
            Qt::AlignLeft)
            .with(Qt::ToolTipRole, [](const Flow& flow) { return QVariant(flowDetail(flow)); }),
        TableColumn<Flow>(scaleIn(Unit::GB).unit(),
                          [](const Flow& flow) { return gigabytes(flow.bytes); }),
        TableColumn<Flow>(
            labelled(tr("Each, %1"), Unit::Millisecond),
            [](const Flow& flow) { return milliseconds(static_cast<double>(flow.time)); })
            .with(Qt::ToolTipRole,
                  [](const Flow&) { return QVariant(tr("Duration of each transfer")); }),
        TableColumn<Flow>(labelled(tr("Exposed, %1"), Unit::Millisecond), [](const Flow& flow) {
            return milliseconds(static_cast<double>(flow.exposed));
        }).with(Qt::ToolTipRole, [](const Flow&) {
            return QVariant(
                tr("Time per iteration that a copy of the pipeline waits for these transfers"));
        })};
    reset(std::move(columns), std::move(flows));
}

AllReduceModel::AllReduceModel(QObject* parent)
    : TableModel(parent)
{
    show({});
}

void AllReduceModel::show(const std::vector<profiler::AllReduceLoad>& loads)
{
    using Load = profiler::AllReduceLoad;
    const auto nodes = [](const Load& load) {
        return load.nodes.size() == 1
            ? QString::number(load.nodes.front())
            : QStringLiteral("%1–%2").arg(load.nodes.front()).arg(load.nodes.back());
    };
    const auto time = [](const Load& load, std::int64_t ns) {
        return load.time == 0 ? QStringLiteral("–") : milliseconds(static_cast<double>(ns));
    };
    Columns columns{
        TableColumn<Load>(
            tr("Stages"), [](const Load& load) { return stageList(load.stages); }, Qt::AlignLeft),
        TableColumn<Load>(tr("Node"), nodes)
            .with(Qt::ToolTipRole,
                  [](const Load& load) { return QVariant(countOf(load.ranks, "member")); }),
        TableColumn<Load>(scaleIn(Unit::GB).unit(),
                          [](const Load& load) { return gigabytes(load.bytes); })
            .with(Qt::ToolTipRole,
                  [](const Load&) { return QVariant(tr("Sent by every member per iteration")); }),
        TableColumn<Load>(scaleIn(Unit::Millisecond).unit(),
                          [time](const Load& load) { return time(load, load.time); })
            .with(Qt::ToolTipRole,
                  [](const Load& load) {
                      return load.time == 0
                          ? QVariant(tr("Contained in the all-reduce of the tied embeddings"))
                          : QVariant();
                  }),
        TableColumn<Load>(labelled(tr("Exposed, %1"), Unit::Millisecond),
                          [time](const Load& load) { return time(load, load.exposed); })};
    reset(std::move(columns), loads);
}

StageSizesModel::StageSizesModel(QObject* parent)
    : TableModel(parent)
{
    show({}, 1);
}

void StageSizesModel::show(const std::vector<StageSizes>& sizes, int stages)
{
    const auto state = [](const StageSizes& size) {
        return size.bytes.weights + size.bytes.gradients + size.bytes.optimizer;
    };
    const Scale bytes = scaleIn(Unit::GiB, 2);
    Columns columns{
        TableColumn<StageSizes>(
            tr("Stages"), [](const StageSizes& size) { return stagesText(size); }, Qt::AlignLeft)
            .with(Qt::ToolTipRole,
                  [stages](const StageSizes& size) { return QVariant(stagesTitle(size, stages)); }),
        TableColumn<StageSizes>(
            tr("Parameters, B"),
            [](const StageSizes& size) { return number(size.parameters / 1e9, 3); })
            .with(Qt::ToolTipRole,
                  [](const StageSizes&) {
                      return QVariant(tr("Parameters of one stage, in billions"));
                  }),
        TableColumn<StageSizes>(
            tr("F, TFLOP"),
            [](const StageSizes& size) { return number(size.forwardFlops / 1e12, 2); })
            .with(Qt::ToolTipRole,
                  [](const StageSizes&) {
                      return QVariant(tr("Forward of one stage and one micro-batch"));
                  }),
        TableColumn<StageSizes>(
            tr("State, %1").arg(bytes.unit()),
            [state, bytes](const StageSizes& size) { return bytes.text(state(size)); })
            .with(Qt::ToolTipRole,
                  [](const StageSizes&) {
                      return QVariant(tr("Weights, gradients and optimizer state of one stage on "
                                         "one GPU"));
                  }),
        TableColumn<StageSizes>(tr("Stash, %1").arg(bytes.unit()), [bytes](const StageSizes& size) {
            return bytes.text(size.bytes.stash);
        }).with(Qt::ToolTipRole, [](const StageSizes&) {
            return QVariant(tr("Activations of one micro-batch in one stage on one GPU"));
        })};
    reset(std::move(columns), sizes);
}

} // namespace app
