import FoundationEssentials
import Glibc

/// A folder that goes away with the last reference to it.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        let temporary = FileManager.default.temporaryDirectory
        let url = temporary.appending(path: "reprise-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    func write(_ name: String, _ text: String) throws {
        let url = URL(filePath: "\(path)/\(name)")
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    /// Gives a file the name of another, which goes.
    func move(_ name: String, to other: String) throws {
        guard rename("\(path)/\(name)", "\(path)/\(other)") == 0 else {
            throw CocoaError(.fileWriteUnknown)
        }
    }

    func link(_ name: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/\(name)", withDestinationPath: destination)
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            assertionFailure("\(path) could not be removed: \(error)")
        }
    }
}
