#pragma once

#include "app/mapping/mapping_study.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <memory>
#include <optional>
#include <utility>

class QLabel;

namespace app {

class AllReduceModel;
class DataTable;
class LinkFlowModel;

// Shows the traffic of the selected link and the all-reduces of the schedule.
class LinkPanel : public QWidget
{
    Q_OBJECT

public:
    explicit LinkPanel(const ThemeController& theme, QWidget* parent = nullptr);

    void showStudy(const std::shared_ptr<const MappingStudy>& study);
    void showLink(const std::optional<std::pair<int, int>>& nodes); // nullopt: none is selected

private:
    std::shared_ptr<const MappingStudy> m_study;
    LinkFlowModel* m_flows;
    AllReduceModel* m_sums;
    QLabel *m_title, *m_load, *m_sentence, *m_members;
    DataTable *m_flowTable, *m_sumTable;
    QWidget* m_sumPart;
};

} // namespace app
