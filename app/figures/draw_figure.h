#pragma once

#include "app/figures/figure_request.h"

#include <QByteArray>

#include <optional>
#include <string>
#include <vector>

namespace app {

// The numbers that a run had when a figure of it was drawn.
struct DrawnRun
{
    std::string label;
    double iteration = 0; // iteration time in ticks of the run
    double bubble = 0;    // bubble ratio, from 0 to 1
    // Peak memory of the device with the highest peak, in bytes; nullopt if no memory was recorded.
    std::optional<double> peak;

    friend bool operator==(const DrawnRun&, const DrawnRun&) = default;
};

struct DrawnFigure
{
    double width = 0, height = 0;  // inches
    std::vector<QByteArray> files; // contents of the files, in the order of FigureRequest::outputs
    std::vector<DrawnRun> runs;
    // The run info of each run, which states the units of its numbers.
    std::vector<engine::RunInfo> infos;
};

// Returns the numbers of one iteration of a run. -1 stands for the reported iteration.
engine::Result<DrawnRun> numbersOf(const engine::Run& run, int iteration);

// Reads the runs and draws the figure in all formats, without writing a file. Needs a
// QGuiApplication, but no screen.
engine::Result<DrawnFigure> drawFigure(const FigureRequest& request);

} // namespace app
