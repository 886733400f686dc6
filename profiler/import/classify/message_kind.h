#pragma once

#include "engine/schedule/schedule.h"
#include "profiler/import/rank_trace.h"

#include <optional>
#include <string_view>

namespace profiler {

// Returns the kind of a message of a pipeline; nullopt for a collective and for a message without
// ranks. If ranks have several chunks, the last rank is followed by the first one; of two ranks it
// is unknown which message that is.
std::optional<engine::OpKind> messageKind(const NcclArguments& message, const RankTrace& trace);

// Returns the kind of a message by the text of PyTorch's range: "nccl:send 0->1", "nccl:recv 1<-0"
// with ranks of the process group; nullopt for other texts.
std::optional<engine::OpKind> messageKind(std::string_view range);

} // namespace profiler
