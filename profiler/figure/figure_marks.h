#pragma once

#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

#include <string>
#include <vector>

namespace profiler {

// Where a run stands on the page.
struct RunBlock
{
    std::string prefix; // of the ids of its groups
    double headingRight = 0, rows = 0, bottom = 0;
};

// What a figure says of whole runs beside their rows: name and facts, their ends, and how much
// sooner or later than the first (the baseline) each one ends. Keeps references to both arguments.
class FigureMarks
{
public:
    FigureMarks(const std::vector<FigureRun>& runs, const FigureStyle& style)
        : m_runs(runs)
        , m_style(style)
    { }

    bool modesDiffer() const;
    std::string facts(const FigureRun& run) const; // "26.5 F, bubble 9.4 %"

    double headingHeight() const;
    // Sets headingRight of the block.
    Group heading(std::size_t run, double top, RunBlock& block) const;
    // The end of a run, and the gap from there to the baseline's where it holds the difference.
    Group end(std::size_t run, const RunBlock& block) const;
    // Through the rows of all runs, and through the headings that end before it.
    Group baselineEnd(const std::vector<RunBlock>& blocks) const;

private:
    double printed(const FigureRun& run) const { return run.duration() / m_style.unit.units; }
    double endOf(const FigureRun& run) const
    {
        return m_style.plotLeft + printed(run) * m_style.pointsPerUnit;
    }
    double longer(const FigureRun& run) const { return run.duration() / m_runs[0].duration() - 1; }
    bool gapHoldsText(const FigureRun& run) const;
    void addGap(Group& group, const FigureRun& run, double y) const;

    const std::vector<FigureRun>& m_runs;
    const FigureStyle& m_style;
};

} // namespace profiler
