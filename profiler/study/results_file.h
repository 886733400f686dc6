#pragma once

#include "profiler/store/sqlite.h"
#include "profiler/study/study.h"

#include <filesystem>
#include <utility>

namespace profiler {

// results.sqlite of a study. Table `results` has one row per point (axes, metrics, ratios), and
// table `study` has the TOML. Rows are written during the study, so that an interrupted study can
// continue. Not thread-safe.
class StudyFile
{
public:
    // Opens or creates the file. Fails with Error::Code::InvalidArgument if the file belongs to
    // another study.
    static engine::Result<StudyFile> open(const std::filesystem::path& file, const Study& study,
                                          const std::string& toml);

    // [point] the results of earlier runs of the study
    engine::Result<std::vector<StudyResult>> read(const std::vector<StudyPoint>& points);
    // Writes the results of the points with these indices in one transaction.
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
