import Glibc

/// Tells one program, with the storyboards that it is given, from another (L8): whether a crash may be
/// the fault of a program that never worked.
///
/// It is made of the bundle version, the storyboards' bytes, and the executable's inode, length and
/// time of change. Not of its device: that has another number after a restart of many a machine.
package struct ProgramIdentity: Sendable, Hashable, Codable {
    private var text: String

    /// An identity of these parts.
    ///
    /// - Parameters:
    ///   - version: the bundle version.
    ///   - resources: a fingerprint of the storyboards.
    ///   - executable: what ``executable()`` gave.
    package init(version: String, resources: UInt64, executable: UInt64) {
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(resources)
        bytes.appendLittleEndian(executable)
        bytes += version.utf8
        let sum = checksum(bytes, 0..<bytes.count, seed: 0)
        let digits = String(sum, radix: 16)
        text = String(repeating: "0", count: 16 - digits.count) + digits
    }

    package init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    /// A fingerprint of bytes, such as those of storyboards.
    package static func fingerprint(_ parts: some Sequence<[UInt8]>) -> UInt64 {
        parts.reduce(0) { checksum($1, 0..<$1.count, seed: $0) }
    }

    /// The file that this process was started from; 0 where that cannot be told.
    package static func executable() -> UInt64 {
        var status = stat()
        guard stat("/proc/self/exe", &status) == 0 else { return 0 }
        var bytes: [UInt8] = []
        bytes.appendLittleEndian(UInt64(status.st_ino))
        bytes.appendLittleEndian(UInt64(bitPattern: Int64(status.st_size)))
        bytes.appendLittleEndian(UInt64(bitPattern: Int64(status.st_mtim.tv_sec)))
        bytes.appendLittleEndian(UInt64(bitPattern: Int64(status.st_mtim.tv_nsec)))
        return checksum(bytes, 0..<bytes.count, seed: 0)
    }
}
