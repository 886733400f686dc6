#include "app/query/query_page.h"

#include "app/ui/background.h"
#include "app/ui/controls.h"
#include "app/ui/data_table.h"
#include "app/ui/text.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSplitter>
#include <QString>
#include <QSyntaxHighlighter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

namespace app {
namespace {
class SqlHighlighter : public QSyntaxHighlighter
{
public:
    SqlHighlighter(const ThemeController& theme, const QPlainTextEdit& editor)
        : QSyntaxHighlighter(editor.document())
        , m_theme(theme)
        , m_keywords(QStringLiteral(
                         "\\b(?:SELECT|FROM|WHERE|JOIN|LEFT|INNER|ON|USING|GROUP|ORDER|BY|AS|AND|"
                         "OR|NOT|IN|IS|NULL|LIKE|BETWEEN|CASE|WHEN|THEN|ELSE|END|LIMIT|OFFSET|"
                         "WITH|RECURSIVE|UNION|ALL|DISTINCT|HAVING|OVER|PARTITION|DESC|ASC|"
                         "VALUES|EXISTS)\\b"),
                     QRegularExpression::CaseInsensitiveOption)
    { }

protected:
    void highlightBlock(const QString& text) override
    {
        QTextCharFormat keyword, muted;
        keyword.setFontWeight(QFont::Bold);
        muted.setForeground(m_theme.theme().chrome.text2);
        mark(text, m_keywords, keyword);
        static const QRegularExpression names(QStringLiteral("\"[^\"]*\""));
        static const QRegularExpression quiet(QStringLiteral("'[^']*'|--.*$"));
        mark(text, names, QTextCharFormat());
        mark(text, quiet, muted);
    }

private:
    void mark(const QString& text, const QRegularExpression& pattern, const QTextCharFormat& look)
    {
        auto matches = pattern.globalMatch(text);
        while (matches.hasNext()) {
            const auto match = matches.next();
            setFormat(static_cast<int>(match.capturedStart()),
                      static_cast<int>(match.capturedLength()), look);
        }
    }

    const ThemeController& m_theme;
    QRegularExpression m_keywords;
};

// The text of a query. Keywords are bold; string literals and comments are muted. Tab moves the
// focus.
class QueryEditor : public QPlainTextEdit
{
public:
    explicit QueryEditor(const ThemeController& theme)
    {
        setFont(codeFont(13));
        setTabChangesFocus(true);
        setLineWrapMode(QPlainTextEdit::NoWrap);
        auto* highlighter = new SqlHighlighter(theme, *this);
        connect(&theme, &ThemeController::changed, this,
                [highlighter] { highlighter->rehighlight(); });
    }

    // Inserts at the cursor, separated from the word before it.
    void insertName(const QString& name)
    {
        QTextCursor cursor = textCursor();
        const QString before = cursor.block().text().left(cursor.positionInBlock());
        const bool needsSpace = !before.isEmpty()
            && (before.back().isLetterOrNumber() || before.back() == QLatin1Char('_')
                || before.back() == QLatin1Char('"') || before.back() == QLatin1Char(','));
        cursor.insertText(needsSpace ? QLatin1Char(' ') + name : name);
        setFocus();
    }

