import Glibc
package import LinuxIO

/// Reads the generations of an application, on whatever thread.
package struct HistoryReader: Sendable {
    private let history: NumberedFolder?
    private let place: ArchivePlace

    /// What reads the generations that there are now, and those that come if there are any.
    init(at place: ArchivePlace) throws(IOError) {
        history = try NumberedFolder(.history, existingIn: place.folder())
        self.place = place
    }

    /// The newest generations, the oldest of them first. Whatever else lies in their folder is left out.
    ///
    /// - Parameters:
    ///   - name: Only generations that are older than this one; `nil`: all.
    ///   - limit: The most generations.
    /// - Returns: The generations, and how many older ones the limit leaves out.
    package func generations(
        before name: GenerationName? = nil, limit: Int = .max
    ) throws(IOError) -> (files: [KeptFile], omitted: Int) {
        guard let history else { return ([], 0) }
        return try place.readFiles { () throws(IOError) in
            let names = try history.generationNames().prefix { generation in
                name.map { generation < $0 } ?? true
            }
            let newest = names.suffix(limit)
            return (try history.files(named: newest.map(\.file)), names.count - newest.count)
        }
    }

    /// Reads a generation, see ``KeptContents``.
    ///
    /// - Parameter name: its number, with or without the zeros in front.
    package func contents(of name: String) throws(KeptStateError) -> KeptContents {
        guard let generation = GenerationName(name),
            let contents = try history?.contents(of: generation.file, at: place)
        else { throw .unknown(name: name, in: place.path(of: .history)) }
        return contents
    }
}

extension IOError {
    /// Whether there is something of that name that is no folder, or may not be looked into.
    var isOfUnusableFolder: Bool { [ENOTDIR, ELOOP, EACCES, EPERM].contains(code) }
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
