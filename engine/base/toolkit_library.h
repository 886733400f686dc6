#pragma once

#include <string>
#include <vector>

namespace engine {

// A library of the CUDA toolkit that is loaded when it is first wanted and stays: none of them is
// linked, so that programs start on a machine that has none of them. Any thread.
class ToolkitLibrary
{
public:
    // `sonames`, the newest first, are looked for by the loader, then in $CUDA_HOME/lib64,
    // /usr/local/cuda and the folders of Python's nvidia-* wheels: of each python3 on the PATH
    // (which a virtual environment puts there), then of the system's.
    ToolkitLibrary(std::string name, const std::vector<std::string>& sonames);

    explicit operator bool() const { return m_handle != nullptr; }
    const std::string& name() const { return m_name; }
    const std::string& file() const { return m_file; }

    template<class Function>
    Function symbol(const char* symbolName) const
    {
        return reinterpret_cast<Function>(find(symbolName)); // NOLINT: POSIX defines this cast
    }

private:
    void* find(const char* symbolName) const;

    std::string m_name, m_file;
    void* m_handle = nullptr;
};

// Finds one function of a library after the other, and remembers the first that is not there.
class ToolkitFunctions
{
public:
    explicit ToolkitFunctions(const ToolkitLibrary& library) // which outlives it
        : m_library(library)
    { }

    // nullptr where it is missing.
    template<class Function>
    void take(Function& function, const char* name)
    {
        function = m_library.symbol<Function>(name);
        if (function == nullptr && m_missing == nullptr)
            m_missing = name;
    }
    const char* missing() const { return m_missing; } // nullptr: none

private:
    const ToolkitLibrary& m_library;
    const char* m_missing = nullptr;
};

} // namespace engine
