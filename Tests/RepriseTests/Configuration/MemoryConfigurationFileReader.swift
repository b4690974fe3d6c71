@testable import Reprise

/// Files in memory, keyed by absolute path. A directory exists if it contains a file.
struct MemoryConfigurationFileReader: ConfigurationFileReader {
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
        throw FileReadError(path: path, reason: isDirectory(path) ? .isDirectory : .missing)
    }

    func names(in directory: String) throws(FileReadError) -> [String] {
        if let reason = failures[directory] { throw FileReadError(path: directory, reason: reason) }
        guard isDirectory(directory) else {
            let reason = contents[directory] == nil ? FileReadError.Reason.missing : .notDirectory
            throw FileReadError(path: directory, reason: reason)
        }
        let entryNames = contents.keys.filter { $0.hasPrefix(directory + "/") }
            .map { $0.dropFirst(directory.count + 1).prefix { $0 != "/" } }
        return Set(entryNames).map(String.init)
    }

    private func isDirectory(_ path: String) -> Bool {
        contents.keys.contains { $0.hasPrefix(path + "/") }
    }
}
