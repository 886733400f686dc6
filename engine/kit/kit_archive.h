#pragma once

#include "engine/kit/training_kit.h"

#include <optional>

namespace engine {

// The folder in an archive: "kit" of "some/kit.tar.gz". nullopt if `target` does not end in .zip,
// .tar.gz or .tgz and so names a folder.
std::optional<std::string> folderInArchive(const std::filesystem::path& target);

// Writes the kit as an archive of that folder, with the errors of writeKit(). No file is left if it
// fails.
Result<void> writeKitArchive(const TrainingKit& kit, const std::filesystem::path& file,
                             IfExists ifExists, const KitProgress& progress);

} // namespace engine
