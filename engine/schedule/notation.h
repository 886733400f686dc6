#pragma once

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

#include <string>
#include <string_view>

namespace engine {

// The name of an op is {stage}{KIND}{microBatch}, followed by `u` for the up replica and `.k` for
// slice or half k: 2F0, 5B3u, 1F4.1, 3SEND_F1, 3OPT, 3ALLREDUCEu. parseOp() inverts toString(),
// except that the peer of a transfer and the weight version are not part of the name.
std::string toString(const Op& op);
Result<Op> parseOp(std::string_view text);

std::string_view kindName(OpKind kind);      // "SEND_F", as in the name of an op
std::string_view kindShortName(OpKind kind); // "SF", as in the CSV's op column
std::string_view kindTitle(OpKind kind);     // "Backward", for display
Result<OpKind> parseKindShortName(std::string_view text);
Result<OpKind> parseKind(std::string_view text); // by either name

} // namespace engine
