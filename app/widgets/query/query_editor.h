#pragma once

#include "app/models/theme.h"

#include <QPlainTextEdit>

namespace app {

// The text of a query. Keywords are bold, texts and comments muted. Tab moves the focus.
class QueryEditor : public QPlainTextEdit
{
    Q_OBJECT

public:
    explicit QueryEditor(const ThemeController& theme, QWidget* parent = nullptr);

    void insertName(const QString& name); // at the cursor, apart from the word before it
    void replaceAll(const QString& sql);  // can be undone
};

} // namespace app
