import Glibc
package import LinuxIO

/// Reader for an application's generations.
///
/// The reader may be used on any thread.
package struct HistoryReader: Sendable {
    private let historyDirectory: NumberedFileDirectory?
    private let location: ArchiveLocation

    /// Creates a reader.
    ///
    /// If the history directory does not exist, the reader returns no generations, even if generations are added later.
    init(at location: ArchiveLocation) throws(IOError) {
        historyDirectory = try NumberedFileDirectory(.history, existingIn: location.openDirectory())
        self.location = location
    }

    /// Returns the newest generations, oldest first. Other files in the history directory are ignored.
    ///
    /// - Parameters:
    ///   - name: Generation that follows the last returned generation, or `nil` to include the newest generation.
    ///   - limit: Maximum number of generations.
    /// - Returns: The generations, and the number of older generations that were omitted because of the limit.
    package func generations(
        before name: GenerationName? = nil, limit: Int = .max
    ) throws(IOError) -> (files: [StoredFile], omittedCount: Int) {
        guard let historyDirectory else { return ([], 0) }
        return try location.readFiles { () throws(IOError) in
            let names = try historyDirectory.generationNames().prefix { generation in
                name.map { generation < $0 } ?? true
            }
            let newestNames = names.suffix(limit)
            return (
                try historyDirectory.files(named: newestNames.map(\.fileName)),
                names.count - newestNames.count
            )
        }
    }

    /// Reads a generation (see ``StoredContents``).
    ///
    /// - Parameter name: Number of the generation, with or without leading zeros.
    package func contents(of name: String) throws(StoredStateError) -> StoredContents {
        guard let generation = GenerationName(name),
            let contents = try historyDirectory?.contents(of: generation.fileName, at: location)
        else { throw .unknown(name: name, in: location.path(of: .history)) }
        return contents
    }
}

extension IOError {
    /// Whether the error means that an entry exists but is not a directory or cannot be accessed.
    var indicatesUnusableDirectory: Bool { [ENOTDIR, ELOOP, EACCES, EPERM].contains(code) }
}

extension NumberedFileDirectory {
    /// Maximum number of generations that ``newestUsableGeneration(limit:bundleIdentifier:)`` tries.
    private static let maximumTriedGenerations = 16

    /// Returns the names of all generations, oldest first. Other files are ignored.
    func generationNames() throws(IOError) -> [GenerationName] {
        try directory.names().compactMap { GenerationName(fileName: $0) }.sorted()
    }

    /// Returns the newest usable generation, or `nil` if none of the newest few generations can be used.
    func newestUsableGeneration(
        limit: Int, bundleIdentifier: String?
    ) throws(IOError) -> (prefix: ArchiveReader.Prefix, path: String)? {
        for name in try generationNames().suffix(Self.maximumTriedGenerations).reversed() {
            let bytes: [UInt8]
            do throws(IOError) {
                guard let generationBytes = try directory.read(name.fileName, limit: limit) else {
                    continue
                }
                bytes = generationBytes
            } catch  where [EFBIG, EINVAL, EISDIR, EACCES].contains(error.code) {
                continue  // This generation cannot be used, but an older one may be usable.
            }
            switch ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier) {
            case .whole(let prefix), .torn(let prefix, _):
                if prefix.hasCompletePass { return (prefix, path(of: name.fileName)) }
            case .damaged, .newer: continue
            }
        }
        return nil
    }
}
