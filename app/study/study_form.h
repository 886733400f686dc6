#pragma once

#include "app/study/study_options.h"
#include "app/ui/theme.h"

#include <QStringList>
#include <QWidget>

#include <functional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QCheckBox;
class QVBoxLayout;

namespace app {

class FlowLayout;

// The values of one option of a study, as chips. A click on a chip removes its value. The chip "+"
// adds values: from a menu if the option has names, otherwise as text ("4, 8" or "0 to 0.5, 11
// steps"). Many values in equal steps share one chip, and a click on it edits its text.
class ValueChips : public QWidget
{
    Q_OBJECT

public:
    ValueChips(const ThemeController& theme, std::string key, QWidget* parent = nullptr);

    const std::string& key() const { return m_key; }
    void show(const std::vector<std::string>& values);
    void setProblem(const QString& text); // "": none
    QString problem() const;

Q_SIGNALS:
    void edited(const std::vector<std::string>& values);

private:
    void addChip(const QString& text, const QString& tip, const std::function<void()>& pressed);
    void remove(const std::string& value);
    void add();
    void chooseName();
    void type(const QString& text); // opens the text field
    void takeText();
    void closeLine();
    void change(std::vector<std::string> values);
    bool eventFilter(QObject* watched, QEvent* event) override;

    const ThemeController& m_theme;
    std::string m_key;
    QString m_label;
    QStringList m_names; // accepted values; empty: any text
    std::vector<std::string> m_values;
    bool m_replaces = false; // the text field replaces all values
    FlowLayout* m_flow;
    QLineEdit* m_line;
    QPushButton* m_add;
    QLabel* m_problem;
};

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
