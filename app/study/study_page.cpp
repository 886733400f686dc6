#include "app/study/study_page.h"

#include "app/study/study_charts.h"
#include "app/study/study_options.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/form_rows.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "app/ui/unsaved_dialog.h"
#include "engine/base/field.h"
#include "engine/schedules/scheme.h"
#include "profiler/study/metric_text.h"
#include "profiler/study/run_study.h"
#include "profiler/study/study_file.h"
#include "profiler/study/study_report.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace app {
namespace {

// Sorts the values if all are numbers.
void sortNumbers(std::vector<std::string>& values)
{
    const auto number = [](const std::string& text) { return engine::parseNumber(text); };
    if (std::ranges::all_of(values, [&](const auto& text) { return number(text).has_value(); }))
        std::ranges::stable_sort(values, {}, [&](const auto& text) { return *number(text); });
}

} // namespace

ValuesLine::ValuesLine(std::string key, QWidget* parent)
    : QWidget(parent)
    , m_key(std::move(key))
    , m_line(new QLineEdit)
    , m_problem(makeLabel({}, "problem"))
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
    m_problem->setWordWrap(true);
    m_problem->setTextFormat(Qt::PlainText);
    m_problem->hide();
    spaced(new QVBoxLayout(this), {}, 6, {label, m_line, m_problem});
    connect(m_line, &QLineEdit::editingFinished, this, &ValuesLine::read);
}

void ValuesLine::show(const std::vector<std::string>& values)
{
    m_shown = fromUtf8(profiler::valuesText(values));
    m_line->setText(m_shown);
    m_line->setCursorPosition(0);
}

void ValuesLine::setProblem(const QString& text)
{
    setLook(m_line, "invalid", !text.isEmpty());
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
}

void ValuesLine::edit()
{
    m_line->setFocus();
}

void ValuesLine::read()
{
    if (m_line->text() == m_shown)
        return;
    auto values = profiler::parseValues(m_line->text().toStdString());
    setProblem(values ? QString() : fromUtf8(values.error().message));
    if (!values)
        return;
    sortNumbers(*values);
    show(*values);
    Q_EMIT edited(*values);
}

namespace {

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

} // namespace

StudyForm::StudyForm(QWidget* parent)
    : QWidget(parent)
    , m_options(spaced(new QVBoxLayout, {}, 14))
    , m_schemeRows(spaced(new QVBoxLayout, {}, 8))
    , m_title(named(new QLineEdit, "studyTitle", tr("Title")))
    , m_onlyFitting(
          named(new QCheckBox(tr("Leave out points that do not fit")), "studyOnlyFitting"))
    , m_addOption(makeButton(tr("Add an option"), QStringLiteral("studyAddOption"), "tool"))
    , m_schemeCount(named(makeLabel({}, "small"), "studySchemeCount"))
    , m_schemeProblem(named(makeLabel({}, "problem"), "studySchemeProblem"))
    , m_kept(named(makeLabel({}, "hint"), "studyKept"))
{
    m_title->setPlaceholderText(tr("Title"));
    m_onlyFitting->setToolTip(
        tr("Excludes from charts and results the points that need more memory than a device has"));
    m_kept->setWordWrap(true);
    m_kept->setTextFormat(Qt::PlainText);
    m_schemeProblem->setWordWrap(true);
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
    connect(m_addOption, &QPushButton::clicked, this, &StudyForm::addOption);
}

void StudyForm::makeSchemes(QVBoxLayout& column)
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

