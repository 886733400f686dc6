#pragma once

#include "app/memory/memory_report.h"
#include "app/ui/table_model.h"

namespace app {

// A row of AliveModel: a tensor in the memory of a device, the sum of all its tensors, a stash that
// the device has evicted (BPipe), or the total memory of its BPipe partner.
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

// Table of the contents of a device's memory at one point in time.
class AliveModel : public TableModel<AliveRow>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    void show(const MemoryReport& report, engine::DeviceId device, std::int64_t time);
    void clear() { reset({}, {}); }
};

} // namespace app