    // Can be undone.
    void replaceAll(const QString& sql)
    {
        QTextCursor cursor(document());
        cursor.select(QTextCursor::Document);
        cursor.insertText(sql);
        setFocus();
    }
};

using profiler::QueryValue;
constexpr qsizetype kLongestCell = 120; // characters

// Formats numbers as in SQL, with a decimal point and without thousands separators.
QString plainText(const QueryValue& value)
{
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return QString::number(*integer);
    if (const auto* real = std::get_if<double>(&value))
        return QString::number(*real, 'g', 15);
    if (const auto* text = std::get_if<std::string>(&value))
        return QString::fromStdString(*text);
    return {};
}

constexpr int kTextRole = Qt::UserRole, kNameRole = Qt::UserRole + 1;

// Quotes names that are SQL keywords, such as the columns `begin` and `end`, or that are not
// identifiers.
QString inSql(const QString& name)
{
    static const QRegularExpression plain(QStringLiteral("^[A-Za-z_][A-Za-z0-9_]*$"));
    static const QStringList keywords{QStringLiteral("begin"), QStringLiteral("end"),
                                      QStringLiteral("group"), QStringLiteral("order")};
    return plain.match(name).hasMatch() && !keywords.contains(name.toLower())
        ? name
        : QLatin1Char('"') + name + QLatin1Char('"');
}

QTreeWidgetItem* makeItem(const QString& name, const QString& second, const QString& tip)
{
    auto* item = new QTreeWidgetItem({name, second});
    item->setData(0, kNameRole, name);
    item->setData(0, kTextRole, tip.isEmpty() ? name : name + QStringLiteral(": ") + tip);
    if (!tip.isEmpty())
        for (const int column : {0, 1})
            item->setData(column, Qt::ToolTipRole, toolTipText(tip));
    return item;
}

QString columnTip(const profiler::SchemaTable::Column& column)
{
    QStringList parts;
    for (const std::string_view text : {column.meaning, column.unit})
        if (!text.empty())
            parts.append(fromUtf8(text));
    return parts.join(QStringLiteral("; "));
}

// The tables of a run and their columns, with a description of each.
class SchemaTree : public QTreeWidget
{
public:
    SchemaTree()
    {
        setColumnCount(2);
        setHeaderHidden(true);
        setFrameShape(QFrame::NoFrame);
        setUniformRowHeights(true);
        setIndentation(14);
        header()->setStretchLastSection(false);
        header()->setSectionResizeMode(0, QHeaderView::Stretch);
        header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
        // A double click inserts the name of a table; its arrow or a key expands it.
        setExpandsOnDoubleClick(false);
        connect(this, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) {
            chosen(inSql(item->data(0, kNameRole).toString()));
        });
        connect(this, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* item) {
            described(item == nullptr ? QString() : item->data(0, kTextRole).toString());
        });
    }

    void show(const std::vector<profiler::SchemaTable>& tables)
    {
        clear();
        for (const profiler::SchemaTable& table : tables) {
            QTreeWidgetItem* top = makeItem(fromUtf8(table.name), {}, fromUtf8(table.holds));
            for (const auto& column : table.columns)
                top->addChild(
                    makeItem(fromUtf8(column.name),
                             fromUtf8(column.type).section(QLatin1Char(' '), 0, 0).toLower(),
                             columnTip(column)));
            addTopLevelItem(top);
        }
    }

    using QTreeWidget::show;

    // Keeps the tables and columns whose name or description contains `text`.
    void filter(const QString& text)
    {
        const auto matches = [&](const QTreeWidgetItem* item) {
            return item->data(0, kTextRole).toString().contains(text, Qt::CaseInsensitive);
        };
        for (int i = 0; i < topLevelItemCount(); ++i) {
            QTreeWidgetItem* table = topLevelItem(i);
            bool hasColumn = false;
            for (int k = 0; k < table->childCount(); ++k) {
                const bool isShown = matches(table) || matches(table->child(k));
                table->child(k)->setHidden(!isShown);
                hasColumn = hasColumn || matches(table->child(k));
            }
            table->setHidden(!matches(table) && !hasColumn);
            table->setExpanded(!text.isEmpty() && hasColumn);
        }
    }

    // A table or column was chosen; its name is quoted if necessary.
    std::function<void(const QString& name)> chosen;
    std::function<void(const QString& text)> described; // of the current table or column
};

constexpr int kTablesColumn = 300, kEditorHeight = 220, kResultRow = 24;
constexpr int kFirstRecipe = 1; // index of the first query: durations by kind and stage

QString textOf(std::string_view sql)
{
    return fromUtf8(sql).trimmed();
}