void StudyForm::setStudy(const profiler::Study& study)
{
    m_study = study;
    // Moves the schemes of the study to the top, in the order of the study. A later tick does not
    // move a scheme.
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

void StudyForm::showStudy()
{
    m_title->setText(fromUtf8(m_study.title));
    m_title->setCursorPosition(0);
    m_onlyFitting->setChecked(m_study.onlyFitting);
    const std::vector<std::string> keys = rowsOf(m_study);
    for (ValuesLine* row : m_rows) {
        m_options->removeWidget(row);
        row->hide();
        row->deleteLater();
    }
    m_rows.clear();
    for (const std::string& key : keys)
        addRow(key);
    showSchemes();
    m_kept->setText(keptText());
    m_kept->setVisible(!m_kept->text().isEmpty());
}

void StudyForm::addRow(const std::string& key)
{
    auto* row = new ValuesLine(key);
    row->show(profiler::optionValues(m_study, key));
    m_options->addWidget(row);
    m_rows.push_back(row);
    connect(row, &ValuesLine::edited, this,
            [this, key](const std::vector<std::string>& values) { setValues(key, values); });
}

void StudyForm::setValues(const std::string& key, const std::vector<std::string>& values)
{
    profiler::setOption(m_study, key, values); // removes charts that no longer fit
    Q_EMIT edited();
}

void StudyForm::addOption()
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

void StudyForm::showSchemes()
{
    const auto ticked = profiler::optionValues(m_study, kSchemeKey);
    for (QCheckBox* box : m_schemes)
        box->setChecked(std::ranges::find(ticked, box->property("scheme").toString().toStdString())
                        != ticked.end());
    m_schemeCount->setText(tr("%1 of %2").arg(ticked.size()).arg(m_schemes.size()));
}

void StudyForm::tickScheme(const std::string& scheme, bool isTicked)
{
    std::vector<std::string> values = profiler::optionValues(m_study, kSchemeKey);
    std::erase(values, scheme);
    if (isTicked)
        values.push_back(scheme);
    setValues(kSchemeKey, values);
    showSchemes();
}

// Lists the options that apply to only one scheme; the form does not edit them.
QString StudyForm::keptText() const
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

bool StudyForm::showProblem(const std::optional<StudyProblem>& problem)
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

namespace {

using Mode = profiler::Study::Mode;
using PointRow = profiler::PointSummary::Row;

constexpr double kMostAtOnce = 10'000; // points; a larger study does not start when it is opened
constexpr int kStartPage = 0, kChartsPage = 1;              // pages of the stack
constexpr int kDefinition = 270, kMaps = 746, kFront = 584; // widths in a window of 1600 px

QLabel* makeWrapped(const char* role, const char* name)
{
    QLabel* label = named(makeLabel({}, role), name);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

// The metrics of the selected point, and the best value of each among the points that differ from
// it only in the compared axis.
std::vector<TableColumn<PointRow>> pointColumns(const std::string& name)
{
    using Column = TableColumn<PointRow>;
    return {Column(QString(), &PointRow::title, Qt::AlignLeft),
            Column(fromUtf8(name), &PointRow::value).flag(kStrongRole),
            Column(QStringLiteral("best here"), &PointRow::best),
            Column(QStringLiteral("reached by"), &PointRow::bestNames, Qt::AlignLeft)};
}

QSplitter* makeColumn(QWidget* top, QWidget* bottom, const QList<int>& heights)
{
    auto* column = makeSplitter(Qt::Vertical);
    column->addWidget(top);
    column->addWidget(bottom);
    column->setSizes(heights);
    return column;
}

} // namespace

StudyPage::StudyPage(const ThemeController& theme, const QString& nameOrFile, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_saved(defaultStudy())
    , m_form(named(new StudyForm, "studyForm"))
    , m_answer(named(new Band(theme, Band::Shape::State), "studyAnswer"))
    , m_notice(named(new Band(theme, Band::Shape::State), "studyNotice"))
    , m_stack(new QStackedWidget)
{
    setObjectName(QStringLiteral("studyPage"));
    makeActions();
    m_notice->hide();
    m_answer->hide();
    connect(m_answer->addAction(tr("Copy the sentence"), QStringLiteral("studyCopyAnswer")),
            &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_sentences); });
    m_stack->addWidget(makeStart());
    m_stack->addWidget(makeCharts());
    m_definition = makeDefinition();
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0, {m_notice, m_answer, {m_stack, 1}});
    auto* columns = makeSplitter(Qt::Horizontal);
    columns->addWidget(m_definition);
    columns->addWidget(centre);
    columns->setStretchFactor(1, 1);
    columns->setSizes({kDefinition, kMaps + kFront});
    spaced(new QHBoxLayout(this), {}, 0, {{columns, 1}});
    setInitialFocus(m_presets);
    connectAll();
    m_form->setStudy(m_saved);
    showEdits();
    if (!nameOrFile.isEmpty())
        open(nameOrFile);
}

