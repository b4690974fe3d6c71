import Glibc
package import LinuxIO

/// A folder whose files can be sealed (``SealedFile``), for those who keep files safe in it.
package protocol SealingFolder: Folder {
    /// The key, or program, that a file cannot be read without and that is not here, as far as its start
    /// tells; nil if there is none such, and if the file cannot be looked at.
    func lack(of name: String) -> SealedFileLack?
    /// Reads a whole file like ``Folder/read(_:limit:)``; one that is sealed and not as it was written
    /// is `EBADMSG`.
    func readIntact(_ name: String, limit: Int) throws(IOError) -> [UInt8]?
    /// Whether a file is not sealed as what is written now is; false as well if none is there.
    func isOutdated(_ name: String) throws(IOError) -> Bool
    /// Writes a file as what is written now is sealed, durably, unless it is so; its time stays. One
    /// that is not as it was written stays as it is (`EBADMSG`), and so does one that somebody else
    /// keeps changing at the same time (`EAGAIN`).
    ///
    /// - Returns: whether it was written; false as well for what is no file, or is not there.
    func reseal(_ name: String, temporary: String) throws(IOError) -> Bool
}

/// A folder in which everything new is sealed, and what is there is read, sealed or not.
///
/// With no key to seal, files are written as they are. A file that no key here can read is an error
/// with the errno `ENOKEY`, and so never damage; one of a newer version is `EOPNOTSUPP`
/// (``LinuxIO/IOError/lacksKey``). One that is not sealed as what is written now can be read, but not be opened for appending
/// (`EKEYEXPIRED`): it has to be replaced.
package struct SealedFolder<Base: Folder>: SealingFolder {
    private let base: Base
    private let keys: EncryptionKeys
    private let lengths: SealedLengths

    /// The folder as it is on the disk, with the keys for what is in it and below.
    package init(_ base: Base, keys: EncryptionKeys) {
        self.init(base, keys, SealedLengths())
    }

    private init(_ base: Base, _ keys: EncryptionKeys, _ lengths: SealedLengths) {
        self.base = base
        self.keys = keys
        self.lengths = lengths
    }

    package var path: String { base.path }

    package func standing() throws(IOError) -> FolderStanding { try base.standing() }

    package func subfolder(_ name: String) throws(IOError) -> SealedFolder? {
        try base.subfolder(name).map { SealedFolder($0, keys, lengths) }
    }

    package func makeSubfolder(_ name: String) throws(IOError) -> SealedFolder {
        SealedFolder(try base.makeSubfolder(name), keys, lengths)
    }

    package func names() throws(IOError) -> [String] { try base.names() }

    package func createFile(_ name: String) throws(IOError) -> SealedFile<Base.File> {
        let content = keys.sealing.map { FileContent.sealed(FileCipher($0), isStartIntact: true) }
        return SealedFile(try base.createFile(name), content ?? .plain, lengths)
    }

    package func openForReading(_ name: String) throws(IOError) -> SealedFile<Base.File>? {
        guard let file = try base.openForReading(name) else { return nil }
        return SealedFile(file, try content(of: file), lengths)
    }

    package func openForAppending(_ name: String) throws(IOError) -> SealedFile<Base.File>? {
        guard let file = try base.openForAppending(name) else { return nil }
        let content = try content(of: file)
        guard content.isCurrent(for: keys.sealing) else {
            throw IOError(.open, path: file.path, code: EKEYEXPIRED)
        }
        return SealedFile(file, content, lengths)
    }

    package func rename(_ name: String, to newName: String) throws(IOError) {
        try base.rename(name, to: newName)
    }

    package func exchange(_ name: String, with other: String) throws(IOError) {
        try base.exchange(name, with: other)
    }

    package func status(of name: String) throws(IOError) -> FileStatus? {
        try base.status(of: name).map { status throws(IOError) in try inside(status, name) }
    }

    package func entryStatus(of name: String) throws(IOError) -> FileStatus? {
        try base.entryStatus(of: name).map { status throws(IOError) in try inside(status, name) }
    }

    @discardableResult
    package func remove(_ name: String) throws(IOError) -> Bool { try base.remove(name) }

    package func synchronize() throws(IOError) { try base.synchronize() }

    // MARK: What is there

    /// A status with the length of what the file holds. Of a file that may not be read, or not by
    /// these keys, it is the length that it has on the disk.
    private func inside(_ status: FileStatus, _ name: String) throws(IOError) -> FileStatus {
        guard status.kind == .file, !keys.isEmpty else { return status }
        if let known = lengths.inside(status) {
            var status = status
            status.size = known
            return status
        }
        do throws(IOError) {
            guard let opened = try openForReading(name)?.status(), opened.isSameFile(as: status)
            else { return status }
            return opened
        } catch  where error.lacksKey || [EACCES, EPERM, EFBIG].contains(error.code) {
            return status
        }
    }

    /// How the content of a file is to be understood.
    private func content(of file: Base.File) throws(IOError) -> FileContent {
        let status = try file.status()
        guard status.kind == .file else { return .plain }
        if status.size == 0 {
            return keys.sealing.map { .sealed(FileCipher($0), isStartIntact: true) } ?? .plain
        }
        switch SealedHeader.parse(try file.read(upTo: SealedHeader.byteCount)) {
        case .header(let header):
            guard let key = keys.key(header.key) else {
                throw IOError(
                    .decrypt, path: file.path, code: ENOKEY, detail: "the key \(header.key)")
            }
            return .sealed(FileCipher(key, mark: header.mark), isStartIntact: true)
        case .newer: throw IOError(.decrypt, path: file.path, code: EOPNOTSUPP)
        case .none where keys.isEmpty: return .plain
        case .broken where keys.isEmpty: throw IOError(.decrypt, path: file.path, code: ENOKEY)
        case .broken: return try cipher(byTheEndOf: file, status.size) ?? .unreadable
        case .none: return try cipher(byTheEndOf: file, status.size) ?? .plain
        }
    }

    /// Understands a file whose start is damaged by its last frame; nil if that is no valid one.
    private func cipher(
        byTheEndOf file: Base.File, _ size: Int
    ) throws(IOError) -> FileContent? {
        let start = max(0, size - FileCipher.tailBytes)
        let tail = try file.read(from: start, upTo: size - start)
        guard let mark = FileCipher.lastMark(in: tail) else { return nil }
        for key in keys.all {
            let cipher = FileCipher(key, mark: mark)
            if cipher.lastFrame(in: tail) != nil { return .sealed(cipher, isStartIntact: false) }
        }
        return nil
    }

    package func lack(of name: String) -> SealedFileLack? {
        do throws(IOError) {
            guard let file = try base.openForReading(name), try file.status().kind == .file else {
                return nil
            }
            return lack(of: SealedHeader.parse(try file.read(upTo: SealedHeader.byteCount)))
        } catch {
            return nil
        }
    }

    private func lack(of header: SealedHeader.Parsed) -> SealedFileLack? {
        switch header {
        case .header(let header): keys.key(header.key) == nil ? .key(id: "\(header.key)") : nil
        case .newer(let version): .version(version)
        case .broken: keys.isEmpty ? .someKey : nil
        case .none: nil
        }
    }

    /// The most bytes of a file that is written anew.
    private static var mostBytes: Int { 1 << 30 }

    package func readIntact(_ name: String, limit: Int) throws(IOError) -> [UInt8]? {
        try openForReading(name)?.readIntact(limit: limit)
    }

    package func isOutdated(_ name: String) throws(IOError) -> Bool {
        guard try base.status(of: name)?.kind == .file, let file = try openForReading(name)
        else { return false }
        return !file.isCurrent(for: keys)
    }

    /// How often a file is read again that somebody changed meanwhile.
    private static var mostTries: Int { 3 }

    package func reseal(_ name: String, temporary: String) throws(IOError) -> Bool {
        for _ in 0..<Self.mostTries {
            guard let status = try base.entryStatus(of: name), status.kind == .file,
                let file = try openForReading(name), !file.isCurrent(for: keys)
            else { return false }
            let bytes = try file.readIntact(limit: Self.mostBytes)
            var isChanged = false
            do throws(IOError) {
                try replace(name, with: bytes, temporary: temporary, modified: status.modified) {
                    _ throws(IOError) in
                    isChanged = try base.entryStatus(of: name) != status
                    if isChanged { throw IOError(.rename, path: file.path, code: EAGAIN) }
                }
                return true
            } catch  where isChanged {
            } catch {
                throw IOError(.writeAnew, path: file.path, code: error.code)
            }
        }
        throw IOError(.writeAnew, path: "\(path)/\(name)", code: EAGAIN)
    }
}

extension IOError {
    /// Whether a file is encrypted, and the key or the program is not here that it can be read with.
    package var lacksKey: Bool {
        operation == .decrypt && (code == ENOKEY || code == EOPNOTSUPP)
    }
}