// A read-only SQL console for the file of a run, with the tables at the left and the query above
// its rows. A new query cancels the running one; the page never waits for a query.
class QueryPage : public Page
{
public:
    QueryPage(const ThemeController& theme, std::shared_ptr<RunDocument> document)
        : m_theme(theme)
        , m_document(std::move(document))
    {
        setObjectName(QStringLiteral("queryPage"));
        makeActions();
        m_band->hide();
        inMenu(Menu::Run, {m_run, m_stop});
        inMenu(Menu::Export, {m_copy});
        spaced(new QVBoxLayout(this), {}, 0,
               {makeSplitter(Qt::Horizontal,
                             {{makeTables(), kTablesColumn}, {makeQuery(), 1300, 1}})});
        setInitialFocus(m_editor);
        connectAll();
        setQuery(textOf(profiler::queryRecipes()[kFirstRecipe].sql));
    }

    ~QueryPage() override
    {
        if (m_isCancelled)
            *m_isCancelled = true;
    }

    QString title() const override { return tr("SQL: %1").arg(m_document->title()); }

    QStringList statusTexts() const override
    {
        const profiler::QueryLimits limits;
        return {tr("<b>Read-only</b> %1").arg(m_document->title().toHtmlEscaped()),
                tr("at most %1, %2 s")
                    .arg(countOf(limits.rows, "row"))
                    .arg(std::chrono::duration_cast<std::chrono::seconds>(limits.time).count())};
    }

    QString statusNote() const override { return m_summary->text(); }

    const RunDocument* document() const override { return m_document.get(); }

    QJsonObject state() const override { return {{QStringLiteral("query"), query()}}; }

    void restoreState(const QJsonObject& state) override
    {
        if (const QJsonValue text = state.value(QStringLiteral("query")); text.isString())
            setQuery(text.toString());
    }

    QString query() const { return m_editor->toPlainText(); }

    // Runs it if it differs from query().
    void setQuery(const QString& query)
    {
        if (query == this->query())
            return;
        m_editor->setPlainText(query);
        run();
    }

private:
    QWidget* makeTables()
    {
        auto* filter = named(new QLineEdit, "schemaFilter", tr("Filter tables and columns"));
        filter->setPlaceholderText(tr("Filter tables and columns"));
        filter->setClearButtonEnabled(true);
        connect(filter, &QLineEdit::textChanged, m_schema, &SchemaTree::filter);
        auto* search = makeColumn({10, 8, 10, 8}, 0, {filter});
        QLabel* hint = makeLabel(tr("Double-click or Enter inserts a name"), "hint");
        hint->setContentsMargins(12, 8, 12, 8);
        hint->setWordWrap(true);
        hint->setTextFormat(Qt::PlainText);
        m_schema->described = [hint](const QString& text) {
            if (!text.isEmpty())
                hint->setText(text);
        };
        auto* column = makeColumn({}, 0,
                                  {makeBar(40, 8, {makeLabel(tr("Tables"), "dock"), kStretch}),
                                   makeLine(Qt::Horizontal),
                                   search,
                                   {m_schema, 1},
                                   makeLine(Qt::Horizontal),
                                   hint});
        column->setMinimumWidth(220);
        return column;
    }

