#pragma once

#include <QLabel>

namespace app {

// Makes a label that wraps and shows HTML of this program. Texts of files must be escaped, as
// richSentence() does.
QLabel* makeRichLabel(const QString& html);

} // namespace app
