#pragma once

#include "app/ui/theme.h"
#include "app/whatif/what_if.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QSlider;
class QVBoxLayout;

namespace app {

class CostTable;
class EditList;
class HundredthsField;
class LayerBar;
class SegmentControl;
class SlowForm;
class SpinField;
class StageCostsModel;

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
    CostTable& table() const { return *m_table; }
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
    void showLinks();

    const ThemeController& m_theme;
    StageCostsModel* m_costs;
    CostTable* m_table;
    EditList* m_list;
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
