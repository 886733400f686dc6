#pragma once

#include "app/models/theme.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace app {

// The bar under the toolbar, 36 px high, for writing a note: its subject and its text.
class NoteBar : public QWidget
{
    Q_OBJECT

public:
    explicit NoteBar(const ThemeController& theme, QWidget* parent = nullptr);

    void open(const QString& subject); // shows it, empty and focused

Q_SIGNALS:
    void written(const QString& words); // Enter; not empty
    void closed();                      // Esc, the cross, or after writing

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void write();

    QLabel* m_subject;
    QLineEdit* m_field;
};

} // namespace app
