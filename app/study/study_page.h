#pragma once

#include "app/shell/page.h"
#include "app/study/study_session.h"

namespace app {

// A grid of simulations or runs: its form at the left, three charts, and the selected point. We
// keep the results beside the edited grid, because an edit must not empty the charts: they show the
// last results until the next run.
class StudyPage : public Page
{
public:
    static StudyPage* make(const ThemeController& theme); // of a new study

    // Reads a preset or a file. Simulates its grid at once unless that may take long.
    virtual void open(const QString& nameOrFile) = 0;
    virtual StudySession& session() = 0;
};

} // namespace app
