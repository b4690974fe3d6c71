import Glibc
package import LinuxIO

/// A generation: an archive that was kept from an earlier time.
package struct KeptGeneration: Sendable, Equatable {
    /// Its name, which is its number.
    package var name: GenerationName
    /// Its path.
    package var path: String
    /// Why it was made, as a clause; nil if that is not known.
    package var reason: String?
    /// When it was made, going by the file with the reason, or by its own: microseconds since 1970, UTC.
    package var time: Int64
    /// How many bytes it has.
    package var byteCount: Int

    fileprivate init?(_ file: KeptFile) {
        guard let name = GenerationName(file: file.name) else { return nil }
        self.name = name
        path = file.path
        reason = file.reason
        time = file.time ?? file.modified
        byteCount = file.byteCount
    }
}

/// Reads the generations of an application, on whatever thread.
package struct HistoryReader: Sendable {
    private let history: NumberedFolder?
    private let path: String
    private let limit: Int
    private let bundleIdentifier: String

    /// What reads the generations that there are now, and those that come if there are any.
    init(at place: ArchivePlace) throws(IOError) {
        history = try NumberedFolder(.history, existingIn: place.folder())
        path = place.historyPath
        limit = place.limit
        bundleIdentifier = place.bundleIdentifier
    }

    /// The generations, the oldest first. Whatever else lies in their folder is left out.
    package func generations() throws(IOError) -> [KeptGeneration] {
        try history?.list().compactMap(KeptGeneration.init).sorted { $0.name < $1.name } ?? []
    }

    /// Reads a generation, and checks every byte of it.
    ///
    /// One that is torn or damaged is read up to the last complete pass before that.
    ///
    /// - Parameter name: its number, with or without the zeros in front.
    /// - Throws: ``KeptStateError``; one that is damaged has no complete pass.
    package func contents(of name: String) throws(KeptStateError) -> KeptContents {
        guard let history, let generation = GenerationName(name),
            let bytes = try history.read(generation.file, limit: limit)
        else { throw .unknown(name: name, in: path) }
        return try KeptContents(
            bytes, path: history.path(of: generation.file), bundleIdentifier: bundleIdentifier)
    }
}

extension NumberedFolder {
    /// So many of the newest generations are tried before there is said to be none.
    private static let mostTried = 16

    /// The names of files that look like generations, the oldest first.
    func generationNames() throws(IOError) -> [GenerationName] {
        try folder.names().compactMap { GenerationName(file: $0) }.sorted()
    }

    /// The newest generation that can be read, of the few newest; nil if there is none.
    func newestUsable(
        limit: Int, bundleIdentifier: String?
    ) throws(IOError) -> (prefix: ArchiveReader.Prefix, path: String)? {
        for name in try generationNames().suffix(Self.mostTried).reversed() {
            let bytes: [UInt8]
            do throws(IOError) {
                guard let found = try folder.read(name.file, limit: limit) else { continue }
                bytes = found
            } catch  where [EFBIG, EINVAL, EISDIR, EACCES].contains(error.code) {
                continue  // It is no generation, or none for us; an older one may be.
            }
            switch ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier) {
            case .whole(let prefix), .torn(let prefix, _):
                if prefix.hasPass { return (prefix, path(of: name.file)) }
            case .damaged, .newer: continue
            }
        }
        return nil
    }
}
