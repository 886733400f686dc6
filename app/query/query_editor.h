#pragma once

#include "app/ui/theme.h"

#include <QPlainTextEdit>

namespace app {

// The text of a query. Keywords are bold; string literals and comments are muted. Tab moves the
// focus.
class QueryEditor : public QPlainTextEdit
{
    Q_OBJECT

public:
    explicit QueryEditor(const ThemeController& theme, QWidget* parent = nullptr);

    // Inserts at the cursor, separated from the word before it.
    void insertName(const QString& name);
    void replaceAll(const QString& sql); // can be undone
};

} // namespace app
