#pragma once

#include "app/mapping/link_chooser.h"

namespace app {

// The loads between the nodes of a large machine as a matrix: rows send, columns receive, and the
// diagonal has the loads within nodes.
class LoadMatrix : public LinkChooser
{
    Q_OBJECT

public:
    explicit LoadMatrix(const ThemeController& theme, QWidget* parent = nullptr);

    QRectF placeOf(const Nodes& nodes) const override;

protected:
    std::optional<Nodes> linkAt(const QPointF& position) const override;
    void arrange() override;
    void paintEvent(QPaintEvent* event) override;

private:
    void paintAxes(QPainter& painter) const;
    int nodes() const;

    double m_cell = 1;
};

} // namespace app
