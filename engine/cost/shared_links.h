#pragma once

#include "engine/cost/mapping.h"

#include <cstdint>
#include <vector>

namespace engine {

// How the slots of a node share its links. Bandwidths are relative: a port or NIC at full speed
// is 1.
struct LinkSharing
{
    int gpusPerSlot = 1, gpusPerNode = 1;
    int nics = 0; // per node, shared by neighbouring GPUs; 0: one for each GPU
    // The links of all GPUs of a node together have 1 / nodeOversubscription of the sum of their
    // bandwidths; the NICs of a node together have 1 / networkOversubscription of theirs.
    double nodeOversubscription = 1, networkOversubscription = 1;
    bool hierarchical = false;  // all-reduces across nodes run in phases
    double networkToNode = 0.1; // bandwidth of a NIC relative to that of a port

    friend bool operator==(const LinkSharing&, const LinkSharing&) = default;
};

// The links that transfers share, one for each direction: the port of every GPU, every NIC and, if
// oversubscribed, all ports or all NICs of a node together. All data-parallel copies of a pipeline
// make the same transfer at the same time, so one transfer stands for all copies and takes as long
// as the slowest. An all-reduce across nodes uses the NICs only.
class SharedLinks
{
public:
    struct Use
    {
        std::uint64_t link = 0;
        // The share of the link's bandwidth that the transfer uses at full speed. It is above 1 if
        // several copies share the link.
        double share = 0;
    };

    SharedLinks(Mapping mapping, const LinkSharing& sharing);

    std::vector<Use> ofTransfer(DeviceId from, DeviceId to) const;
    std::vector<Use> ofAllReduce(StageId stage) const;
    // The links of the all-reduce of tied embeddings, which continues with the rest of the first
    // and of the last stage. Each link has its larger share of the two steps.
    std::vector<Use> ofTiedAllReduce() const;
    double capacity(std::uint64_t link) const;
    const Mapping& mapping() const { return m_mapping; }

private:
    Mapping m_mapping;
    LinkSharing m_sharing;
};

} // namespace engine
