#pragma once

#include "app/models/theme.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace app {

// The bar under the toolbar, 36 px high, in which a note is written: its subject and its text.
class NoteBar : public QWidget
{
    Q_OBJECT

public:
    explicit NoteBar(const ThemeController& theme, QWidget* parent = nullptr);

    void open(const QString& subject); // shows it, empty, with the cursor in the field

Q_SIGNALS:
    void written(const QString& words); // Enter; not empty
    void closed();                      // Esc, the cross, or after it was written

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void write();

    QLabel* m_subject;
    QLineEdit* m_field;
};

} // namespace app
