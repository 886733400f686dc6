#pragma once

#include <QStatusBar>
#include <QStringList>

class QHBoxLayout;
class QLabel;

namespace app {

// The status bar, 24 px high: facts at the left, separated by thin lines, and a sentence about the
// page at the right. Facts that do not fit appear only in the tooltip.
class StatusLine : public QStatusBar
{
    Q_OBJECT

public:
    explicit StatusLine(QWidget* parent = nullptr);

    void show(const QStringList& facts, const QString& note); // `facts` and `note` are rich text
    QString text() const;                                     // the whole text, for tests

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showFacts();
    void fit();

    QStringList m_shown; // the facts
    QWidget* m_facts;
    QHBoxLayout* m_row;
    QLabel* m_note;
};

} // namespace app
