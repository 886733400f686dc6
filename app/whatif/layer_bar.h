#pragma once

#include "app/ui/controls.h"
#include "app/whatif/what_if.h"

namespace app {

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

} // namespace app
