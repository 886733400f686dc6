#include "app/study/study_form.h"

#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "engine/base/field.h"
#include "engine/schedules/scheme.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/study_file.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <iterator>

namespace app {
namespace {

// Sorts the values if all are numbers.
void sortNumbers(std::vector<std::string>& values)
{
    const auto number = [](const std::string& text) { return engine::parseNumber(text); };
    if (std::ranges::all_of(values, [&](const auto& text) { return number(text).has_value(); }))
        std::ranges::stable_sort(values, {}, [&](const auto& text) { return *number(text); });
}

// The values of an option: a chip for each, or one for many values in equal steps ("0 to 20, 21
// steps"), which its x removes. Typed values are added.
class ValuesLine : public QWidget
{
public:
    ValuesLine(const ThemeController& theme, std::string key,
               std::function<void(const std::vector<std::string>&)> edited)
        : m_theme(theme)
        , m_key(std::move(key))
        , m_edited(std::move(edited))
    {
        const QString name = QString::fromStdString(m_key), title = studyOptionLabel(m_key);
        const QStringList names = studyOptionNames(m_key);
        QLabel* label = makeLabel(title, "section");
        label->setToolTip(toolTipText(studyOptionHelp(m_key)));
        m_line->setObjectName(name + QLatin1String("Line"));
        m_line->setAccessibleName(tr("Add values of %1").arg(title));
        m_line->setPlaceholderText(tr("add"));
        m_line->setToolTip(toolTipText(names.isEmpty()
                                           ? tr("Type values and press Enter: 4 8, or 0 to 0.5, 11 "
                                                "steps")
                                           : names.join(QStringLiteral(", "))));
        m_line->setParent(m_chips);
        m_problem->setObjectName(name + QLatin1String("Problem"));
        m_problem->hide();
        spaced(new QVBoxLayout(this), {}, 6, {label, m_chips, m_problem});
        connect(m_line, &QLineEdit::editingFinished, this, &ValuesLine::read);
        connect(m_line, &QLineEdit::textChanged, this, &ValuesLine::place);
    }

    const std::string& key() const { return m_key; }

    void show(const std::vector<std::string>& values)
    {
        m_values = values;
        const std::string text = profiler::valuesText(values);
        m_isRange = !values.empty() && profiler::parseValues(text) == values
            && text.find(" to ") != std::string::npos;
        for (QWidget* chip : m_shown) {
            chip->hide();
            chip->deleteLater(); // after the click on its x
        }
        m_shown.clear();
        for (const std::string& value : m_isRange ? std::vector{text} : values)
            m_shown.push_back(makeChip(value));
        m_line->clear();
        place();
    }

    // Frames the chip of a value.
    void mark(const std::string& value)
    {
        for (std::size_t k = 0; !m_isRange && k < m_shown.size(); ++k)
            setLook(m_shown[k], "chosen", m_values[k] == value);
    }

    // "": none
    void setProblem(const QString& text)
    {
        setLook(m_line, "invalid", !text.isEmpty());
        m_problem->setText(text);
        m_problem->setVisible(!text.isEmpty());
    }

    void edit() { m_line->setFocus(); }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QWidget::resizeEvent(event);
        place();
    }

private:
    QWidget* makeChip(const std::string& value)
    {
        const QString text = fromUtf8(value);
        auto* chip = new QFrame(m_chips);
        chip->setProperty("kind", QStringLiteral("chip"));
        auto* remove
            = makeIconButton("removeValue", Icon::Close, tr("Remove %1").arg(text), m_theme);
        remove->setFixedSize(20, 20);
        auto* name = new ElidedLabel;
        name->setText(text);
        spaced(new QHBoxLayout(chip), {7, 0, 2, 0}, 0, {{name, 1}, remove});
        connect(remove, &QToolButton::clicked, this, [this, value] {
            std::vector<std::string> left = m_isRange ? std::vector<std::string>() : m_values;
            std::erase(left, value);
            show(left);
            m_edited(left);
        });
        chip->show();
        return chip;
    }

