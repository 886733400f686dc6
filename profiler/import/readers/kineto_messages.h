#pragma once

#include "profiler/import/rank_trace.h"

#include <vector>

namespace profiler {

// A message that a thread states, before the call that launches its NCCL kernel.
struct StatedMessage
{
    std::uint32_t thread = 0;
    std::int64_t begin = 0; // ns
    NcclArguments arguments;
};

// Adds the arguments of messages to the NCCL kernels that state none: PyTorch states the messages
// of batch_isend_irecv() only on the host, before the call that launches one kernel for all.
void addBatchedMessages(RankTrace& trace, std::vector<StatedMessage> messages);

// Sets the ranks of all messages. PyTorch states only the other rank of a message. The messages of
// a group of another kind of parallelism, such as those of ring attention, get no ranks.
void setRanksOfMessages(RankTrace& trace);

} // namespace profiler