    QWidget* makeQuery()
    {
        for (const profiler::Recipe& recipe : profiler::queryRecipes())
            m_recipes->addItem(fromUtf8(recipe.title), textOf(recipe.sql));
        m_recipes->setCurrentIndex(kFirstRecipe);
        m_recipes->setFocusPolicy(Qt::TabFocus);
        m_recipes->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        m_recipes->setMinimumContentsLength(24);
        auto* bar = makeRow({12, 0, 12, 0}, 8,
                            {makeLabel(tr("Recipe"), "small"),
                             {m_recipes, 1},
                             makeActionButton(m_stop),
                             makeActionButton(m_run)});
        bar->setFixedHeight(40);
        auto* editor = makeColumn({12, 0, 12, 10}, 0, {m_editor});
        auto* top = makeColumn({}, 0, {bar, {editor, 1}, m_band}, "");
        auto* head = makeBar(32, 8,
                             {makeLabel(tr("Rows"), "dock"), m_summary, kStretch,
                              makeButton(m_copy, "copyRowsButton", "link")});
        auto* bottom = makeLined({head, {m_rows, 1}});
        auto* rows = makeSplitter(Qt::Vertical);
        rows->addWidget(top);
        rows->addWidget(bottom);
        rows->setStretchFactor(1, 1);
        rows->setSizes({kEditorHeight, 600});
        return rows;
    }

    void makeActions()
    {
        m_run = makeAction("runQuery", tr("Run the query"), Qt::CTRL | Qt::Key_Return,
                           [this] { run(); });
        m_stop = makeAction("stopQuery", tr("Stop the query"), Qt::Key_Escape,
                            [this] { *m_isCancelled = true; });
        m_copy = makeAction("copyRows", tr("Copy as CSV"), Qt::CTRL | Qt::SHIFT | Qt::Key_C,
                            [this] { copy(); });
        followTheme(m_run, Icon::Run, m_theme);
        followTheme(m_stop, Icon::Stop, m_theme);
        followTheme(m_copy, Icon::Copy, m_theme);
    }

    void connectAll()
    {
        m_schema->chosen = [this](const QString& name) { m_editor->insertName(name); };
        connect(m_recipes, &QComboBox::activated, this, [this](int recipe) {
            m_editor->replaceAll(m_recipes->itemData(recipe).toString());
            run();
        });
        for (const auto signal : {&RunDocument::runChanged, &RunDocument::stateChanged})
            connect(m_document.get(), signal, this, [this] {
                Q_EMIT titleChanged();
                readSchema();
            });
    }

    // does nothing if it is known
    // The file of a run that is queued or starting does not exist yet.
    void readSchema()
    {
        if (m_schema->topLevelItemCount() > 0)
            return;
        m_background.run(
            [file = m_document->file().toStdString()] { return profiler::schemaOf(file); },
            [this](const engine::Result<std::vector<profiler::SchemaTable>>& schema) {
                if (schema)
                    m_schema->show(*schema);
                else
                    showFailure(fromUtf8(schema.error().message));
            });
    }

    void run()
    {
        readSchema();
        if (m_isCancelled)
            *m_isCancelled = true;
        m_isCancelled = std::make_shared<std::atomic<bool>>(false);
        m_background.run(
            [file = m_document->file().toStdString(), sql = query().toStdString(),
             isCancelled = m_isCancelled] {
                return profiler::runQuery(file, sql, {},
                                          [isCancelled] { return isCancelled->load(); });
            },
            [this, isCancelled = m_isCancelled](engine::Result<profiler::QueryResult> result) {
                if (isCancelled != m_isCancelled)
                    return; // of an earlier query
                m_isCancelled.reset();
                if (result)
                    showResult(*std::move(result));
                else
                    showFailure(fromUtf8(result.error().message));
            });
        showRunning(true);
    }

    void showResult(profiler::QueryResult result)
    {
        m_band->hide();
        auto columns = queryColumns(result);
        m_rows->show(std::move(columns), std::move(result.rows));
        const std::int64_t rows = m_rows->rows().rowCount();
        m_summary->setText(tr("%1 in %2")
                               .arg(countOf(rows, "row"),
                                    scaleIn(Unit::Millisecond, 0).withUnit(1e9 * result.seconds)));
        if (result.isCut)
            m_band->show(Band::Kind::Warning,
                         tr("Only the first %1 are shown.").arg(countOf(rows, "row")),
                         tr("Select fewer rows with WHERE or LIMIT."));
        showRunning(false);
    }

