#pragma once

#include "app/models/theme.h"
#include "app/models/whatif/what_if.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QSlider;
class QVBoxLayout;

namespace app {

class CostTable;
class HundredthsField;
class LayerBar;
class SegmentControl;
class SpinField;
class StageCostsModel;

// The measured times of a run, and controls to change them.
class WhatIfForm : public QWidget
{
    Q_OBJECT

public:
    explicit WhatIfForm(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const engine::Run& run, const profiler::WhatIfPredictor& measured);
    using QWidget::show;
    // Disables the memory limit if the memory of the schemes is unknown.
    void setKnowsBytes(bool knows);
    WhatIfChanges changes() const;
    std::int64_t memoryLimit() const; // in bytes; 0: no limit
    CostTable& table() const { return *m_table; }
    void undo();
    void redo();
    void reset(); // resets all changes; undo() can restore only those of the table

Q_SIGNALS:
    void changed();
    void memoryLimitChanged();

private:
    QWidget* makeCosts();
    QWidget* makeChanges();
    void addLayers(QVBoxLayout& column);
    void showLayers(); // splits the layers evenly
    void showEdits();
    void showLinks();

    const ThemeController& m_theme;
    StageCostsModel* m_costs;
    CostTable* m_table;
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
    bool m_isShowing = false;  // show() is setting the fields
};

} // namespace app
