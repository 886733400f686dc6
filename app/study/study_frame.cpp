#include "app/study/study_frame.h"

#include "app/study/chart_panel.h"
#include "app/study/study_form.h"
#include "app/study/study_options.h"
#include "app/ui/band.h"
#include "app/ui/card_button.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace app {
namespace {

constexpr int kDefinition = 270, kMaps = 746, kFront = 584; // widths in a window of 1600 px
constexpr int kWidestCards = 760, kRail = 36;
constexpr int kPointRow = 28, kFoldDefinition = 1180;

// A card with the title of a preset and its question below.
class PresetCard : public CardButton
{
public:
    PresetCard(const ThemeController& theme, const profiler::Study& study)
        : CardButton(theme)
        , m_title(fromUtf8(study.title))
        , m_question(fromUtf8(study.question))
    {
        setFixedHeight(54);
        setMinimumWidth(200);
        setAccessibleName(m_title);
        setAccessibleDescription(m_question);
        setToolTip(toolTipText(m_question));
    }

protected:
    void paintContent(QPainter& painter) override
    {
        const Chrome& chrome = theme().chrome;
        const QRectF box = QRectF(rect()).adjusted(12, 7, -12, -7);
        const double half = box.height() / 2;
        text(painter, {box.left(), box.top(), box.width(), half}, m_title,
             {uiFont(13, QFont::Medium), chrome.text});
        text(painter, {box.left(), box.top() + half, box.width(), half}, m_question,
             {uiFont(12), chrome.text2});
    }

private:
    QString m_title, m_question;
};

QLabel* makeCutLabel(const char* role, const char* name)
{
    return named(new ElidedLabel(role), name);
}

QLabel* makeWrapped(const char* role, const char* name)
{
    QLabel* label = named(makeLabel({}, role), name);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    return label;
}

} // namespace

StudyFrame::StudyFrame(const ThemeController& theme, const StudyActions& actions,
                       const ChartView::Describe& describe, QWidget* parent)
    : QWidget(parent)
    , form(named(new StudyForm(theme), "studyForm"))
    , presets(named(new QComboBox, "studyPresets", tr("Preset")))
    , panels{new ChartPanel(theme, "studyMap", describe),
             new ChartPanel(theme, "studyLines", describe),
             new ChartPanel(theme, "studyFront", describe)}
    , notice(named(new Band(theme, Band::Shape::State), "studyNotice"))
    , summary(makeCutLabel("small", "studySummary"))
    , progressText(makeCutLabel("small", "studyLeft"))
    , pointTitle(makeCutLabel("dock", "studyPoint"))
    , pointWhere(makeCutLabel("hint", "studyPointWhere"))
    , sentence(named(makeLabel({}, "small"), "studySentence"))
    , progress(named(new QProgressBar, "studyProgress", tr("Progress of the study")))
    , mode(new Tag(theme))
    , point(named(new DataTable(theme, kPointRow), "studyPointTable", tr("Selected point")))
    , stack(new QStackedWidget)
    , m_actions(actions)
{
    setObjectName(QStringLiteral("studyFrame"));
    notice->hide();
    stack->addWidget(makeStart(theme));
    stack->addWidget(makeCharts());
    m_definition = makeDefinition(theme);
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0, {notice, {stack, 1}});
    auto* columns = makeSplitter(Qt::Horizontal);
    columns->addWidget(m_definition);
    columns->addWidget(centre);
    columns->setStretchFactor(1, 1);
    columns->setSizes({kDefinition, kMaps + kFront});
    QWidget* rail = makeRail();
    spaced(new QHBoxLayout(this), {}, 0, {rail, {columns, 1}});
    connect(actions.showForm, &QAction::toggled, this, [this, rail](bool isShown) {
        m_definition->setVisible(isShown);
        rail->setVisible(!isShown);
    });
    showRunning(false);
}

// The narrow column that replaces a folded definition.
QWidget* StudyFrame::makeRail()
{
    auto* rail = makeSurface("alt");
    rail->setFixedWidth(kRail);
    auto* run = named(makeToolButton(m_actions.run), "studyRailRun");
    auto* buttons = spaced(new QVBoxLayout, {4, 6, 4, 6}, 6,
                           {makeToolButton(m_actions.showForm), run, kStretch});
    spaced(new QHBoxLayout(rail), {}, 0, {{buttons, 1}, makeLine(Qt::Vertical)});
    rail->hide();
    return rail;
}

// Makes a button with a menu that saves the study, its report and its results.
QWidget* StudyFrame::makeSaveButton(const ThemeController& theme)
{
    auto* button = makeIconButton("studyMore", Icon::More, tr("Save"), theme);
    auto* menu = new QMenu(button);
    menu->addActions({m_actions.save, m_actions.saveAs, m_actions.saveReport, m_actions.saveCsv});
    button->setMenu(menu);
    button->setPopupMode(QToolButton::InstantPopup);
    return button;
}

