#pragma once

#include "app/timeline/view/coordinates.h"
#include "app/timeline/view/kernel_view.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"

#include <Qt>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace app {

// A part of a compute lane. The pieces of a lane do not overlap and cover all time.
struct Piece
{
    enum class Kind : std::uint8_t {
        Op,
        Exposed, // a transfer while no op computes
        Bubble,
        Outside, // outside of all iterations, or of the span of a device with unknown bubbles
        Dense,   // many pieces under three pixels each, drawn as columns of exact shares
    };

    Kind kind = Kind::Outside;
    engine::Window window;
    std::uint32_t op = 0;    // for Kind::Op
    std::uint32_t joint = 0; // the partner of a joint op; otherwise the same op
    int iteration = -1;      // -1 for Outside and Dense
};

// Returns the piece at `time`, found by binary search.
Piece pieceAt(const RunView& view, engine::DeviceId device, std::int64_t time);

// Visits the visible pieces from left to right. Adjacent optimizer steps form one piece, and a
// sequence of small pieces becomes one Dense piece. The cost depends on the number of pixels, not
// of spans: inside a dense stretch, a query every few pixels finds every piece that is large enough
// for a box.
void walkLane(const RunView& view, engine::DeviceId device, const TimeAxis& axis,
              const std::function<void(const Piece&)>& draw);

Selection opSelection(const RunView& view, const engine::Span& span, engine::DeviceId device,
                      engine::Track::Kind lane);
Selection pieceSelection(const RunView& view, engine::DeviceId device, const Piece& piece);

// Returns the item at a point, whose y is relative to the lanes before scrolling. A box one pixel
// wide is also found within three pixels of it. At exposed communication, returns the transfer that
// causes it.
Selection selectionAt(const RunView& view, const TimeAxis& axis, const std::vector<Lane>& lanes,
                      QPointF point, const KernelView* kernels = nullptr);
// The rectangle of a selected op or bubble, before scrolling; empty if no visible lane shows it.
QRectF rectOf(const RunView& view, const TimeAxis& axis, const std::vector<Lane>& lanes,
              const Selection& selection);

// The NVTX range under the pointer or close to it; nullptr if there is none.
const HostRange* rangeAt(const RangeView& ranges, engine::DeviceId device, const TimeAxis& axis,
                         const Lane& lane, QPointF at);

// The rectangles of an evict or load on its device and on its partner; both are empty for other
// selections.
std::pair<QRectF, QRectF> moveRects(const RunView& view, const TimeAxis& axis,
                                    const std::vector<Lane>& lanes, const Selection& selection);

// The boxes of a category of time in one iteration: those that a click on its part of the strip
// selects. Computed once, because the thread that paints lanes must not ask a RunView for bubbles.
class CategoryBoxes
{
public:
    CategoryBoxes(const RunView& view, int iteration, profiler::TimeCategory category);

    profiler::TimeCategory category() const { return m_category; }
    void sort(); // by start
    const std::vector<Selection>& all() const { return m_all; }
    std::vector<Selection> longest(std::size_t most) const;
    bool has(const engine::Op& op, std::uint32_t iteration) const
    {
        return static_cast<int>(iteration) == m_iteration && profiler::isOf(m_category, op.kind);
    }
    bool has(engine::DeviceId device, const Piece& piece) const; // a bubble or exposed transfer

private:
    void addOps(const RunView& view);

    int m_iteration;
    profiler::TimeCategory m_category;
    std::vector<Selection> m_all;
    engine::IdVector<engine::DeviceId, std::vector<engine::Window>> m_gaps; // sorted
};
using CategoryBoxesPointer = std::shared_ptr<const CategoryBoxes>;

enum class Step { Previous = -1, Next = 1 };

// Each function returns what a navigation key selects next, starting from a selected op or bubble;
// nullopt if nothing lies in that direction.
std::optional<Selection> inLane(const RunView& view, const Selection& from, Step step);
std::optional<Selection> alongFlow(const RunView& view, const Selection& from, Step step);
std::optional<Selection> toMicroBatch(const RunView& view, const Selection& from, Step step);
std::optional<Selection> toLane(const RunView& view, const Selection& from, Step step);
// Returns the op that the selected op waited for; for a bubble, the op that the device waited for.
std::optional<Selection> toCause(const RunView& view, const Selection& from);
// Returns the first op of an iteration, where keyboard navigation starts without a selection.
std::optional<Selection> firstOp(const RunView& view, int iteration);

// Returns the execution of the op in an iteration, in any lane.
std::optional<Selection> selectOp(const RunView& view, std::uint32_t op, int iteration);

// Returns the micro-batch of a selection; for a bubble, the micro-batch for which it waits.
std::optional<Flow> flowOf(const RunView& view, const Selection& selection);

// The keys that move from the selected box to another: , . [ ] J K, Up, Down and Enter.
bool isWalkKey(int key);
// Returns what `key` selects; nullopt if the selection stays. If no op or bubble is selected, the
// key selects the first op of `iteration`.
std::optional<Selection> walked(const RunView& view, const Selection& from, int iteration, int key);

// Previous and Next move along a row, Out moves from a kernel to its op, Into from an op to its
// first kernel.
enum class KernelStep : std::uint8_t { Previous, Next, Out, Into };
// Returns the step for a key, or nullopt. On a kernel, Comma and Period are Previous and Next, Up
// and Return (or Enter) are Out, and Down is Into. On an op the same keys need Shift.
std::optional<KernelStep> kernelStep(int key, Qt::KeyboardModifiers modifiers, bool isOnKernel);
std::optional<Selection> walkedKernel(const RunView& view, const KernelView& kernels,
                                      const Selection& from, KernelStep step);

} // namespace app
