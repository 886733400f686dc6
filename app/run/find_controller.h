#pragma once

#include "app/timeline/view/find.h"

#include <QObject>

namespace app {

class FindBar;

// Searches one run for the query in the bar, steps through the hits, and selects all of them until
// the query changes, the bar is closed or something else is selected.
class FindController : public QObject
{
    Q_OBJECT

public:
    explicit FindController(FindBar& bar, QObject* parent = nullptr);

    // Repeats the search in this run. `view` and `kernels` may be nullptr: no run, kernels unknown.
    void setRun(RunViewPointer view, KernelViewPointer kernels);
    // Sets where stepping starts: at the selection if it is a hit, otherwise at the first hit in or
    // after `iteration`.
    void setPlace(const Selection& selection, int iteration);
    void open();                          // opens the bar with the previous query
    void openWith(const QString& facets); // "op:F stage:1"
    void step(int by);
    void selectAll();

Q_SIGNALS:
    void found(const app::FoundPointer& found);      // nullptr: no search
    void chosen(const app::Selection& hit);          // Kind::None: clear the selection
    void allSelected(const app::FoundPointer& hits); // nullptr: no longer selected
    void closed();

private:
    void search();
    void close();
    void forgetAll();
    bool isHit(const Selection& selection) const;
    void showCount();
    QString nameOf(const Selection& hit) const;

    FindBar& m_bar;
    RunViewPointer m_view;
    KernelViewPointer m_kernels;
    Selection m_selection;
    int m_iteration = -1;
    FoundPointer m_found; // nullptr: no search
    std::size_t m_hit = 0;
    bool m_areAllSelected = false;
};

} // namespace app