    void showFailure(const QString& reason)
    {
        m_rows->show({}, {});
        m_summary->clear();
        m_band->show(Band::Kind::Error, tr("No rows."), capitalized(reason) + QLatin1Char('.'));
        showRunning(false);
    }

    void showRunning(bool isRunning)
    {
        m_stop->setEnabled(isRunning);
        m_copy->setEnabled(!isRunning && m_rows->rows().columnCount() > 0);
        if (isRunning)
            m_summary->setText(tr("running"));
        Q_EMIT statusChanged();
    }

    void copy()
    {
        copyText(queryCsv(m_rows->rows()));
        m_summary->setText(tr("%1 copied").arg(countOf(m_rows->rows().rowCount(), "row")));
    }

    const ThemeController& m_theme;
    std::shared_ptr<RunDocument> m_document;
    Background m_background{this};
    std::shared_ptr<std::atomic<bool>> m_isCancelled; // of the running query; nullptr: none runs
    SchemaTree* m_schema = named(new SchemaTree, "schemaTree", tr("Tables of the run"));
    QueryEditor* m_editor = named(new QueryEditor(m_theme), "queryEditor", tr("Query"));
    RowTable<QueryRow>* m_rows
        = new RowTable<QueryRow>(m_theme, kResultRow, "queryRows", tr("Rows of the query"));
    Band* m_band = named(new Band(m_theme, Band::Shape::State), "queryBand");
    QComboBox* m_recipes = named(new QComboBox, "queryRecipes", tr("Recipes"));
    QLabel* m_summary = named(makeLabel({}, "hint"), "querySummary");
    QAction *m_run, *m_stop, *m_copy;
};

} // namespace

std::vector<TableColumn<QueryRow>> queryColumns(const profiler::QueryResult& result)
{
    std::vector<TableColumn<QueryRow>> columns;
    for (std::size_t i = 0; i < result.columns.size(); ++i) {
        const auto isNull
            = [i](const QueryRow& row) { return std::holds_alternative<std::monostate>(row[i]); };
        const auto isText
            = [i](const QueryRow& row) { return std::holds_alternative<std::string>(row[i]); };
        const auto text = [i, isNull](const QueryRow& row) {
            const QString full = isNull(row) ? QStringLiteral("NULL") : plainText(row[i]);
            const QString shown = full.left(kLongestCell + 1).simplified();
            return shown.size() > kLongestCell ? shown.left(kLongestCell) + QChar(0x2026) : shown;
        };
        const auto tip = [i](const QueryRow& row) {
            const QString full = plainText(row[i]);
            return full.size() > kLongestCell ? QVariant(full) : QVariant();
        };
        // The first value that is not NULL decides about the alignment.
        const auto first = std::ranges::find_if_not(result.rows, isNull);
        const bool isOfNumbers = first != result.rows.end() && !isText(*first);
        columns.push_back(TableColumn<QueryRow>(fromUtf8(result.columns[i]), text,
                                                isOfNumbers ? Qt::AlignRight : Qt::AlignLeft)
                              .with(Qt::ToolTipRole, tip)
                              .with(kHintRole, isNull)
                              .with(kCodeRole, isText));
    }
    return columns;
}

QString queryCsv(const TableModel<QueryRow>& model)
{
    QStringList cells, lines;
    for (int column = 0; column < model.columnCount(); ++column)
        cells.append(quotedCell(model.headerData(column, Qt::Horizontal).toString()));
    lines.append(cells.join(QLatin1Char(',')));
    for (int row = 0; row < model.rowCount(); ++row) {
        cells.clear();
        for (const QueryValue& value : model.at(row))
            cells.append(quotedCell(plainText(value)));
        lines.append(cells.join(QLatin1Char(',')));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

Page* makeQuery(const ThemeController& theme, RunLibrary& /*library*/,
                const std::shared_ptr<RunDocument>& document)
{
    return new QueryPage(theme, document);
}

} // namespace app
