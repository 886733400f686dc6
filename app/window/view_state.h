#pragma once

class QJsonObject;

namespace app {

class Page;

// Returns the state that a page has again after the next start: sizes of the docks, which docks are
// open, chosen tabs, the look and the visible time of a run's timeline, and the query of an SQL
// console.
QJsonObject viewState(const Page& page);

// Restores the state of a page. Ignores parts that the page does not have, because an older program
// may have written `state`. If the run is still being read, its visible time is set when it is
// first shown.
void restoreView(Page& page, const QJsonObject& state);

} // namespace app
