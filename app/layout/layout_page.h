#pragma once

#include "app/shell/page.h"

namespace app {

// The page that divides the layers of a model among the stages of a pipeline: by hand, as a text in
// Megatron-LM's form, or balanced for the shortest iteration within memory. Every change is
// simulated on another thread.
Page* makeLayout(const ThemeController& theme);

} // namespace app