void StudyPage::makeActions()
{
    const auto make = [this](const char* name, const QString& text, const QKeySequence& key,
                             auto slot, const QString& tip = {}) {
        return makeAction(name, text, key, std::bind_front(slot, this), tip);
    };
    m_run = make("studyRun", tr("Run"), Qt::CTRL | Qt::Key_Return, &StudyPage::run,
                 tr("compute the points of the grid that are missing"));
    m_cancel = makeAction(
        "studyCancel", tr("Cancel"), Qt::Key_Escape, [this] { m_session.cancel(); },
        tr("stop the study and keep the points that are done"));
    m_otherMode = make("studyOtherMode", tr("Emulate the grid"), {}, &StudyPage::runOtherMode);
    m_showForm = makeAction("studyShowForm", tr("Definition"), Qt::Key_F9, {},
                            tr("show the grid at the left"));
    foldBelow(1180, *m_showForm);
    m_openPoint = make("studyOpenPoint", tr("Open timeline"), Qt::CTRL | Qt::Key_T,
                       &StudyPage::openPoint, tr("simulate the selected point and open its run"));
    m_emulate = make("studyEmulatePoint", tr("Emulate this point"), {}, &StudyPage::emulatePoint);
    m_compareBest = make("studyCompareBest", tr("Compare with best"), Qt::CTRL | Qt::Key_B,
                         &StudyPage::compareBest,
                         tr("compare the timeline of the selected point with the best of its "
                            "set-up"));
    m_open = make("studyOpen", tr("Open a study…"), {}, &StudyPage::askForStudy,
                  tr("read a grid from a .toml file"));
    m_save = make("studySave", tr("Save study…"), Qt::CTRL | Qt::Key_S, &StudyPage::save,
                  tr("save the grid as a .toml file, which bscope study also reads"));
    m_saveReport = makeAction(
        "studySaveReport", tr("Save report…"), Qt::CTRL | Qt::SHIFT | Qt::Key_S, [this] {
            m_saver.saveText({tr("Save report"), baseName(), tr("Reports (*.html)")},
                             [data = m_data] { return profiler::studyReport(*data); });
        });
    m_saveCsv = makeAction("studySaveCsv", tr("Save results as CSV…"), {}, [this] {
        m_saver.saveText({tr("Save results"), baseName(), tr("Tables (*.csv)")},
                         [data = m_data] { return profiler::studyCsv(*data); });
    });
    m_exportMap = makeAction("studyExportMap", tr("Export the map…"), Qt::CTRL | Qt::Key_E,
                             [this] { exportChart(StudyPanel::Map); });
    for (const auto& [action, icon] : {std::pair(m_run, Icon::Run),
                                       {m_emulate, Icon::Run},
                                       {m_showForm, Icon::ChevronRight},
                                       {m_open, Icon::Open},
                                       {m_openPoint, Icon::Chart},
                                       {m_compareBest, Icon::Compare}})
        followTheme(action, icon, m_theme);
}

