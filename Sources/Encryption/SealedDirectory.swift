import Glibc
package import LinuxIO

/// A directory whose files can be encrypted (see ``SealedFile``).
package protocol SealingDirectory: DirectoryProtocol {
    /// Returns the key or program version that is needed to decrypt a file but is missing.
    ///
    /// The result depends only on the first bytes of the file. It is `nil` if nothing is missing, or if the file cannot
    /// be read for another reason.
    func missingRequirement(of name: String) -> DecryptionRequirement?
    /// Reads a whole file in the same way as ``DirectoryProtocol/read(_:limit:)``, but throws `EBADMSG` if an encrypted
    /// file is damaged.
    func readIntact(_ name: String, limit: Int) throws(IOError) -> [UInt8]?
    /// Returns whether a file is encrypted differently from new files.
    ///
    /// The result is `false` if the file does not exist.
    func needsReencryption(_ name: String) throws(IOError) -> Bool
    /// Durably re-encrypts a file in the same way as new files, and preserves its modification time.
    ///
    /// If the file is already encrypted in the same way as new files, the method does nothing.
    ///
    /// - Returns: Whether the file was rewritten. The result is `false` if the file does not exist or is not a
    ///   regular file.
    /// - Throws: `EBADMSG` if the file is damaged, or `EAGAIN` if another program keeps changing it. The file
    ///   remains unchanged in both cases.
    func reencrypt(_ name: String, temporaryName: String) throws(IOError) -> Bool
}

