#pragma once

#include "app/cluster/cluster_results.h"
#include "app/ui/controls.h"

namespace app {

// Shows the ranks of a job by node, and whether their traces have arrived. Many ranks are drawn as
// small squares.
class RankGrid : public ThemedWidget
{
    Q_OBJECT

public:
    explicit RankGrid(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const std::vector<RankState>& states, int ranksPerNode);
    const std::vector<RankState>& states() const { return m_states; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    QString toolTipAt(QPoint at) const override;

private:
    bool isSmall() const;
    QRectF box(int rank) const;
    void fit();
    void paintRank(QPainter& painter, int rank) const;

    std::vector<RankState> m_states;
    int m_perNode = 1;
};

QString rankStateText(RankState state); // "received"

} // namespace app
