#pragma once

#include "profiler/study/study.h"

#include <QDialog>

#include <map>
#include <string>
#include <utility>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace app {

// Edits a ratio or a chart in a copy of a study. OK is enabled while readStudy() accepts the copy;
// otherwise the dialog shows the reason. Derived classes add the rows.
class PartDialog : public QDialog
{
    Q_OBJECT

public:
    const profiler::Study& study() const { return m_study; } // with the edited part

protected:
    PartDialog(profiler::Study study, const QString& title, QWidget* parent);

    using Choices = std::vector<std::pair<QString, std::string>>; // text, value
    QLineEdit* addLine(const QString& title, const char* name, const std::string& text);
    QComboBox* addChoice(const QString& title, const char* name, const Choices& choices,
                         const std::string& value);
    // Adds a row for each axis of the grid, with a choice between `anyText` and the values of the
    // axis.
    void addAxes(const QString& anyText, const std::map<std::string, std::string>& values);
    std::map<std::string, std::string> axisValues() const; // from visible rows, without `anyText`
    void showAxis(const std::string& key, bool isShown);
    void addButtons(); // adds the buttons as the last row
    void check();      // calls apply()

    static Choices axisChoices(const profiler::Study& study);
    static Choices metricChoices();
    static Choices columnChoices(const profiler::Study& study); // metrics and ratios
    static std::string valueOf(const QComboBox* choice);
    static void showRow(QWidget* field, bool isShown);

    // Writes the part into `study`, a copy of the original study. Called after every edit.
    virtual void apply(profiler::Study& study) = 0;

private:
    void addRow(const QString& title, QWidget* field);

    profiler::Study m_original, m_study;
    std::vector<std::pair<std::string, QComboBox*>> m_axes;
    QVBoxLayout* m_rows;
    QLabel* m_problem;
    QPushButton* m_ok;
};

} // namespace app