QWidget* StudyPage::makeDefinition()
{
    m_presets = named(new QComboBox, "studyPresets", tr("Preset"));
    m_presets->addItem(tr("Preset…"));
    for (const QString& name : studyPresets()) {
        m_presets->addItem(name);
        const QModelIndex item = m_presets->model()->index(m_presets->count() - 1, 0);
        if (const auto study = openStudy(name))
            m_presets->model()->setItemData(
                item,
                {{Qt::ToolTipRole, toolTipText(fromUtf8(study->title + ": " + study->question))}});
    }
    m_presets->setFocusPolicy(Qt::TabFocus);
    auto* more = makeIconButton("studyMore", Icon::More, tr("Save"), m_theme);
    auto* menu = new QMenu(more);
    menu->addActions({m_save, m_saveReport, m_saveCsv});
    more->setMenu(menu);
    more->setPopupMode(QToolButton::InstantPopup);
    auto* choice = spaced(new QHBoxLayout, {}, 8, {makeLabel(tr("Study"), "dock"), {m_presets, 1}});
    auto* head = makeBar(40, 4, {{choice, 1}, makeToolButton(m_open), more});

    m_runButton = makeButton(m_run->text(), QStringLiteral("studyRunButton"), "primary", m_run);
    m_cancelButton
        = makeButton(m_cancel->text(), QStringLiteral("studyCancelButton"), "", m_cancel);
    auto* other
        = makeButton(m_otherMode->text(), QStringLiteral("studyOtherModeButton"), "", m_otherMode);
    connect(m_otherMode, &QAction::changed, other,
            [this, other] { other->setText(m_otherMode->text()); });
    m_count = named(new ElidedLabel("small"), "studySummary");
    m_progressText = named(new ElidedLabel("small"), "studyLeft");
    m_progress = named(new QProgressBar, "studyProgress", tr("Progress of the study"));
    m_progress->setTextVisible(false);
    QSizePolicy keepsPlace = m_progress->sizePolicy();
    keepsPlace.setRetainSizeWhenHidden(true);
    m_progress->setSizePolicy(keepsPlace);
    auto* bottom = makeSurface("plain");
    spaced(new QVBoxLayout(bottom), {14, 10, 14, 12}, 8,
           {spaced(new QHBoxLayout, {}, 8, {{m_count, 1}, m_progressText}), m_progress,
            spaced(new QHBoxLayout, {}, 8, {{m_runButton, 1}, {m_cancelButton, 1}, {other, 1}})});
    auto* column = named(makeLined({head, {m_form, 1}, bottom}), "studyDefinition");
    column->setMinimumWidth(kDefinition);
    return column;
}

QWidget* StudyPage::makeCharts()
{
    constexpr std::array kNames{"studyMap", "studyLines", "studyFront"};
    for (std::size_t i = 0; i < kStudyPanels; ++i) {
        m_panels[i] = new ChartPanel(m_theme, StudyPanel(i), kNames[i],
                                     [this](std::size_t point) { return describe(point); });
        connectPanel(StudyPanel(i));
    }
    auto* columns = makeSplitter(Qt::Horizontal);
    columns->addWidget(makeColumn(&panel(StudyPanel::Map), &panel(StudyPanel::Lines), {535, 375}));
    columns->addWidget(makeColumn(&panel(StudyPanel::Front), makePoint(), {500, 410}));
    columns->setStretchFactor(0, kMaps);
    columns->setStretchFactor(1, kFront);
    columns->setSizes({kMaps, kFront});
    return columns;
}

QWidget* StudyPage::makePoint()
{
    m_pointTitle = named(new ElidedLabel("dock"), "studyPoint");
    m_pointWhere = named(new ElidedLabel("hint"), "studyPointWhere");
    m_sentence = makeWrapped("small", "studySentence");
    m_mode = new Tag(m_theme);
    m_pointTable.reset(pointColumns("selected"), {});
    auto* table = named(new DataTable(m_theme, 28), "studyPointTable", tr("Selected point"));
    table->setModel(&m_pointTable);
    table->setRestColumn(3);
    auto* buttons = spaced(new QHBoxLayout, {}, 8,
                           {makeActionButton(m_openPoint), makeActionButton(m_emulate),
                            makeActionButton(m_compareBest), kStretch});
    auto* below = makeSurface("plain");
    spaced(new QVBoxLayout(below), {12, 8, 12, 12}, 10, {m_sentence, buttons});
    return makeLined(
        {makeBar(40, 8, {m_pointTitle, m_mode, {m_pointWhere, 1}}), {table, 1}, below});
}

