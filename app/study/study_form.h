#pragma once

#include "app/study/study_options.h"

#include <QWidget>

namespace app {

// The grid of a study, with a line for the values of every option ("4, 8", or "0 to 0.5, 11
// steps") and check boxes for the schemes. Its ratios and charts, and options of a single scheme,
// are edited in its file; the form keeps them.
class StudyForm : public QWidget
{
    Q_OBJECT

public:
    static StudyForm* make();

    virtual void setStudy(const profiler::Study& study) = 0; // emits no signal
    const profiler::Study& study() const { return m_study; }
    // Shows the problem beside the option that it concerns; returns whether the form has this
    // option.
    virtual bool showProblem(const std::optional<StudyProblem>& problem) = 0;

Q_SIGNALS:
    void edited();

protected:
    profiler::Study m_study;
};

} // namespace app
