#pragma once

#include "app/mapping/mapping_study.h"
#include "app/plan/run_plan.h"
#include "app/ui/latest.h"
#include "app/ui/table_model.h"
#include "app/ui/theme.h"
#include "profiler/figure/scene.h"

#include <QTimer>
#include <QWidget>

#include <utility>
#include <vector>

class QCheckBox;
class QLabel;
class QScrollArea;
class QStackedWidget;
class QVBoxLayout;

namespace app {

class Band;
class DataTable;
class EmptyState;
class LinkPanel;
class ModelPanel;
class SceneView;
class SegmentControl;

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

// Whether a box of this width has space for "down" and "up" beside the stages of a device.
bool fitsDirections(const QStringList& stages, double width);
// The summary of a node; without its second part if it is too wide.
QString fittingSummary(const QString& summary, double width);

// The links of the chosen mapping that have a load of a shown kind, sorted by nodes.
std::vector<NodePair> shownLinks(const MappingStudy& study, const ShownLoads& shown);
// Draws the nodes of a machine as frames, the devices in them with the stages that they hold, and
// the links between nodes as arrows by load. Mark i is shownLinks()[i]; the links within a node
// are marked at its frame.
profiler::MarkedScene nodeScene(const MappingStudy& study, const ShownLoads& shown,
                                const Theme& theme, double width);

// Shows the devices of a plan on the nodes of its hardware, the loads of the links, the compared
// mappings, and the memory of the model. We predict only while the view is visible, because a
// prediction with every mapping takes several simulations.
class MappingView : public QWidget
{
    Q_OBJECT

public:
    explicit MappingView(const ThemeController& theme, QWidget* parent = nullptr);

    // `problem`: why the plan cannot be predicted; "" if it can.
    void setPlan(const RunPlan& plan, const QString& problem);
    const MappingStudy* study() const { return m_found ? &m_found->study : nullptr; }
    const std::vector<NodePair>& links() const { return m_links; } // by their marks
    QString csv() const; // the compared mappings; "" if there is no study of the plan yet

Q_SIGNALS:
    void csvChanged();
    void planOffered(const app::RunPlan& plan);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Found
    {
        MappingStudy study;
        ModelFacts facts;
    };
    static engine::Result<Found> find(const PredictionRequest& request,
                                      const std::atomic<bool>& isDropped);

    QWidget* makeToolbar();
    QWidget* makeCentre(const ThemeController& theme);
    QWidget* makeEmpty(const ThemeController& theme);
    void connectAll();
    void ask();
    void showAnswer(engine::Result<Found> answer);
    void showFound();
    void drawPicture();
    std::optional<NodePair> highlighted() const;
    QString describeLink(std::size_t link) const;
    void showEmpty(const QString& fact, const QString& advice, bool offersHardware);
    void offerMapping(const QString& mapping);
    void offerRow(const QModelIndex& row);
    void chooseFile();
    void showMapping(); // shows the plan's mapping in the picker
    void showSide();

    const ThemeController& m_theme;
    RunPlan m_plan;
    QString m_problem;
    // Whether a study of the current plan was requested, and whether its answer has come. Until
    // then m_found is that of an earlier plan.
    bool m_isAsked = false, m_isAnswered = false;
    Latest<PredictionRequest, engine::Result<Found>> m_studies{
        this, &MappingView::find,
        [this](engine::Result<Found> answer) { showAnswer(std::move(answer)); }};
    QTimer m_debounce;
    std::shared_ptr<const Found> m_found; // null: no answer
    bool m_isShowing = false;             // showMapping() is setting the picker
    SegmentControl* m_mapping;
    QLabel *m_file, *m_crossing;
    QCheckBox *m_messages, *m_allReduces;
    SceneView* m_picture;
    std::vector<NodePair> m_links; // of the marks in the picture
    std::optional<NodePair> m_selected;
    bool m_isCleared = false; // the user cleared the selection
    Band* m_verdict;
    TableModel<MappedPrediction> m_compared;
    DataTable* m_comparedTable;
    LinkPanel* m_link;
    ModelPanel* m_model;
    EmptyState* m_empty;
    QStackedWidget* m_stack;
    // m_dock: the panels. m_side: the column in which a wide window shows them.
    QWidget *m_dock, *m_side;
    QScrollArea *m_centreScroll, *m_dockScroll;
    QVBoxLayout* m_centre;
};

} // namespace app
