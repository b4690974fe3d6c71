import FoundationEssentials
import Glibc
import LinuxIO
import SavedState
import SystemPackage
import TestSupport
import Testing

@testable import Preservation

/// Calls a closure with a new empty directory, which is removed unless the closure throws an error.
func withScratchDirectory<Result>(_ body: (ScratchDirectory) async throws -> Result) async throws
    -> Result
{
    let path = try TestSupport.ScratchDirectory.make()
    let result = try await body(ScratchDirectory(path: path))
    try FileManager.default.removeItem(atPath: path)
    return result
}

/// Directory with the saved state of an application below `state`.
struct ScratchDirectory: Sendable {
    let path: String
    /// Watch of the state directory, unless a test uses another watch.
    let watch = DirectoryWatch()

    var stateDirectory: String { "\(path)/state" }
    var savedStates: String { "\(stateDirectory)/Saved Application State" }
    var applicationDirectory: String { "\(savedStates)/\(Notes.bundleIdentifier).savedState" }
    var archive: String { "\(applicationDirectory)/data.archive" }

    /// Returns the bytes of the archive, or `nil` if it does not exist.
    func archiveBytes() -> [UInt8]? {
        FileManager.default.contents(atPath: archive).map(Array.init)
    }

    /// Returns the bytes of an application's archive, or `nil` if it does not exist.
    func archiveBytes(of application: String) -> [UInt8]? {
        FileManager.default.contents(
            atPath: "\(savedStates)/\(application).savedState/data.archive"
        ).map(Array.init)
    }

    /// Returns the size of an application's archive, or `nil` if it does not exist.
    func bytes(of application: String) -> Int? {
        FileManager.default.contents(
            atPath: "\(savedStates)/\(application).savedState/data.archive")?.count
    }

    /// Opens the state directory so that a watch records every operation.
    func watched(by watch: DirectoryWatch) throws -> ApplicationStateDirectory {
        let directory = WatchedDirectory(
            directory: try Directory.openOrCreate(stateDirectory), watch: watch)
        return ApplicationStateDirectory(try StateDirectory(locked: directory, pid: getpid()))
    }

    /// Returns the generations that were not added because of a stop, oldest first.
    func generations() throws -> [[UInt8]] {
        try allGenerations().filter { $0.reason != "\(GenerationReason.applicationStopped)" }.map(
            \.bytes)
    }

    /// Returns all generations with their reasons, oldest first.
    func allGenerations() throws -> [(reason: String, bytes: [UInt8])] {
        guard FileManager.default.fileExists(atPath: history) else { return [] }
        return try Self.names(in: history).filter { $0.hasSuffix(".archive") }.map { name in
            let line = try Self.bytes(of: "\(history)/\(name).reason")
            return (
                String(decoding: line.dropLast(), as: UTF8.self),
                try Self.bytes(of: "\(history)/\(name)")
            )
        }
    }

    var history: String { "\(applicationDirectory)/history" }

    /// Removes all generations, as an operator might.
    func removeHistory() throws { try FileManager.default.removeItem(atPath: history) }

    static func bytes(of path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// Returns the inode and size of the archive. Each replacement creates a new inode.
    func archiveInodeAndSize() throws -> [UInt64] { try Self.inodeAndSize(archive) }

    /// Copies the state to another directory, as if the process had been killed now.
    func copy(to other: ScratchDirectory) throws {
        try FileManager.default.copyItem(atPath: stateDirectory, toPath: other.stateDirectory)
    }

    /// Overwrites the archive in the same file, as another program would.
    func writeArchiveInPlace(_ bytes: [UInt8]) throws {
        let descriptor = open(archive, O_WRONLY | O_TRUNC)
        defer { close(descriptor) }
        #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }

    /// Replaces the archive with another file, as another program would.
    func renameOverArchive(_ bytes: [UInt8]) throws {
        let temporaryName = "\(path)/temporary"
        try Self.write(bytes, to: temporaryName)
        #expect(rename(temporaryName, archive) == 0)
    }

    /// Makes all operations in the state directory fail.
    func blockSaving() { watch.failEverything(with: ENOSPC) }

    /// Ends the failures started by ``blockSaving()``.
    func allowSaving() { watch.failEverything(with: nil) }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    static func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    }

    static func inode(_ path: String) throws -> UInt64 { try inodeAndSize(path)[0] }

    static func inodeAndSize(_ path: String) throws -> [UInt64] {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Errno(rawValue: errno) }
        return [UInt64(status.st_ino), UInt64(status.st_size)]
    }
}
