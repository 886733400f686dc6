#pragma once

#include "profiler/store/sqlite.h"
#include "profiler/study/study.h"

#include <filesystem>
#include <utility>

namespace profiler {

// results.sqlite of a study: table `results` with one row per point (its axes, metrics and ratios),
// and table `study` with its TOML. Rows are written while the study runs, so that an interrupted
// one continues. Used by one thread.
class StudyFile
{
public:
    // Opens or creates the file. Fails with Error::Code::InvalidArgument if it is of another study.
    static engine::Result<StudyFile> open(const std::filesystem::path& file, const Study& study,
                                          const std::string& toml);

    // [point] The results that earlier runs stored.
    engine::Result<std::vector<StudyResult>> read(const std::vector<StudyPoint>& points);
    // Writes the results of some points, by index, in one transaction.
    engine::Result<void> write(const std::vector<StudyPoint>& points,
                               const std::vector<std::pair<std::size_t, StudyResult>>& results);
    engine::Result<void> writeRatios(const std::vector<StudyPoint>& points,
                                     const std::vector<StudyResult>& results);

private:
    StudyFile(Database database, const Study& study)
        : m_database(std::move(database))
        , m_study(&study)
    { }
    engine::Result<void> create(const std::string& toml);

    Database m_database;
    const Study* m_study;
};

// The same table as CSV; unknown values are empty.
std::string studyCsv(const Study& study, const std::vector<StudyPoint>& points,
                     const std::vector<StudyResult>& results);

} // namespace profiler
