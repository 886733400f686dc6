#pragma once

#include "app/models/numbers.h"
#include "app/models/run_document.h"

#include <QAbstractTableModel>

#include <optional>
#include <vector>

namespace app {

// What a table says of one iteration of a run.
struct IterationRow
{
    engine::Iteration::Kind kind = engine::Iteration::Kind::Measured;
    int number = 0;
    std::int64_t duration = 0;
    double bubbleRatio = 0;
    std::optional<double> loss, gradientNorm, tokensPerSecond;

    friend bool operator==(const IterationRow&, const IterationRow&) = default;
};

// The rows of iterations [first, end). Any thread: it reads a run that nobody changes.
std::vector<IterationRow> iterationRows(const engine::Run& run, std::size_t first);

// "warm-up 0", "0", "replay": the name of an iteration in tables and steppers.
QString iterationName(const engine::Timeline& timeline, int iteration);

// Iteration by iteration: time, bubble, loss, gradient norm, throughput. Row i is
// Timeline::iterations[i].
class IterationsModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum class Column : int { Iteration, Duration, Bubble, Loss, GradientNorm, Tokens };
    static constexpr int kColumns = 6;

    explicit IterationsModel(QObject* parent = nullptr);

    std::size_t known() const { return m_rows.size(); }
    // Rows [first, first + rows.size()) are new or changed ones of `info`'s run; others stay.
    void update(const engine::RunInfo& info, std::size_t first, std::vector<IterationRow> rows);
    void clear();

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    QString text(const IterationRow& row, Column column) const;

    std::vector<IterationRow> m_rows;
    Scale m_time;
};

} // namespace app
