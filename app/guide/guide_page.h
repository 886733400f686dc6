#pragma once

#include "app/shell/page.h"
#include "profiler/report/guide.h"

class QLineEdit;
class QListWidget;
class QPushButton;
class QTextBrowser;

namespace app {

// The guide: its chapters, the text of one of them, and its sections. The request's text, or the
// kind of the page that asks for help, selects the chapter.
class GuidePage : public Page
{
    Q_OBJECT

public:
    explicit GuidePage(ThemeController& theme, QWidget* parent = nullptr);

    // The chapter about a page, by PageKind::name; the first chapter if none is about it.
    static QString chapterAbout(const QString& page);

    QString title() const override { return tr("Guide"); }
    void showRequest(const PageRequest& request) override;
    QJsonObject state() const override;
    void restoreState(const QJsonObject& state) override;
    QStringList statusTexts() const override;

private:
    void open(int chapter);
    void decorate(); // gives code and tables the look of the theme
    void listSections();
    void search(const QString& text);
    void showPage(); // that the chapter is about

    ThemeController& m_theme;
    std::vector<profiler::Chapter> m_guide;
    QLineEdit* m_search;
    QListWidget *m_chapters, *m_sections;
    QTextBrowser* m_text;
    QPushButton* m_show;
};

} // namespace app
