#include "app/models/text.h"
#include "app/pages/setup_page.h"
#include "app/widgets/controls/band.h"
#include "app/widgets/controls/controls.h"
#include "app/widgets/controls/data_table.h"
#include "app/widgets/controls/key_numbers.h"
#include "app/widgets/setup/schedule_preview.h"
#include "app/widgets/setup/scheme_list.h"
#include "app/widgets/setup/setup_form.h"

#include <QAction>
#include <QHBoxLayout>
#include <QResizeEvent>
#include <QScrollArea>
#include <QVBoxLayout>

namespace app {
namespace {

constexpr int kSchemes = 400, kWideSchemes = 590, kNarrowSchemes = 218, kParameters = 300;
constexpr int kPreview = 184, kHighPreview = 270, kLowPreview = 104; // height of the rows

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
    column->addWidget(makeScroll(m_form), 1);
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
    m_costs = makeLabel({}, "small");
    m_costs->setObjectName(QStringLiteral("costsText"));
    m_costs->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_costs->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(m_costs, 100);
    QPushButton* edit = makeButton(tr("Edit"), QStringLiteral("editSchedule"), "tool");
    edit->setToolTip(tr("Edit this schedule op by op (Ctrl+E)"));
    connect(edit, &QPushButton::clicked, m_edit, &QAction::trigger);
    connect(m_edit, &QAction::changed, edit,
            [this, edit] { edit->setEnabled(m_edit->isEnabled()); });
    row->addWidget(edit);
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
    m_facts = makeLabel({}, "hint");
    m_facts->setObjectName(QStringLiteral("schemeFacts"));
    m_facts->setWordWrap(true);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    top->addSpacing(2);
    auto* facts = spaced(new QHBoxLayout, QMargins(), 12);
    facts->addWidget(m_facts, 1);
    QPushButton* explain
        = makeButton(tr("About this scheme"), QStringLiteral("aboutScheme"), "link");
    explain->setToolTip(tr("Show paper, rule, picture and closed forms (Ctrl+I)"));
    connect(explain, &QPushButton::clicked, m_explain, &QAction::trigger);
    facts->addWidget(explain, 0, Qt::AlignTop);
    top->addLayout(facts);
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
    m_runMarked = makeButton({}, QStringLiteral("runMarked"), "tool");
    m_runMarked->setToolTip(tr("Train with the selected schemes sequentially"));
    m_runMarked->hide();
    connect(m_runMarked, &QPushButton::clicked, this, &SetupPage::runMarked);
    row->addWidget(m_runMarked);
    QPushButton* copy = makeButton(tr("Copy as CSV"), QStringLiteral("copyTableButton"), "link");
    connect(copy, &QPushButton::clicked, m_copyTable, &QAction::trigger);
    row->addWidget(copy);
    column->addWidget(head);
    column->addWidget(makeLine(Qt::Horizontal));
    m_tableView = new DataTable(m_theme, 30);
    m_tableView->setObjectName(QStringLiteral("schemeTable"));
    m_tableView->setAccessibleName(tr("All schemes at these numbers"));
    m_tableView->setModel(m_table);
    m_tableView->horizontalHeader()->setSectionsClickable(true);
    m_tableView->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_tableView->setSortingEnabled(true);
    using enum SchemeTableModel::Column;
    m_tableView->setDispensable({static_cast<int>(Local), static_cast<int>(Weights),
                                 static_cast<int>(Messages), static_cast<int>(Stash)});
    m_tableView->setSelectionMode(QAbstractItemView::ExtendedSelection);
    connect(m_tableView->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &SetupPage::showMarked);
    const auto take = [this](const QModelIndex& index) {
        if (markedSchemes().size() <= 1) // a selection of several rows is being made
            choose(m_table->at(index.row()).scheme);
    };
    connect(m_tableView, &QAbstractItemView::clicked, this, take);
    connect(m_tableView, &QAbstractItemView::activated, this, take);
    column->addWidget(m_tableView, 1);
    return widget;
}

// Below a width of 1360 the cards have one column, on a large screen three. The preview shrinks in
// low windows, so that the table keeps a few rows.
void SetupPage::fitTo(const QSize& size)
{
    constexpr int kNarrow = 1360, kWide = 2200, kLow = 720, kHigh = 1150;
    const int columns = size.width() < kNarrow ? 1 : size.width() < kWide ? 2 : 3;
    const int schemes = columns == 1 ? kNarrowSchemes : columns == 2 ? kSchemes : kWideSchemes;
    m_schemes->setFixedWidth(schemes);
    m_schemes->setColumns(columns);
    m_preview->setRoom(size.height() < kLow        ? kLowPreview
                           : size.height() < kHigh ? kPreview
                                                   : kHighPreview);
}

void SetupPage::resizeEvent(QResizeEvent* event)
{
    fitTo(event->size());
    Page::resizeEvent(event);
}

} // namespace app
