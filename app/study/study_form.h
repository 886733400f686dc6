#pragma once

#include "app/study/study_options.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace app {

class ValueChips;

// The grid of a study, with chips for the values of every option and check boxes for the schemes.
// Its ratios and charts, and options of a single scheme, are edited in its file; the form keeps
// them.
class StudyForm : public QWidget
{
    Q_OBJECT

public:
    explicit StudyForm(const ThemeController& theme, QWidget* parent = nullptr);

    void setStudy(const profiler::Study& study); // emits no signal
    const profiler::Study& study() const { return m_study; }
    // Shows the problem beside the option that it concerns; returns whether the form has this
    // option.
    bool showProblem(const std::optional<StudyProblem>& problem);

Q_SIGNALS:
    void edited();

private:
    void showStudy();
    void addRow(const std::string& key);
    void setValues(const std::string& key, const std::vector<std::string>& values);
    void addOption();
    void makeSchemes(QVBoxLayout& column);
    void showSchemes();
    void tickScheme(const std::string& scheme, bool isTicked);
    QString keptText() const;

    const ThemeController& m_theme;
    profiler::Study m_study;
    std::vector<ValueChips*> m_rows;
    std::vector<QCheckBox*> m_schemes;
    QVBoxLayout *m_options, *m_schemeRows;
    QLineEdit* m_title;
    QCheckBox* m_onlyFitting;
    QPushButton* m_addOption;
    QLabel *m_schemeCount, *m_schemeProblem, *m_kept;
};

} // namespace app
