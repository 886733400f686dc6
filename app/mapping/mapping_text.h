#pragma once

#include "app/mapping/mapping_study.h"
#include "app/ui/table_model.h"

namespace app {

// Texts for the picture of the mapping. Bytes on links are in decimal units (GB), like bandwidths;
// the memory of devices is in GiB.
QString gigabytes(double bytes);          // "1.6"; "0.013" for small amounts
QString loadText(double bytes);           // "1.6 GB"
QString milliseconds(double nanoseconds); // "31.5", "1 958"
// "Replicas together"; for a mapping from a file, the name of the file.
QString mappingTitle(const QString& name);
// Describes the nodes and the transfers between them: "32 devices on 4 nodes, 8 slots per node. 768
// messages and no all-reduces cross nodes."
QString crossingText(const MappingStudy& study);
QString nodeSummary(const NodeContents& node, const profiler::LinkLoads& loads);

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

} // namespace app
