#pragma once

#include "engine/kit/training_kit.h"

#include <optional>

namespace engine {

// "kit" for "some/kit.tar.gz"; nullopt if `target` does not end in .zip, .tar.gz or .tgz and so is
// a folder.
std::optional<std::string> folderInArchive(const std::filesystem::path& target);

// Fails with Error::Code::InvalidArgument if `target` has the ending of another archive format,
// such as .rar or .tar.bz2; a folder of this name would be misleading.
Result<void> refuseOtherArchive(const std::filesystem::path& target);

// Writes the kit as an archive that contains the folder folderInArchive(file). Fails like
// writeKit(), and leaves no file on failure.
Result<void> writeKitArchive(const TrainingKit& kit, const std::filesystem::path& file,
                             IfExists ifExists, const KitProgress& progress);

} // namespace engine
