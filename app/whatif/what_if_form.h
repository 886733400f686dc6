#pragma once

#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/numbers.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "app/whatif/what_if.h"

#include <QWidget>

#include <optional>
#include <vector>

class QVBoxLayout;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSlider;

namespace app {

class HundredthsField;
class SegmentControl;
class SpinField;

// The layers of each stage as a bar whose inner borders move layers between neighbouring stages. A
// border is dragged, or chosen by the left and right keys and moved by the minus and plus keys.
class LayerBar : public ThemedWidget
{
    Q_OBJECT

public:
    explicit LayerBar(const ThemeController& theme, QWidget* parent = nullptr);

    // Emits no signal. Every stage has at least one layer.
    void setSplit(LayerSplit split);
    const LayerSplit& split() const { return m_split; }
    int borderX(int border) const; // centre of the handle, for tests

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
    int layers() const;
    int before(int border) const; // layers before a border
    int borders() const { return static_cast<int>(m_split.size()) - 1; }
    int borderAt(int x) const; // -1: none is near
    void choose(int border);
    void move(int border, int before);
    void speak();
    void paintStage(QPainter& painter, int stage) const;

    LayerSplit m_split;
    int m_current = 0, m_hovered = -1, m_dragged = -1; // borders; -1: none
};

// The measured times of each stage and, in the last row, their sum. The user can edit the times
// and, if it was not measured, the share of W in B.
class StageCostsModel : public TableModel<int>
{
    Q_OBJECT

public:
    using TableModel::TableModel;

    void show(const engine::Run& run, const profiler::MeasuredTimes& times); // discards edits

    // Only the times and the share of W.
    const WhatIfChanges& edits() const { return m_edits; }
    void setEdits(const WhatIfChanges& changes); // without emitting edited()
    Scale time() const { return m_time; }
    QString editsText() const; // "1 cell edited"; "" without edits

    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    // Sets a number in the unit of the column. Returns false if a time is not from 1 to 10¹⁵ ns or
    // a share is not between 0 and 100 %.
    bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;

Q_SIGNALS:
    void edited();

private:
    Columns columns() const;
    TableColumn<int> timeColumn(engine::OpKind kind) const;
    TableColumn<int> weightColumn() const;
    bool isSum(int row) const { return row == static_cast<int>(m_times.stages.size()); }
    bool isEditable(int row, std::size_t column) const;
    double measured(int stage, engine::OpKind kind) const; // ns; 0: not measured
    // The edited value if there is one, otherwise the measured one; of the last row the sum.
    double value(int row, engine::OpKind kind) const;
    double weightShare(int row) const; // < 0: unknown
    void set(const WhatIfChanges& edits);

    profiler::MeasuredTimes m_times;
    std::vector<int> m_messages; // messages that each stage sends and receives, then their sum
    std::vector<engine::OpKind> m_kinds; // of the columns after the first
    Scale m_time;
    WhatIfChanges m_edits;
};

// The op of the run's own order that the user selected, with its predicted duration.
struct OpInFocus
{
    engine::Op op;
    engine::DeviceId device;
    std::int64_t duration = 0; // in ns
};

// Controls for the duration of the selected op, or of all ops of its kind, and for the slow-down of
// a device or link.
class SlowForm : public QWidget
{
    Q_OBJECT

public:
    explicit SlowForm(const ThemeController& theme, QWidget* parent = nullptr);

    void setRun(const engine::Run& run); // fills the list of devices and links
    void showOp(const std::optional<OpInFocus>& op);
    // `isOwn`: the page shows the run's own order. Ops can be selected only in this order.
    void setOwnOrder(bool isOwn);
    // Shows the values of `changes`; emits no signal.
    void show(const WhatIfChanges& changes);
    using QWidget::show;
    // Returns an edit with a factor of 1 for the chosen scope: the selected op, all ops of its
    // kind, or all ops of its kind on its device; nullopt: no op is selected.
    std::optional<profiler::RunEdit> selection() const;

Q_SIGNALS:
    void opScaled(double ratio); // the selection takes `ratio` times as long as now
    void slowed(const profiler::RunEdit& edit);
    void delayed(std::int64_t ns);

private:
    void addOp(QVBoxLayout& column);
    void takeTime();
    void showState();
    profiler::RunEdit target() const; // the chosen device or link

    QLabel *m_title, *m_hint;
    QLineEdit* m_time;
    QComboBox *m_scope, *m_target;
    HundredthsField* m_factor;
    SpinField* m_delay;
    std::vector<profiler::RunEdit> m_targets;
    std::optional<OpInFocus> m_op;
    WhatIfChanges m_changes;
    Scale m_unit;
    bool m_isOwn = false;
};

// The measured times of a run, and controls to change them.
class WhatIfForm : public QWidget
{
    Q_OBJECT

public:
    explicit WhatIfForm(const ThemeController& theme, QWidget* parent = nullptr);

    void show(std::shared_ptr<const engine::Run> run, const profiler::WhatIfPredictor& measured);
    using QWidget::show;
    // Disables the memory limit if the memory of the schemes is unknown.
    void setKnowsBytes(bool knows);
    const WhatIfChanges& changes() const { return m_changes; }
    std::int64_t memoryLimit() const; // in bytes; 0: no limit
    SlowForm& slow() const { return *m_slow; }
    // Multiplies the duration of the ops that are chosen in the slow-down form. The calls during
    // one drag, of which only the last has `isLast`, are one step of undo().
    void scaleOp(double ratio, bool isLast = true);
    // Sets the changes that the shown prediction includes. Typed durations are relative to them.
    void setShown(const WhatIfChanges& changes) { m_shown = changes; }
    bool canUndo() const { return !m_undone.empty(); }
    bool canRedo() const { return !m_redone.empty(); }
    void undo();
    void redo();
    void reset(); // removes all changes; can be undone

Q_SIGNALS:
    void changed();
    void memoryLimitChanged();

private:
    QWidget* makeCosts();
    QWidget* makeChanges();
    void addLayers(QVBoxLayout& column);
    void showLayers(); // splits the layers evenly
    WhatIfChanges fields() const;
    // Applies changes. Successive calls with the same `field` are undone together; nullptr: each
    // call is undone separately.
    void take(WhatIfChanges changes, const void* field);
    void setChanges(const WhatIfChanges& changes); // shows them, and emits changed()
    void showEdits();
    void listEdits();

    const ThemeController& m_theme;
    StageCostsModel* m_costs;
    DataTable* m_table;
    QWidget *m_list, *m_listed = nullptr; // the edits
    SlowForm* m_slow;
    QLabel *m_unit, *m_edits, *m_links, *m_stragglersHint, *m_layersHint, *m_memoryHint,
        *m_interval;
    QPushButton *m_undo, *m_reset;
    QSlider* m_slider;
    SegmentControl* m_stragglers;
    SpinField *m_layers, *m_microBatches;
    LayerBar* m_layerBar;
    QComboBox* m_tensorParallel;
    HundredthsField* m_limit;
    double m_message = 0;      // median time of a message, in ns
    int m_measuredBatches = 1; // number of micro-batches of the run
    int m_stages = 1;          // number of stages of the run
    bool m_isShowing = false;  // the fields are being set
    WhatIfChanges m_changes, m_shown;
    std::vector<WhatIfChanges> m_undone,
        m_redone; // states to restore; the next one is at the end
    // The field, device or link of the last change; further changes of the same one belong to the
    // same step of undo().
    const void* m_lastField = nullptr;
    profiler::RunEdit m_slowed;
    std::shared_ptr<const engine::Run> m_run;
};

} // namespace app
