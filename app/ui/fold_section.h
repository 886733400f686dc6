#pragma once

#include <QWidget>

class QPushButton;
class QVBoxLayout;

namespace app {

// A section that is opened and closed by clicking its title line.
class FoldSection : public QWidget
{
    Q_OBJECT

public:
    // `title` names the content: "More costs".
    FoldSection(QString title, const QString& objectName, QWidget* parent = nullptr);

    QVBoxLayout& rows() { return *m_rows; }
    bool isOpen() const;
    void setOpen(bool open);

private:
    QString m_title;
    QPushButton* m_button;
    QWidget* m_content;
    QVBoxLayout* m_rows;
};

} // namespace app
