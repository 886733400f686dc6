#pragma once

#include "app/plan/prediction.h"
#include "profiler/analysis/link_loads.h"

#include <functional>
#include <memory>
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
    std::vector<NodeSlot> slots;
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
    engine::NodeShape shape;           // 0 slots: one node of any size
    std::vector<MappedPrediction> all; // one for each named mapping and for the chosen file
    std::size_t chosen = 0;

    const MappedPrediction& shown() const { return all[chosen]; }
};

// Whether the costs come from hardware. Other sources define neither the sizes of messages nor the
// nodes.
bool hasNodes(const PredictionRequest& request);

// Predicts with all mappings. Fails if the request has no hardware or the chosen mapping cannot be
// predicted, and with Error::Code::Cancelled if `isCancelled` returns true. The entry of another
// mapping that cannot be predicted has a problem instead of a prediction.
engine::Result<MappingStudy> studyMappings(const PredictionRequest& request,
                                           const std::function<bool()>& isCancelled = {});

std::vector<NodeContents> nodesOf(const engine::Schedule& schedule, const engine::Mapping& mapping,
                                  const profiler::LinkLoads& loads);

} // namespace app
