#pragma once

#include "app/mapping/mapping_study.h"
#include "app/ui/controls.h"

namespace app {

// The legend of a NodePicture: the square of a device, a line within a node and an arrow between
// nodes, with the speeds of both links.
class MappingKey : public ThemedWidget
{
    Q_OBJECT

public:
    explicit MappingKey(const ThemeController& theme, QWidget* parent = nullptr);
    void show(const MappingStudy& study);
    using QWidget::show;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    double paintSquare(QPainter& painter) const; // returns its right edge
    void paintLinks(QPainter& painter, double left) const;

    QStringList m_stages; // stages of the first device, one text per replica
    // Texts about the links within a node and between nodes; m_between is "" if there is one node.
    QString m_inNode, m_between;
};

} // namespace app
