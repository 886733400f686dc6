#include "app/query/query_page.h"

#include "app/query/query_editor.h"
#include "app/query/query_model.h"
#include "app/query/schema_tree.h"
#include "app/ui/band.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/numbers.h"
#include "app/ui/text.h"
#include "app/ui/themed_icon.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QSplitter>
#include <QVBoxLayout>

namespace app {
namespace {

constexpr int kTablesColumn = 300, kEditorHeight = 220, kResultRow = 24;
constexpr int kFirstRecipe = 1; // index of the first query: durations by kind and stage

QString textOf(std::string_view sql)
{
    return fromUtf8(sql).trimmed();
}

} // namespace

QueryPage::QueryPage(const ThemeController& theme, RunLibrary&,
                     std::shared_ptr<RunDocument> document, QWidget* parent)
    : Page(parent)
    , m_theme(theme)
    , m_document(std::move(document))
    , m_runner(m_document->file(), this)
    , m_model(new QueryModel(this))
    , m_schema(named(new SchemaTree, "schemaTree", tr("Tables of the run")))
    , m_editor(named(new QueryEditor(theme), "queryEditor", tr("Query")))
    , m_table(named(new DataTable(theme, kResultRow), "queryRows", tr("Rows of the query")))
    , m_band(named(new Band(theme, Band::Shape::State), "queryBand"))
    , m_recipes(named(new QComboBox, "queryRecipes", tr("Recipes")))
    , m_summary(named(makeLabel({}, "hint"), "querySummary"))
{
    setObjectName(QStringLiteral("queryPage"));
    makeActions();
    m_table->setModel(m_model);
    m_band->hide();
    auto* columns = makeSplitter(Qt::Horizontal);
    columns->addWidget(makeTables());
    columns->addWidget(makeQuery());
    columns->setStretchFactor(1, 1);
    columns->setSizes({kTablesColumn, 1300});
    spaced(new QVBoxLayout(this), {}, 0)->addWidget(columns);
    setInitialFocus(m_editor);
    connectAll();
    setQuery(textOf(profiler::queryRecipes()[kFirstRecipe].sql));
}

void QueryPage::makeActions()
{
    m_run
        = makeAction("runQuery", tr("Run the query"), Qt::CTRL | Qt::Key_Return, [this] { run(); });
    m_stop = makeAction("stopQuery", tr("Stop the query"), Qt::Key_Escape,
                        [this] { m_runner.cancel(); });
    m_copy = makeAction("copyRows", tr("Copy as CSV"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
                        [this] { copy(); });
    followTheme(m_run, Icon::Run, m_theme);
    followTheme(m_stop, Icon::Stop, m_theme);
    followTheme(m_copy, Icon::Copy, m_theme);
}

QWidget* QueryPage::makeTables()
{
    auto* filter = named(new QLineEdit, "schemaFilter", tr("Filter tables and columns"));
    filter->setPlaceholderText(tr("Filter tables and columns"));
    filter->setClearButtonEnabled(true);
    connect(filter, &QLineEdit::textChanged, m_schema, &SchemaTree::filter);
    auto* search = makeSurface("plain");
    spaced(new QVBoxLayout(search), {10, 8, 10, 8}, 0, {filter});
    QLabel* hint = makeLabel(tr("Double-click or Enter inserts a name"), "hint");
    hint->setContentsMargins(12, 8, 12, 8);
    hint->setWordWrap(true);
    hint->setTextFormat(Qt::PlainText);
    connect(m_schema, &SchemaTree::described, hint, [hint](const QString& text) {
        if (!text.isEmpty())
            hint->setText(text);
    });
    auto* column = makeSurface("plain");
    column->setMinimumWidth(220);
    spaced(new QVBoxLayout(column), {}, 0,
           {makeBar(40, 8, {makeLabel(tr("Tables"), "dock"), kStretch}),
            makeLine(Qt::Horizontal),
            search,
            {m_schema, 1},
            makeLine(Qt::Horizontal),
            hint});
    return column;
}

QWidget* QueryPage::makeQuery()
{
    for (const profiler::Recipe& recipe : profiler::queryRecipes())
        m_recipes->addItem(fromUtf8(recipe.title), textOf(recipe.sql));
    m_recipes->setCurrentIndex(kFirstRecipe);
    m_recipes->setFocusPolicy(Qt::TabFocus);
    m_recipes->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_recipes->setMinimumContentsLength(24);
    auto* bar = makeSurface("plain");
    bar->setFixedHeight(40);
    spaced(new QHBoxLayout(bar), {12, 0, 12, 0}, 8,
           {makeLabel(tr("Recipe"), "small"),
            {m_recipes, 1},
            makeActionButton(m_stop),
            makeActionButton(m_run)});
    auto* editor = makeSurface("plain");
    spaced(new QVBoxLayout(editor), {12, 0, 12, 10}, 0, {m_editor});
    auto* top = new QWidget;
    spaced(new QVBoxLayout(top), {}, 0, {bar, {editor, 1}, m_band});
    auto* head
        = makeBar(32, 8,
                  {makeLabel(tr("Rows"), "dock"), m_summary, kStretch,
                   makeButton(m_copy->text(), QStringLiteral("copyRowsButton"), "link", m_copy)});
    auto* bottom = makeSurface("plain");
    spaced(new QVBoxLayout(bottom), {}, 0, {head, makeLine(Qt::Horizontal), {m_table, 1}});
    auto* rows = makeSplitter(Qt::Vertical);
    rows->addWidget(top);
    rows->addWidget(bottom);
    rows->setStretchFactor(1, 1);
    rows->setSizes({kEditorHeight, 600});
    return rows;
}

void QueryPage::connectAll()
{
    connect(m_schema, &SchemaTree::chosen, m_editor, &QueryEditor::insertName);
    connect(m_recipes, &QComboBox::activated, this, [this](int recipe) {
        m_editor->replaceAll(m_recipes->itemData(recipe).toString());
        run();
    });
    for (const auto signal : {&RunDocument::runChanged, &RunDocument::stateChanged})
        connect(m_document.get(), signal, this, [this] {
            Q_EMIT titleChanged();
            readSchema();
        });
    connect(&m_runner, &QueryRunner::schemaRead, m_schema,
            qOverload<const QueryRunner::Schema&>(&SchemaTree::show));
    connect(&m_runner, &QueryRunner::finished, this, &QueryPage::showResult);
    connect(&m_runner, &QueryRunner::failed, this, &QueryPage::showFailure);
}

// The file of a run that is queued or starting does not exist yet.
void QueryPage::readSchema()
{
    if (m_schema->topLevelItemCount() == 0)
        m_runner.readSchema();
}

QString QueryPage::query() const
{
    return m_editor->toPlainText();
}

void QueryPage::setQuery(const QString& query)
{
    if (query == this->query())
        return;
    m_editor->setPlainText(query);
    run();
}

void QueryPage::run()
{
    readSchema();
    m_runner.start(query());
    showRunning(true);
}

void QueryPage::showRunning(bool isRunning)
{
    m_stop->setEnabled(isRunning);
    m_copy->setEnabled(!isRunning && m_model->result() != nullptr);
    if (isRunning)
        m_summary->setText(tr("running"));
    Q_EMIT statusChanged();
}

void QueryPage::showResult(const QueryRunner::Result& result)
{
    m_band->hide();
    m_model->show(result);
    const auto rows = static_cast<std::int64_t>(result->rows.size());
    m_summary->setText(tr("%1 in %2")
                           .arg(countOf(rows, "row"),
                                scaleIn(Unit::Millisecond, 0).withUnit(1e9 * result->seconds)));
    if (result->isCut)
        m_band->show(Band::Kind::Warning,
                     tr("Only the first %1 are shown.").arg(countOf(rows, "row")),
                     tr("Select fewer rows with WHERE or LIMIT."));
    showRunning(false);
}

void QueryPage::showFailure(const QString& reason)
{
    m_model->show(nullptr);
    m_summary->clear();
    m_band->show(Band::Kind::Error, tr("No rows."), capitalized(reason) + QLatin1Char('.'));
    showRunning(false);
}

void QueryPage::copy()
{
    QGuiApplication::clipboard()->setText(m_model->csv());
    m_summary->setText(
        tr("%1 copied").arg(countOf(static_cast<std::int64_t>(m_model->rowCount()), "row")));
}

QString QueryPage::title() const
{
    return tr("SQL: %1").arg(m_document->title());
}

QStringList QueryPage::statusTexts() const
{
    const profiler::QueryLimits limits;
    return {tr("<b>Read-only</b> %1").arg(m_document->title().toHtmlEscaped()),
            tr("at most %1, %2 s")
                .arg(countOf(limits.rows, "row"))
                .arg(std::chrono::duration_cast<std::chrono::seconds>(limits.time).count())};
}

QString QueryPage::statusNote() const
{
    return m_summary->text();
}

QList<QAction*> QueryPage::menuActions(Menu menu) const
{
    if (menu == Menu::Run)
        return {m_run, m_stop};
    return menu == Menu::Export ? QList<QAction*>{m_copy} : QList<QAction*>();
}

QJsonObject QueryPage::state() const
{
    QJsonObject state = Page::state();
    state.insert(QStringLiteral("query"), query());
    return state;
}

void QueryPage::restoreState(const QJsonObject& state)
{
    Page::restoreState(state);
    if (const QJsonValue text = state.value(QStringLiteral("query")); text.isString())
        setQuery(text.toString());
}

} // namespace app
