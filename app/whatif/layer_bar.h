#pragma once

#include "app/ui/controls.h"
#include "profiler/whatif/changes.h"

#include <utility>
#include <vector>

namespace app {

// The number of layers that each stage executes, in the order of the stages. Layers keep their
// order, so a split is its borders, and the moves of a what-if are the difference of two splits.
using LayerSplit = std::vector<int>;

std::vector<profiler::LayerMove> layerMoves(const LayerSplit& measured, const LayerSplit& split);
LayerSplit withMoves(LayerSplit measured, const std::vector<profiler::LayerMove>& moves);
// The least and the greatest number of layers that can be before a border, which is named by the
// stage that ends there. The stages beside it each keep a layer that they have in `measured`.
std::pair<int, int> borderRange(const LayerSplit& measured, const LayerSplit& split, int border);
// Moves the border to `before` layers, clamped to borderRange().
LayerSplit withBorder(const LayerSplit& measured, LayerSplit split, int border, int before);

// The layers of each stage as a bar whose inner borders move layers between neighbouring stages. A
// border is dragged, or chosen by the left and right keys and moved by the minus and plus keys.
class LayerBar : public ThemedWidget
{
    Q_OBJECT

public:
    explicit LayerBar(const ThemeController& theme);

    // Emits no signal. Every stage has at least one layer.
    void setSplit(const LayerSplit& measured, const LayerSplit& split);
    const LayerSplit& measured() const { return m_measured; }
    const LayerSplit& split() const { return m_split; }
    int borderX(int border) const; // centre of the handle

Q_SIGNALS:
    void changed();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    QString toolTipAt(QPoint at) const override;

private:
    int layersBefore(int border) const;
    int borders() const { return static_cast<int>(m_split.size()) - 1; }
    int borderAt(int x) const; // -1: none is near
    void choose(int border);
    void move(int border, int before);

    LayerSplit m_measured, m_split;
    int m_current = 0, m_hovered = -1, m_dragged = -1; // borders; -1: none
};

} // namespace app
