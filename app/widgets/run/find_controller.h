#pragma once

#include "app/timeline/view/find.h"

#include <QObject>

namespace app {

class FindBar;

// The search in one run: finds what the bar asks for, and walks the hits.
class FindController : public QObject
{
    Q_OBJECT

public:
    explicit FindController(FindBar& bar, QObject* parent = nullptr);

    void setRun(RunViewPointer view, KernelViewPointer kernels); // may be null; searches again
    // Where the walk begins: at the selected hit, else at the first from this iteration on.
    void setPlace(const Selection& selection, int iteration);
    void open(); // with what stands in the field from before
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
    FoundPointer m_found; // null: nothing is looked for
    std::size_t m_hit = 0;
};

} // namespace app
