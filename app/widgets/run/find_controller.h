#pragma once

#include "app/timeline/view/find.h"

#include <QObject>

namespace app {

class FindBar;

// Searches one run for the query of the bar, and steps through the hits.
class FindController : public QObject
{
    Q_OBJECT

public:
    explicit FindController(FindBar& bar, QObject* parent = nullptr);

    void setRun(RunViewPointer view, KernelViewPointer kernels); // may be null; repeats the search
    // The start of stepping: the selected hit, else the first one from this iteration on.
    void setPlace(const Selection& selection, int iteration);
    void open(); // keeps the previous query
    void step(int by);

Q_SIGNALS:
    void found(const app::FoundPointer& found); // null: nothing to show
    void chosen(const app::Selection& hit);
    void closed();

private:
    void search();
    void close();
    QString nameOf(const Selection& hit) const;

    FindBar& m_bar;
    RunViewPointer m_view;
    KernelViewPointer m_kernels;
    Selection m_selection;
    int m_iteration = -1;
    FoundPointer m_found; // null: no search
    std::size_t m_hit = 0;
};

} // namespace app
