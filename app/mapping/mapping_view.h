#pragma once

#include "app/figures/scene_view.h"
#include "app/plan/run_plan.h"
#include "app/ui/data_table.h"
#include "app/ui/theme.h"
#include "profiler/analysis/link_loads.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace app {

// The prediction with one mapping of the pipeline devices to nodes.
struct MappedPrediction
{
    QString mapping;            // "replicas-together", or a file
    QString problem;            // why there is no prediction; "" if there is one
    std::int64_t iteration = 0; // ns
    profiler::LinkLoads loads;
};

// A slot of a node, which can hold one pipeline device.
struct NodeSlot
{
    int slot = 0;
    int device = -1; // -1: the slot is free
    int copy = 0;
    QStringList stages; // the stages of the device in each replica: "0 15"
};

struct NodeContents
{
    int node = 0;
    std::vector<NodeSlot> places;
    QString summary; // "devices 0 and 7, copies 0–3; all-reduce of stages 0, 7"
};

// The placement of the devices of a prediction on nodes, the loads of the links, and the
// predictions with other mappings.
struct MappingStudy
{
    // The prediction with the chosen mapping; it has a run.
    std::shared_ptr<const Prediction> prediction;
    std::shared_ptr<const engine::ModelOnHardware> on;
    std::vector<NodeContents> nodes;
    engine::NodeShape shape;           // 0 places: one node of any size
    std::vector<MappedPrediction> all; // one for each named mapping and for the chosen file
    std::size_t chosen = 0;

    const MappedPrediction& shown() const { return all[chosen]; }
};

// Whether the costs come from hardware. Other sources define neither the sizes of messages nor the
// nodes.
bool hasNodes(const PredictionRequest& request);

// Predicts with all mappings. Fails if the request has no hardware or the chosen mapping cannot be
// predicted. The entry of another mapping that cannot be predicted has a problem instead of a
// prediction.
engine::Result<MappingStudy> studyMappings(const PredictionRequest& request);

// A range of consecutive stages that all have the same sizes.
struct StageSizes
{
    int first = 0, last = 0, layers = 0;
    double parameters = 0;    // per stage, over all tensor-parallel ranks
    double forwardFlops = 0;  // per stage and micro-batch
    engine::StageBytes bytes; // per stage, on one tensor-parallel rank
};
std::vector<StageSizes> stageSizes(const engine::ModelOnHardware& on, int stages,
                                   engine::Rebuilt rebuilt);

// The memory that the devices need with one micro-batch size.
struct MemoryFit
{
    int microBatchSize = 1;
    bool recomputesAll = false;
    DeviceColumns devices; // peak of one GPU of each device, in bytes
    engine::MemoryCapacity memory;

    double most() const { return devices.highest(); }
    bool fits() const { return memory.holds(most()); }
};

// For a model on hardware, the sizes of a schedule's stages and whether they fit in memory.
struct ModelFacts
{
    std::vector<StageSizes> stages;
    MemoryFit now;
    std::optional<MemoryFit> twice; // with micro-batches of twice the size
    // If `now` does not fit, the changes that make it fit: the largest micro-batch size that fits,
    // and full recomputation. If only `twice` does not fit, the changes that make `twice` fit.
    std::vector<MemoryFit> remedies;
};
// Simulates at most ⌈log2(b)⌉ + 2 times, where b is the micro-batch size.
ModelFacts modelFacts(const PredictionRequest& request, const MappingStudy& study);

// Texts for the picture of the mapping. Bytes on links are in decimal units (GB), like bandwidths;
// the memory of devices is in GiB.
QString gigabytes(double bytes);          // "1.6"; "0.013" for small amounts
QString loadText(double bytes);           // "1.6 GB"
QString milliseconds(double nanoseconds); // "31.5", "1 958"
// "Replicas together"; for a mapping from a file, the name of the file.
QString mappingTitle(const QString& name);
// Describes the nodes and the transfers between them: "32 devices on 4 nodes, 8 places per node.
// 768 messages and no all-reduces cross nodes."
QString crossingText(const MappingStudy& study);

QString linkTitle(const profiler::LinkLoad& link); // "Node 1 → node 2", "In node 1"
// Describes the load of a link: "25 GB/s per GPU at most; busy 32 of 1 958 ms (1.6 %)."
QString linkSentence(const MappingStudy& study, const profiler::LinkLoad& link);

// States whether the chosen mapping is the fastest and, if not, which mapping is faster and why.
struct MappingVerdict
{
    bool isBest = true;
    QString bold, rest;
};
QString largestLoadText(const profiler::LinkLoad& link); // "all-reduces, node 0 → node 1"
MappingVerdict mappingVerdict(const MappingStudy& study);

QString stagesTitle(const StageSizes& sizes, int stages); // "1–14, 6 layers each"
// Describes whether the model fits in memory: "Fits. Fullest: device 0, 63.4 GiB, 11.8 free
// (75.2 GiB usable of 79.2 GiB: reserve 5 %)."
QString fitText(const MemoryFit& fit, const MemoryFit& now);
QString remedyText(const ModelFacts& facts); // "To make it fit: b = 3 (72.2 GiB)."; "" if it fits

// The columns of the tables: the compared mappings, the transfers of a link, the all-reduces of a
// schedule, and the sizes of the stages.
std::vector<TableColumn<MappedPrediction>> mappingColumns(const MappingStudy& study);
std::vector<TableColumn<profiler::LinkFlow>> flowColumns(int replicas);
std::vector<TableColumn<profiler::AllReduceLoad>> allReduceColumns();
std::vector<TableColumn<StageSizes>> stageColumns(int stages);

using NodePair = std::pair<int, int>; // from, to; equal: the links within a node

// Whether a box of this width has space for "down" and "up" beside the stages of a device.
bool fitsDirections(const QStringList& stages, double width);
// The summary of a node; without its second part if it is too wide.
QString fittingSummary(const QString& summary, double width);

// Shows the devices of a plan on the nodes of its hardware, the loads of the links, the compared
// mappings, and the memory of the model. We predict only while the view is visible, because a
// prediction with every mapping takes several simulations.
class MappingView : public QWidget
{
    Q_OBJECT

public:
    static MappingView* make(const ThemeController& theme);

    // `problem`: why the plan cannot be predicted; "" if it can.
    virtual void setPlan(const RunPlan& plan, const QString& problem) = 0;
    virtual const MappingStudy* study() const = 0;          // nullptr: none of the plan yet
    virtual const std::vector<NodePair>& links() const = 0; // by their marks
    virtual QString csv() const = 0; // the compared mappings; "" if there is no study of the plan

Q_SIGNALS:
    void csvChanged();
    void planOffered(const app::RunPlan& plan);
};

} // namespace app