    // Arranges the chips and the field in lines.
    void place()
    {
        constexpr int kGap = 6, kHeight = 26, kField = 48;
        int x = 0, y = 0;
        const auto put = [&](QWidget* widget, int needed) {
            const int width = std::min(needed, m_chips->width());
            if (x > 0 && x + width > m_chips->width()) {
                x = 0;
                y += kHeight + kGap;
            }
            widget->setGeometry(x, y, width, kHeight);
            x += width + kGap;
        };
        for (QWidget* chip : m_shown)
            put(chip, chip->sizeHint().width());
        put(m_line, std::max(kField, m_line->fontMetrics().horizontalAdvance(m_line->text()) + 24));
        m_chips->setFixedHeight(y + kHeight);
    }

    void read()
    {
        QString text = m_line->text().trimmed();
        if (text.isEmpty())
            return setProblem({});
        const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        if (std::ranges::all_of(words, [](const QString& word) {
                return engine::parseNumber(word.toStdString()).has_value();
            }))
            text = words.join(QLatin1Char(','));
        auto values = profiler::parseValues(text.toStdString());
        setProblem(values ? QString() : fromUtf8(values.error().message));
        if (!values)
            return;
        std::vector<std::string> all = m_values;
        std::ranges::copy_if(*values, std::back_inserter(all), [&](const std::string& value) {
            return std::ranges::find(all, value) == all.end();
        });
        sortNumbers(all);
        const bool isEdit = all != m_values;
        show(all);
        if (isEdit)
            m_edited(all);
    }

    const ThemeController& m_theme;
    std::string m_key;
    std::vector<std::string> m_values;
    std::function<void(const std::vector<std::string>&)> m_edited;
    QWidget* m_chips = new QWidget;
    std::vector<QWidget*> m_shown;
    bool m_isRange = false; // all values have one chip
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
    explicit Form(const ThemeController& theme)
        : m_theme(theme)
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
        m_study = m_complete = study;
        // Moves the schemes of the study to the top, in the order of the study. A later tick does
        // not move a scheme.
        const auto ticked = profiler::optionValues(m_study, kSchemeKey);
        std::ranges::stable_sort(m_schemes, {}, [&ticked](const QCheckBox* box) {
            return std::ranges::find(ticked, box->property("scheme").toString().toStdString())
                - ticked.begin();
        });
        for (QCheckBox* box : m_schemes) {
            m_schemeRows->removeWidget(box->parentWidget());
            m_schemeRows->addWidget(box->parentWidget());
        }
        showStudy();
    }
    void mark(const std::map<std::string, std::string>& values) override
    {
        for (ValuesLine* row : m_rows)
            if (const auto value = values.find(row->key()); value != values.end())
                row->mark(value->second);
    }
    void showWins(const profiler::StudyWins& wins) override
    {
        for (const QCheckBox* box : m_schemes) {
            const auto own = wins.of.find(box->property("scheme").toString().toStdString());
            auto* count = box->parentWidget()->findChild<QLabel*>();
            count->setText(own == wins.of.end() ? QString()
                                                : tr("%1 of %2").arg(own->second).arg(wins.setUps));
            count->setToolTip(tr("Set-ups in which it has the shortest iteration"));
        }
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
        auto* row = new ValuesLine(m_theme, key,
                                   [this, key](const auto& values) { setValues(key, values); });
        row->show(profiler::optionValues(m_study, key));
        m_options->addWidget(row);
        m_rows.push_back(row);
    }

    void setValues(const std::string& key, const std::vector<std::string>& values)
    {
        // Removes what needs a value that is not there now; another edit may add the value.
        m_study.ratios = m_complete.ratios;
        m_study.charts = m_complete.charts;
        m_study.answers = m_complete.answers;
        m_study.compare = m_complete.compare;
        m_study.repeat = m_complete.repeat;
        profiler::setOption(m_study, key, values);
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
            makeRow({}, 8, {{box, 1}, makeLabel({}, "small")}); // is the parent of the box
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

    const ThemeController& m_theme;
    profiler::Study m_complete; // before the edits
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

StudyForm* StudyForm::make(const ThemeController& theme)
{
    return new Form(theme);
}

} // namespace app
