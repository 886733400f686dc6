#pragma once

#include "app/mapping/link_chooser.h"
#include "app/mapping/node_layout.h"

namespace app {

// The nodes of a machine as frames, the devices in them with the stages that they hold, and the
// links between nodes as arrows by load.
class NodePicture : public LinkChooser
{
    Q_OBJECT

public:
    explicit NodePicture(const ThemeController& theme, QWidget* parent = nullptr);

    QRectF placeOf(const Nodes& nodes) const override;

protected:
    std::optional<Nodes> linkAt(const QPointF& position) const override;
    QString toolTipAt(QPoint at) const override;
    void arrange() override;
    void paintEvent(QPaintEvent* event) override;

private:
    void paintNode(QPainter& painter, std::size_t node) const;
    void paintLinesInNode(QPainter& painter, std::size_t node) const;
    void paintSlot(QPainter& painter, const NodeSlot& slot, const QRectF& box) const;
    void paintArrow(QPainter& painter, const LinkArrow& arrow) const;

    bool fitDirections() const; // whether all boxes have space for "down" and "up"

    NodeLayout m_layout;
    bool m_areDirectionsNamed = false;
};

} // namespace app
