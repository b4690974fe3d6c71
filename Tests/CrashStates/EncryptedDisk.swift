import Encryption
import LinuxIO
import SimulatedDisk

/// Keys of the tested archives, and the decryption of their files.
enum EncryptedDisk {
    /// Keys for this task, or no keys if nothing is encrypted.
    @TaskLocal static var keys = EncryptionKeys.none

    /// Returns a key for tests.
    static func testKeys() throws -> EncryptionKeys {
        EncryptionKeys(sealing: try EncryptionKey(Array(1...32)))
    }

    /// Offset of the first byte that may be damaged. The start of an encrypted file can be reconstructed from its end.
    static var firstDamageableOffset: Int { keys.ids.isEmpty ? 0 : 40 }
}

extension SimulatedDisk {
    /// Returns the decrypted contents of a file relative to the root, or `nil` if the file does not exist.
    func content(_ path: String) -> [UInt8]? {
        guard let bytes = file(path), !EncryptedDisk.keys.ids.isEmpty else { return file(path) }
        let disk = SimulatedDisk()
        disk.put(bytes, at: "file")
        do throws(IOError) {
            return try SealedDirectory(disk.root, keys: EncryptedDisk.keys).read(
                "file", limit: .max)
        } catch {
            return nil
        }
    }
}
