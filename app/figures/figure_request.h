#pragma once

#include "app/figures/figure_fields.h"

#include <QStringList>

namespace app {

// The parsed command line of `bubblescope figure`.
struct FigureRequest : FigureSettings
{
    QStringList runs, outputs;
    bool force = false, help = false;
};

// Parses the arguments after "figure". Fails with Error::Code::InvalidArgument; the message names
// the option.
engine::Result<FigureRequest> parseFigureRequest(const QStringList& arguments);
QString figureHelp(); // has lines of at most 100 columns

} // namespace app
