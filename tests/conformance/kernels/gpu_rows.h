#pragma once

#include "tests/conformance/kernels/suite.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

namespace kernel_test {

// What run_all.sh's table says of one kernel: all its cases in one row, the rate of the last, which
// is the largest. The cases are in the log.
class GpuRows
{
public:
    ~GpuRows()
    {
        for (const auto& [name, all] : m_kernels)
            row("P5 " + name, all.failed.empty() ? "PASS" : "FAIL",
                all.failed.empty() ? all.text() : all.failed);
    }

    void add(const std::string& name, bool good, double error, const std::string& text)
    {
        std::printf("%s, %s%s\n", name.c_str(), text.c_str(), good ? "" : ": WRONG");
        Kernel& all = m_kernels[name];
        ++all.cases;
        all.worst = std::max(all.worst, error);
        all.last = text;
        if (!good)
            all.failed += (all.failed.empty() ? "" : "; ") + text;
    }

private:
    struct Kernel
    {
        int cases = 0;
        double worst = 0;
        std::string last, failed;

        std::string text() const
        {
            char numbers[64];
            std::snprintf(numbers, sizeof numbers, "%d cases, worst error %.1e; ", cases, worst);
            return numbers + last;
        }
    };

    std::map<std::string, Kernel> m_kernels;
};

} // namespace kernel_test
