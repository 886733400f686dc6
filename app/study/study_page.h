#pragma once

#include "app/shell/page.h"
#include "app/study/study_charts.h"
#include "app/study/study_session.h"
#include "app/ui/theme.h"
#include "profiler/study/study_answer.h"

#include <QWidget>

#include <map>

namespace app {

// The grid of a study, with chips for the values of every option and check boxes for the schemes.
// Its ratios and charts, and options of a single scheme, are edited in its file; the form keeps
// them.
class StudyForm : public QWidget
{
    Q_OBJECT

public:
    static StudyForm* make(const ThemeController& theme);

    virtual void setStudy(const profiler::Study& study) = 0; // emits no signal
    const profiler::Study& study() const { return m_study; }
    // Frames the values of the selected point: an option and its value.
    virtual void mark(const std::map<std::string, std::string>& values) = 0;
    // Shows the problem beside the option that it concerns; returns whether the form has this
    // option.
    virtual void showWins(const profiler::StudyWins& wins) = 0; // beside the schemes
    virtual bool showProblem(const std::optional<StudyProblem>& problem) = 0;

Q_SIGNALS:
    void edited();

protected:
    profiler::Study m_study;
};

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
