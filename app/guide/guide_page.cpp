#include "app/guide/guide_page.h"

#include "app/ui/controls.h"
#include "app/ui/text.h"
#include "profiler/report/guide.h"

#include <QAbstractTextDocumentLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace app {
namespace {

constexpr int kListWidth = 220, kRowHeight = 28, kTextWidth = 880;

// What a chapter is about. The first page of a chapter is the one that it can open, if that page
// needs no run.
struct About
{
    const char *chapter, *page;
    bool opens = false;
};
constexpr About kAbout[] = {
    {"first-run", "setup", true},    {"reading-the-timeline", "run"},
    {"comparing", "runs", true},     {"comparing", "compare"},
    {"recording-traces", "import"},  {"memory-and-bpipe", "estimator", true},
    {"memory-and-bpipe", "memory"},  {"choosing-a-scheme", "whatif"},
    {"choosing-a-scheme", "layout"}, {"searching", "search", true},
    {"searching", "editor"},         {"studies", "study", true},
    {"cluster", "cluster", true},
};

// The text of a chapter. Long lines are hard to read, so a wide window leaves room beside it.
class ChapterText : public QTextBrowser
{
protected:
    void resizeEvent(QResizeEvent* event) override
    {
        setLineWrapColumnOrWidth(std::min(kTextWidth, viewport()->width()));
        QTextBrowser::resizeEvent(event);
    }
};

QListWidgetItem* addRow(QListWidget& list, const QString& text)
{
    auto* item = new QListWidgetItem(text, &list);
    item->setSizeHint({0, kRowHeight});
    return item;
}

QLayout* padded(QWidget* list)
{
    return spaced(new QVBoxLayout, {8, 4, 8, 4}, 0, {{list, 1}});
}

// The guide: its chapters, the text of one of them, and its sections. The request's text, or the
// kind of the page that asks for help, selects the chapter.
class GuidePage : public Page
{
public:
    explicit GuidePage(const ThemeController& theme)
        : m_theme(theme)
    {
        m_search->setPlaceholderText(tr("Search the guide"));
        m_search->setClearButtonEnabled(true);
        for (const profiler::Chapter& chapter : m_guide)
            addRow(*m_chapters, QString::fromStdString(chapter.title));
        for (QListWidget* list : {m_chapters, m_sections})
            list->setFrameShape(QFrame::NoFrame);
        m_text->setFrameShape(QFrame::NoFrame);
        m_text->setOpenLinks(false);
        m_text->document()->setDocumentMargin(24);
        m_text->setLineWrapMode(QTextEdit::FixedPixelWidth);

        auto* chapters = makeSurface("plain");
        chapters->setFixedWidth(kListWidth);
        auto* bar = spaced(new QVBoxLayout, {12, 10, 12, 10}, 0, {m_search});
        spaced(new QVBoxLayout(chapters), {}, 0, {bar, {padded(m_chapters), 1}});
        auto* sections = makeSurface("plain");
        sections->setFixedWidth(kListWidth);
        auto* foot = spaced(new QVBoxLayout, {12, 10, 12, 10}, 0, {m_show});
        spaced(new QVBoxLayout(sections), {}, 0,
               {makeBar(40, 8, {makeLabel(tr("On this page"), "dock"), kStretch}),
                {padded(m_sections), 1},
                foot});
        spaced(new QHBoxLayout(this), {}, 0,
               {chapters, makeLine(Qt::Vertical), {m_text, 1}, makeLine(Qt::Vertical), sections});

        auto* find = makeAction("findInGuide", tr("Find"), QKeySequence::Find, [this] {
            m_search->setFocus();
            m_search->selectAll();
        });
        auto* shownSections = makeAction("guideOutline", tr("On this page"), {});
        shownSections->setCheckable(true);
        connect(shownSections, &QAction::toggled, sections, &QWidget::setVisible);
        foldBelow(900, *shownSections);
        m_search->setToolTip(find->toolTip());
        connect(m_chapters, &QListWidget::currentRowChanged, this, &GuidePage::open);
        connect(m_search, &QLineEdit::textChanged, this, &GuidePage::search);
        connect(m_search, &QLineEdit::returnPressed, this, [this] {
            if (!m_text->find(m_search->text())) { // begin again at the top
                m_text->moveCursor(QTextCursor::Start);
                m_text->find(m_search->text());
            }
        });
        connect(m_sections, &QListWidget::currentItemChanged, this,
                [this](const QListWidgetItem* item) {
                    if (item == nullptr)
                        return;
                    const QTextBlock block
                        = m_text->document()->findBlockByNumber(item->data(Qt::UserRole).toInt());
                    m_text->verticalScrollBar()->setValue(static_cast<int>(
                        m_text->document()->documentLayout()->blockBoundingRect(block).top()));
                });
        connect(&theme, &ThemeController::changed, this,
                [this] { open(m_chapters->currentRow()); });
        setInitialFocus(m_text);
        m_chapters->setCurrentRow(0);
    }

    QString title() const override { return tr("Guide"); }

    void showRequest(const PageRequest& request) override
    {
        for (std::size_t i = 0; i < m_guide.size(); ++i)
            if (request.text.toStdString() == m_guide[i].name)
                m_chapters->setCurrentRow(static_cast<int>(i));
    }

