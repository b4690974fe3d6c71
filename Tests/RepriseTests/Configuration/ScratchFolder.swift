import FoundationEssentials

/// A folder that goes away with the last reference to it.
final class ScratchFolder {
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

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            assertionFailure("\(path) could not be removed: \(error)")
        }
    }
}
