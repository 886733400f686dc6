#pragma once

#include "engine/kit/training_kit.h"

#include <optional>

namespace engine {

// Returns the name of the folder in an archive: "kit" for "some/kit.tar.gz". Returns nullopt if
// `target` does not end in .zip, .tar.gz or .tgz; `target` is then a folder.
std::optional<std::string> folderInArchive(const std::filesystem::path& target);

// Fails with Error::Code::InvalidArgument if the name is that of an archive of another format, such
// as .rar or .tar.bz2, because it would be the name of a folder.
Result<void> refuseOtherArchive(const std::filesystem::path& target);

// Writes the kit as an archive that contains the folder folderInArchive(file). Fails as writeKit()
// does; then no file is left.
Result<void> writeKitArchive(const TrainingKit& kit, const std::filesystem::path& file,
                             IfExists ifExists, const KitProgress& progress);

} // namespace engine
