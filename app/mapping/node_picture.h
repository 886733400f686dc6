#pragma once

#include "app/mapping/mapping_study.h"
#include "app/ui/controls.h"

#include <QPolygonF>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace app {

using NodePair = std::pair<int, int>; // from, to; equal: the links within a node

// The kinds of load that a picture shows.
struct ShownLoads
{
    bool messages = true; // includes copies of stashes
    bool allReduces = true;

    template<class Load>
    double of(const Load& load) const
    {
        return (messages ? load.messages + load.copies : 0) + (allReduces ? load.allReduces : 0);
    }
};

// Colour and width of a link by its load, in four classes. The upper bound of the highest class is
// the largest load between two nodes in all compared mappings, so that pictures of two mappings can
// be compared. Each other bound is a third of the next one.
class LoadScale
{
public:
    static constexpr int kClasses = 4;

    LoadScale() = default;
    explicit LoadScale(const MappingStudy& study);

    int classOf(double bytes) const;
    static QColor colour(int index, const Theme& theme);
    static double width(int index); // width of the line, in pixels

private:
    double m_most = 0;
};

// An arrow from one node to another.
struct LinkArrow
{
    int from = 0, to = 0;
    QPolygonF path; // at right angles
    QRectF label;   // empty: no space beside the line
    Qt::Alignment alignment = Qt::AlignCenter;

    bool isNear(const QPointF& point) const;
    QRectF bounds() const;
};

// The places of nodes, devices and links in a picture. Nodes are in two columns, in serpentine
// order, so that consecutive nodes are neighbours.
struct NodeLayout
{
    std::vector<QRectF> frames;              // frames[node]: frame around its slots
    std::vector<std::vector<QRectF>> places; // places[node][slot]: box of the device in the slot
    std::vector<LinkArrow> arrows;
    double height = 0;
};

// Whether a box of this width has space for "down" and "up" beside the stages of a device.
bool fitsDirections(const QStringList& stages, double width);
// The summary of a node; without its second part if it is too wide.
QString fittingSummary(const QString& summary, double width);

// The nodes of a machine as frames, the devices in them with the stages that they hold, and the
// links between nodes as arrows by load. The mouse, the arrow keys, Home and End select a link; Esc
// clears the selection.
class NodePicture : public ThemedWidget
{
    Q_OBJECT

public:
    explicit NodePicture(const ThemeController& theme, QWidget* parent = nullptr);

    // Keeps the selection if the link still has a load, and otherwise selects the link with the
    // largest load.
    void showStudy(const std::shared_ptr<const MappingStudy>& study);
    void setShownLoads(const ShownLoads& shown);
    QRectF placeOf(const NodePair& nodes) const; // area in which the link can be clicked
    // The hovered link, or else the selected one.
    const std::optional<NodePair>& highlighted() const
    {
        return m_hovered ? m_hovered : m_selected;
    }

Q_SIGNALS:
    void linkChanged(); // highlighted() changed

protected:
    QString toolTipAt(QPoint at) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void select(const std::optional<NodePair>& nodes);
    void hover(const std::optional<NodePair>& nodes);
    void describe();
    void arrange();
    bool fitDirections() const;          // whether all boxes have space for "down" and "up"
    std::vector<NodePair> links() const; // all links with a load of a shown kind
    std::optional<NodePair> linkAt(const QPointF& position) const;
    void paintNode(QPainter& painter, std::size_t node) const;
    void paintSlot(QPainter& painter, const NodeSlot& slot, const QRectF& box) const;
    void paintArrow(QPainter& painter, const LinkArrow& arrow) const;

    std::shared_ptr<const MappingStudy> m_study;
    LoadScale m_scale;
    ShownLoads m_shown;
    std::optional<NodePair> m_selected, m_hovered;
    bool m_isCleared = false; // the user cleared the selection
    NodeLayout m_layout;
    bool m_areDirectionsNamed = false;
};

} // namespace app
