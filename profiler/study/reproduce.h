#pragma once

#include "engine/base/result.h"

#include <string>
#include <vector>

namespace profiler {

// A published number and what this program computes for it.
struct Reproduced
{
    std::string what; // with its set-up and unit
    double published = 0, computed = 0;
    double tolerance = 0; // |computed - published| may be this large
    // "figure", "table", "abstract", "code": where the number was published; "derived": it follows
    // from published formulas.
    std::string grade;
    std::string cause; // of a deviation that is known; "" if none is

    bool isWithin() const;
};

enum class Paper : std::uint8_t {
    BitPipe, // arXiv 2410.19367
    Bpipe,   // arXiv 2401.02088, and the cost models that it uses: arXiv 2205.05198
};

// Computes all numbers of a paper. Takes seconds.
engine::Result<std::vector<Reproduced>> reproduce(Paper paper);

} // namespace profiler
