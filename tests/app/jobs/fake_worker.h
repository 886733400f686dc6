#pragma once

#include "engine/base/version.h"
#include "tests/catch.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <string_view>

// A bscope that is a shell script: it answers --version as asked, then does what the test says.
class FakeWorker
{
public:
    enum class Build { Same, Other };

    explicit FakeWorker(const QByteArray& body, Build build = Build::Same)
    {
        const std::string_view own = engine::buildId();
        const QByteArray id
            = build == Build::Same ? QByteArray(own.data(), own.size()) : QByteArray("0.0.1+other");
        QFile script(path());
        REQUIRE(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\n"
                     "if [ \"$1\" = --version ]; then echo '{\"version\":\"0.1.0\",\"build\":\""
                     + id
                     + "\"}'; exit 0; fi\n"
                       "while [ $# -gt 1 ]; do [ \"$1\" = -o ] && file=$2; shift; done\n"
                     + body);
        script.close();
        REQUIRE(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }

    QString path() const { return m_folder.filePath(QStringLiteral("bscope")); }
    QString file(const char* name) const { return m_folder.filePath(QString::fromLatin1(name)); }

private:
    QTemporaryDir m_folder;
};
