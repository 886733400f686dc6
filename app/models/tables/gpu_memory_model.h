#pragma once

#include "app/models/numbers.h"
#include "engine/timeline/gpu_memory.h"

#include <QAbstractTableModel>

#include <vector>

namespace app {

// Memory of the GPUs at the end of a run: a row for each that has some, then all of these, what the
// driver says, and by how much that differs; a column for all GPUs and one for each. Without GPUs
// it is empty.
class GpuMemoryModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    explicit GpuMemoryModel(QObject* parent = nullptr);

    void show(std::vector<engine::GpuMemory> gpus);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    static constexpr int kAll = 1, kShare = 2; // columns; then each GPU, if there are several

    struct Row
    {
        enum class Kind { Holder, Reserved, Known, Used, Difference, Note };

        Kind kind = Kind::Holder;
        QString name;
        engine::GpuHolder holder = engine::GpuHolder::Weights; // of kind Holder
    };
    static std::int64_t bytesOf(const Row& row, const engine::GpuMemory& memory);

    void addRows();
    const engine::GpuMemory& memoryOf(int column) const
    {
        return m_columns[static_cast<std::size_t>(column == kAll ? 0 : column - kShare)];
    }
    QString text(const Row& row, int column) const;
    bool isStrong(const Row& row, int column) const;
    double share(const Row& row) const; // of what the driver says, of all GPUs

    std::vector<engine::GpuMemory> m_columns; // of several GPUs first their sum
    std::vector<Row> m_rows;
    Scale m_bytes;
};

// By how much driver and holders differ: "0.4 %", with a minus where more is known of than is gone.
QString driverDifference(const engine::GpuMemory& memory);

} // namespace app
