import FoundationEssentials
package import Glibc
import SystemPackage

/// A folder of a test's own, which is removed with the last reference to it.
package final class ScratchFolder: Sendable {
    /// The absolute path of the folder.
    package let path: String

    /// Makes an empty folder.
    package init() throws {
        path = try Self.make()
    }

    /// Makes an empty folder that nobody removes.
    ///
    /// - Parameter parent: the folder that it is made in.
    package static func make(in parent: String = "/tmp") throws -> String {
        var template = Array("\(parent)/reprise-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The path of a file with this name in the folder.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The kind, permissions and inode of a file; nil if there is none.
    package func status(_ name: String) -> stat? {
        var status = stat()
        return lstat(file(name), &status) == 0 ? status : nil
    }

    /// Writes a file, and makes the folders above it.
    package func write(_ name: String, _ text: String) throws {
        let url = URL(filePath: file(name))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Gives a file the name of another, which it replaces.
    package func move(_ name: String, to other: String) throws {
        guard rename(file(name), file(other)) == 0 else { throw Errno(rawValue: errno) }
    }

    /// Makes a symbolic link.
    package func link(_ name: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: file(name), withDestinationPath: destination)
    }

    /// Removes a file, or a folder with everything in it.
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

/// Runs a body with the path of a new empty folder, which is removed afterwards unless the body
/// throws.
package func withScratchFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = try ScratchFolder.make()
    let result = try body(path)
    try FileManager.default.removeItem(atPath: path)
    return result
}

/// Runs a body with the path of a new empty folder, which is removed afterwards unless the body
/// throws.
package func withScratchFolder<Result>(
    _ body: (String) async throws -> Result
) async throws -> Result {
    let path = try ScratchFolder.make()
    let result = try await body(path)
    try FileManager.default.removeItem(atPath: path)
    return result
}
