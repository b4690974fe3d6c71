import Encryption
import LinuxIO
import SimulatedDisk

/// The keys of the archives that are rehearsed, and what files hold that may be encrypted with them.
enum EncryptedDisk {
    /// The keys of what runs in this task; none: nothing is encrypted.
    @TaskLocal static var keys = EncryptionKeys.none

    /// A key of the tests.
    static func testKeys() throws -> EncryptionKeys {
        EncryptionKeys(sealing: try EncryptionKey(Array(1...32)))
    }

    /// Where damage may be: the start of an encrypted file is made up for by its end.
    static var firstDamaged: Int { keys.ids.isEmpty ? 0 : 40 }
}

extension SimulatedDisk {
    /// What a file holds, from the root; nil if there is none.
    func content(_ path: String) -> [UInt8]? {
        guard let bytes = file(path), !EncryptedDisk.keys.ids.isEmpty else { return file(path) }
        let disk = SimulatedDisk()
        disk.put(bytes, at: "file")
        do throws(IOError) {
            return try SealedFolder(disk.root, keys: EncryptedDisk.keys).read("file", limit: .max)
        } catch {
            return nil
        }
    }
}
