#pragma once

#include "app/models/plan/prediction.h"
#include "profiler/analysis/links/link_loads.h"

#include <functional>
#include <memory>
#include <vector>

namespace app {

// The prediction with one mapping of the devices to nodes.
struct MappedPrediction
{
    QString mapping;            // "replicas-together", or a file
    QString problem;            // why there is no prediction; "" if there is one
    std::int64_t iteration = 0; // ns
    profiler::LinkLoads loads;
};

// A place for a device in a node.
struct NodeSlot
{
    int slot = 0;
    int device = -1; // -1: free
    int copy = 0;
    QStringList stages; // one per replica: "0 15"
};

struct NodeContents
{
    int node = 0;
    std::vector<NodeSlot> slots;
    QString summary; // "devices 0 and 7, copies 0–3; all-reduce of stages 0, 7"
};

// The devices of a prediction on the nodes of its hardware, the loads of the links, and the
// predictions with other mappings.
struct MappingStudy
{
    std::shared_ptr<const Prediction> prediction; // with the chosen mapping; has a run
    std::shared_ptr<const engine::ModelOnHardware> on;
    std::vector<NodeContents> nodes;
    engine::NodeShape shape;           // slots 0: one node of any size
    std::vector<MappedPrediction> all; // the three named mappings, and the chosen file
    std::size_t chosen = 0;

    const MappedPrediction& shown() const { return all[chosen]; }
};

// The mapping that the request states, otherwise the default mapping of its scheme.
QString mappingName(const PredictionRequest& request);
// Whether the request has hardware, which gives the bytes and the nodes.
bool hasNodes(const PredictionRequest& request);

// Fails if the request cannot be predicted, has no hardware, or with Error::Code::Cancelled.
// Mappings that are not chosen may have a problem instead of a prediction.
engine::Result<MappingStudy> studyMappings(const PredictionRequest& request,
                                           const std::function<bool()>& isCancelled = {});

std::vector<NodeContents> nodesOf(const engine::Schedule& schedule, const engine::Mapping& mapping,
                                  const profiler::LinkLoads& loads);

} // namespace app
