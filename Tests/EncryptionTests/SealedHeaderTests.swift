import SimulatedDisk
import Testing

@testable import Encryption

/// Headers of encrypted files, which every build can read, even without the `Encryption` trait.
@Suite struct SealedHeaderTests {
    /// Returns a header of the given version.
    private func header(version: UInt32, checksum: [UInt8]) -> [UInt8] {
        var bytes = SealedHeader.magic
        bytes.appendLittleEndian(version)
        bytes.appendLittleEndian(UInt32(SealedHeader.byteCount))
        return bytes + Array(0x10...0x17) + Array(1...8) + checksum
    }

    private var current: [UInt8] {
        header(version: 1, checksum: [0x07, 0xF3, 0xD7, 0x58, 0xAD, 0x1A, 0xB7, 0x5D])
    }

    private var newer: [UInt8] {
        header(version: 2, checksum: [0xE3, 0x59, 0x94, 0xC0, 0xD7, 0xCC, 0x62, 0xF3])
    }

    @Test func `without a key, the key or the version that an encrypted file needs is known`() {
        let disk = SimulatedDisk()
        disk.put(current, at: "current")
        disk.put(newer, at: "newer")
        disk.put(current.dropLast() + [0], at: "damaged")
        let directory = SealedDirectory(disk.root, keys: .none)
        #expect(directory.missingRequirement(of: "current") == .key(id: "1011121314151617"))
        #expect(directory.missingRequirement(of: "newer") == .version(2))
        #expect(directory.missingRequirement(of: "damaged") == .unknownKey)
    }

    @Test func `an encoded header is read again`() {
        let header = SealedHeader(
            keyIdentifier: KeyIdentifier(Array(0x10...0x17)), syncMarker: Array(1...8))
        #expect(header.encoded() == current)
        guard case .header(header) = SealedHeader.parse(current) else {
            Issue.record("the header is not read")
            return
        }
    }
}
