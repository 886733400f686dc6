#pragma once

#include "app/ui/theme.h"
#include "engine/timeline/run.h"

#include <QWidget>

class QLabel;

namespace app {

class DataTable;
class ElidedLabel;
class MatchesModel;
struct CoverageRow;

// The kernels or ops that a rule of an import matches, longest first.
class MatchesView : public QWidget
{
    Q_OBJECT

public:
    explicit MatchesView(const ThemeController& theme, QWidget* parent = nullptr);

    // Shows the matches of a rule, or what matches no rule if `rule` is the unclassified time.
    // nullptr: no rule is selected. `run` must be an imported run.
    void show(const engine::Run& run, const CoverageRow* rule);
    const MatchesModel& model() const { return *m_model; }
    const engine::ImportReport::Match* current() const; // nullptr: none is selected

Q_SIGNALS:
    void currentChanged();
    void openRequested(); // the user opens the current match

private:
    MatchesModel* m_model;
    ElidedLabel* m_title;
    DataTable* m_table;
    QLabel *m_empty, *m_count;
};

} // namespace app
