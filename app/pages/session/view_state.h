#pragma once

class QJsonObject;

namespace app {

class Page;

// The look of a page, for the next start: sizes of the docks, which docks are open, chosen tabs,
// and the visible time of a run's timeline, from which its iteration follows.
QJsonObject viewState(const Page& page);

// Ignores parts that the page does not have (an older program may have written `state`). A run that
// is still being read gets its visible time when it is shown first.
void restoreView(Page& page, const QJsonObject& state);

} // namespace app