// The page of a study without results: its question.
QWidget* StudyPage::makeStart()
{
    auto* content = makeSurface("plain");
    m_startTitle = makeWrapped("heading", "studyStartTitle");
    m_startQuestion = makeWrapped("secondary", "studyStartQuestion");
    m_startCount = makeWrapped("small", "studyStartCount");
    auto* run = makeButton(m_run->text(), QStringLiteral("studyStartRun"), "primary", m_run);
    spaced(new QVBoxLayout(content), {28, 24, 28, 24}, 8,
           {m_startTitle, m_startQuestion,
            spaced(new QHBoxLayout, {0, 4, 0, 12}, 12, {run, {m_startCount, 1}}),
            makeLabel(tr("Or choose a study in the list “Preset”."), "secondary"), kStretch});
    return content;
}

void StudyPage::connectAll()
{
    connect(m_form, &StudyForm::edited, this, &StudyPage::showEdits);
    connect(m_showForm, &QAction::toggled, m_definition, &QWidget::setVisible);
    connect(m_presets, &QComboBox::activated, this, [this](int index) {
        if (index > 0 && mayDiscard())
            open(m_presets->itemText(index));
        showPreset();
    });
    connect(&m_points, &PointRuns::simulated, this, &StudyPage::showSimulated);
    connect(&m_points, &PointRuns::failed, this, [this](const QString& reason) {
        m_notice->show(Band::Kind::Error, tr("Not simulated."), reason);
        showState();
    });
    connect(&m_session, &StudySession::dataRead, this, &StudyPage::showData);
    connect(&m_session, &StudySession::progressed, this, &StudyPage::showProgress);
    connect(&m_session, &StudySession::ended, this, &StudyPage::showEnd);
}

void StudyPage::connectPanel(StudyPanel which)
{
    ChartPanel& of = panel(which);
    connect(&of, &ChartPanel::exportRequested, this, [this, which] { exportChart(which); });
    connect(&of, &ChartPanel::chartChosen, this, [this] {
        if (m_data != nullptr)
            showPoint(); // the text about the point depends on the axis of the line chart
    });
    connect(&of.view(), &SceneView::pointChosen, this, [this](std::size_t point) {
        m_isChosen = true;
        choose(point);
    });
    connect(&of.view(), &SceneView::pointOpened, m_openPoint, &QAction::trigger);
}

bool StudyPage::isModified() const
{
    return m_form->study() != m_saved;
}

QString StudyPage::title() const
{
    const QString title = m_name.isEmpty() ? tr("Study") : tr("Study: %1").arg(m_name);
    return isModified() ? title + QStringLiteral(" \u2022") : title;
}

QString StudyPage::baseName() const
{
    return m_name.isEmpty() ? QStringLiteral("study") : m_name;
}

void StudyPage::askForStudy()
{
    askForFile(this, tr("Open a study"), tr("Studies (*.toml);;All files (*)"),
               [this](const QString& file) {
                   if (mayDiscard())
                       open(file);
               });
}

bool StudyPage::save()
{
    const QString file = m_saver.saveNow({tr("Save study"), baseName(), tr("Studies (*.toml)")},
                                         profiler::studyToml(m_form->study()));
    if (file.isEmpty())
        return false;
    m_path = file;
    m_name = QFileInfo(file).completeBaseName();
    m_saved = m_form->study();
    showPreset();
    Q_EMIT titleChanged();
    return true;
}

