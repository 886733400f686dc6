#pragma once

#include "app/ui/theme.h"

#include <QWidget>

class QTabBar;
class QToolButton;

namespace app {

// The row of tabs, 36 px high. The current tab is joined to the page below it; closable tabs have a
// close button; "+" follows the last tab.
class TabStrip : public QWidget
{
    Q_OBJECT

public:
    enum class Closing { Fixed, Allowed };

    explicit TabStrip(const ThemeController& theme, QWidget* parent = nullptr);

    int addTab(const QString& title, Closing closing);
    void removeTab(int index);
    void setTitle(int index, const QString& title);
    int current() const;
    void setCurrent(int index);
    int count() const;
    QTabBar* bar() const { return m_bar; }

Q_SIGNALS:
    void currentChanged(int index);
    void closeRequested(int index);
    void newRequested();

protected:
    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void addCloseButton(int index);
    void updateIcons();
    void fitBar();

    const ThemeController& m_theme;
    QTabBar* m_bar;
    QToolButton* m_plus;
};

} // namespace app
