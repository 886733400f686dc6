#pragma once

#include "app/documents/run_library.h"
#include "app/memory/memory_areas.h"
#include "app/shell/page.h"
#include "app/ui/table_model.h"

namespace app {

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

// Shows the contents of a device's memory at one point in time.
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
