import FoundationEssentials
import Glibc
import LinuxIO
import SavedState
import SystemPackage
import TestSupport
import Testing

@testable import Preservation

/// Runs a body with a new empty folder, removed afterwards unless the body throws.
func withScratchFolder<Result>(_ body: (ScratchFolder) async throws -> Result) async throws
    -> Result
{
    let path = try TestSupport.ScratchFolder.make()
    let result = try await body(ScratchFolder(path: path))
    try FileManager.default.removeItem(atPath: path)
    return result
}

/// A folder with one application's saved state below `state`.
struct ScratchFolder: Sendable {
    let path: String
    /// What happens in the state directory, unless a test brings another watch.
    let watch = FolderWatch()

    var stateDirectory: String { "\(path)/state" }
    var savedStates: String { "\(stateDirectory)/Saved Application State" }
    var applicationFolder: String { "\(savedStates)/\(Notes.bundleIdentifier).savedState" }
    var archive: String { "\(applicationFolder)/data.archive" }

    /// The archive's bytes; nil if there is none.
    func archiveBytes() -> [UInt8]? {
        FileManager.default.contents(atPath: archive).map(Array.init)
    }

    /// The archive of an application; nil if there is none.
    func archiveBytes(of application: String) -> [UInt8]? {
        FileManager.default.contents(
            atPath: "\(savedStates)/\(application).savedState/data.archive"
        ).map(Array.init)
    }

    /// The size of an application's archive; nil if there is none.
    func bytes(of application: String) -> Int? {
        FileManager.default.contents(
            atPath: "\(savedStates)/\(application).savedState/data.archive")?.count
    }

    /// The state directory, in which a watch sees everything.
    func watched(by watch: FolderWatch) throws -> ApplicationStateDirectory {
        let folder = WatchedFolder(
            folder: try Directory.openOrMake(stateDirectory), watch: watch)
        return ApplicationStateDirectory(try StateDirectory(locked: folder, pid: getpid()))
    }

    /// The generations that were not made because the application was stopped, the oldest first.
    func generations() throws -> [[UInt8]] {
        try madeGenerations().filter { $0.reason != "\(GenerationReason.stop)" }.map(\.bytes)
    }

    /// All generations and their reasons, the oldest first.
    func madeGenerations() throws -> [(reason: String, bytes: [UInt8])] {
        guard FileManager.default.fileExists(atPath: history) else { return [] }
        return try Self.names(in: history).filter { $0.hasSuffix(".archive") }.map { name in
            let line = try Self.bytes(of: "\(history)/\(name).reason")
            return (
                String(decoding: line.dropLast(), as: UTF8.self),
                try Self.bytes(of: "\(history)/\(name)")
            )
        }
    }

    var history: String { "\(applicationFolder)/history" }

    /// Takes all generations away, as an operator may.
    func removeHistory() throws { try FileManager.default.removeItem(atPath: history) }

    static func bytes(of path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    /// Tells one archive file from another: each write makes a new one.
    func archiveFile() throws -> [UInt64] { try Self.inodeAndSize(archive) }

    /// The state as a kill would leave it now, as the state of another folder.
    func copy(to other: ScratchFolder) throws {
        try FileManager.default.copyItem(atPath: stateDirectory, toPath: other.stateDirectory)
    }

    /// Writes over the archive as another program would, in the same file.
    func writeArchiveInPlace(_ bytes: [UInt8]) throws {
        let descriptor = open(archive, O_WRONLY | O_TRUNC)
        defer { close(descriptor) }
        #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }

    /// Puts another file in the archive's place, as another program would.
    func renameOverArchive(_ bytes: [UInt8]) throws {
        let temporary = "\(path)/temporary"
        try Self.write(bytes, to: temporary)
        #expect(rename(temporary, archive) == 0)
    }

    /// Lets everything fail that is done in the state directory.
    func blockSaving() { watch.failEverything(with: ENOSPC) }

    /// Takes the fault away that ``blockSaving()`` made.
    func allowSaving() { watch.failEverything(with: nil) }

    static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    static func inode(_ path: String) throws -> UInt64 { try inodeAndSize(path)[0] }

    static func inodeAndSize(_ path: String) throws -> [UInt64] {
        var status = stat()
        guard stat(path, &status) == 0 else { throw Errno(rawValue: errno) }
        return [UInt64(status.st_ino), UInt64(status.st_size)]
    }
}
