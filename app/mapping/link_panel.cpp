#include "app/mapping/link_panel.h"

#include "app/mapping/link_model.h"
#include "app/mapping/mapping_text.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"

#include <QBoxLayout>

namespace app {
namespace {

constexpr int kFlowRow = 23, kMostRows = 8;

void fitTable(DataTable& table)
{
    const int rows = table.model()->rowCount();
    table.setVisible(rows > 0);
    table.setFixedHeight(rows <= kMostRows ? table.fittingHeight()
                                           : table.horizontalHeader()->height()
                                 + kMostRows * kFlowRow + kFlowRow / 2);
}

} // namespace

LinkPanel::LinkPanel(const ThemeController& theme, QWidget* parent)
    : QWidget(parent)
    , m_flows(new LinkFlowModel(this))
    , m_sums(new AllReduceModel(this))
    , m_title(named(makeLabel({}, "section"), "linkTitle"))
    , m_load(named(makeLabel({}, "section"), "linkLoad"))
    , m_sentence(named(makeLabel({}, "hint"), "linkSentence"))
    , m_members(makeLabel({}, "hint"))
    , m_flowTable(named(new DataTable(theme, kFlowRow), "linkFlows", tr("Traffic of the link")))
    , m_sumTable(named(new DataTable(theme, kFlowRow), "allReduces", tr("All-reduces")))
    , m_sumPart(new QWidget)
{
    m_sentence->setWordWrap(true);
    m_flowTable->setModel(m_flows);
    m_flowTable->setRestColumn(0);
    m_sumTable->setModel(m_sums);
    m_sumTable->setRestColumn(0);
    auto* head = spaced(new QHBoxLayout, {12, 10, 12, 0}, 8, {m_title, kStretch, m_load});
    auto* sentence = spaced(new QHBoxLayout, {12, 2, 12, 6}, 0, {{m_sentence, 1}});
    spaced(new QVBoxLayout(m_sumPart), {}, 0,
           {makeLine(Qt::Horizontal),
            makeBar(36, 8, {makeLabel(tr("All-reduces"), "dock"), kStretch, m_members}),
            makeLine(Qt::Horizontal), m_sumTable});
    spaced(new QVBoxLayout(this), {}, 0,
           {makeBar(40, 8,
                    {makeLabel(tr("Selected link"), "dock"), kStretch,
                     makeLabel(tr("Esc clears"), "hint")}),
            makeLine(Qt::Horizontal), head, sentence, m_flowTable, m_sumPart});
}

void LinkPanel::showStudy(const std::shared_ptr<const MappingStudy>& study)
{
    m_study = study;
    if (study == nullptr)
        return showLink({});
    const auto& sums = study->shown().loads.allReduces;
    m_sums->show(sums);
    fitTable(*m_sumTable);
    m_sumPart->setVisible(!sums.empty());
    m_members->setText(sums.empty() ? QString()
                                    : tr("of %1 each").arg(countOf(sums.front().ranks, "member")));
}

void LinkPanel::showLink(const std::optional<std::pair<int, int>>& nodes)
{
    const profiler::LinkLoad* link = m_study != nullptr && nodes
        ? m_study->shown().loads.find(nodes->first, nodes->second)
        : nullptr;
    if (link == nullptr) {
        m_title->setText(tr("None"));
        m_load->clear();
        m_sentence->setText(tr("Click a link in the picture, or press the arrow keys there."));
        m_flows->show({}, 1);
    } else {
        m_title->setText(linkTitle(*link));
        m_load->setText(loadText(link->bytes()));
        m_sentence->setText(linkSentence(*m_study, *link));
        m_flows->show(link->flows, m_study->prediction->run->schedule.shape.replicas);
    }
    fitTable(*m_flowTable);
}

} // namespace app
