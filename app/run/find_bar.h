#pragma once

#include "app/timeline/view/find.h"
#include "app/ui/theme.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace app {

// The search bar below the toolbar, 36 px high. It searches one run for its query, steps through
// the hits, and selects all of them until the query changes, the bar is closed or something else is
// selected.
class FindBar : public QWidget
{
    Q_OBJECT

public:
    explicit FindBar(const ThemeController& theme, QWidget* parent = nullptr);

    // Repeats the search in this run. `view` and `kernels` may be nullptr: no run, kernels unknown.
    void setRun(RunViewPointer view, KernelViewPointer kernels);
    // Sets where stepping starts: at the selection if it is a hit, otherwise at the first hit in or
    // after `iteration`.
    void setPlace(const Selection& selection, int iteration);
    void open();                          // shows the bar with the previous query
    void openWith(const QString& facets); // "op:F stage:1"
    void step(int by);                    // 1: next hit, -1: previous hit
    void selectAll();

Q_SIGNALS:
    void found(const app::FoundPointer& found);      // nullptr: no search
    void chosen(const app::Selection& hit);          // Kind::None: clear the selection
    void allSelected(const app::FoundPointer& hits); // nullptr: no longer selected
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class Tone { Normal, Problem };
    QWidget* makeFacets();
    void addFacet(const QString& facet);
    void showAnswer(const QString& answer,
                    Tone tone); // Problem: outlines the field in the error colour
    void showCount();
    void search();
    void close();
    void forgetAll();
    bool isHit(const Selection& selection) const;
    bool hasHits() const { return m_found && !m_found->hits().empty(); }
    QString nameOf(const Selection& hit) const;

    QLineEdit* m_field;
    QLabel* m_answer;
    QToolButton *m_previous, *m_next;
    QPushButton* m_all;
    QWidget* m_facets; // buttons that add a facet to the query

    RunViewPointer m_view;
    KernelViewPointer m_kernels;
    Selection m_selection;
    int m_iteration = -1;
    FoundPointer m_found; // nullptr: no search
    std::size_t m_hit = 0;
    bool m_areAllSelected = false;
};

} // namespace app