/// A directory that encrypts new files and reads both encrypted and unencrypted files.
///
/// If there is no sealing key, new files are not encrypted. Opening a file can fail with the following errors. For the
/// first two, ``LinuxIO/IOError/indicatesMissingKey`` is `true`:
///
/// - `ENOKEY`: No available key can decrypt the file. Such a file is not treated as damaged.
/// - `EOPNOTSUPP`: A newer version of the program encrypted the file.
/// - `EKEYEXPIRED`: The file can be read, but it is encrypted differently from new files. It cannot be opened for
///   appending and must be replaced.
package struct SealedDirectory<Base: DirectoryProtocol>: SealingDirectory {
    private let base: Base
    private let keys: EncryptionKeys
    private let lengthCache: PlaintextLengthCache

    /// Creates an encrypting view of a directory on disk and of its subdirectories.
    package init(_ base: Base, keys: EncryptionKeys) {
        self.init(base, keys, PlaintextLengthCache())
    }

    private init(_ base: Base, _ keys: EncryptionKeys, _ lengthCache: PlaintextLengthCache) {
        self.base = base
        self.keys = keys
        self.lengthCache = lengthCache
    }

    package var path: String { base.path }

    package func pathStatus() throws(IOError) -> DirectoryPathStatus { try base.pathStatus() }

    package func openSubdirectory(_ name: String) throws(IOError) -> SealedDirectory? {
        try base.openSubdirectory(name).map { SealedDirectory($0, keys, lengthCache) }
    }

    package func openOrCreateSubdirectory(_ name: String) throws(IOError) -> SealedDirectory {
        SealedDirectory(try base.openOrCreateSubdirectory(name), keys, lengthCache)
    }

    package func names() throws(IOError) -> [String] { try base.names() }

    package func createFile(_ name: String) throws(IOError) -> SealedFile<Base.File> {
        let encoding = keys.sealingKey.map {
            FileContentEncoding.sealed(FileCipher($0), isHeaderIntact: true)
        }
        return SealedFile(try base.createFile(name), encoding ?? .plain, lengthCache)
    }

    package func openForReading(_ name: String) throws(IOError) -> SealedFile<Base.File>? {
        guard let file = try base.openForReading(name) else { return nil }
        return SealedFile(file, try encoding(of: file), lengthCache)
    }

    package func openForAppending(_ name: String) throws(IOError) -> SealedFile<Base.File>? {
        guard let file = try base.openForAppending(name) else { return nil }
        let encoding = try encoding(of: file)
        guard encoding.isCurrent(for: keys.sealingKey) else {
            throw IOError(.open, path: file.path, code: EKEYEXPIRED)
        }
        return SealedFile(file, encoding, lengthCache)
    }

    package func rename(_ name: String, to newName: String) throws(IOError) {
        try base.rename(name, to: newName)
    }

    package func exchange(_ name: String, with otherName: String) throws(IOError) {
        try base.exchange(name, with: otherName)
    }

    package func status(of name: String) throws(IOError) -> FileStatus? {
        try base.status(of: name).map { status throws(IOError) in
            try plaintextStatus(status, of: name)
        }
    }

    package func entryStatus(of name: String) throws(IOError) -> FileStatus? {
        try base.entryStatus(of: name).map { status throws(IOError) in
            try plaintextStatus(status, of: name)
        }
    }

    @discardableResult
    package func remove(_ name: String) throws(IOError) -> Bool { try base.remove(name) }

    package func synchronize() throws(IOError) { try base.synchronize() }

    // MARK: Existing files

    /// Returns a status whose size is the length of the decrypted contents.
    ///
    /// If access to the file is denied, the file is too large, or no key can decrypt it, the size is the length on
    /// disk.
    private func plaintextStatus(_ status: FileStatus, of name: String) throws(IOError)
        -> FileStatus
    {
        guard status.kind == .file, !keys.isEmpty else { return status }
        if let cachedLength = lengthCache.plaintextLength(of: status) {
            var status = status
            status.size = cachedLength
            return status
        }
        do throws(IOError) {
            guard let plaintextFileStatus = try openForReading(name)?.status(),
                plaintextFileStatus.isSameFile(as: status)
            else { return status }
            var status = status
            status.size = plaintextFileStatus.size
            return status
        } catch  where error.indicatesMissingKey || [EACCES, EPERM, EFBIG].contains(error.code) {
            return status
        }
    }

    private func encoding(of file: Base.File) throws(IOError) -> FileContentEncoding {
        let status = try file.status()
        guard status.kind == .file else { return .plain }
        if status.size == 0 {
            return keys.sealingKey.map { .sealed(FileCipher($0), isHeaderIntact: true) } ?? .plain
        }
        switch SealedHeader.parse(try file.read(upTo: SealedHeader.byteCount)) {
        case .header(let header):
            guard let key = keys.key(header.keyIdentifier) else {
                throw IOError(
                    .decrypt, path: file.path, code: ENOKEY,
                    detail: "the key \(header.keyIdentifier)")
            }
            return .sealed(FileCipher(key, syncMarker: header.syncMarker), isHeaderIntact: true)
        case .newer: throw IOError(.decrypt, path: file.path, code: EOPNOTSUPP)
        case .noHeader where keys.isEmpty: return .plain
        case .damaged where keys.isEmpty: throw IOError(.decrypt, path: file.path, code: ENOKEY)
        case .damaged: return try encoding(fromLastFrameOf: file, size: status.size) ?? .unreadable
        case .noHeader: return try encoding(fromLastFrameOf: file, size: status.size) ?? .plain
        }
    }

    /// Returns the encoding that a file's last frame indicates.
    ///
    /// The last frame identifies the key even if the start of the file is damaged.
    ///
    /// Returns `nil` if the last frame is not valid or its key is not available.
    private func encoding(
        fromLastFrameOf file: Base.File, size: Int
    ) throws(IOError) -> FileContentEncoding? {
        let start = max(0, size - FileCipher.tailByteCount)
        let tail = try file.read(from: start, upTo: size - start)
        guard let syncMarker = FileCipher.lastSyncMarker(in: tail) else { return nil }
        for key in keys.decryptionKeys {
            let cipher = FileCipher(key, syncMarker: syncMarker)
            if cipher.lastFrame(in: tail) != nil { return .sealed(cipher, isHeaderIntact: false) }
        }
        return nil
    }

    package func missingRequirement(of name: String) -> DecryptionRequirement? {
        do throws(IOError) {
            guard let file = try base.openForReading(name), try file.status().kind == .file else {
                return nil
            }
            return missingRequirement(
                of: SealedHeader.parse(try file.read(upTo: SealedHeader.byteCount)))
        } catch {
            return nil
        }
    }

    private func missingRequirement(of header: SealedHeader.ParseResult) -> DecryptionRequirement? {
        switch header {
        case .header(let header):
            keys.key(header.keyIdentifier) == nil ? .key(id: "\(header.keyIdentifier)") : nil
        case .newer(let version): .version(version)
        case .damaged: keys.isEmpty ? .unknownKey : nil
        case .noHeader: nil
        }
    }

    /// Maximum length of the contents of a file that can be re-encrypted, in bytes.
    private static var maximumReencryptedBytes: Int { 1 << 30 }

    package func readIntact(_ name: String, limit: Int) throws(IOError) -> [UInt8]? {
        try openForReading(name)?.readIntact(limit: limit)
    }

    package func needsReencryption(_ name: String) throws(IOError) -> Bool {
        guard try base.status(of: name)?.kind == .file, let file = try openForReading(name)
        else { return false }
        return !file.isCurrent(for: keys)
    }

    /// Maximum number of attempts to re-encrypt a file while another program changes it.
    private static var maximumReencryptionAttempts: Int { 3 }

    package func reencrypt(_ name: String, temporaryName: String) throws(IOError) -> Bool {
        for _ in 0..<Self.maximumReencryptionAttempts {
            guard let status = try base.entryStatus(of: name), status.kind == .file,
                let file = try openForReading(name), !file.isCurrent(for: keys)
            else { return false }
            let bytes = try file.readIntact(limit: Self.maximumReencryptedBytes)
            var isChanged = false
            do throws(IOError) {
                try replace(
                    name, with: bytes, temporaryName: temporaryName,
                    modificationTime: status.modificationTime
                ) {
                    _ throws(IOError) in
                    isChanged = try base.entryStatus(of: name) != status
                    if isChanged { throw IOError(.rename, path: file.path, code: EAGAIN) }
                }
                return true
            } catch  where isChanged {
            } catch {
                throw IOError(.rewrite, path: file.path, code: error.code)
            }
        }
        throw IOError(.rewrite, path: "\(path)/\(name)", code: EAGAIN)
    }
}

extension IOError {
    /// Whether the error means that the key or program version needed to decrypt the file is missing.
    package var indicatesMissingKey: Bool {
        operation == .decrypt && (code == ENOKEY || code == EOPNOTSUPP)
    }
}
