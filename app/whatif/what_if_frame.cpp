#include "app/whatif/what_if_frame.h"

#include "app/compare/compare_widget.h"
#include "app/shell/runs_dock.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/empty_state.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"
#include "app/whatif/what_if_form.h"
#include "app/whatif/what_if_table.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace app {
namespace {

constexpr int kRunsColumn = 216, kFormColumn = 310, kDetailsColumn = 292;
constexpr int kFoldWhatIfDetails = 1360, kFoldWhatIfRuns = 1180; // width of the page

} // namespace

WhatIfFrame::WhatIfFrame(const ThemeController& theme, const WhatIfActions& actions,
                         RunsModel& model)
    : runs(new RunsDock(theme, model))
    , form(new WhatIfForm(theme))
    , compare(new CompareWidget(theme))
    , table(new WhatIfTable(theme))
    , sentence(named(new Band(theme, Band::Shape::Verdict), "whatIfSentence"))
    , notice(named(new Band(theme, Band::Shape::State), "whatIfNotice"))
    , schemes(named(new QComboBox, "whatIfScheme", tr("Scheme")))
    , details(new QScrollArea)
    , refused(
          named(new EmptyState(theme,
                               {Icon::Info, tr("Reading the run"),
                                tr("Collecting the op times of this run…"), tr("Import report")}),
                "whatIfRefused"))
    , stack(new QStackedWidget)
    , m_actions(actions)
{
    refused->button()->hide();
    QWidget* dock = makeDetails(theme);
    auto* columns = makeSplitter(Qt::Horizontal);
    for (QWidget* column : {static_cast<QWidget*>(runs), makeForm(), makeCentre(theme), dock})
        columns->addWidget(column);
    columns->setStretchFactor(2, 1);
    columns->setSizes({kRunsColumn, kFormColumn, 780, kDetailsColumn});
    auto* empty = new QWidget;
    spaced(new QVBoxLayout(empty), {40, 40, 40, 40}, 0, {refused});
    stack->addWidget(empty);
    stack->addWidget(columns);
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(stack);
    connect(actions.showRuns, &QAction::toggled, runs, &QWidget::setVisible);
    connect(actions.showDetails, &QAction::toggled, dock, &QWidget::setVisible);
}

QWidget* WhatIfFrame::makeForm()
{
    auto* column = makeSurface("plain");
    column->setMinimumWidth(280);
    auto* buttons = makeSurface("plain");
    buttons->setFixedHeight(53);
    spaced(new QHBoxLayout(buttons), {14, 0, 14, 0}, 8,
           {{makeButton(m_actions.open->text(), QStringLiteral("openPredictionButton"), "primary",
                        m_actions.open),
             1},
            makeButton(tr("Copy as command"), QStringLiteral("copyWhatIfButton"), "",
                       m_actions.copy)});
    spaced(new QVBoxLayout(column), {}, 0, {{form, 1}, makeLine(Qt::Horizontal), buttons});
    return column;
}

QWidget* WhatIfFrame::makeToolbar(const ThemeController& theme)
{
    schemes->setMinimumWidth(150);
    schemes->setFocusPolicy(Qt::TabFocus);
    auto* bar = makeSurface("plain");
    bar->setFixedHeight(40);
    spaced(new QHBoxLayout(bar), {8, 0, 8, 0}, 8,
           {makeToolButton(m_actions.showRuns), makeLabel(tr("Scheme"), "small"), schemes,
            new Tag(theme, tr("simulated")), kStretch, makeActionButton(m_actions.blink),
            makeActionButton(m_actions.exportFigure), makeToolButton(m_actions.showDetails)});
    return bar;
}

QWidget* WhatIfFrame::makeCentre(const ThemeController& theme)
{
    auto* band = makeSurface("plain");
    spaced(new QVBoxLayout(band), {14, 8, 14, 8}, 0, {sentence});
    sentence->show(Band::Kind::Neutral, tr("Predicting all schemes."), {});
    notice->hide();
    table->setMinimumHeight(120);
    auto* rows = makeSplitter(Qt::Vertical);
    rows->addWidget(compare);
    rows->addWidget(table);
    rows->setStretchFactor(0, 3);
    rows->setStretchFactor(1, 2);
    rows->setSizes({440, 380});
    auto* centre = makeSurface("plain");
    spaced(new QVBoxLayout(centre), {}, 0,
           {makeToolbar(theme),
            makeLine(Qt::Horizontal),
            notice,
            band,
            makeLine(Qt::Horizontal),
            {rows, 1}});
    return centre;
}

QWidget* WhatIfFrame::makeDetails(const ThemeController& theme)
{
    auto* dock = named(makeSurface("plain"), "detailsDock");
    dock->setMinimumWidth(220);
    details->setObjectName(QStringLiteral("whatIfDetails"));
    details->setAccessibleName(tr("Details"));
    details->setWidgetResizable(true);
    details->setFrameShape(QFrame::NoFrame);
    details->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* close = makeIconButton("closeDetails", Icon::Close, tr("Close the details"), theme);
    connect(close, &QToolButton::clicked, m_actions.showDetails,
            [action = m_actions.showDetails] { action->toggle(); });
    auto* title = makeBar(40, 4, {{makeLabel(tr("Details"), "dock"), 1}, close});
    auto* buttons = makeSurface("plain");
    spaced(new QHBoxLayout(buttons), {12, 12, 12, 12}, 8,
           {{makeButton(m_actions.schedule->text(), QStringLiteral("openScheduleButton"), "",
                        m_actions.schedule),
             1}});
    spaced(new QVBoxLayout(dock), {}, 0,
           {title, makeLine(Qt::Horizontal), {details, 1}, makeLine(Qt::Horizontal), buttons});
    return dock;
}

void WhatIfFrame::showVerdict(const WhatIfVerdict& verdict, const QString& excess)
{
    using Kind = WhatIfVerdict::Kind;
    const Band::Kind kind = verdict.kind == Kind::Shorter ? Band::Kind::Ok
        : verdict.kind == Kind::Unclear                   ? Band::Kind::Neutral
                                                          : Band::Kind::Warning;
    sentence->show(kind, verdict.bold,
                   excess.isEmpty() ? verdict.rest
                                    : verdict.rest + tr(" It needs %1.").arg(excess));
}

void WhatIfFrame::refuse(const QString& reason, const engine::Run* run)
{
    const bool isImported = run != nullptr && run->info.import;
    const bool canRepeat = run != nullptr && !run->info.experiment.empty();
    refused->setTexts(tr("Other schemes cannot be predicted from this run."), reason);
    refused->button()->setText(isImported ? tr("Import report")
                                          : tr("New run with these settings"));
    refused->button()->setVisible(isImported || canRepeat);
    stack->setCurrentIndex(0);
}

void WhatIfFrame::showFailure(const QString& bold, const engine::Error& error)
{
    notice->show(Band::Kind::Error, bold, fromUtf8(error.message));
}

void WhatIfFrame::fold(int width)
{
    const bool hasDetails = width >= kFoldWhatIfDetails, hasRuns = width >= kFoldWhatIfRuns;
    if (hasDetails != std::exchange(m_hasRoomForDetails, hasDetails))
        m_actions.showDetails->setChecked(hasDetails);
    if (hasRuns != std::exchange(m_hasRoomForRuns, hasRuns))
        m_actions.showRuns->setChecked(hasRuns);
}

} // namespace app
