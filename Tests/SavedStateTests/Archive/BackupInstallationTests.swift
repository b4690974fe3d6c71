import Glibc
import LinuxIO
import TestSupport
import Testing

@testable import SavedState

/// Tests of the restoration of an application's archive and documents into a state directory.
@Suite struct BackupInstallationTests {
    private let documents = "Documents/\(Sample.application)"

    private func stage(
        _ archive: [UInt8]?, _ documents: [String: [UInt8]], in root: Directory
    ) throws -> BackupInstallation {
        let installation = try BackupInstallation(of: Sample.application, in: root)
        if let archive { try installation.stage(archive: archive) }
        for (name, bytes) in documents { try installation.stage(document: name, bytes) }
        return installation
    }

    @Test
    func `a restore keeps the previous archive and documents only if they differ from the backup`()
        throws
    {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            func restore(_ archive: [UInt8]?, _ documents: [String: [UInt8]]) throws -> [String?] {
                let replaced = try stage(archive, documents, in: root).commit()
                return [replaced.generationPath, replaced.documentsPath]
            }
            let history = "\(Sample.directory)/history"
            #expect(try restore([1], ["a": [1], "b": [2]]) == [nil, nil])
            #expect(try restore([1], ["a": [1], "b": [2]]) == [nil, nil])
            #expect(
                try restore([2, 2], ["a": [1], "b": [2]])
                    == ["\(path)/\(history)/000001.archive", nil])
            #expect(try root.read("\(history)/000001.archive", limit: 9) == [1])
            #expect(
                try restore([2, 3], ["a": [1], "b": [9]])
                    == ["\(path)/\(history)/000002.archive", "\(path)/\(documents).replaced-1"])
            #expect(try root.read("\(history)/000002.archive", limit: 9) == [2, 2])
            #expect(try root.read(Sample.file, limit: 9) == [2, 3])
            #expect(try root.read("\(documents)/b", limit: 9) == [9])
            #expect(try root.read("\(documents).replaced-1/b", limit: 9) == [2])
            #expect(try restore(nil, [:]) == [nil, "\(path)/\(documents).replaced-2"])
            #expect(try root.read(Sample.file, limit: 9) == [2, 3])
            let left = [1, 2].map { "\(Sample.application).replaced-\($0)" }
            #expect(try root.openSubdirectory("Documents")?.names() == left)
            #expect(
                try root.openSubdirectory(Sample.directory)?.names() == ["data.archive", "history"])
        }
    }

    @Test(arguments: ["link", "folder", "missing", "long", "other"])
    func `a restore keeps the previous documents if any file differs from the backup`(entry: String)
        throws
    {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            _ = try stage(nil, ["a": [1], "b": [1]], in: root).commit()
            let own = "\(path)/\(documents)/a"
            #expect(unlink(own) == 0)
            let directory = try #require(try root.openSubdirectory(documents))
            switch entry {
            // The link has the size of its target.
            case "link": #expect(symlink("b", own) == 0)
            case "folder": _ = try directory.openOrCreateSubdirectory("a")
            case "missing": break
            case "long": try directory.createFile("a").write([1, 1])
            default: try directory.createFile("a").write([2])
            }
            let replaced = try stage(nil, ["a": [1], "b": [1]], in: root).commit()
            #expect(replaced.documentsPath == "\(path)/\(documents).replaced-1")
            #expect(try root.read("\(documents)/a", limit: 9) == [1])
            #expect(try root.openSubdirectory(documents)?.entryStatus(of: "a")?.kind == .file)
        }
    }

    @Test(arguments: [false, true])
    func `a file or a link in place of the documents is renamed`(isLink: Bool)
        throws
    {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            // The target contains the same files as the backup.
            let target = try root.openOrCreateSubdirectory("target")
            try target.createFile("a").write([1])
            let parent = try root.openOrCreateSubdirectory("Documents")
            if isLink {
                try #require(symlink(target.path, "\(path)/\(documents)") == 0)
            } else {
                try parent.createFile(Sample.application).write([1])
            }
            let replaced = try stage(nil, ["a": [1]], in: root).commit()
            #expect(replaced.documentsPath == "\(path)/\(documents).replaced-1")
            #expect(try parent.entryStatus(of: Sample.application)?.kind == .directory)
            #expect(try root.read("\(documents)/a", limit: 9) == [1])
            #expect(
                try parent.entryStatus(of: "\(Sample.application).replaced-1")?.kind
                    == (isLink ? .link : .file))
        }
    }

    @Test(arguments: [false, true])
    func `a file or a link in place of the staged documents is removed`(isLink: Bool) throws {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            let target = try root.openOrCreateSubdirectory("target")
            try target.createFile("other").write([1])
            let parent = try root.openOrCreateSubdirectory("Documents")
            let name = ".\(Sample.application).restored"
            if isLink {
                try #require(symlink(target.path, "\(path)/Documents/\(name)") == 0)
            } else {
                try parent.createFile(name).write([1])
            }
            _ = try stage(nil, ["a": [1]], in: root).commit()
            #expect(try parent.names() == [Sample.application])
            #expect(try root.read("\(documents)/a", limit: 9) == [1])
            #expect(try target.names() == ["other"])
        }
    }

    @Test func `a discarded restore changes no existing files and leaves no temporary files`()
        throws
    {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            try stage([1], ["a": [1]], in: root).discard()
            for directory in ["Documents", "Saved Application State"] {
                #expect(try root.openSubdirectory(directory)?.names() == [])
            }
            _ = try stage([1], ["a": [1]], in: root).commit()
            try stage([2], ["a": [2], "b": [2]], in: root).discard()
            #expect(try root.openSubdirectory(Sample.directory)?.names() == ["data.archive"])
            #expect(try root.read(Sample.file, limit: 9) == [1])
            #expect(try root.openSubdirectory("Documents")?.names() == [Sample.application])
            #expect(try root.read("\(documents)/a", limit: 9) == [1])
            // The next restore removes the files that an interrupted restore has left.
            _ = try stage([3], ["b": [3]], in: root)
            _ = try stage(nil, ["c": [4]], in: root).commit()
            #expect(try root.read(Sample.file, limit: 9) == [1])
            #expect(try root.openSubdirectory(documents)?.names() == ["c"])
        }
    }

    /// Creates an entry that cannot be removed or replaced in place of a temporary file.
    private func obstruct(_ path: String, in root: Directory) throws {
        var directory = root
        for name in path.split(separator: "/") {
            directory = try directory.openOrCreateSubdirectory(String(name))
        }
        try directory.openOrCreateSubdirectory("obstacle").createFile("file").write([1])
    }

    @Test(arguments: [
        "\(Sample.directory)/data.archive.new", "Documents/.\(Sample.application).restored",
        "Documents/.\(Sample.application).restored/folder",
    ])
    func `a restore does not begin if leftovers of an earlier restore cannot be removed`(
        obstacle: String
    ) throws {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            try obstruct(obstacle, in: root)
            #expect(throws: IOError.self) {
                try BackupInstallation(of: Sample.application, in: root)
            }
        }
    }

    @Test(arguments: [
        StateDirectoryLayout.applicationsDirectoryName, StateDirectoryLayout.documentsDirectoryName,
        Sample.directory,
    ])
    func `a file in place of a directory is an error`(name: String) throws {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            let parts = name.split(separator: "/")
            var directory = root
            for part in parts.dropLast() {
                directory = try directory.openOrCreateSubdirectory(String(part))
            }
            try directory.createFile(String(parts.last!)).write([1])
            #expect(throws: IOError.self) {
                try BackupInstallation(of: Sample.application, in: root)
            }
        }
    }

    @Test func `an error during the replacement of files is thrown`() throws {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            let installation = try stage([1], ["a": [1]], in: root)
            // A file has the name of the history, so the history cannot be created.
            let directory = try #require(try root.openSubdirectory(Sample.directory))
            try directory.createFile("data.archive").write([2])
            try directory.createFile("history").write([3])
            #expect(throws: IOError.self) { try installation.commit() }
            #expect(try root.read(Sample.file, limit: 9) == [2])
            #expect(
                try root.openSubdirectory("Documents")?.entryStatus(of: Sample.application) == nil)
        }
    }

    @Test func `entries that another program adds to the staged documents survive the restore`()
        throws
    {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            _ = try stage(nil, ["a": [1]], in: root).commit()
            let installation = try stage(nil, [:], in: root)
            try obstruct("Documents/.\(Sample.application).restored", in: root)
            let replaced = try installation.commit()
            #expect(replaced.documentsPath == "\(path)/\(documents).replaced-1")
            #expect(try root.openSubdirectory(documents)?.names() == ["obstacle"])
        }
    }
}