    QJsonObject state() const override
    {
        const auto row = static_cast<std::size_t>(m_chapters->currentRow());
        const std::string_view name = row < m_guide.size() ? m_guide[row].name : "";
        return {{QStringLiteral("chapter"),
                 QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))}};
    }

    void restoreState(const QJsonObject& state) override
    {
        PageRequest request;
        request.text = state.value(QStringLiteral("chapter")).toString();
        showRequest(request);
    }

    QStringList statusTexts() const override
    {
        return {tr("<b>Guide</b>"), tr("%1 chapters").arg(m_guide.size()),
                tr("also bscope help, and resources/guide")};
    }

private:
    void open(int chapter)
    {
        if (chapter < 0 || chapter >= static_cast<int>(m_guide.size()))
            return;
        const profiler::Chapter& shown = m_guide[static_cast<std::size_t>(chapter)];
        m_text->document()->setMarkdown(QString::fromStdString(shown.text),
                                        QTextDocument::MarkdownDialectGitHub);
        decorate();
        listSections();
        m_text->moveCursor(QTextCursor::Start);
        const auto* about = std::ranges::find_if(
            kAbout, [&](const About& one) { return one.opens && shown.name == one.chapter; });
        m_show->setVisible(about != std::end(kAbout));
        if (!m_search->text().isEmpty())
            m_text->find(m_search->text());
    }

    // Gives code and tables the look of the theme.
    void decorate()
    {
        constexpr int kCodeGap = 10;
        const Chrome& chrome = m_theme.theme().chrome;
        const auto isCode = [](const QTextBlock& block) {
            return block.isValid() && block.blockFormat().hasProperty(QTextFormat::BlockCodeFence);
        };
        for (QTextBlock block = m_text->document()->begin(); block.isValid();
             block = block.next()) {
            QTextCursor cursor(block);
            QTextBlockFormat format = block.blockFormat();
            if (isCode(block)) {
                format.setBackground(chrome.hover);
                format.setNonBreakableLines(false); // in a narrow window, a long command wraps
                format.setBottomMargin(isCode(block.next()) ? 0 : kCodeGap);
                format.setLeftMargin(12);
                format.setRightMargin(12);
            } else if (format.headingLevel() > 1) {
                format.setTopMargin(20);
                format.setBottomMargin(6);
            } else {
                format.setLineHeight(135, QTextBlockFormat::ProportionalHeight);
            }
            cursor.setBlockFormat(format);
        }
        for (QTextFrame* frame : m_text->document()->rootFrame()->childFrames())
            if (auto* table = qobject_cast<QTextTable*>(frame)) {
                QTextTableFormat format = table->format();
                format.setCellPadding(6);
                format.setCellSpacing(0);
                format.setBorder(1);
                format.setBorderBrush(chrome.line);
                format.setBorderCollapse(true);
                table->setFormat(format);
            }
    }

    void listSections()
    {
        const QSignalBlocker blocker(m_sections);
        m_sections->clear();
        for (QTextBlock block = m_text->document()->begin(); block.isValid(); block = block.next())
            if (block.blockFormat().headingLevel() == 2) {
                addRow(*m_sections, block.text())->setData(Qt::UserRole, block.blockNumber());
            }
    }

    void search(const QString& text)
    {
        int first = -1;
        for (int i = 0; i < m_chapters->count(); ++i) {
            const QString chapter
                = QString::fromStdString(m_guide[static_cast<std::size_t>(i)].text);
            const bool has = text.isEmpty() || chapter.contains(text, Qt::CaseInsensitive);
            m_chapters->item(i)->setHidden(!has);
            if (has && first < 0)
                first = i;
        }
        const QListWidgetItem* current = m_chapters->currentItem();
        if (first >= 0 && (current == nullptr || current->isHidden()))
            m_chapters->setCurrentRow(first);
        else
            open(m_chapters->currentRow());
    }

    // That the chapter is about.
    void showPage()
    {
        const std::string_view name
            = m_guide[static_cast<std::size_t>(m_chapters->currentRow())].name;
        for (const About& one : kAbout)
            if (one.opens && name == one.chapter) {
                PageRequest request;
                request.kind = one.page;
                Q_EMIT pageRequested(request);
                return;
            }
    }

    const ThemeController& m_theme;
    std::vector<profiler::Chapter> m_guide{profiler::guide()};
    QLineEdit* m_search = named(new QLineEdit, "guideSearch", tr("Search the guide"));
    QListWidget *m_chapters = named(new QListWidget, "guideChapters", tr("Chapters")),
                *m_sections = named(new QListWidget, "guideSections", tr("On this page"));
    QTextBrowser* m_text = named(new ChapterText, "guideText", tr("Text of the chapter"));
    QPushButton* m_show
        = makeButton(tr("Show me"), "guideShow", "primary", this, [this] { showPage(); });
};

} // namespace

QString chapterAbout(const QString& page)
{
    for (const About& one : kAbout)
        if (page == QLatin1String(one.page))
            return QString::fromLatin1(one.chapter);
    return QString::fromLatin1(kAbout->chapter);
}

Page* makeGuide(const ThemeController& theme)
{
    return new GuidePage(theme);
}

} // namespace app
