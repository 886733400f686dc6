#pragma once

#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <QString>

#include <optional>
#include <vector>

namespace app {

// What the details panel shows of a selection, as plain values: texts, links, bars. The panel only
// lays it out.
struct Swatch
{
    enum class Look : std::uint8_t { None, Op, Bubble, Exposed, Kernel };

    Look look = Look::None;
    engine::OpKind kind = engine::OpKind::Forward;
    int chunk = 0;
    bool isUp = false;
    profiler::KernelKind kernel = profiler::KernelKind::Other;
};

struct DetailsLink
{
    Swatch swatch;
    QString name;       // "1B5": the part that leads somewhere
    QString rest;       // "on device 1"
    QString time;       // "103.6 – 107.5"
    bool isCut = false; // the name is cut off where there is no room for it
    Selection target;
};

struct DetailsRow
{
    QString name, value;
    bool isStrong = false;
};

struct DetailsBar
{
    struct Part
    {
        Swatch swatch;
        double share = 0;
    };
    QString name, value; // may be empty: the bar alone
    std::vector<Part> parts;
};

// Stage over time of one micro-batch.
struct StageStrip
{
    struct Box
    {
        Swatch swatch;
        int stage = 0;
        engine::Window window;
        bool isMarked = false;
    };
    int stages = 0;
    engine::Window window;
    QString from, to; // labels of the ends
    std::vector<Box> boxes;
};

struct DetailsSection
{
    QString title, note;
    std::vector<DetailsBar> bars;
    std::vector<DetailsLink> links;
    bool isChain = false; // links follow from one another: joined by a line
    std::optional<StageStrip> strip;
    std::vector<DetailsRow> rows;
};

struct Details
{
    Swatch swatch;
    QString title, value, unit;
    bool isCode = false; // the title begins with an op's spelling
    QString left, right; // under it
    QString sentence;    // rich text
    std::vector<DetailsSection> sections;

    bool isEmpty() const { return title.isEmpty(); }
};

// Nothing selected: the run as a whole. Empty where the run does not have what is selected, or no
// iteration yet. `kernels`: of the run, where they are known; may be null.
Details detailsOf(const RunView& view, const Selection& selection,
                  const KernelView* kernels = nullptr);

} // namespace app