bool StudyPage::mayDiscard()
{
    if (!isModified())
        return true;
    UnsavedDialog dialog(m_name.isEmpty() ? tr("The study") : m_name, 0, this);
    dialog.exec();
    return dialog.choice() == UnsavedDialog::Choice::Save
        ? save()
        : dialog.choice() == UnsavedDialog::Choice::Discard;
}

void StudyPage::open(const QString& nameOrFile)
{
    if (m_session.isRunning())
        return;
    const auto study = openStudy(nameOrFile);
    if (!study) {
        m_notice->show(Band::Kind::Error, tr("Not opened."),
                       capitalized(fromUtf8(study.error().message)));
        return;
    }
    const bool isFile = nameOrFile.endsWith(QStringLiteral(".toml")); // as SpecFile::textOf()
    const QFileInfo file(nameOrFile);
    m_path = isFile ? file.absoluteFilePath() : QString();
    m_name = isFile ? file.completeBaseName() : nameOrFile;
    m_saved = *study;
    m_form->setStudy(*study);
    showPreset();
    showEdits();
    if (m_isRunnable && !study->isMeasured() && gridSize(*study) <= kMostAtOnce)
        run();
    else
        showStart(*study);
    Q_EMIT titleChanged();
}

// Hides the results of the previous study, which would look like results of this one.
void StudyPage::showStart(const profiler::Study& study)
{
    clearCharts();
    m_answers.drop();
    m_answer->hide();
    m_data = nullptr;
    m_stack->setCurrentIndex(kStartPage);
    m_session.open(study);
    showState();
}

void StudyPage::showEdits()
{
    const auto problem = studyProblem(m_form->study());
    m_isRunnable = !problem;
    if (!m_form->showProblem(problem) && problem)
        m_notice->show(Band::Kind::Error, tr("This grid cannot be run."), problem->text);
    else
        m_notice->hide();
    showEditedParts();
    showState();
    Q_EMIT titleChanged();
}

void StudyPage::showPreset()
{
    const bool isFile = !m_path.isEmpty(); // which may have the name of a preset
    m_presets->setCurrentIndex(isFile ? 0 : std::max(0, m_presets->findText(m_name)));
}

void StudyPage::showEditedParts()
{
    const profiler::Study& study = m_form->study();
    if (m_data == nullptr || m_session.isRunning() || !m_isRunnable || m_data->study == study
        || profiler::pointsToml(m_data->study) != profiler::pointsToml(study))
        return;
    auto edited = std::make_shared<StudyData>(*m_data);
    edited->study = study;
    showResults(edited);
}

void StudyPage::run()
{
    if (!m_isRunnable || m_session.isRunning())
        return;
    m_notice->hide();
    m_progress->setRange(0, 0);
    m_progressText->clear();
    m_session.start(m_form->study());
    showState();
}

void StudyPage::runOtherMode()
{
    profiler::Study study = m_form->study();
    study.mode = study.mode == Mode::Simulate ? Mode::Emulate : Mode::Simulate;
    m_form->setStudy(study);
    showEdits();
    run();
}

void StudyPage::showProgress(qint64 done, qint64 all, double secondsLeft)
{
    m_progress->setRange(0, static_cast<int>(all));
    m_progress->setValue(static_cast<int>(done));
    m_progressText->setText(remainingTime(secondsLeft));
    m_count->setText(tr("%1 of %2 points").arg(done).arg(all));
}

void StudyPage::showData(const StudyPointer& results)
{
    if (results->done() == 0 && !m_session.isRunning())
        return;
    m_stack->setCurrentIndex(kChartsPage);
    setInitialFocus(&panel(StudyPanel::Map).view());
    showResults(results);
}

