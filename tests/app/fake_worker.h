#pragma once

#include "engine/base/version.h"
#include "tests/catch.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <string_view>

// A bscope that is a shell script: it answers --version as asked, then does what the test says. In
// a body, kUntilLetGo waits for letGo() and kForEver for a signal.
class FakeWorker
{
public:
    enum class Build { Same, Other, Silent }; // Silent: --version does not return
    static constexpr const char* kUntilLetGo
        = "while [ ! -e \"$0-$(basename \"$file\")\" ]; do sleep 0.02; done\n";
    static constexpr const char* kForEver = "exec sleep 100000\n";

    explicit FakeWorker(const QByteArray& body, Build build = Build::Same)
    {
        const std::string_view own = engine::buildId();
        const QByteArray id
            = build == Build::Same ? QByteArray(own.data(), own.size()) : QByteArray("0.0.1+other");
        QFile script(path());
        REQUIRE(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\n"
                     "if [ \"$1\" = --version ]; then "
                     + QByteArray(build == Build::Silent ? kForEver : "")
                     + "echo '{\"version\":\"0.1.0\",\"build\":\"" + id
                     + "\"}'; exit 0; fi\n"
                       "arguments=\"$*\"\n"
                       "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && file=$2; shift; done\n"
                     + body);
        script.close();
        REQUIRE(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }

    QString path() const { return m_folder.filePath(QStringLiteral("bscope")); }
    QString file(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }
    void letGo(const QString& runFile) const
    {
        QFile go(path() + QLatin1Char('-') + QFileInfo(runFile).fileName());
        REQUIRE(go.open(QIODevice::WriteOnly));
    }

private:
    QTemporaryDir m_folder;
};
