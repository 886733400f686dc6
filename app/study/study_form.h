#pragma once

#include "app/study/study_options.h"

#include <QWidget>

#include <string>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace app {

// The values of an option of a study as one line: "4, 8", or "0 to 0.5, 11 steps".
class ValuesLine : public QWidget
{
    Q_OBJECT

public:
    explicit ValuesLine(std::string key, QWidget* parent = nullptr);

    const std::string& key() const { return m_key; }
    void show(const std::vector<std::string>& values);
    void setProblem(const QString& text); // "": none
    void edit();                          // focuses the line

Q_SIGNALS:
    void edited(const std::vector<std::string>& values);

private:
    void read();

    std::string m_key;
    QString m_shown; // the text of the values
    QLineEdit* m_line;
    QLabel* m_problem;
};

// The grid of a study, with a line for the values of every option and check boxes for the schemes.
// Its ratios and charts, and options of a single scheme, are edited in its file; the form keeps
// them.
class StudyForm : public QWidget
{
    Q_OBJECT

public:
    explicit StudyForm(QWidget* parent = nullptr);

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

    profiler::Study m_study;
    std::vector<ValuesLine*> m_rows;
    std::vector<QCheckBox*> m_schemes;
    QVBoxLayout *m_options, *m_schemeRows;
    QLineEdit* m_title;
    QCheckBox* m_onlyFitting;
    QPushButton* m_addOption;
    QLabel *m_schemeCount, *m_schemeProblem, *m_kept;
};

} // namespace app
