#pragma once

#include "app/cluster/cluster_plan.h"
#include "app/ui/theme.h"

#include <QWidget>

class QGridLayout;

namespace app {

// The checks of a kit in two columns, each with its level as an icon.
class CheckList : public QWidget
{
    Q_OBJECT

public:
    explicit CheckList(const ThemeController& theme, QWidget* parent = nullptr);

    void show(const std::vector<ClusterCheck>& checks);
    void setColumns(int columns);

private:
    void arrange();

    const ThemeController& m_theme;
    QGridLayout* m_grid;
    QList<QWidget*> m_rows;
    int m_columns = 2;
};

// "4 pass, 2 warnings", "1 problem"
QString checksText(const std::vector<ClusterCheck>& checks);

} // namespace app
