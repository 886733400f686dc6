#include "app/study/study_form.h"

#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "engine/base/field.h"
#include "engine/schedules/scheme.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/study_file.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>

#include <algorithm>
#include <array>

namespace app {
namespace {

// Sorts the values if all are numbers.
void sortNumbers(std::vector<std::string>& values)
{
    const auto number = [](const std::string& text) { return engine::parseNumber(text); };
    if (std::ranges::all_of(values, [&](const auto& text) { return number(text).has_value(); }))
        std::ranges::stable_sort(values, {}, [&](const auto& text) { return *number(text); });
}

// The values of an option of a study as one line: "4, 8", or "0 to 0.5, 11 steps".
class ValuesLine : public QWidget
{
public:
    ValuesLine(std::string key, std::function<void(const std::vector<std::string>&)> edited)
        : m_key(std::move(key))
        , m_edited(std::move(edited))
    {
        const QString name = QString::fromStdString(m_key), title = studyOptionLabel(m_key);
        const QStringList names = studyOptionNames(m_key);
        QLabel* label = makeLabel(title, "section");
        label->setToolTip(toolTipText(studyOptionHelp(m_key)));
        m_line->setObjectName(name + QLatin1String("Line"));
        m_line->setAccessibleName(tr("Values of %1").arg(title));
        m_line->setPlaceholderText(names.isEmpty() ? tr("4, 8 or 0 to 0.5, 11 steps")
                                                   : names.join(QStringLiteral(", ")));
        m_line->setToolTip(toolTipText(m_line->placeholderText()));
        m_problem->setObjectName(name + QLatin1String("Problem"));
        m_problem->hide();
        spaced(new QVBoxLayout(this), {}, 6, {label, m_line, m_problem});
        connect(m_line, &QLineEdit::editingFinished, this, &ValuesLine::read);
    }

    const std::string& key() const { return m_key; }

    void show(const std::vector<std::string>& values)
    {
        m_shown = fromUtf8(profiler::valuesText(values));
        m_line->setText(m_shown);
        m_line->setCursorPosition(0);
    }

    // "": none
    void setProblem(const QString& text)
    {
        setLook(m_line, "invalid", !text.isEmpty());
        m_problem->setText(text);
        m_problem->setVisible(!text.isEmpty());
    }

    void edit() { m_line->setFocus(); }

private:
    void read()
    {
        if (m_line->text() == m_shown)
            return;
        auto values = profiler::parseValues(m_line->text().toStdString());
        setProblem(values ? QString() : fromUtf8(values.error().message));
        if (!values)
            return;
        sortNumbers(*values);
        show(*values);
        m_edited(*values);
    }

    std::string m_key;
    QString m_shown; // the text of the values
    std::function<void(const std::vector<std::string>&)> m_edited;
    QLineEdit* m_line = new QLineEdit;
    QLabel* m_problem = makeWrapped("problem");
};

constexpr const char* kSchemeKey = "scheme";
// Options that have a row even if the study leaves them out.
constexpr std::array kFirstOptions{"model", "hardware", "devices", "micro-batches"};

// The options that have a row, in this order: kFirstOptions, then the other options of the study.
std::vector<std::string> rowsOf(const profiler::Study& study)
{
    std::vector<std::string> keys(kFirstOptions.begin(), kFirstOptions.end());
    for (const auto* axes : {&study.grid, &study.fixed})
        for (const profiler::StudyAxis& axis : *axes)
            if (axis.key != kSchemeKey && std::ranges::find(keys, axis.key) == keys.end())
                keys.push_back(axis.key);
    return keys;
}

class Form : public StudyForm
{
public:
    Form()
    {
        m_title->setPlaceholderText(tr("Title"));
        m_onlyFitting->setToolTip(tr(
            "Excludes from charts and results the points that need more memory than a device has"));
        m_schemeProblem->hide();
        auto* content = makeSurface("plain");
        auto* add = spaced(new QHBoxLayout, {}, 0, {m_addOption, kStretch});
        auto* column = spaced(new QVBoxLayout(content), {14, 12, 14, 12}, 14,
                              {m_title, m_options, add, m_onlyFitting});
        makeSchemes(*column);
        fill(*column, {m_kept, kStretch});
        spaced(new QVBoxLayout(this), {}, 0, {{makeScroll(content), 1}});
        connect(m_title, &QLineEdit::textEdited, this, [this](const QString& text) {
            m_study.title = text.toStdString();
            Q_EMIT edited();
        });
        connect(m_onlyFitting, &QCheckBox::clicked, this, [this](bool isChecked) {
            m_study.onlyFitting = isChecked;
            Q_EMIT edited();
        });
        connect(m_addOption, &QPushButton::clicked, this, &Form::addOption);
    }