void StudyPage::showEnd(const WorkerEnd& end)
{
    if (end.how == WorkerEnd::How::Cancelled)
        m_notice->show(Band::Kind::Warning, tr("Cancelled."),
                       tr("%1 of %2 points were kept; press Run to continue. %3")
                           .arg(m_data == nullptr ? 0 : m_data->done())
                           .arg(m_data == nullptr ? 0 : m_data->points.size())
                           .arg(end.text)
                           .trimmed());
    else if (end.how != WorkerEnd::How::Finished)
        m_notice->show(Band::Kind::Error, tr("The study ended with an error."),
                       capitalized(end.text));
    showState();
}

// Keeps the selected point if the user chose it and the study still has it.
void StudyPage::showResults(const StudyPointer& results)
{
    const auto kept = m_isChosen && m_data != nullptr
            && m_data->points[m_point].values.size() == results->study.grid.size()
        ? pointAt(results->study, m_data->points[m_point].values)
        : std::nullopt;
    m_isChosen = kept.has_value();
    if (m_data != nullptr && m_data->study.grid != results->study.grid)
        clearCharts(); // a chart of the previous grid has the indices of its points
    m_data = results;
    if (results->done() == results->points.size())
        m_answers.ask(results);
    choose(kept.value_or(firstPoint(*results)));
}

// The first clause of the first claim is what the page says first.
void StudyPage::showAnswers(const Answers& answers)
{
    m_answer->setVisible(!answers.empty());
    if (answers.empty())
        return;
    m_sentences.clear();
    for (const profiler::AnsweredQuestion& answer : answers)
        m_sentences += fromUtf8(answer.sentence) + QLatin1Char('\n');
    const QString claim = fromUtf8(answers.front().claim).section(QLatin1String("; "), 0, 0);
    const auto texts = profiler::answersInShort(answers);
    QString rest = fromUtf8(texts.front()).mid(claim.size()).trimmed();
    if (texts.size() > 1)
        rest += tr(" (%1 more in the copied text and the report)").arg(texts.size() - 1);
    m_answer->show(answers.front().unknown.empty() ? Band::Kind::Ok : Band::Kind::Warning, claim,
                   rest);
}

void StudyPage::clearCharts()
{
    for (ChartPanel* of : m_panels)
        of->show(nullptr, 0);
}

void StudyPage::choose(std::size_t point)
{
    m_point = point;
    for (ChartPanel* of : m_panels)
        of->show(m_data, point);
    showPoint();
}

void StudyPage::showPoint()
{
    m_summary = summarizePoint(*m_data, m_point, panel(StudyPanel::Lines).axis());
    m_pointTable.reset(pointColumns(m_summary.name), m_summary.rows);
    m_pointTitle->setText(tr("Selected: %1").arg(fromUtf8(m_summary.name)));
    m_pointWhere->setText(fromUtf8(m_summary.where));
    m_mode->setText(modeText(m_data->study));
    m_sentence->setText(m_summary.reason.empty()
                            ? fromUtf8(m_summary.sentence)
                            : tr("Not possible: %1.").arg(fromUtf8(m_summary.reason)));
    showState();
}

QString StudyPage::describe(std::size_t point) const
{
    return m_data == nullptr || point >= m_data->points.size()
        ? QString()
        : fromUtf8(pointText(summarizePoint(*m_data, point)));
}

