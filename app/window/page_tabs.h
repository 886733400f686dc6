#pragma once

#include "app/shell/page.h"
#include "app/ui/controls.h"
#include "app/ui/theme.h"

#include <QWidget>

#include <functional>

class QPushButton;
class QTabBar;
class QToolButton;
class QStackedWidget;

namespace app {

// The row of tabs of a window, a notice below it, and the page of the current tab. Closable tabs
// have a close button; "+" follows the last tab. The first page that is added must not be closable,
// so that there is always a current one. GUI thread only.
class PageTabs : public QWidget
{
    Q_OBJECT

public:
    explicit PageTabs(const ThemeController& theme);
    ~PageTabs() override; // emits nothing more

    Page* current() const;
    QList<Page*> pages() const; // from left to right
    struct Action
    {
        QString text;
        std::function<void()> run; // called after the notice is hidden
    };
    // Shows a notice above the pages, such as which files were exported or not found. It stays
    // until the user closes it or another notice replaces it.
    void say(Band::Kind kind, const QString& bold, const QString& sentence,
             const Action& action = {});

    void add(Page* page); // takes ownership and makes the page current
    void makeCurrent(Page* page);
    void step(int by); // moves `by` tabs to the right, wrapping around; < 0: left
    // Makes the first page for which `isIt` is true current; returns false if there is none.
    bool showIf(const std::function<bool(Page*)>& isIt);
    bool close(Page* page); // returns false if the page is not closable or the user cancelled
    // Asks every closable page, the last one first, whether it may be closed. Stops at the first
    // that refuses and makes it current. Fields first store the text that is typed.
    bool mayCloseAll();

Q_SIGNALS:
    void currentChanged(app::Page* page);
    void newRequested();

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override; // of the bar

private:
    QWidget* makeStrip();
    QWidget* makeNotice();
    void addCloseButton(Page* page, int index);
    void updateIcons();
    void fitBar();
    void show(int index);
    Page* page(int index) const;

    const ThemeController& m_theme;
    QTabBar* m_bar;
    QToolButton* m_plus;
    Band* m_notice;
    QPushButton* m_noticeAction;
    std::function<void()> m_runNoticeAction;
    QWidget* m_noticeBar;
    QStackedWidget* m_stack;
};

} // namespace app
