import Encryption
import FoundationEssentials
import SystemPackage

/// The file with the key that `inspect` is given.
enum KeyFile {
    /// The keys that can be used: that of a file, or those of the credentials.
    ///
    /// - Parameter path: the file's path; `-` for standard input; nil: none was named.
    static func keys(named path: String?) throws -> EncryptionKeys {
        guard let path else {
            do throws(EncryptionKeyError) {
                return try CredentialKeys(
                    in: ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
                ).keys(
                    encrypts: false)
            } catch {
                throw Failure("\(error)")
            }
        }
        let bytes = try read(path)
        do throws(EncryptionKeyError) {
            return EncryptionKeys(sealing: nil, reading: [try EncryptionKey(bytes, from: path)])
        } catch {
            throw Failure("\(error)", status: .usage)
        }
    }

    /// A pipe is as good as a file: a key need not lie on a disk.
    private static func read(_ path: String) throws(Failure) -> [UInt8] {
        do {
            guard path != "-" else { return try read(.standardInput) }
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            return try file.closeAfter { try read(file) }
        } catch {
            throw Failure("'\(path)' cannot be read for a key: \(error).", status: .usage)
        }
    }

    private static func read(_ file: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let most = EncryptionKey.mostBytes
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: most, alignment: 8)
        defer { piece.deallocate() }
        while bytes.count <= most {
            let count = try file.read(into: piece)
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
        throw Errno.fileTooLarge
    }
}
