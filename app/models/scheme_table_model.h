#pragma once

#include "app/models/prediction.h"

#include <QAbstractTableModel>

#include <memory>
#include <vector>

namespace app {

// All schemes at one D and N, predicted alike; the impossible ones stay, with their condition.
class SchemeTableModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum class Column : int { Scheme, Iteration, Bubble, Stash, Weights, Messages, Local };
    static constexpr int kColumns = 7;

    struct Row
    {
        QString scheme, title;
        QString condition; // why it is impossible; "" when it is possible
        std::shared_ptr<const engine::Result<Prediction>> answer; // null: not predicted yet

        const Prediction* prediction() const
        {
            return answer != nullptr && answer->has_value() ? &**answer : nullptr;
        }
    };

    explicit SchemeTableModel(QObject* parent = nullptr);

    void reset(std::vector<Row> rows);
    void answer(const QString& scheme, std::shared_ptr<const engine::Result<Prediction>> answer);
    const Row& at(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    double longest() const;                 // iteration of all, in units
    int rowOf(const QString& scheme) const; // -1: not there
    void setChosen(const QString& scheme);  // drawn strong

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;

private:
    QString text(const Row& row, Column column) const;

    std::vector<Row> m_rows;
    QString m_chosen;
};

double largestStash(const profiler::RunMetrics& metrics);   // M_a
double largestWeights(const profiler::RunMetrics& metrics); // M_theta

} // namespace app
