import Glibc
import LinuxIO
import SimulatedDisk
import Synchronization
import TestSupport
import Testing

@testable import Encryption

/// A directory with encrypted files, whose contents can be read only with the right key and are never mistaken for
/// other contents.
@Suite struct SealedDirectoryTests {
    private static func key(_ byte: UInt8) throws -> EncryptionKey {
        try EncryptionKey((0..<32).map { byte &+ $0 })
    }

    private let disk = SimulatedDisk()

    private func sealedDirectory(
        _ sealing: EncryptionKey?, reading: [EncryptionKey] = []
    ) -> SealedDirectory<SimulatedDirectory> {
        SealedDirectory(disk.root, keys: EncryptionKeys(sealing: sealing, reading: reading))
    }

    /// Bytes that are easy to find in a file.
    private let secret = Array("a text that nobody else may read, and that is long enough".utf8)

    private func isAnywhere(_ bytes: [UInt8], in name: String) throws -> Bool {
        let raw = try #require(disk.file(name))
        return raw.indices.contains { raw[$0...].starts(with: bytes) }
    }

    @Test func `sealed contents can be read with their key and are not stored in plain text`()
        throws
    {
        let directory = sealedDirectory(try Self.key(1))
        let file = try directory.createFile("file")
        try file.write(secret)
        try file.write(Array(secret.reversed()))
        #expect(try directory.read("file", limit: 1000) == secret + secret.reversed())
        #expect(try file.status().size == 2 * secret.count)
        #expect(try !isAnywhere(Array(secret.prefix(8)), in: "file"))
        #expect(try !isAnywhere(Array(secret.reversed().prefix(8)), in: "file"))
        #expect(disk.file("file")?.count == 40 + 2 * (secret.count + 48))
    }

    @Test func `equal contents are encrypted differently, even within one file`() throws {
        let directory = sealedDirectory(try Self.key(1))
        for name in ["one", "two"] {
            let file = try directory.createFile(name)
            try file.write(secret)
            try file.write(secret)
        }
        var frames: Set<[UInt8]> = []
        for name in ["one", "two"] {
            let raw = try #require(disk.file(name))
            for start in [40, 40 + 48 + secret.count] {
                frames.insert(Array(raw[start + 28..<start + 28 + secret.count]))
            }
        }
        #expect(frames.count == 4)
    }

    @Test func `reading without the right key fails with ENOKEY and identifies the missing key`()
        throws
    {
        let key = try Self.key(1)
        try sealedDirectory(key).createFile("file").write(secret)
        let refused = IOError(
            .decrypt, path: "/state/file", code: ENOKEY, detail: "the key \(key.id)")
        for other in [
            sealedDirectory(try Self.key(2)), sealedDirectory(nil),
            sealedDirectory(nil, reading: [try Self.key(3)]),
        ] {
            #expect(throws: refused) { try other.read("file", limit: 1000) }
            #expect(throws: refused) { try other.openForAppending("file") }
            #expect(other.missingRequirement(of: "file") == .key(id: key.id))
            #expect(try other.status(of: "file")?.size == 40 + 48 + secret.count)
        }
        #expect(sealedDirectory(key).missingRequirement(of: "file") == nil)
        #expect(sealedDirectory(nil).missingRequirement(of: "nothing") == nil)
        #expect("\(refused)".contains("key"))
    }

