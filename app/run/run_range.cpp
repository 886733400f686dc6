#include "app/run/run_range.h"

#include "app/range/range_panel.h"
#include "app/range/range_text.h"
#include "app/run/run_actions.h"
#include "app/run/run_panels.h"
#include "app/timeline/details/details_panel.h"
#include "app/timeline/widget/timeline_widget.h"

#include <QAction>

namespace app {

RunRange::RunRange(const Parts& parts, const RunActions& actions, RunAnalysis& analysis,
                   QObject* parent)
    : QObject(parent)
    , m_parts(parts)
    , m_analysis(analysis)
{
    RangePanel& panel = parts.panels->range();
    panel.addButton(tr("Zoom to"), "zoomToRange", actions.fitSelection);
    panel.addButton(tr("Note"), "noteOnRange", actions.notes.note);
    panel.addButton(tr("Save as run…"), "saveRange", actions.savePart);
    connect(&panel, &RangePanel::typed, this, &RunRange::mark);
    connect(&panel, &RangePanel::closed, this, [this] {
        m_parts.timeline->setFocus();
        m_parts.panels->setRangeShown(m_selection.kind == Selection::Kind::Range);
    });
    connect(actions.markRange, &QAction::triggered, this, [this] {
        m_parts.panels->setFolded(false);
        m_parts.panels->setRangeShown(true);
        m_parts.panels->setPanel(RunPanels::Panel::Range);
        m_parts.panels->range().editRange();
    });
    connect(&analysis, &RunAnalysis::rangeAnswered, this,
            [this](const RunPointer& run, const profiler::RangeMetrics& metrics) {
                if (m_selection.window != metrics.range)
                    return;
                m_parts.panels->range().showMetrics(run, metrics);
                m_parts.details->setRange(metrics);
            });
}

void RunRange::setView(const RunViewPointer& view, int iteration)
{
    const bool isOther = m_view != view;
    m_view = view;
    m_parts.panels->range().setPlace(view ? view->shared() : nullptr, iteration);
    if (isOther)
        ask();
}

void RunRange::select(const Selection& selection)
{
    m_selection = selection;
    const bool isRange = selection.kind == Selection::Kind::Range;
    if (!isRange)
        m_parts.panels->range().clear();
    m_parts.panels->setRangeShown(isRange);
    ask();
}

void RunRange::ask()
{
    if (!m_view || m_selection.kind != Selection::Kind::Range)
        return;
    m_parts.panels->range().mark(m_selection.window);
    m_analysis.askRange(m_view->shared(), m_selection.window);
}

void RunRange::mark(engine::Window range)
{
    if (!m_view)
        return;
    m_parts.timeline->select({.kind = Selection::Kind::Range,
                              .iteration = iterationOf(m_view->timeline(), range.begin),
                              .window = range});
    m_parts.timeline->setFocus();
}

} // namespace app
