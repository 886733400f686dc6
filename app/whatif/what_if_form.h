#pragma once

#include "app/ui/controls.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "app/whatif/what_if.h"

#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

class QVBoxLayout;
class QComboBox;
class QLabel;
class QLineEdit;

namespace app {

class HundredthsField;

// The layers of each stage as a bar whose inner borders move layers between neighbouring stages. A
// border is dragged, or chosen by the left and right keys and moved by the minus and plus keys.
class LayerBar : public ThemedWidget
{
    Q_OBJECT

public:
    explicit LayerBar(const ThemeController& theme, QWidget* parent = nullptr);

    // Emits no signal. Every stage has at least one layer.
    void setSplit(const LayerSplit& measured, const LayerSplit& split);
    const LayerSplit& measured() const { return m_measured; }
    const LayerSplit& split() const { return m_split; }
    int borderX(int border) const; // centre of the handle

Q_SIGNALS:
    void changed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    QString toolTipAt(QPoint at) const override;

private:
    int layersBefore(int border) const;
    int borders() const { return static_cast<int>(m_split.size()) - 1; }
    int borderAt(int x) const; // -1: none is near
    void choose(int border);
    void move(int border, int before);
    void update();
    void paintStage(QPainter& painter, int stage) const;

    LayerSplit m_measured, m_split;
    int m_current = 0, m_hovered = -1, m_dragged = -1; // borders; -1: none
};

// The measured times of each stage and, in the last row, their sum. The user can edit the times
// and, if it was not measured, the share of W in B.
class StageCostsModel : public TableModel<int>
{
    Q_OBJECT

public:
    StageCostsModel(const engine::Schedule& schedule, profiler::MeasuredTimes times,
                    WhatIfEdits& edits, QObject* parent = nullptr);

    Scale time() const { return m_time; }
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    // Sets a number in the unit of the column. Returns false if a time is not from 1 to 10¹⁵ ns or
    // a share is not between 0 and 100 %.
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

private:
    Columns columns() const;
    template<class Now, class Before>
    TableColumn<int> editable(const QString& title, Now now, Before before, const char* tip) const;
    bool isSum(int row) const { return row == static_cast<int>(m_times.stages.size()); }
    bool isEditable(int row, std::size_t column) const;
    double measured(int stage, engine::OpKind kind) const; // ns; 0: not measured
    // The edited value if there is one, otherwise the measured one; of the last row the sum.
    double value(int row, engine::OpKind kind) const;
    double weightShare(int row) const; // < 0: unknown

    const profiler::MeasuredTimes m_times;
    WhatIfEdits& m_edits;
    std::vector<int> m_messages; // messages that each stage sends and receives, then their sum
    std::vector<engine::OpKind> m_kinds; // of the columns after the first
    Scale m_time;
};

// The op of the run's own order that the user selected, with its predicted duration and the
// changes that this duration includes.
struct OpInFocus
{
    engine::Op op;
    engine::DeviceId device;
    std::int64_t duration = 0; // in ns
    WhatIfChanges included;
};

// The measured times of a run, and controls to change them. A control is a function that shows
// WhatIfEdits::changes() and a connection that writes to them.
class WhatIfForm : public QWidget
{
    Q_OBJECT

public:
    // `measured` and `edits` must outlive this object.
    WhatIfForm(const ThemeController& theme, const profiler::WhatIfPredictor& measured,
               WhatIfEdits& edits, QWidget* parent = nullptr);

    // Enables the memory limit if the memory of the schemes is known.
    void setKnowsBytes(bool knows);
    engine::MemoryCapacity memory() const; // of a device; unknown: no limit
    // Ops can be selected only in the run's own order.
    void showOp(const std::optional<OpInFocus>& op, bool isOwnOrder);
    // Multiplies the duration of the selected op, or of all ops of its kind. The calls during one
    // drag, of which only the last has `isLast`, are undone together.
    void scaleOp(double ratio, bool isLast = true);

Q_SIGNALS:
    void memoryChanged();

private:
    const engine::Run& run() const { return m_measured.run(); }
    void show();
    template<class Control, class Get, class Set>
    void bind(void (Control::*changed)(int), void (Control::*display)(int),
              std::type_identity_t<Control>* control, Get get, Set set);
    QWidget* makeCosts();
    void addOp(QVBoxLayout& column);
    profiler::RunEdit selection() const; // the ops in scope; requires an op
    void takeTime();
    void showSelected();
    QWidget* makeEditList();
    void listEdits(QWidget& list);
    void addSlowdowns(QVBoxLayout& column);
    void addLinks(QVBoxLayout& column);
    void addStragglers(QVBoxLayout& column);
    void addLayers(QVBoxLayout& column);
    void addJob(QVBoxLayout& column);

    const ThemeController& m_theme;
    const profiler::WhatIfPredictor& m_measured;
    WhatIfEdits& m_edits;
    std::vector<std::function<void()>> m_show;
    QLabel *m_opTitle, *m_opHint;
    QLineEdit* m_time;
    QComboBox* m_scope;
    std::optional<OpInFocus> m_op;
    Scale m_unit;
    bool m_isOwnOrder = false;
    HundredthsField *m_memory, *m_reserve;
    QLabel* m_memoryHint;
};

} // namespace app
