import FoundationEssentials
package import Glibc
import SystemPackage

/// A temporary directory for one test, which is removed when the last reference to it is released.
package final class ScratchDirectory: Sendable {
    /// The absolute path of the directory.
    package let path: String

    /// Creates an empty directory.
    package init() throws {
        path = try Self.make()
    }

    /// Creates an empty directory that is not removed automatically.
    ///
    /// - Parameter parent: The directory in which to create it.
    package static func make(in parent: String = "/tmp") throws -> String {
        var template = Array("\(parent)/reprise-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns the path of a file in the directory.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Returns the status of a file, including its type, permissions and inode, or `nil` if it does not exist.
    package func status(_ name: String) -> stat? {
        var status = stat()
        return lstat(file(name), &status) == 0 ? status : nil
    }

    /// Writes a file, and creates the directories above it.
    package func write(_ name: String, _ text: String) throws {
        let url = URL(filePath: file(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Renames a file, replacing any file with the new name.
    package func move(_ name: String, to other: String) throws {
        guard rename(file(name), file(other)) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Creates a symbolic link.
    package func link(_ name: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: file(name), withDestinationPath: destination)
    }

    /// Removes a file, or a directory with its contents.
    package func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: file(name))
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            assertionFailure("\(path) could not be removed: \(error)")
        }
    }
}

/// Calls a closure with the path of a new empty directory, which is removed afterwards unless the closure throws an
/// error.
package func withScratchDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = try ScratchDirectory.make()
    let result = try body(path)
    try FileManager.default.removeItem(atPath: path)
    return result
}

/// Calls a closure with the path of a new empty directory, which is removed afterwards unless the closure throws an
/// error.
package func withScratchDirectory<Result>(
    _ body: (String) async throws -> Result
) async throws -> Result {
    let path = try ScratchDirectory.make()
    let result = try await body(path)
    try FileManager.default.removeItem(atPath: path)
    return result
}
