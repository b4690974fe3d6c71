@testable import Reprise

/// Files in memory, keyed by absolute path. A directory exists if it contains a file.
struct MemoryConfigurationFiles: ConfigurationFiles {
    var contents: [String: [UInt8]] = [:]
    var failures: [String: FileReadError.Reason] = [:]

    init(_ texts: [String: String] = [:], failures: [String: FileReadError.Reason] = [:]) {
        contents = texts.mapValues { Array($0.utf8) }
        self.failures = failures
    }

    func read(_ path: String, limit: Int) throws(FileReadError) -> [UInt8] {
        if let reason = failures[path] { throw FileReadError(path: path, reason: reason) }
        if let bytes = contents[path] {
            guard bytes.count <= limit else {
                throw FileReadError(path: path, reason: .tooLarge(limit: limit))
            }
            return bytes
        }
        throw FileReadError(path: path, reason: isFolder(path) ? .isFolder : .missing)
    }

    func names(in folder: String) throws(FileReadError) -> [String] {
        if let reason = failures[folder] { throw FileReadError(path: folder, reason: reason) }
        guard isFolder(folder) else {
            let reason = contents[folder] == nil ? FileReadError.Reason.missing : .notAFolder
            throw FileReadError(path: folder, reason: reason)
        }
        let entryNames = contents.keys.filter { $0.hasPrefix(folder + "/") }
            .map { $0.dropFirst(folder.count + 1).prefix { $0 != "/" } }
        return Set(entryNames).map(String.init)
    }

    private func isFolder(_ path: String) -> Bool {
        contents.keys.contains { $0.hasPrefix(path + "/") }
    }
}
