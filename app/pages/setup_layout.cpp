#include "app/models/text.h"
#include "app/pages/setup_page.h"
#include "app/widgets/band.h"
#include "app/widgets/controls.h"
#include "app/widgets/data_table.h"
#include "app/widgets/key_numbers.h"
#include "app/widgets/schedule_preview.h"
#include "app/widgets/scheme_list.h"
#include "app/widgets/setup_form.h"

#include <QAction>
#include <QHBoxLayout>
#include <QResizeEvent>
#include <QScrollArea>
#include <QVBoxLayout>

namespace app {
namespace {

constexpr int kSchemes = 400, kParameters = 300, kNarrowSchemes = 218;

QWidget* makeHeader(const QString& title)
{
    QWidget* header = makeSurface("alt");
    header->setFixedHeight(40);
    auto* row = spaced(new QHBoxLayout(header), QMargins(12, 0, 12, 0), 10);
    row->addWidget(makeLabel(title, "section"));
    return header;
}

} // namespace

void SetupPage::buildLayout()
{
    auto* row = spaced(new QHBoxLayout(this), QMargins(), 0);
    m_schemes->setFixedWidth(kSchemes);
    row->addWidget(m_schemes);
    row->addWidget(makeLine(Qt::Vertical));
    QWidget* parameters = makeParameters();
    parameters->setFixedWidth(kParameters);
    row->addWidget(parameters);
    row->addWidget(makeLine(Qt::Vertical));
    row->addWidget(makePrediction(), 1);
}

QWidget* SetupPage::makeParameters()
{
    auto* widget = new QWidget;
    auto* column = spaced(new QVBoxLayout(widget), QMargins(), 0);
    QWidget* header = makeHeader(tr("Parameters"));
    auto* row = static_cast<QHBoxLayout*>(header->layout());
    row->addStretch();
    QPushButton* reset = makeButton(tr("Reset"), QStringLiteral("reset"), "link");
    connect(reset, &QPushButton::clicked, m_reset, &QAction::trigger);
    row->addWidget(reset);
    column->addWidget(header);
    column->addWidget(makeLine(Qt::Horizontal));
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(m_form);
    column->addWidget(scroll, 1);
    column->addWidget(makeLine(Qt::Horizontal));
    column->addWidget(makeRunBar());
    return widget;
}

QWidget* SetupPage::makeRunBar()
{
    auto* bar = new QWidget;
    bar->setFixedHeight(53);
    auto* row = spaced(new QHBoxLayout(bar), QMargins(14, 0, 14, 0), 8);
    m_runButton = makeButton(tr("Run"), QStringLiteral("run"), "primary");
    m_runButton->setToolTip(tr("Ctrl+R"));
    connect(m_runButton, &QPushButton::clicked, m_run, &QAction::trigger);
    const auto colour = [this] {
        const Chrome& c = m_theme.theme().chrome;
        m_runButton->setIcon(makeIcon(Icon::Run, c.primaryText, c.text3));
    };
    colour();
    connect(&m_theme, &ThemeController::changed, this, colour);
    QPushButton* copy = makeButton(tr("Copy as command"), QStringLiteral("copy"));
    connect(copy, &QPushButton::clicked, m_copy, &QAction::trigger);
    connect(m_copy, &QAction::changed, copy,
            [this, copy] { copy->setEnabled(m_copy->isEnabled()); });
    row->addWidget(m_runButton, 1);
    row->addWidget(copy);
    return bar;
}

QWidget* SetupPage::makePredictionHeader()
{
    QWidget* header = makeHeader(tr("Predicted schedule"));
    auto* row = static_cast<QHBoxLayout*>(header->layout());
    row->addWidget(new Tag(m_theme, tr("simulated")));
    row->addStretch();
    row->addWidget(makeLabel(tr("Costs: F 1, B 2; free links"), "small"));
    return header;
}

QWidget* SetupPage::makePrediction()
{
    auto* widget = new QWidget;
    auto* column = spaced(new QVBoxLayout(widget), QMargins(), 0);
    column->addWidget(makePredictionHeader());
    column->addWidget(makeLine(Qt::Horizontal));
    auto* top = spaced(new QVBoxLayout, QMargins(20, 12, 12, 12), 4);
    m_preview->setObjectName(QStringLiteral("preview"));
    m_verdict->setObjectName(QStringLiteral("verdict"));
    m_numbers->setObjectName(QStringLiteral("keyNumbers"));
    top->addWidget(m_preview);
    top->addWidget(m_verdict);
    column->addLayout(top);
    column->addWidget(makeLine(Qt::Horizontal));
    column->addWidget(m_numbers);
    column->addWidget(makeTable(), 1);
    return widget;
}

QWidget* SetupPage::makeTable()
{
    auto* widget = new QWidget;
    auto* column = spaced(new QVBoxLayout(widget), QMargins(), 0);
    column->addWidget(makeLine(Qt::Horizontal));
    QWidget* head = makeSurface("alt");
    head->setFixedHeight(32);
    auto* row = spaced(new QHBoxLayout(head), QMargins(12, 0, 12, 0), 8);
    m_tableTitle = makeLabel({}, "dock");
    row->addWidget(m_tableTitle, 1);
    row->addWidget(makeLabel(tr("F 1, B 2, free links; click a row to choose it"), "small"));
    column->addWidget(head);
    column->addWidget(makeLine(Qt::Horizontal));
    m_tableView = new DataTable(m_theme, 30);
    m_tableView->setObjectName(QStringLiteral("schemeTable"));
    m_tableView->setModel(m_table);
    connect(m_tableView, &QAbstractItemView::clicked, this,
            [this](const QModelIndex& index) { choose(m_table->at(index.row()).scheme); });
    column->addWidget(m_tableView, 1);
    return widget;
}

// Under 1360 the cards stand in one column.
void SetupPage::resizeEvent(QResizeEvent* event)
{
    const bool isNarrow = event->size().width() < 1360;
    m_schemes->setFixedWidth(isNarrow ? kNarrowSchemes : kSchemes);
    m_schemes->setColumns(isNarrow ? 1 : 2);
    Page::resizeEvent(event);
}

} // namespace app
