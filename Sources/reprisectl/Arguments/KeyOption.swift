import ArgumentParser
import Encryption
import FoundationEssentials
import SystemPackage

/// Option that names a file with an encryption key, for `inspect`, `backup` and `restore`.
struct KeyOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file that contains the key for encrypted archives, or - to read the key from "
                + "standard input.",
            valueName: "file"),
        completion: .file())
    var key: String?

    /// Returns the key in the file, or the keys in the credentials directory if the command line names no file.
    func readKeys() throws -> EncryptionKeys {
        guard let key else {
            do throws(EncryptionKeyError) {
                let directory = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
                return try CredentialKeys(in: directory).keys(encrypts: false)
            } catch {
                throw Failure("\(error)", status: .malformedKey)
            }
        }
        let bytes = try Self.read(key)
        do throws(EncryptionKeyError) {
            return EncryptionKeys(sealing: nil, reading: [try EncryptionKey(bytes, from: key)])
        } catch {
            throw Failure("\(error)", status: .malformedKey)
        }
    }

    /// Reads a key from a file or a pipe. With a pipe, the key need not be stored on disk.
    private static func read(_ path: String) throws(Failure) -> [UInt8] {
        let maximumByteCount = EncryptionKey.maximumBytes
        do {
            if path == "-" {
                return try FileDescriptor.standardInput.readToEnd(
                    maximumByteCount: maximumByteCount)
            }
            let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec)
            return try file.closeAfter { try file.readToEnd(maximumByteCount: maximumByteCount) }
        } catch {
            throw Failure("the key file '\(path)' cannot be read: \(error).", status: .malformedKey)
        }
    }
}
