#pragma once

#include <array>
#include <string_view>

namespace engine {

// The columns of a schedule file (FORMAT.md).
enum class CsvColumn {
    Device,
    Index,
    Op,
    Stage,
    Chunk,
    MicroBatch,
    Replica,
    Slice,
    Joint,
    Version
};

constexpr std::array<std::string_view, 10> kCsvColumns{"device", "index",      "op",      "stage",
                                                       "chunk",  "microbatch", "replica", "slice",
                                                       "joint",  "version"};
constexpr std::string_view kCsvHeader
    = "device,index,op,stage,chunk,microbatch,replica,slice,joint,version";

} // namespace engine
