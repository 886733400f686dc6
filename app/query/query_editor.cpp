#include "app/query/query_editor.h"

#include <QRegularExpression>
#include <QSyntaxHighlighter>

#include <utility>
#include <vector>

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

} // namespace

QueryEditor::QueryEditor(const ThemeController& theme, QWidget* parent)
    : QPlainTextEdit(parent)
{
    setFont(codeFont(13));
    setTabChangesFocus(true);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    auto* highlighter = new SqlHighlighter(theme, *this);
    connect(&theme, &ThemeController::changed, this, [highlighter] { highlighter->rehighlight(); });
}

void QueryEditor::insertName(const QString& name)
{
    QTextCursor cursor = textCursor();
    const QString before = cursor.block().text().left(cursor.positionInBlock());
    const bool needsSpace = !before.isEmpty()
        && (before.back().isLetterOrNumber() || before.back() == QLatin1Char('_')
            || before.back() == QLatin1Char('"') || before.back() == QLatin1Char(','));
    cursor.insertText(needsSpace ? QLatin1Char(' ') + name : name);
    setFocus();
}

void QueryEditor::replaceAll(const QString& sql)
{
    QTextCursor cursor(document());
    cursor.select(QTextCursor::Document);
    cursor.insertText(sql);
    setFocus();
}

} // namespace app
