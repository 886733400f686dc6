#pragma once

#include "app/ui/theme.h"

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QToolButton;

namespace app {

// The search bar below the toolbar, 36 px high: field, result, previous and next hit, buttons that
// add facets, and a button that selects all hits. The search itself is in FindController.
class FindBar : public QWidget
{
    Q_OBJECT

public:
    explicit FindBar(const ThemeController& theme, QWidget* parent = nullptr);

    QString text() const;
    void setText(const QString& text);
    void open(); // shows the bar with the cursor in the field
    void showHits(const QString& sentence);
    void showProblem(const QString& sentence); // outlines the field in the error colour

Q_SIGNALS:
    void searched(const QString& text); // the text was edited
    void stepped(int by);               // 1: Enter, next hit; -1: Shift+Enter, previous hit
    void allRequested();                // Ctrl+Enter or Alt+Enter
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class Tone { Normal, Problem };
    void say(const QString& sentence, Tone tone);
    void addFacets(QHBoxLayout& row);
    void addFacet(const QString& facet);

    QLineEdit* m_field;
    QLabel* m_answer;
    QWidget* m_facets;
    QToolButton *m_previous, *m_next;
    QPushButton* m_all;
};

} // namespace app