void StudyPage::showState()
{
    const bool isRunning = m_session.isRunning();
    const profiler::Study& study = m_form->study();
    m_runButton->setVisible(!isRunning);
    m_cancelButton->setVisible(isRunning);
    m_progress->setVisible(isRunning);
    m_progressText->setVisible(isRunning);
    const QString summary = summaryText(study, m_data, m_session.seconds());
    if (!isRunning || m_data == nullptr)
        m_count->setText(summary);
    m_startTitle->setText(study.title.empty() ? tr("A grid of simulations")
                                              : fromUtf8(study.title));
    m_startQuestion->setText(fromUtf8(study.question));
    m_startQuestion->setVisible(!study.question.empty());
    m_startCount->setText(summary);
    m_run->setEnabled(m_isRunnable && !isRunning);
    m_cancel->setEnabled(isRunning);
    const QString refused = notRunnable(study);
    m_otherMode->setText(study.mode == Mode::Simulate ? tr("Emulate the grid")
                                                      : tr("Simulate the grid"));
    m_otherMode->setEnabled(m_isRunnable && !isRunning && study.axis("case") == nullptr
                            && (refused.isEmpty() || study.mode != Mode::Simulate));
    m_otherMode->setToolTip(
        refused.isEmpty() ? tr("Trains every point on this machine, one op at a time") : refused);
    m_presets->setEnabled(!isRunning);
    m_stack->widget(kStartPage)->setEnabled(!isRunning);
    m_open->setEnabled(!isRunning);
    showPointActions();
    Q_EMIT statusChanged();
}

void StudyPage::showPointActions()
{
    const bool hasPoint = m_data != nullptr && m_summary.reason.empty();
    const bool canOpen = hasPoint && !m_data->study.isMeasured() && !m_points.isRunning();
    m_openPoint->setEnabled(canOpen);
    m_compareBest->setEnabled(canOpen && m_summary.best && *m_summary.best != m_point);
    const QString notRun = m_data == nullptr ? QString() : notRunnable(m_data->study);
    m_emulate->setEnabled(hasPoint && notRun.isEmpty());
    m_emulate->setToolTip(notRun.isEmpty() ? tr("Trains the selected point on this machine")
                                           : notRun);
    for (QAction* action : {m_saveReport, m_saveCsv, m_exportMap})
        action->setEnabled(m_data != nullptr);
}

void StudyPage::exportChart(StudyPanel which)
{
    if (m_data != nullptr)
        m_saver.saveFigure(panel(which).figure(), baseName());
}

QStringList StudyPage::argumentsOf(std::size_t point) const
{
    QStringList arguments;
    for (const std::string& argument : m_data->points[point].arguments)
        arguments.append(fromUtf8(argument));
    return arguments;
}

void StudyPage::simulatePoints(const std::vector<std::size_t>& points)
{
    std::vector<QStringList> all;
    for (const std::size_t point : points)
        all.push_back(argumentsOf(point));
    m_points.simulate(all);
    showState();
}

void StudyPage::showSimulated(const QStringList& files)
{
    showState();
    Q_EMIT pageRequested({files.size() == 1 ? "run" : "compare", files});
}

void StudyPage::emulatePoint()
{
    Q_EMIT startRequested(
        {QStringList{QStringLiteral("--mode"), QStringLiteral("emulate")} + argumentsOf(m_point)});
}

QStringList StudyPage::statusTexts() const
{
    if (m_data == nullptr)
        return {tr("<b>Study</b> not computed yet")};
    QStringList texts{tr("<b>Study</b> %1").arg(modeText(m_data->study)),
                      gridText(m_data->study).toHtmlEscaped(),
                      countOf(static_cast<qint64>(m_data->done()), "point")};
    if (m_data->refused() > 0)
        texts.append(tr("%1 not possible").arg(m_data->refused()));
    return texts;
}

QString StudyPage::statusNote() const
{
    return m_data == nullptr
        ? QString()
        : fromUtf8(m_summary.name) + QLatin1String(", ") + m_pointWhere->text();
}

QList<QAction*> StudyPage::menuActions(Menu menu) const
{
    switch (menu) {
    case Menu::File:
        return {m_open, m_save};
    case Menu::Run:
        return {m_run, m_cancel, m_otherMode, m_emulate};
    case Menu::View:
        return {m_showForm, m_openPoint};
    case Menu::Compare:
        return {m_compareBest};
    case Menu::Export:
        return {m_exportMap, m_saveReport, m_saveCsv};
    case Menu::Analyze:
        break;
    }
    return {};
}

} // namespace app