    @Test func `a file in a newer format is refused`() throws {
        let key = try Self.key(1)
        try sealedDirectory(key).createFile("file").write(secret)
        var raw = try #require(disk.file("file"))
        raw[8] = 2
        disk.put(SealedHeader.withRightChecksum(raw), at: "file")
        #expect(throws: IOError(.decrypt, path: "/state/file", code: EOPNOTSUPP)) {
            try sealedDirectory(key).read("file", limit: 1000)
        }
        #expect(sealedDirectory(key).missingRequirement(of: "file") == .version(2))
    }

    @Test func `a file with a previous key is readable, but must be re-encrypted before appending`()
        throws
    {
        let (old, new) = (try Self.key(1), try Self.key(2))
        try sealedDirectory(old).createFile("file").write(secret)
        try sealedDirectory(nil).createFile("plain").write(secret)
        let both = sealedDirectory(new, reading: [old])
        for name in ["file", "plain"] {
            #expect(try both.read(name, limit: 1000) == secret)
            #expect(try both.needsReencryption(name))
            #expect(throws: IOError(.open, path: "/state/\(name)", code: EKEYEXPIRED)) {
                try both.openForAppending(name)
            }
            #expect(try both.reencrypt(name, temporaryName: "new"))
            #expect(try !both.reencrypt(name, temporaryName: "new"))
            #expect(try sealedDirectory(new).read(name, limit: 1000) == secret)
            #expect(try !isAnywhere(Array(secret.prefix(8)), in: name))
        }
        #expect(try both.names() == ["file", "plain"])
        // Without a key, the file is decrypted again.
        let none = sealedDirectory(nil, reading: [new])
        #expect(try none.reencrypt("file", temporaryName: "new"))
        #expect(disk.file("file") == secret)
    }

    @Test func `re-encryption preserves the modification time of a file`() throws {
        try withScratchDirectory { path in
            let directory = try Directory.openOrCreate(path)
            let plain = SealedDirectory(directory, keys: .none)
            try plain.createFile("file").write(secret)
            try #require(try directory.openForAppending("file")).setModificationTime(
                1_700_000_000_123_456)
            let sealed = SealedDirectory(directory, keys: EncryptionKeys(sealing: try Self.key(1)))
            #expect(try sealed.reencrypt("file", temporaryName: "new"))
            #expect(try sealed.entryStatus(of: "file")?.modificationTime == 1_700_000_000_123_456)
            #expect(try sealed.status(of: "file")?.size == secret.count)
        }
    }

    @Test func `a change by another program during re-encryption is preserved`() throws {
        let (old, new) = (try Self.key(1), try Self.key(2))
        try sealedDirectory(old).createFile("file").write(secret)
        let changes = Mutex(1)
        disk.setGate { [disk] kind in
            guard kind == .synchronize else { return true }
            let isChanging = changes.withLock { count in
                count -= 1
                return count >= 0
            }
            if isChanging { disk.put(Array("changed".utf8), at: "file") }
            return true
        }
        let both = sealedDirectory(new, reading: [old])
        #expect(try both.reencrypt("file", temporaryName: "new"))
        #expect(try both.read("file", limit: 100) == Array("changed".utf8))
        #expect(try !both.needsReencryption("file"))
        #expect(try both.names() == ["file"])
    }

    @Test func `an interrupted re-encryption leaves a complete file, either old or new`() throws {
        let (old, new) = (try Self.key(1), try Self.key(2))
        try sealedDirectory(old).createFile("file").write(secret)
        disk.put(try #require(disk.file("file")), at: "file")
        let snapshots = Mutex<[DiskSnapshot]>([])
        disk.setGate { [disk] _ in
            snapshots.withLock { $0.append(disk.snapshot) }
            return true
        }
        let keys = EncryptionKeys(sealing: new, reading: [old])
        #expect(try SealedDirectory(disk.root, keys: keys).reencrypt("file", temporaryName: "new"))
        disk.setGate(nil)
        let taken = snapshots.withLock { $0 } + [disk.snapshot]
        #expect(taken.count > 8)
        for snapshot in taken {
            let ends =
                [snapshot.afterKill(), snapshot.withoutUnsynced()]
                + (0..<20).map { snapshot.afterPowerCut(seed: $0) }
            for end in ends {
                let directory = SealedDirectory(end.root, keys: keys)
                #expect(try directory.readIntact("file", limit: 100) == secret)
                // A temporary file that remains after a crash does not prevent re-encryption.
                _ = try directory.reencrypt("file", temporaryName: "new")
                #expect(try !directory.needsReencryption("file"))
            }
        }
    }

    @Test func `a frame with a changed byte reads as zeros, or as 0xFF at the end of the file`()
        throws
    {
        let directory = sealedDirectory(try Self.key(1))
        let file = try directory.createFile("file")
        for number in 1...5 { try file.write([UInt8](repeating: UInt8(number), count: 100)) }
        let intact = try #require(disk.file("file"))
        let content = try #require(try directory.read("file", limit: 1000))
        for offset in 40..<intact.count {
            var raw = intact
            raw[offset] ^= 0x10
            disk.put(raw, at: "file")
            let frame = (offset - 40) / 148
            var expected = content
            let filler: UInt8 = frame == 4 ? 0xFF : 0
            for place in frame * 100..<frame * 100 + 100 { expected[place] = filler }
            #expect(try directory.read("file", limit: 1000) == expected, "byte \(offset)")
            #expect(try directory.status(of: "file")?.size == 500)
        }
    }

    @Test func `a damaged header is recovered from the end of the file`() throws {
        let key = try Self.key(1)
        try sealedDirectory(key).createFile("file").write(secret)
        let intact = try #require(disk.file("file"))
        for offset in 0..<40 {
            var raw = intact
            raw[offset] ^= 0x10
            disk.put(raw, at: "file")
            #expect(try sealedDirectory(key).read("file", limit: 1000) == secret, "byte \(offset)")
            // The file must be re-encrypted before bytes are appended.
            #expect(throws: IOError(.open, path: "/state/file", code: EKEYEXPIRED)) {
                try sealedDirectory(key).openForAppending("file")
            }
        }
    }

    @Test(arguments: [UInt8(1), 2, 3])
    func `every key is tried for a file with a damaged header`(number: UInt8) throws {
        try sealedDirectory(Self.key(number)).createFile("file").write(secret)
        var raw = try #require(disk.file("file"))
        raw[20] ^= 0x10
        disk.put(raw, at: "file")
        let keys = try (1...3).map { try Self.key($0) }
        for directory in [
            sealedDirectory(keys[0], reading: [keys[1], keys[2]]),
            sealedDirectory(nil, reading: keys),
        ] {
            #expect(try directory.read("file", limit: 1000) == secret)
            #expect(try directory.status(of: "file")?.size == secret.count)
        }
    }

    @Test func `a truncated frame after an intact frame reads as 0xFF, not as reserved space`()
        throws
    {
        let key = try Self.key(1)
        let file = try sealedDirectory(key).createFile("file")
        try file.write([UInt8](repeating: 1, count: 100))
        try file.write([UInt8](repeating: 2, count: 100))
        let intact = try #require(disk.file("file"))
        for length in 41..<intact.count {
            disk.put(Array(intact.prefix(length)), at: "file")
            let read = try #require(try sealedDirectory(key).read("file", limit: 1000))
            #expect(try sealedDirectory(key).status(of: "file")?.size == read.count)
            switch length {
            case ..<188: #expect(read == [UInt8](repeating: 0, count: max(1, length - 40 - 48)))
            case 188: #expect(read == [UInt8](repeating: 1, count: 100))
            default:
                #expect(read.prefix(100) == [UInt8](repeating: 1, count: 100)[...])
                #expect(read.count > 100 && read.dropFirst(100).allSatisfy { $0 == 0xFF })
            }
        }
    }

    @Test func `a frame at another offset or from another file is not valid`() throws {
        let key = try Self.key(1)
        for name in ["file", "other"] {
            let file = try sealedDirectory(key).createFile(name)
            try file.write([1, 1])
            try file.write([2, 2])
        }
        let (file, other) = (try #require(disk.file("file")), try #require(disk.file("other")))
        disk.put(Array(file[..<40]) + file[90...] + file[40..<90], at: "file")
        #expect(try sealedDirectory(key).read("file", limit: 10)?.prefix(2) == [0, 0])
        disk.put(Array(file[..<90] + other[90...]), at: "file")
        #expect(try sealedDirectory(key).read("file", limit: 10) == [1, 1, 0xFF, 0xFF])
    }

    @Test func `large contents span many frames and can be read from any offset`() throws {
        let directory = sealedDirectory(try Self.key(1))
        var numbers = SeededNumbers(seed: 7)
        let bytes = (0..<100_000).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
        let file = try directory.createFile("file")
        try file.write(bytes)
        #expect(try directory.read("file", limit: 100_000) == bytes)
        #expect(try directory.status(of: "file")?.size == 100_000)
        for offset in [0, 1, 16_383, 16_384, 50_000, 99_999, 100_000, 200_000] {
            #expect(
                try file.read(from: offset, upTo: 20_000)
                    == Array(bytes.dropFirst(offset).prefix(20_000)))
        }
        #expect(throws: IOError(.read, path: "/state/file", code: EFBIG)) {
            try directory.read("file", limit: 99_999)
        }
    }

    @Test func `after a failed write, a file can be truncated to its previous length`() throws {
        let directory = sealedDirectory(try Self.key(1))
        let file = try directory.createFile("file")
        try file.write(secret)
        disk.inject(
            SimulatedDisk.Fault(operation: 1, code: ENOSPC, kinds: [.write], writtenPercent: 50))
        #expect(throws: IOError.self) { try file.write(secret) }
        disk.inject(nil)
        #expect(try file.status().size != secret.count)
        try file.truncate(to: secret.count)
        #expect(try file.status().size == secret.count)
        try file.write([1])
        #expect(try directory.read("file", limit: 1000) == secret + [1])
    }

    @Test(arguments: [true, false], [true, false])
    func `a file can be truncated or extended to any length and then appended to`(
        isSealed: Bool, isReopened: Bool
    ) throws {
        let directory = sealedDirectory(isSealed ? try Self.key(1) : nil)
        let contents = Array(secret.prefix(12))
        for length in 0...15 {
            disk.put([], at: "file")
            try directory.remove("file")
            var file = try directory.createFile("file")
            for part in [0..<3, 3..<7, 7..<12] { try file.write(Array(contents[part])) }
            if isReopened { file = try #require(try directory.openForAppending("file")) }
            try file.truncate(to: length)
            let expected =
                contents.prefix(length) + [UInt8](repeating: 0, count: max(0, length - 12))
            #expect(try file.status().size == length)
            #expect(try directory.read("file", limit: 99) == Array(expected))
            try file.write([1, 2])
            #expect(try directory.read("file", limit: 99) == Array(expected) + [1, 2])
            #expect(try directory.readIntact("file", limit: 99) == Array(expected) + [1, 2])
        }
    }

    @Test func `only an unencrypted file can be overwritten at an offset`() throws {
        let sealed = try sealedDirectory(try Self.key(1)).createFile("sealed")
        try sealed.write([1, 2, 3])
        #expect(!sealed.canOverwrite)
        #expect(throws: IOError(.write, path: "/state/sealed", code: EOPNOTSUPP)) {
            try sealed.write([9], at: 1)
        }
        let plain = try sealedDirectory(nil).createFile("plain")
        try plain.write([1, 2, 3])
        #expect(plain.canOverwrite)
        try plain.write([9], at: 1)
        #expect(disk.file("plain") == [1, 9, 3])
        disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, kinds: [.write]))
        #expect(throws: IOError.self) { try plain.write([4]) }
        disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC))
        #expect(throws: IOError.self) { try plain.write([4], at: 0) }
    }

    @Test func `reading intact contents above the limit is an error`() throws {
        let directory = sealedDirectory(try Self.key(1))
        try directory.createFile("file").write(secret)
        #expect(try directory.readIntact("file", limit: secret.count) == secret)
        #expect(throws: IOError(.read, path: "/state/file", code: EFBIG)) {
            try directory.readIntact("file", limit: secret.count - 1)
        }
    }

    @Test func `a damaged file is not re-encrypted and cannot be read as intact`() throws {
        let (old, new) = (try Self.key(1), try Self.key(2))
        let file = try sealedDirectory(old).createFile("file")
        for _ in 0..<2 { try file.write(secret) }
        let intact = try #require(disk.file("file"))
        // The damage is in the first of two frames, and in the last frame.
        for offset in [50, 41, intact.count - 60] {
            var raw = intact
            raw[offset] ^= 1
            disk.put(raw, at: "file")
            let both = sealedDirectory(new, reading: [old])
            let damaged = IOError(.decrypt, path: "/state/file", code: EBADMSG)
            #expect(throws: damaged) { try both.reencrypt("file", temporaryName: "new") }
            #expect(throws: damaged) { try both.readIntact("file", limit: 1000) }
            #expect(disk.file("file") == raw)
        }
    }

    @Test func `a sealed file that is overwritten with plain contents is read as a plain file`()
        throws
    {
        let directory = sealedDirectory(try Self.key(1))
        let file = try directory.createFile("file")
        try file.write(secret)
        disk.put(Array(secret.prefix(30)), at: "file")
        _ = try file.status()
        #expect(try directory.status(of: "file")?.size == 30)
        #expect(try directory.read("file", limit: 1000) == Array(secret.prefix(30)))
    }

    @Test func `reading any bytes succeeds or fails with ENOKEY or EOPNOTSUPP`() throws {
        let key = try Self.key(1)
        try sealedDirectory(key).createFile("file").write(secret + secret)
        let intact = try #require(disk.file("file"))
        var numbers = SeededNumbers(seed: 3)
        for _ in 0..<3000 {
            var raw = intact
            switch numbers.below(3) {
            case 0: raw = (0..<numbers.below(200)).map { _ in UInt8(numbers.below(256)) }
            case 1: raw.removeSubrange(numbers.below(raw.count)..<raw.count)
            default: for _ in 0..<20 { raw[numbers.below(raw.count)] = UInt8(numbers.below(256)) }
            }
            disk.put(raw, at: "file")
            do throws(IOError) {
                let read = try sealedDirectory(key).read("file", limit: 10_000)
                #expect(read?.count == (try sealedDirectory(key).status(of: "file")?.size))
            } catch {
                #expect(error.code == ENOKEY || error.code == EOPNOTSUPP)
            }
            do throws(IOError) { _ = try sealedDirectory(nil).read("file", limit: 10_000) } catch {
                #expect(error.code == ENOKEY || error.code == EOPNOTSUPP)
            }
        }
    }

    @Test func `a file that cannot be re-encrypted stays unchanged, and the error is thrown`()
        throws
    {
        let (old, new) = (try Self.key(1), try Self.key(2))
        try sealedDirectory(old).createFile("file").write(secret)
        let before = disk.file("file")
        let both = sealedDirectory(new, reading: [old])
        disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, kinds: [.write]))
        #expect(throws: IOError(.rewrite, path: "/state/file", code: ENOSPC)) {
            try both.reencrypt("file", temporaryName: "new")
        }
        disk.inject(nil)
        #expect(disk.file("file") == before)
        #expect(try both.names() == ["file"])
    }

    @Test(arguments: [(1, true), (16_384, true), (16_385, false)])
    func `a frame of more than 16 KiB reads as zeros`(count: Int, isFrame: Bool) throws {
        let key = try Self.key(1)
        let syncMarker = Array(UInt8(1)...8)
        let bytes = [UInt8](repeating: 7, count: count)
        var frame = syncMarker
        frame.appendLittleEndian(UInt32(0))
        frame.appendLittleEndian(UInt32(count))
        frame += key.fileKey(syncMarker: syncMarker).seal(bytes[...], authenticating: frame[...])
        frame.appendLittleEndian(UInt32(count + FileCipher.frameOverheadByteCount))
        disk.put(FileCipher(key, syncMarker: syncMarker).header.encoded() + frame, at: "file")
        #expect(
            try sealedDirectory(key).read("file", limit: 20_000)
                == (isFrame ? bytes : [UInt8](repeating: 0, count: count)))
    }

    @Test func `cached lengths are dropped if there are too many or the size of the file changes`()
    {
        let lengthCache = PlaintextLengthCache()
        func status(_ number: Int, size: Int = 100) -> FileStatus {
            FileStatus(size: size, inode: UInt64(number))
        }
        for number in 1...10_000 { lengthCache.cache(number, for: status(number)) }
        #expect((1...10_000).allSatisfy { lengthCache.plaintextLength(of: status($0)) == $0 })
        #expect(lengthCache.plaintextLength(of: status(1, size: 101)) == nil)
        #expect(lengthCache.plaintextLength(of: status(10_001)) == nil)
        lengthCache.cache(10_001, for: status(10_001))
        #expect(lengthCache.plaintextLength(of: status(10_001)) == 10_001)
        #expect((1...10_000).allSatisfy { lengthCache.plaintextLength(of: status($0)) == nil })
    }

    @Test(
        arguments: [
            (.decrypt, ENOKEY, true), (.decrypt, EOPNOTSUPP, true), (.decrypt, EBADMSG, false),
            (.open, ENOKEY, false), (.read, EOPNOTSUPP, false),
        ] as [(IOError.Operation, CInt, Bool)])
    func `a key counts as missing only if decryption failed for that reason`(
        operation: IOError.Operation, code: CInt, indicatesMissingKey: Bool
    ) {
        #expect(
            IOError(operation, path: "/a", code: code).indicatesMissingKey == indicatesMissingKey)
    }

    @Test func `an intact document may be as long as the limit`() throws {
        let directory = sealedDirectory(try Self.key(1))
        try directory.createFile("file").write(secret)
        #expect(try directory.readIntact("file", limit: secret.count) == secret)
        #expect(throws: IOError(.read, path: "/state/file", code: EFBIG)) {
            try directory.readIntact("file", limit: secret.count - 1)
        }
    }

    @Test func `a file that is too long is reported with its length on disk`() throws {
        let key = try Self.key(1)
        try sealedDirectory(key).createFile("file").write(secret)
        #expect(try sealedDirectory(key).status(of: "file")?.size == secret.count)
        disk.changeStatus { if $0.kind == .file { $0.size = 1 << 40 } }
        #expect(try sealedDirectory(key).status(of: "file")?.size == 1 << 40)
    }

    @Test func `a file that contains only a header is empty and can be appended to`() throws {
        let directory = sealedDirectory(try Self.key(1))
        try directory.createFile("file").write(secret)
        let intact = try #require(disk.file("file"))
        disk.put(Array(intact.prefix(40)), at: "file")
        #expect(try directory.read("file", limit: 1000) == [])
        #expect(try directory.readIntact("file", limit: 1000) == [])
        #expect(try directory.status(of: "file")?.size == 0)
        #expect(try !directory.needsReencryption("file"))
        let file = try #require(try directory.openForAppending("file"))
        try file.write([1, 2])
        #expect(try directory.readIntact("file", limit: 1000) == [1, 2])
    }

    @Test func `a missing frame reads as zeros, and its file is not intact`() throws {
        let directory = sealedDirectory(try Self.key(1))
        let file = try directory.createFile("file")
        for number in 1...3 as ClosedRange<UInt8> { try file.write([number, number]) }
        let intact = try #require(disk.file("file"))
        #expect(try directory.readIntact("file", limit: 6) == [1, 1, 2, 2, 3, 3])
        disk.put(Array(intact[..<90] + intact[140...]), at: "file")
        #expect(try directory.read("file", limit: 6) == [1, 1, 0, 0, 3, 3])
        #expect(throws: IOError(.decrypt, path: "/state/file", code: EBADMSG)) {
            try directory.readIntact("file", limit: 6)
        }
    }

    @Test func `a failed write to an unencrypted file is an error`() throws {
        let file = try sealedDirectory(nil).createFile("file")
        disk.inject(SimulatedDisk.Fault(operation: 1, code: ENOSPC, kinds: [.write]))
        #expect(throws: IOError(.write, path: "/state/file", code: ENOSPC)) {
            try file.write([1, 2])
        }
    }
}

extension SealedHeader {
    /// Returns the bytes of a file with a corrected checksum in the header.
    fileprivate static func withRightChecksum(_ bytes: [UInt8]) -> [UInt8] {
        Array(bytes[..<32]) + checksum(Array(bytes[..<32])) + bytes[40...]
    }
}
