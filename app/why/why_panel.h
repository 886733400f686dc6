#pragma once

#include "app/shell/page.h"
#include "app/timeline/view/run_view.h"
#include "app/timeline/view/selection.h"
#include "app/ui/latest.h"
#include "app/ui/numbers.h"
#include "app/ui/theme.h"
#include "app/why/why_analysis.h"

#include <QFrame>

class QBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace app {

class SceneView;
class SegmentControl;
class TimelineWidget;

// A row that is chosen with the mouse or the keyboard: a reason, or a scheme.
class WhyRow : public QFrame
{
    Q_OBJECT

public:
    explicit WhyRow(const QString& accessibleName);

    void setCurrent(bool current);
    bool isCurrent() const { return m_isCurrent; }

Q_SIGNALS:
    void chosen();
    void hovered(bool isOver);
    void stepped(int by); // up and down keys

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void enterEvent(QEnterEvent*) override { Q_EMIT hovered(true); }
    void leaveEvent(QEvent*) override { Q_EMIT hovered(false); }

private:
    bool m_isCurrent = false;
};

// Explains why the shown iteration of a run is not faster: how much time could go, what the busiest
// device waits for, the reasons with the gain of a change, and the faster schemes. It draws the
// critical path over the timeline. We ask for the path, then for the effects of the changes, and
// forget them when the panel is closed, because they are as large as the run.
class WhyPanel : public QWidget
{
    Q_OBJECT

public:
    WhyPanel(const ThemeController& theme, TimelineWidget& timeline,
             std::shared_ptr<RunDocument> document);

    void setOn(bool isOn);
    // The iteration at the centre of the timeline; nullptr and -1 if there is none.
    void setIteration(const RunViewPointer& view, int iteration);
    void setSelection(const Selection& selection); // highlights the reason of an op on the path
    // Asks for the schemes that are faster than a run; see schemesKnown().
    void askSchemes(const RunPointer& run);
    int reason() const { return m_reason; } // the chosen one; -1: none
    QSize sizeHint() const override { return {292, 600}; }

Q_SIGNALS:
    void pathChanged(const app::PathMarksPointer& marks); // nullptr: none
    void listRequested();                                 // of the ops of the path
    void closeRequested();
    void pageRequested(const app::PageRequest& request);
    void schemesKnown(const app::FasterSchemesAnswer& answer);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Place
    {
        RunPointer run;
        int iteration = -1;
        PathMarksPointer marks = nullptr;
    };
    struct Explained
    {
        Place place;
        QString problem; // why there are no marks
    };

    void ask();
    void forget();
    void explain(const Explained& explained);
    void showEmpty(const QString& reason, bool isFitOffered);
    void showBody();
    void setBody(QWidget* body);
    void addHead(QBoxLayout& layout);
    void addWaterfall(QBoxLayout& layout);
    void addReasonsHead(QBoxLayout& layout);
    void showReasons();
    void addFold(QBoxLayout& layout, const char* name, const QString& text,
                 const std::vector<std::size_t>& reasons);
    void addReason(QBoxLayout& layout, std::size_t reason);
    void addEffect(QBoxLayout& column, WhyRow& row, std::size_t reason);
    QString accuracyNote() const;
    void addSchemesHead(QBoxLayout& layout);
    void showSchemes();
    void addScheme(QBoxLayout& layout, const profiler::FasterScheme& scheme);
    void chooseScheme(const std::string& name);
    void markRuler();
    void highlight(int reason); // without choosing it
    void choose(int reason);
    void chooseOp(std::uint32_t op);
    void escape();
    void step(const std::vector<WhyRow*>& rows, const WhyRow* from, int by);
    void copyText() const;
    void compare();
    void runScheme();
    engine::MemoryCapacity limit() const; // `m_schemes` is known
    Scale memoryScale() const;
    QString whyNotRun() const;
    const engine::Run& run() const { return *m_place.run; }
    const profiler::Why& why() const { return m_place.marks->why; }
    QString time(std::int64_t ticks) const { return m_scale.withUnit(static_cast<double>(ticks)); }

    const ThemeController& m_theme;
    TimelineWidget& m_timeline;
    std::shared_ptr<RunDocument> m_document;
    RunViewPointer m_view;
    int m_iteration = -1;
    bool m_isOn = false, m_isChoosing = false;

    Place m_place; // what is explained; without marks: nothing
    Scale m_scale;
    std::optional<WhyEffectsAnswer> m_effects; // nullopt: not known yet
    int m_reason = -1;
    bool m_isInTime = false;           // whether reasons are in time order, and not by gain
    std::vector<std::size_t> m_ranked; // reasons with a number, by gain

    RunPointer m_schemesOf;
    std::optional<FasterSchemesAnswer> m_schemes; // of m_schemesOf; nullopt: not known yet
    std::string m_scheme;                         // the selected one; "": none
    bool m_isSchemeChosen = false;                // by the user

    QScrollArea* m_scroll;
    QWidget *m_schemesPart, *m_schemeRows, *m_buttons;
    QLineEdit* m_limit;
    QLabel* m_limitUnit;
    // They belong to the body, which showBody() replaces.
    SceneView* m_waterfall = nullptr;
    QWidget* m_reasons = nullptr;
    std::vector<std::pair<WhyRow*, int>> m_rows; // with the index of the reason, top down
    std::vector<WhyRow*> m_schemeList;
    QPushButton *m_compare, *m_run;

    Latest<Place, Explained> m_paths;
    Latest<Place, WhyEffectsAnswer> m_changes;
    Latest<RunPointer, FasterSchemesAnswer> m_search;
    Background m_writing{this};
};

} // namespace app
