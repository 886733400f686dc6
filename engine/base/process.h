#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace engine {

// Must be the first call in main(). Opens /dev/null for each closed standard stream, so that no
// file gets the stream's descriptor and receives printed text. Makes every signal that would end
// the process, except SIGKILL, delete unfinished files (hidden_file.h) first. Ignores SIGXFSZ, so
// that writing beyond the file size limit fails as on a full disk.
void prepareProcess();

// printText() writes to standard output and flushes it; printError() writes to standard error. Both
// escape control characters (text.h: withoutControls()).
void printText(std::string_view text);
void printError(std::string_view text);
// Returns 0, or errno of the first failed write to standard output.
int flushOutput();

// Deletes unfinished files and ends the process by `signal`; when called by its handler, as soon as
// that returns. Async-signal-safe.
void endBySignal(int signal);

// The message of an exception that says that the process has reached a limit of the system: out of
// memory, or no more threads. nullopt for any other exception.
std::optional<std::string> limitReached(const std::exception& error);
std::string messageOf(const std::exception& error); // limitReached(), otherwise what()

// CPU time in ns that the processes of this machine, without this one, have used since it started;
// nullopt if the system does not say.
std::optional<std::int64_t> cpuTimeOfOthers();

std::filesystem::path programFolder(); // the folder of this program; "" if unknown
std::string hostName();                // name of this machine; "" if unknown
// $XDG_DATA_HOME/bubblescope, by default ~/.local/share/bubblescope. Without HOME, ~ is the user's
// folder in the system's list of users. It need not exist.
std::filesystem::path dataFolder();

} // namespace engine
