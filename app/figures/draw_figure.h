#pragma once

#include "app/figures/figure_request.h"

#include <QByteArray>

#include <optional>
#include <string>
#include <vector>

namespace app {

// The numbers of a run when a figure of it was drawn.
struct DrawnRun
{
    std::string label;
    double iteration = 0;       // duration in ticks of the run
    double bubble = 0;          // share of the devices' time
    std::optional<double> peak; // bytes of the fullest device; nullopt if no memory was recorded

    friend bool operator==(const DrawnRun&, const DrawnRun&) = default;
};

struct DrawnFigure
{
    double width = 0, height = 0;  // inches
    std::vector<QByteArray> files; // in the order of FigureRequest::outputs
    std::vector<DrawnRun> runs;
    // run info of each run, which states the units of its numbers
    std::vector<engine::RunInfo> infos;
};

// The numbers of an iteration of a run; -1: the reported iteration.
engine::Result<DrawnRun> numbersOf(const engine::Run& run, int iteration);

// Reads the runs and draws the figure in all formats, without writing a file. Needs a
// QGuiApplication, but no screen.
engine::Result<DrawnFigure> drawFigure(const FigureRequest& request);

} // namespace app
