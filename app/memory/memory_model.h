#pragma once

#include "app/memory/memory_report.h"
#include "app/ui/table_model.h"

namespace app {

// Table with a row per device: its planned memory, its recorded or simulated memory, and the
// stashes that it moved.
class MemoryModel : public TableModel<engine::DeviceId>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    void show(std::shared_ptr<const MemoryReport> report);
    void clear() { reset({}, {}); }

private:
    // Returns the bytes of a device that a column shows; nullopt: unknown.
    using Bytes = std::function<std::optional<std::int64_t>(engine::DeviceId)>;
    TableColumn<engine::DeviceId> bytesColumn(const QString& title, const Bytes& bytes) const;
    Columns measuredColumns(const Bytes& peak) const;

    std::shared_ptr<const MemoryReport> m_report;
};

} // namespace app
