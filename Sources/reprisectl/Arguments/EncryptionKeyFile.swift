import Encryption
import FoundationEssentials
import SystemPackage

/// File with an encryption key for `inspect`, `backup` and `restore`.
enum EncryptionKeyFile {
    /// Returns the key in a file, or the keys in the credentials directory.
    ///
    /// - Parameter path: Path of the file, `-` for standard input, or `nil` if the command line names no file.
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
        let bytes = try readKey(path)
        do throws(EncryptionKeyError) {
            return EncryptionKeys(sealing: nil, reading: [try EncryptionKey(bytes, from: path)])
        } catch {
            throw Failure("\(error)", status: .usage)
        }
    }

    /// Reads a key from a file or a pipe. If the key comes from a pipe, it does not have to be stored on disk.
    private static func readKey(_ path: String) throws(Failure) -> [UInt8] {
        do {
            guard path != "-" else { return try readKey(.standardInput) }
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            return try file.closeAfter { try readKey(file) }
        } catch {
            throw Failure("the key file '\(path)' cannot be read: \(error).", status: .usage)
        }
    }

    private static func readKey(_ file: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let maximum = EncryptionKey.maximumBytes
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: maximum, alignment: 8)
        defer { buffer.deallocate() }
        while bytes.count <= maximum {
            let count = try file.read(into: buffer)
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        throw Errno.fileTooLarge
    }
}
