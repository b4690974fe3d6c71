import Glibc
package import LinuxIO

/// The folder that holds everything that is saved, locked for this process.
///
/// The lock is on the opened folder itself, so that emptying it frees nothing and a read-only file
/// system does not matter. It is held until this object and every archive made from it are gone.
package final class StateDirectory: Sendable {
    static let holderName = "holder"

    /// The folder's path.
    package var path: String { root.path }
    /// Why nothing can be saved here although what was saved can be read; `nil` if it can.
    package let unwritable: IOError?
    /// The folder itself, for what else lies in it.
    package let root: any Folder
    /// Sees to it that a crash while a scene is launched does not repeat itself (L2).
    package let launchGuard: LaunchGuard

    /// Opens the folder, making it (0700) and what is missing above it, and locks it.
    package static func open(_ path: String) throws(StateDirectoryError) -> StateDirectory {
        let folder = try StateDirectoryError.wrapping(try Directory.openOrMake(path))
        guard try StateDirectoryError.wrapping(try lock(folder)) else {
            throw .held(path: path, pid: try StateDirectoryError.wrapping(try holder(of: folder)))
        }
        return try StateDirectoryError.wrapping(try StateDirectory(locked: folder, pid: getpid()))
    }

    /// How often a lock of this very process is tried again, ten milliseconds apart.
    private static let mostTries = 50

    /// Takes the lock; false if it is taken. A process that this one is just starting holds a lock
    /// that this one gave back a moment ago, until it executes its program.
    private static func lock(_ folder: Directory) throws(IOError) -> Bool {
        for _ in 0..<mostTries {
            if try folder.lock() { return true }
            guard try holder(of: folder) == getpid() else { return false }
            usleep(10_000)
        }
        return false
    }

    /// Takes over a folder that is locked already, by whatever means its file system has.
    ///
    /// - Parameter pid: the process that a second one is told of.
    package init(locked folder: any Folder, pid: Int32) throws(IOError) {
        root = folder
        launchGuard = LaunchGuard(in: folder)
        do throws(IOError) {
            // Not durable on purpose: it tells of a process, which no power cut survives.
            try folder.remove(Self.holderName)
            try folder.createFile(Self.holderName).write(Array("\(pid)\n".utf8))
            unwritable = nil
        } catch {
            unwritable = error
        }
        // Its entry becomes durable with the first archive that is saved below it.
        if try folder.subfolder(Layout.applications) == nil {
            _ = try folder.makeSubfolder(Layout.applications)
        }
    }

    /// The archive of one application; nothing is read or made yet.
    package func archive(
        of bundleIdentifier: String
    ) throws(InvalidBundleIdentifier) -> ApplicationArchive {
        try InvalidBundleIdentifier.check(bundleIdentifier)
        return ApplicationArchive(bundleIdentifier: bundleIdentifier, below: root)
    }

    static func holder(of folder: any Folder) throws(IOError) -> Int32? {
        guard let bytes = try folder.read(holderName, limit: 32) else { return nil }
        return Int32(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
