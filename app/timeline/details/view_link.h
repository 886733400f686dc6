#pragma once

#include "app/timeline/view/selection.h"
#include "app/timeline/view/view_window.h"
#include "engine/base/result.h"

#include <QString>

namespace app {

// A view of a run as a text to send: the file, the visible time, the selection, the colouring and a
// note. "bubblescope:/home/me/1f1b.sqlite?from=0&to=29800000&op=17&iteration=2"
struct ViewLink
{
    QString file;                                 // absolute path
    ViewWindow window;                            // in ticks of the run
    Selection::Kind kind = Selection::Kind::None; // Op or Range; others are stored as None
    std::uint32_t op = 0;                         // for Op: the OpIndex
    int iteration = -1;                           // index into Timeline::iterations
    engine::Window range;                         // for Range
    int colouring = 0;                            // index into colourByNames()
    bool areKernelsShown = false;
    QString note;

    friend bool operator==(const ViewLink&, const ViewLink&) = default;
};

constexpr const char* kLinkScheme = "bubblescope";
bool isViewLink(const QString& text); // whether it begins with kLinkScheme
QString toText(const ViewLink& link);
// Fails with Error::Code::InvalidArgument; the message says what is missing or wrong.
engine::Result<ViewLink> parseViewLink(const QString& text);

} // namespace app