    void setStudy(const profiler::Study& study) override
    {
        m_study = study;
        // Moves the schemes of the study to the top, in the order of the study. A later tick does
        // not move a scheme.
        const auto ticked = profiler::optionValues(m_study, kSchemeKey);
        std::ranges::stable_sort(m_schemes, {}, [&ticked](const QCheckBox* box) {
            return std::ranges::find(ticked, box->property("scheme").toString().toStdString())
                - ticked.begin();
        });
        for (QCheckBox* box : m_schemes) {
            m_schemeRows->removeWidget(box);
            m_schemeRows->addWidget(box);
        }
        showStudy();
    }
    bool showProblem(const std::optional<StudyProblem>& problem) override
    {
        bool isShown = false;
        for (ValuesLine* row : m_rows) {
            const bool isAtFault = problem && problem->key == row->key();
            row->setProblem(isAtFault ? problem->text : QString());
            isShown = isShown || isAtFault;
        }
        const bool isOfSchemes = problem && problem->key == kSchemeKey;
        m_schemeProblem->setText(isOfSchemes ? problem->text : QString());
        m_schemeProblem->setVisible(isOfSchemes);
        return isShown || isOfSchemes;
    }

private:
    void showStudy()
    {
        m_title->setText(fromUtf8(m_study.title));
        m_title->setCursorPosition(0);
        m_onlyFitting->setChecked(m_study.onlyFitting);
        clearLayout(*m_options);
        m_rows.clear();
        for (const std::string& key : rowsOf(m_study))
            addRow(key);
        showSchemes();
        m_kept->setText(keptText());
        m_kept->setVisible(!m_kept->text().isEmpty());
    }

    void addRow(const std::string& key)
    {
        auto* row
            = new ValuesLine(key, [this, key](const auto& values) { setValues(key, values); });
        row->show(profiler::optionValues(m_study, key));
        m_options->addWidget(row);
        m_rows.push_back(row);
    }

    void setValues(const std::string& key, const std::vector<std::string>& values)
    {
        profiler::setOption(m_study, key, values); // removes charts that no longer fit
        Q_EMIT edited();
    }

    void addOption()
    {
        auto* menu = named(new QMenu(this), "studyOptionMenu");
        menu->setAttribute(Qt::WA_DeleteOnClose);
        for (const QString& key : otherStudyOptions(m_study)) {
            const std::string option = key.toStdString();
            const auto isShown = [&option](const ValuesLine* row) { return row->key() == option; };
            if (std::ranges::any_of(m_rows, isShown))
                continue;
            QAction* action = menu->addAction(key, this, [this, option] {
                addRow(option);
                m_rows.back()->edit();
            });
            action->setToolTip(toolTipText(studyOptionHelp(option)));
        }
        menu->setToolTipsVisible(true);
        menu->popup(m_addOption->mapToGlobal(m_addOption->rect().bottomLeft()));
    }

    void makeSchemes(QVBoxLayout& column)
    {
        auto* head = spaced(new QHBoxLayout, {}, 8,
                            {makeLabel(tr("Schemes"), "section"), kStretch, m_schemeCount});
        fill(column, {head, m_schemeProblem, m_schemeRows});
        for (const engine::Scheme& scheme : engine::schemes()) {
            const std::string name(scheme.name);
            auto* box = new QCheckBox(shortTitle(fromUtf8(scheme.title)));
            box->setObjectName(QStringLiteral("studyScheme-") + fromUtf8(name));
            box->setToolTip(toolTipText(fromUtf8(scheme.summary)));
            box->setProperty("scheme", fromUtf8(name));
            connect(box, &QCheckBox::clicked, this,
                    [this, name](bool isTicked) { tickScheme(name, isTicked); });
            m_schemes.push_back(box);
        }
    }

    void showSchemes()
    {
        const auto ticked = profiler::optionValues(m_study, kSchemeKey);
        for (QCheckBox* box : m_schemes)
            box->setChecked(
                std::ranges::find(ticked, box->property("scheme").toString().toStdString())
                != ticked.end());
        m_schemeCount->setText(tr("%1 of %2").arg(ticked.size()).arg(m_schemes.size()));
    }

    void tickScheme(const std::string& scheme, bool isTicked)
    {
        std::vector<std::string> values = profiler::optionValues(m_study, kSchemeKey);
        std::erase(values, scheme);
        if (isTicked)
            values.push_back(scheme);
        setValues(kSchemeKey, values);
        showSchemes();
    }

    // Lists the options that apply to only one scheme; the form does not edit them.
    QString keptText() const
    {
        QStringList lines;
        for (const auto& [scheme, arguments] : m_study.schemeArguments) {
            QStringList texts;
            for (const std::string& argument : arguments)
                texts.append(fromUtf8(argument));
            lines.append(tr("Only %1: %2").arg(fromUtf8(scheme), texts.join(QLatin1Char(' '))));
        }
        return lines.join(QLatin1Char('\n'));
    }

    std::vector<ValuesLine*> m_rows;
    std::vector<QCheckBox*> m_schemes;
    QVBoxLayout *m_options = spaced(new QVBoxLayout, {}, 14),
                *m_schemeRows = spaced(new QVBoxLayout, {}, 8);
    QLineEdit* m_title = named(new QLineEdit, "studyTitle", tr("Title"));
    QCheckBox* m_onlyFitting
        = named(new QCheckBox(tr("Leave out points that do not fit")), "studyOnlyFitting");
    QPushButton* m_addOption
        = makeButton(tr("Add an option"), QStringLiteral("studyAddOption"), "tool");
    QLabel *m_schemeCount = named(makeLabel({}, "small"), "studySchemeCount"),
           *m_schemeProblem = makeWrapped("problem", "studySchemeProblem"),
           *m_kept = makeWrapped("hint", "studyKept");
};

} // namespace

StudyForm* StudyForm::make()
{
    return new Form;
}

} // namespace app
