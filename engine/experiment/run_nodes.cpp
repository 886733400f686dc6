#include "engine/experiment/run_nodes.h"

#include "engine/cost/mapping.h"
#include "engine/experiment/experiment.h"

#include <algorithm>
#include <string>

namespace engine {
namespace {

std::vector<int> nodesOfHosts(const ImportReport& import, int devices)
{
    std::vector<int> nodes;
    std::vector<std::string> hosts;
    for (int device = 0; device < devices; ++device) {
        const ImportReport::Rank* rank = import.rankOf(device);
        if (rank == nullptr || rank->host.empty())
            return {};
        const auto at = std::ranges::find(hosts, rank->host);
        nodes.push_back(static_cast<int>(at - hosts.begin()));
        if (at == hosts.end())
            hosts.push_back(rank->host);
    }
    return nodes;
}

std::vector<int> nodesOfMapping(const Run& run)
{
    const auto experiment = experimentFromToml(run.info.experiment);
    if (!experiment || experiment->devicesPerNode == 0)
        return {};
    const auto mapping
        = Mapping::of(run.schedule, experiment->schedule.mapping, {experiment->devicesPerNode});
    std::vector<int> nodes;
    if (mapping && !mapping->isOneNode())
        for (int device = 0; device < run.schedule.shape.devices; ++device)
            nodes.push_back(mapping->node(DeviceId{device}, 0));
    return nodes;
}

} // namespace

std::vector<int> nodesOfDevices(const Run& run)
{
    std::vector<int> nodes = run.info.import
        ? nodesOfHosts(*run.info.import, run.schedule.shape.devices)
        : nodesOfMapping(run);
    const bool isOne = std::ranges::all_of(nodes, [&](int node) { return node == nodes.front(); });
    return isOne ? std::vector<int>() : nodes;
}

} // namespace engine
