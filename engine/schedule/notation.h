#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <string_view>

namespace engine {

// The one spelling of an op: {stage}{KIND}{microBatch}, `u` for the up replica, `.k` for slice or
// half k. 2F0  5B3u  1F4.1  3SEND_F1  3OPT  3ALLREDUCEu. Parse and print are inverses (the peer of
// a transfer and the weight version are not part of the spelling).
std::string toString(const Op& op);
Result<Op> parseOp(std::string_view text);

std::string_view kindName(OpKind kind);      // "SEND_F": inside an op's spelling
std::string_view kindShortName(OpKind kind); // "SF": the CSV's op column
std::string_view kindTitle(OpKind kind);     // "Backward": for people
Result<OpKind> parseKindShortName(std::string_view text);

} // namespace engine
