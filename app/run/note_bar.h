#pragma once

#include "app/ui/theme.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace app {

// The bar for writing a note, below the toolbar and 36 px high: the note's subject and its text.
class NoteBar : public QWidget
{
    Q_OBJECT

public:
    explicit NoteBar(const ThemeController& theme, QWidget* parent = nullptr);

    void open(const QString& subject); // shows the bar, empty and with the focus

Q_SIGNALS:
    void written(const QString& text); // Enter was pressed; `text` is not empty
    void closed();                     // emitted after Esc, the close button, or writing

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void write();

    QLabel* m_subject;
    QLineEdit* m_field;
};

} // namespace app
