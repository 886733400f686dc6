#pragma once

#include "engine/base/result.h"

#include <string>
#include <vector>

namespace profiler {

// A published number and the value that this program computes.
struct Reproduced
{
    std::string what, conditions; // the quantity with its unit; its set-up
    double published = 0, computed = 0;
    double tolerance = 0; // largest |computed - published| that is accepted
    // Where the number was published: "figure", "table", "abstract" or "code"; "derived" if it
    // follows from published formulas.
    std::string grade;
    std::string cause;        // the known cause of a deviation; "" if unknown or without one
    std::string mapping = {}; // of the devices to nodes; "" if there are no nodes

    double deviation() const { return computed / published - 1; }
    bool isWithin() const;
};

enum class Paper : std::uint8_t {
    BitPipe, // arXiv 2410.19367
    Bpipe,   // arXiv 2401.02088 and its cost model, arXiv 2205.05198
};

struct Reproduction
{
    std::vector<std::string> answers; // what the rows say about the paper, with their conditions
    std::vector<Reproduced> rows;
};

// Computes all numbers of a paper. Takes seconds.
engine::Result<Reproduction> reproduce(Paper paper);

} // namespace profiler
