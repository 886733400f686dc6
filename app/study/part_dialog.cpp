#include "app/study/part_dialog.h"

#include "app/study/study_options.h"
#include "app/ui/controls.h"
#include "app/ui/form_rows.h"
#include "app/ui/text.h"
#include "profiler/study/metric_text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace app {

PartDialog::PartDialog(profiler::Study study, const QString& title, QWidget* parent)
    : QDialog(parent)
    , m_original(std::move(study))
    , m_study(m_original)
    , m_rows(spaced(new QVBoxLayout, {}, 8))
    , m_problem(named(makeLabel({}, "problem"), "partProblem"))
    , m_ok(makeButton(tr("OK"), QStringLiteral("partOk"), "primary"))
{
    constexpr int kWidth = 420;
    setWindowTitle(title);
    setFixedWidth(kWidth);
    setAttribute(Qt::WA_DeleteOnClose);
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    spaced(new QVBoxLayout(this), {20, 16, 20, 16}, 12, {makeLabel(title, "heading"), m_rows});
}

void PartDialog::addRow(const QString& title, QWidget* field)
{
    field->setFixedWidth(kFormFieldWidth + 60);
    auto* row = new QWidget;
    spaced(new QHBoxLayout(row), {}, 0, {makeFormRow(title, {field})});
    m_rows->addWidget(row);
}

QLineEdit* PartDialog::addLine(const QString& title, const char* name, const std::string& text)
{
    auto* line = named(new QLineEdit(fromUtf8(text)), name);
    addRow(title, line);
    connect(line, &QLineEdit::textEdited, this, &PartDialog::check);
    return line;
}

QComboBox* PartDialog::addChoice(const QString& title, const char* name, const Choices& choices,
                                 const std::string& value)
{
    QComboBox* combo = makeFormCombo(QString::fromLatin1(name));
    for (const auto& [text, choice] : choices)
        combo->addItem(text, fromUtf8(choice));
    combo->setCurrentIndex(std::max(0, combo->findData(fromUtf8(value))));
    addRow(title, combo);
    connect(combo, &QComboBox::activated, this, &PartDialog::check);
    return combo;
}

void PartDialog::addAxes(const QString& anyText, const std::map<std::string, std::string>& values)
{
    for (const profiler::StudyAxis& axis : m_study.grid) {
        Choices choices{{anyText, {}}};
        for (const std::string& value : axis.values)
            choices.emplace_back(fromUtf8(profiler::valueTitle(axis.key, value)), value);
        const auto chosen = values.find(axis.key);
        m_axes.emplace_back(axis.key,
                            addChoice(studyOptionLabel(axis.key), ("partAxis-" + axis.key).c_str(),
                                      choices, chosen == values.end() ? "" : chosen->second));
    }
}

std::map<std::string, std::string> PartDialog::axisValues() const
{
    std::map<std::string, std::string> values;
    for (const auto& [key, combo] : m_axes)
        if (const std::string value = valueOf(combo);
            !value.empty() && !combo->parentWidget()->isHidden())
            values[key] = value;
    return values;
}

void PartDialog::showAxis(const std::string& key, bool isShown)
{
    for (const auto& [axis, combo] : m_axes)
        if (axis == key)
            showRow(combo, isShown);
}

void PartDialog::addButtons()
{
    auto* cancel = makeButton(tr("Cancel"), QStringLiteral("partCancel"));
    auto* column = qobject_cast<QVBoxLayout*>(layout());
    fill(*column, {m_problem, spaced(new QHBoxLayout, {}, 8, {kStretch, cancel, m_ok})});
    m_ok->setDefault(true);
    connect(m_ok, &QPushButton::clicked, this, &QDialog::accept);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    check();
}

void PartDialog::check()
{
    m_study = m_original;
    apply(m_study);
    const auto problem = studyProblem(m_study);
    m_problem->setText(problem ? problem->text : QString());
    m_problem->setVisible(problem.has_value());
    m_ok->setEnabled(!problem);
}

PartDialog::Choices PartDialog::axisChoices(const profiler::Study& study)
{
    Choices choices;
    for (const profiler::StudyAxis& axis : study.grid)
        choices.emplace_back(studyOptionLabel(axis.key), axis.key);
    return choices;
}

PartDialog::Choices PartDialog::metricChoices()
{
    Choices choices;
    for (std::size_t i = 0; i < profiler::kStudyMetrics; ++i) {
        const auto metric = static_cast<profiler::StudyMetric>(i);
        const std::string name(metricName(metric));
        if (!name.ends_with("_low") && !name.ends_with("_high"))
            choices.emplace_back(fromUtf8(metricTitle(metric)), name);
    }
    return choices;
}

PartDialog::Choices PartDialog::columnChoices(const profiler::Study& study)
{
    Choices choices = metricChoices();
    for (const profiler::StudyRatio& ratio : study.ratios)
        choices.emplace_back(fromUtf8(ratio.name), ratio.name);
    return choices;
}

std::string PartDialog::valueOf(const QComboBox* choice)
{
    return choice->currentData().toString().toStdString();
}

void PartDialog::showRow(QWidget* field, bool isShown)
{
    field->parentWidget()->setVisible(isShown);
}

} // namespace app
