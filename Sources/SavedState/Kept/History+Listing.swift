import Glibc
import LinuxIO

extension History {
    /// The most bytes of a reason that are read.
    private static let mostReasonBytes = 64 << 10
    /// So many of the newest generations are tried before there is said to be none.
    private static let mostTried = 16

    /// The generations, the oldest first. What is no generation is left out.
    func generations() throws(IOError) -> [KeptGeneration] {
        let names = try names()
        return names.compactMap { name in
            guard let status = status(of: name.file) else { return nil }
            return KeptGeneration(
                name: name, path: path(of: name.file), reason: reason(of: name),
                time: self.status(of: name.file + Self.reasonSuffix)?.modified ?? status.modified,
                byteCount: status.size)
        }
    }

    /// The names of files that look like generations, the oldest first.
    func names() throws(IOError) -> [GenerationName] {
        try folder.names().compactMap { GenerationName(file: $0) }.sorted()
    }

    /// Reads a generation, and checks every byte of it.
    func contents(
        of name: String, limit: Int, bundleIdentifier: String
    ) throws(KeptStateError) -> KeptContents {
        let bytes: [UInt8]?
        let generation = GenerationName(name)
        do throws(IOError) {
            bytes = try generation.flatMap { name throws(IOError) in
                try folder.read(name.file, limit: limit)
            }
        } catch {
            throw .io(error)
        }
        guard let generation, let bytes else { throw .unknown(name: name, in: folder.path) }
        return try KeptContents(
            bytes, path: path(of: generation.file), bundleIdentifier: bundleIdentifier)
    }

    /// The newest generation that can be read, of the few newest; nil if there is none.
    static func newest(
        in applicationFolder: any Folder, limit: Int, bundleIdentifier: String?
    ) throws(IOError) -> (prefix: ArchiveReader.Prefix, path: String)? {
        guard let history = try History(existingIn: applicationFolder) else { return nil }
        for name in try history.names().suffix(mostTried).reversed() {
            let bytes: [UInt8]
            do throws(IOError) {
                guard let found = try history.folder.read(name.file, limit: limit) else { continue }
                bytes = found
            } catch  where [EFBIG, EINVAL, EISDIR, EACCES].contains(error.code) {
                continue  // It is no generation, or none for us; an older one may be.
            }
            switch ArchiveReader.read(bytes, bundleIdentifier: bundleIdentifier) {
            case .whole(let prefix), .torn(let prefix, _):
                if prefix.hasPass { return (prefix, history.path(of: name.file)) }
            case .damaged, .newer: continue
            }
        }
        return nil
    }

    /// What a file is, if it is a regular one that can be looked at.
    func status(of file: String) -> FileStatus? {
        do throws(IOError) {
            let status = try folder.status(of: file)
            return status.flatMap { $0.mode & S_IFMT == S_IFREG ? $0 : nil }
        } catch {
            return nil
        }
    }

    /// The first line beside a generation, if there is a whole one that can be read.
    private func reason(of name: GenerationName) -> String? {
        let bytes: [UInt8]?
        do throws(IOError) {
            bytes = try folder.read(name.file + Self.reasonSuffix, limit: Self.mostReasonBytes)
        } catch {
            return nil
        }
        guard let bytes, let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end > 0 else {
            return nil
        }
        return String(validating: bytes[..<end], as: UTF8.self)
    }
}
