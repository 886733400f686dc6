#pragma once

#include <QString>

#include <functional>

class QDialog;
class QWidget;

namespace app {

// Asks what to do with unsaved changes. `what` is the name of what changed: "mine.csv"; `changes`
// is the number of steps since it was saved; 0: unknown. Returns whether they may be lost: the user
// discards them, or `save` has saved them.
QDialog* makeUnsavedDialog(const QString& what, int changes, QWidget* parent = nullptr);
bool mayDiscard(const QString& what, int changes, QWidget* parent,
                const std::function<bool()>& save);

} // namespace app
