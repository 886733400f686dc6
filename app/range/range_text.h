#pragma once

#include "engine/base/result.h"
#include "engine/timeline/run.h"

#include <QString>

namespace app {

// Reads a range of time that the user typed: "102-172.4 ms", "iteration 1, 40..60 ms", "iterations
// 1-2", "typical ops". Times count from the start of the iteration that the text names, or
// else of `iteration`, an index into Timeline::iterations. Times without a unit are in the unit in
// which this iteration is shown. The result is clipped to the run. Fails with
// Error::Code::InvalidArgument; the message says what to type.
engine::Result<engine::Window> parseRange(const QString& text, const engine::Run& run,
                                          int iteration);

// Returns the range in the notation of parseRange(): "iteration 1, 102.0 – 172.4 ms". Times are
// from the start of the iteration in which the range begins.
QString rangeName(const engine::Run& run, engine::Window range);

// Returns the index into Timeline::iterations of the iteration that contains `time`, or of the last
// one before `time`; 0 if there is neither. The run must have an iteration.
int iterationOf(const engine::Timeline& timeline, std::int64_t time);

} // namespace app
