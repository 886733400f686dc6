#pragma once

#include "app/documents/run_library.h"
#include "app/shell/page.h"
#include "app/timeline/view/run_view.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"
#include "app/ui/theme.h"
#include "profiler/analysis/alive.h"
#include "profiler/figure/scene.h"

#include <memory>
#include <optional>
#include <vector>

namespace app {

// The memory of all devices during one iteration, as the Memory page shows it.
struct MemoryReport
{
    enum class Order : int { Devices, Pairs };

    RunPointer run;
    int iteration = -1;
    engine::Window window;
    engine::IdVector<engine::DeviceId, profiler::MemorySteps> steps;
    engine::IdVector<engine::DeviceId, std::optional<profiler::MemoryPartner>> partners;
    engine::MemoryCapacity memory;
    std::optional<std::int64_t> limit; // usable part of `memory`, if it is known
    // The end of the memory axis in bytes: `limit` if it exceeds the peaks and isInSight(),
    // otherwise the largest peak, rounded up. The peaks include those that the devices would have
    // if no stash moved between them.
    std::int64_t highest = 0;
    Scale time, bytes;

    bool isEmpty() const
    {
        return std::ranges::all_of(steps, [](const auto& one) { return one.empty(); });
    }
    bool hasBytes() const { return !run->timeline.memory.empty(); } // otherwise stashReport()
    std::int64_t stash(engine::DeviceId device) const; // the largest, with those of its partner
    bool isLimitInSight() const { return limit && *limit <= highest; } // whether the axis shows it
    // Whether the bytes are computed from a model, because the run is a simulation.
    bool isPredicted() const { return run->info.mode == engine::Mode::Simulate; }
    // whether stashes move, between two devices or to the host
    bool hasPairs() const
    {
        return std::ranges::any_of(partners, [](const auto& one) { return one.has_value(); });
    }
    // whether a device holds stashes of another
    bool hasGuests() const
    {
        return std::ranges::any_of(partners, [](const auto& one) { return one && one->device; });
    }
    // Returns the devices row by row. Order::Pairs has rows of two columns: evictors on the left,
    // their partners on the right.
    std::vector<engine::DeviceId> order(Order order) const;
    // "evicts to 7", "accepts from 0"; "" if the device has no partner.
    QString role(engine::DeviceId device) const;
    double shareOf(std::int64_t when) const; // share of the iteration: 0 at its start, 1 at its end
    std::int64_t timeAt(double share) const;
    // time since the start of the iteration: "44.9"
    QString at(std::int64_t when) const { return time.text(when - window.begin); }
    QString amount(std::int64_t of) const { return bytes.text(of); }
};
MemoryReport memoryReport(const RunPointer& run, int iteration); // empty without bytes
// The stash of every device in thousandths of M_a, for a run without recorded memory.
MemoryReport stashReport(const RunView& view, int iteration);
QString memoryKindName(profiler::MemoryKind kind); // "optimizer state"

// The colours of memory by kind; the stash of a partner is hatched with `line`.
struct MemoryColours
{
    explicit MemoryColours(const Theme& theme);

    engine::EnumArray<profiler::MemoryKind, QColor, profiler::kMemoryKinds> fills;
    QColor line; // outline of the total
};

// The memory of every device over time, one panel each: areas by kind, the limit, evicts and loads,
// and one cursor through all panels. The panels and rulers are a scene, so that they are exported
// as they are shown. The left and right keys move the cursor to the previous or next change of the
// chosen device, the up and down keys choose a device, and the bracket keys go from peak to peak.
class MemoryAreas : public ThemedWidget
{
    Q_OBJECT

public:
    using ThemedWidget::ThemedWidget;
    static MemoryAreas* make(const ThemeController& theme);
    using Report = std::shared_ptr<const MemoryReport>;
    virtual void show(Report report) = 0; // nullptr: nothing to show
    using QWidget::show;
    virtual void setOrder(MemoryReport::Order order) = 0;
    // Shows or hides the memory that a device would need if no stash moved between devices.
    virtual void setWithoutMovesShown(bool isShown) = 0;
    virtual engine::DeviceId device() const = 0;
    virtual std::int64_t time() const = 0;
    virtual void choose(engine::DeviceId device, std::int64_t time) = 0;
    virtual void goToPeak(int step) = 0;        // the next (1) or previous (-1) peak of the device
    virtual void setLeastWidth(int pixels) = 0; // of a panel
    virtual profiler::Scene scene() const = 0;  // without the cursor

Q_SIGNALS:
    void chosen(engine::DeviceId device, std::int64_t time);
};

// A row of showAlive(): a tensor in the memory of a device, the sum of all its tensors, a stash
// that the device has evicted (BPipe), or the total memory of its BPipe partner.
struct AliveRow
{
    enum class Kind { Tensor, Sum, Evicted, Partner };

    Kind kind = Kind::Tensor;
    QString category;
    std::optional<std::uint32_t> op;
    std::optional<std::int64_t> since;
    std::int64_t bytes = 0;
    std::optional<std::int64_t> back; // when an evicted stash returns
};

void showAlive(TableModel<AliveRow>& model, const MemoryReport& report, engine::DeviceId device,
               std::int64_t time);
// Shows a row per device: its planned memory, its recorded or simulated memory, and the stashes
// that it moved.
void showMemory(TableModel<engine::DeviceId>& model,
                const std::shared_ptr<const MemoryReport>& report);

// The page with the memory of one run: every device over time with a common cursor, the contents
// at the cursor, and the planned and recorded peaks.
Page* makeMemory(const ThemeController& theme, RunLibrary& library,
                 const std::shared_ptr<RunDocument>& document);

} // namespace app
