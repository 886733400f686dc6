#pragma once

#include "app/mapping/model_facts.h"
#include "app/ui/numbers.h"

namespace app {

// Texts for the picture of the mapping. Bytes on links are in decimal units (GB), like bandwidths;
// the memory of devices is in GiB.
QString gigabytes(double bytes);          // "1.6"; "0.013" for small amounts
QString loadText(double bytes);           // "1.6 GB"
QString milliseconds(double nanoseconds); // "31.5", "1 958"
// "Replicas together"; for a mapping from a file, the name of the file.
QString mappingTitle(const QString& name);
QString mappingRule(const QString& name); // "the holders of a stage share a node"
// Describes the nodes and the transfers between them: "32 devices on 4 nodes, 8 slots per node. 768
// messages and no all-reduces cross nodes."
QString crossingText(const MappingStudy& study);
QString nodeSummary(const NodeContents& node, const profiler::LinkLoads& loads);

QString linkTitle(const profiler::LinkLoad& link); // "Node 1 → node 2", "In node 1"
// Returns the bandwidth of the link between nodes (`crosses`) or within a node: "25 GB/s per GPU".
QString linkSpeed(const engine::HardwareSpec& hardware, bool crosses);
// Describes the load of a link: "25 GB/s per GPU at most; busy 32 of 1 958 ms (1.6 %)."
QString linkSentence(const MappingStudy& study, const profiler::LinkLoad& link);
// Names the stages of a transfer: "Forward 1 → 2, down".
QString flowTitle(const profiler::LinkFlow& flow, int replicas);
// Names the devices of a transfer: "Device 1 → 2; 32 messages of 12.6 MB".
QString flowDetail(const profiler::LinkFlow& flow);
QString stageList(const std::vector<engine::StageId>& stages); // "0, 7–9"

// States whether the chosen mapping is the fastest and, if not, which mapping is faster and why.
struct MappingVerdict
{
    bool isBest = true;
    QString bold, rest;
};
QString largestLoadText(const profiler::LinkLoad& link); // "all-reduces, node 0 → node 1"
MappingVerdict mappingVerdict(const MappingStudy& study);

QString stagesText(const StageSizes& sizes);              // "1–14"
QString stagesTitle(const StageSizes& sizes, int stages); // "1–14, 6 layers each"
// Describes whether the model fits in memory: "Fits. Fullest: device 0, 63.4 of 79.2 GiB, 15.8
// free."
QString fitText(const MemoryFit& fit, const MemoryFit& now);
QString remedyText(const ModelFacts& facts); // "To make it fit: b = 3 (72.2 GiB)."; "" if it fits
QString mappingsCsv(const MappingStudy& study); // the compared mappings, with a header line

} // namespace app
