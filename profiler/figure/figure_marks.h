#pragma once

#include "profiler/figure/figure_content.h"
#include "profiler/figure/figure_style.h"

#include <string>
#include <vector>

namespace profiler {

// The position of a run on the page.
struct RunBlock
{
    std::string prefix; // prefix of the ids of groups
    double headingRight = 0, rows = 0, bottom = 0;
};

// Draws the marks that belong to a run as a whole: the heading with name and facts, the line at its
// end, and the difference between its end and that of the first run (the baseline). `runs` and
// `style` must outlive the object.
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
    // Lays out the heading and sets RunBlock::headingRight.
    Group heading(std::size_t run, double top, RunBlock& block) const;
    // Lays out the line at the end of a run. Adds the difference from the end of the baseline if
    // its text fits.
    Group end(std::size_t run, const RunBlock& block) const;
    // Lays out the vertical line at the end of the baseline. It crosses the rows of all runs, and
    // every heading whose text ends to the left of the line.
    Group baselineEnd(const std::vector<RunBlock>& blocks) const;

private:
    double printed(const FigureRun& run) const { return run.duration() / m_style.unit.units; }
    double endOf(const FigureRun& run) const
    {
        return m_style.plotLeft + printed(run) * m_style.pointsPerUnit;
    }
    double longer(const FigureRun& run) const
    {
        return run.wholeDuration() / m_runs[0].wholeDuration() - 1;
    }
    bool gapHoldsText(const FigureRun& run) const;
    void addGap(Group& group, const FigureRun& run, double y) const;

    const std::vector<FigureRun>& m_runs;
    const FigureStyle& m_style;
};

} // namespace profiler
