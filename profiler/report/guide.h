#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace profiler {

// The guide: the files of resources/guide, which are also read on the web, and two chapters that
// are made from the measures and from the fields of experiments and models. `bscope help` prints
// it, and the window shows it.
struct Chapter
{
    std::string_view name; // of the topic: "recording-traces"
    std::string title;
    std::string text; // Markdown, beginning with the title
};

std::vector<Chapter> guide(); // in reading order

} // namespace profiler
