#pragma once

#include "app/ui/numbers.h"
#include "app/whatif/what_if.h"

#include <QAbstractTableModel>

#include <vector>

namespace app {

// Table of the measured times of each stage and their sum. The user can edit the times and, if it
// was not measured, the share of W in B.
class StageCostsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    explicit StageCostsModel(QObject* parent = nullptr);

    void show(const engine::Run& run, const profiler::MeasuredTimes& times); // discards edits

    const std::map<WhatIfChanges::Cell, std::int64_t>& edits() const { return m_edits.times; }
    std::optional<double> weightShare() const { return m_edits.weightShare; }
    // Replaces all edits without emitting edited().
    void setEdits(const std::map<WhatIfChanges::Cell, std::int64_t>& times,
                  std::optional<double> weightShare);
    Scale time() const { return m_time; }
    QString editsText() const; // "1 cell edited"; "" without edits

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    // Sets a number in the unit of the column. Returns false if a time is not from 1 to 10¹⁵ ns or
    // a share is not between 0 and 100 %.
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

Q_SIGNALS:
    void edited();

private:
    enum class What : std::uint8_t { Stage, Time, WeightShare, Messages, Spread };
    struct Column
    {
        What what;
        engine::OpKind kind = engine::OpKind::Forward; // the kind of op of a Time column
    };
    struct Edits
    {
        std::map<WhatIfChanges::Cell, std::int64_t> times;
        std::optional<double> weightShare;
        friend bool operator==(const Edits&, const Edits&) = default;
    };

    bool isSum(int row) const { return row == static_cast<int>(m_times.stages.size()); }
    bool isEditable(const QModelIndex& index) const;
    double measured(int stage, engine::OpKind kind) const; // ns; 0: not measured
    // The edited value if there is one, otherwise the measured one.
    double value(int stage, engine::OpKind kind) const;
    double weightShareOf(int row) const; // < 0: unknown
    QString text(const QModelIndex& index) const;
    QString before(const QModelIndex& index) const; // the measured value of an edited cell
    void set(const Edits& edits);

    profiler::MeasuredTimes m_times;
    std::vector<int> m_messages; // messages that each stage sends and receives per iteration
    std::vector<Column> m_columns;
    Scale m_time;
    Edits m_edits;
};

} // namespace app
