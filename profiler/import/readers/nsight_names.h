#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Names in exports of Nsight Systems.
namespace profiler {

// PyTorch's emit_nvtx() appends ", seq = 3, op_id = 7, sizes = [...]" to the name of every op and
// annotation. Rules match the name alone.
std::string_view withoutOpNumbers(std::string_view text);

// The rank in the name that Nsight Systems gives to the thread of an MPI rank: "MPI Rank 3".
std::optional<int> mpiRank(std::string_view thread);

// The columns that all tables of GPU work have, and then `more`.
std::vector<std::string> workColumns(std::initializer_list<const char*> more);

} // namespace profiler
