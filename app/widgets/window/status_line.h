#pragma once

#include <QStatusBar>
#include <QStringList>

class QHBoxLayout;
class QLabel;

namespace app {

// The status bar, 24 high: facts with thin lines between them at the left, the page's one sentence
// at the right. Where there is no room for all, the last facts are left out whole, and the tool tip
// has them.
class StatusLine : public QStatusBar
{
    Q_OBJECT

public:
    explicit StatusLine(QWidget* parent = nullptr);

    void show(const QStringList& facts, const QString& note); // rich text
    QString text() const;                                     // all of it, for tests

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    QWidget* m_facts;
    QHBoxLayout* m_row;
    QLabel* m_note;
};

} // namespace app
