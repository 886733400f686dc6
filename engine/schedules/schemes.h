#pragma once

#include "engine/schedules/scheme.h"

namespace engine {

// One function and one file per scheme; registry.cpp puts them on the table.
Scheme gpipe();
Scheme oneFOneB();
Scheme hanayo();
Scheme gems();
Scheme chimera();
Scheme bitpipe();
Scheme dualpipe();
Scheme dualpipev();

} // namespace engine
