#pragma once

#include "app/ui/table_model.h"
#include "engine/cost/bpipe_gain.h"

namespace app {

// The micro-batch sizes of the estimator page, in the order in which they were typed.
class BpipeModel : public TableModel<engine::BpipeRow>
{
    Q_OBJECT

public:
    enum class Column : int {
        Size,
        Count,
        StageMfu,
        Kernels,
        Mfu,
        SpeedUp,
        BreakEven,
        Without,
        With,
        Transfer
    };

    explicit BpipeModel(QObject* parent = nullptr);

    void show(const std::vector<engine::BpipeRow>& rows, double usableMemory); // bytes

private:
    QString text(const engine::BpipeRow& row, Column column) const;
    Columns columns() const;

    // The usable memory in bytes, and the stage MFU of the first row.
    double m_usable = 0, m_firstMfu = 0;
};

} // namespace app