QWidget* StudyFrame::makeDefinition(const ThemeController& theme)
{
    presets->addItem(tr("Preset…"));
    for (const QString& name : studyPresets())
        presets->addItem(name);
    presets->setFocusPolicy(Qt::TabFocus);
    connect(presets, &QComboBox::activated, this, [this](int index) {
        if (index > 0)
            Q_EMIT presetChosen(presets->itemText(index));
    });
    auto* choice = spaced(new QHBoxLayout, {}, 8, {makeLabel(tr("Study"), "dock"), {presets, 1}});
    auto* head
        = makeBar(40, 4, {{choice, 1}, makeToolButton(m_actions.open), makeSaveButton(theme)});
    m_run = makeButton(m_actions.run->text(), QStringLiteral("studyRunButton"), "primary",
                       m_actions.run);
    m_cancel = makeButton(m_actions.cancel->text(), QStringLiteral("studyCancelButton"), "",
                          m_actions.cancel);
    auto* other = makeButton(m_actions.otherMode->text(), QStringLiteral("studyOtherModeButton"),
                             "", m_actions.otherMode);
    connect(m_actions.otherMode, &QAction::changed, other,
            [other, action = m_actions.otherMode] { other->setText(action->text()); });
    progress->setTextVisible(false);
    auto* bottom = makeSurface("plain");
    spaced(new QVBoxLayout(bottom), {14, 10, 14, 12}, 8,
           {spaced(new QHBoxLayout, {}, 8, {{summary, 1}, progressText}), progress,
            spaced(new QHBoxLayout, {}, 8, {{m_run, 1}, {m_cancel, 1}, {other, 1}})});
    auto* column = named(makeSurface("plain"), "studyDefinition");
    column->setMinimumWidth(kDefinition);
    spaced(new QVBoxLayout(column), {}, 0,
           {head, makeLine(Qt::Horizontal), {form, 1}, makeLine(Qt::Horizontal), bottom});
    return column;
}

QWidget* StudyFrame::makeCharts()
{
    auto* left = makeSplitter(Qt::Vertical);
    left->addWidget(&panel(StudyPanel::Map));
    left->addWidget(&panel(StudyPanel::Lines));
    left->setSizes({535, 375});
    auto* right = makeSplitter(Qt::Vertical);
    right->addWidget(&panel(StudyPanel::Front));
    right->addWidget(makePoint());
    right->setSizes({500, 410});
    auto* columns = makeSplitter(Qt::Horizontal);
    columns->addWidget(left);
    columns->addWidget(right);
    columns->setStretchFactor(0, kMaps);
    columns->setStretchFactor(1, kFront);
    columns->setSizes({kMaps, kFront});
    return columns;
}

QWidget* StudyFrame::makePoint()
{
    sentence->setWordWrap(true);
    sentence->setTextFormat(Qt::PlainText);
    auto* bar = makeBar(40, 8, {pointTitle, mode, {pointWhere, 1}});
    auto* buttons
        = spaced(new QHBoxLayout, {}, 8,
                 {makeActionButton(m_actions.openPoint), makeActionButton(m_actions.emulate),
                  makeActionButton(m_actions.compareBest), kStretch});
    auto* below = makeSurface("plain");
    spaced(new QVBoxLayout(below), {12, 8, 12, 12}, 10, {sentence, buttons});
    auto* part = makeSurface("plain");
    spaced(new QVBoxLayout(part), {}, 0,
           {bar, makeLine(Qt::Horizontal), {point, 1}, makeLine(Qt::Horizontal), below});
    return part;
}

QWidget* StudyFrame::makeStart(const ThemeController& theme)
{
    auto* content = makeSurface("plain");
    m_startTitle = makeWrapped("heading", "studyStartTitle");
    m_startQuestion = makeWrapped("secondary", "studyStartQuestion");
    m_startCount = makeWrapped("small", "studyStartCount");
    auto* run = makeButton(m_actions.run->text(), QStringLiteral("studyStartRun"), "primary",
                           m_actions.run);
    auto* column = spaced(new QVBoxLayout(content), {28, 24, 28, 24}, 8,
                          {m_startTitle, m_startQuestion,
                           spaced(new QHBoxLayout, {0, 4, 0, 12}, 12, {run, {m_startCount, 1}}),
                           makeLabel(tr("Or choose a study:"), "secondary")});
    for (const QString& name : studyPresets()) {
        const auto study = openStudy(name);
        if (!study)
            continue;
        auto* card = new PresetCard(theme, *study);
        card->setObjectName(QStringLiteral("studyPreset-") + name);
        connect(card, &QAbstractButton::clicked, this, [this, name] { Q_EMIT presetChosen(name); });
        column->addWidget(card);
    }
    column->addStretch(1);
    return makeScroll(content);
}

void StudyFrame::showStart(const profiler::Study& study, const QString& count)
{
    m_startTitle->setText(study.title.empty() ? tr("A grid of simulations")
                                              : fromUtf8(study.title));
    m_startQuestion->setText(fromUtf8(study.question));
    m_startQuestion->setVisible(!study.question.empty());
    m_startCount->setText(count);
}

void StudyFrame::showRunning(bool isRunning)
{
    m_run->setVisible(!isRunning);
    m_cancel->setVisible(isRunning);
    QSizePolicy keepsPlace = progress->sizePolicy();
    keepsPlace.setRetainSizeWhenHidden(true);
    progress->setSizePolicy(keepsPlace);
    progress->setVisible(isRunning);
    progressText->setVisible(isRunning);
}

void StudyFrame::fold(int width)
{
    const bool hasRoom = width >= kFoldDefinition;
    if (hasRoom != std::exchange(m_hasRoom, hasRoom))
        m_actions.showForm->setChecked(hasRoom);
}

} // namespace app
