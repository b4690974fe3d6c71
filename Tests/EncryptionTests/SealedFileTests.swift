import Glibc
import LinuxIO
import SimulatedDisk
import TestSupport
import Testing

@testable import Encryption

/// Encrypted files at the limits of their format, and files that are changed while they are used.
@Suite struct SealedFileTests {
    private static let contents = Array("contents of a file".utf8)

    private let disk = SimulatedDisk()
    private let key: EncryptionKey

    init() throws {
        key = try EncryptionKey(Array(1...32))
    }

    /// A view of the disk that has not cached the length of any file.
    private var directory: SealedDirectory<SimulatedDirectory> {
        SealedDirectory(disk.root, keys: EncryptionKeys(sealing: key))
    }

    /// Calls a closure before the next operation of a kind.
    private func beforeNext(
        _ kind: DiskOperation.Kind, _ body: @escaping @Sendable () throws -> Void
    ) {
        disk.setGate { [disk] next in
            guard next == kind else { return true }
            disk.setGate(nil)
            #expect(throws: Never.self) { try body() }
            return true
        }
    }

    @Test(
        arguments: [(.truncate, .truncate), (.write, .write)]
            as [(DiskOperation.Kind, IOError.Operation)])
    func `each error while a file is shortened inside a frame is thrown`(
        kind: DiskOperation.Kind, operation: IOError.Operation
    ) throws {
        try directory.createFile("file").write(Self.contents)
        let file = try #require(try directory.openForAppending("file"))
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, kinds: [kind]))
        #expect(throws: IOError(operation, path: "/state/file", code: EIO)) {
            try file.truncate(to: 5)
        }
    }

    @Test(arguments: [1, 16_384])
    func `a damaged header is recovered from the shortest and from the longest last frame`(
        count: Int
    ) throws {
        let syncMarker = Array(UInt8(1)...8)
        let bytes = [UInt8](repeating: 7, count: count)
        var frame = syncMarker
        frame.appendLittleEndian(UInt32(0))
        frame.appendLittleEndian(UInt32(count))
        frame += key.fileKey(syncMarker: syncMarker).seal(bytes[...], authenticating: frame[...])
        frame.appendLittleEndian(UInt32(count + FileCipher.frameOverheadByteCount))
        var header = FileCipher(key, syncMarker: syncMarker).header.encoded()
        header[20] ^= 1
        disk.put(header + frame, at: "file")
        #expect(try directory.readIntact("file", limit: count) == bytes)
    }

    @Test(arguments: -2...2, [true, false])
    func `a last frame that claims to be about as long as the file is not valid`(
        difference: Int, isHeaderIntact: Bool
    ) throws {
        try directory.createFile("file").write(Self.contents)
        var raw = try #require(disk.file("file"))
        if !isHeaderIntact { raw[20] ^= 1 }
        let claimed = UInt32(raw.count + difference)
        raw.removeLast(4)
        raw.appendLittleEndian(claimed)
        disk.put(raw, at: "file")
        let zeros = [UInt8](repeating: 0, count: Self.contents.count)
        #expect(try directory.read("file", limit: 1000) == zeros)
        #expect(try directory.status(of: "file")?.size == zeros.count)
    }

    @Test func `a socket has a status even though it cannot be opened`() throws {
        try withScratchDirectory { path in
            try #require(mknod("\(path)/socket", S_IFSOCK | 0o600, 0) == 0)
            let base = try Directory.openOrCreate(path)
            let directory = SealedDirectory(base, keys: EncryptionKeys(sealing: key))
            #expect(try directory.entryStatus(of: "socket")?.kind == .other)
        }
    }

    @Test func `without keys, the length of a file is known without reading the file`() throws {
        disk.put(Self.contents, at: "file")
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EIO, isPermanent: true, kinds: [.read]))
        let directory = SealedDirectory(disk.root, keys: .none)
        #expect(try directory.status(of: "file")?.size == Self.contents.count)
    }

    @Test func `if a file is replaced while it is examined, its status has the length on disk`()
        throws
    {
        try directory.createFile("file").write(Self.contents)
        try directory.createFile("other").write([1])
        let rawCount = try #require(disk.file("file")).count
        beforeNext(.read) { [disk] in try disk.root.rename("other", to: "file") }
        #expect(try directory.entryStatus(of: "file")?.size == rawCount)
        #expect(try directory.entryStatus(of: "file")?.size == 1)
    }

    @Test func `only a regular file counts as outdated`() throws {
        _ = try directory.openOrCreateSubdirectory("folder")
        disk.put(Self.contents, at: "file")
        #expect(try !directory.needsReencryption("folder"))
        #expect(try directory.needsReencryption("file"))
    }

    @Test func `a symbolic link is not replaced by an encrypted file`() throws {
        try withScratchDirectory { path in
            let base = try Directory.openOrCreate(path)
            try base.createFile("file").write(Self.contents)
            try #require(symlink("file", "\(path)/link") == 0)
            let directory = SealedDirectory(base, keys: EncryptionKeys(sealing: key))
            #expect(try !directory.reencrypt("link", temporaryName: "new"))
            #expect(try base.entryStatus(of: "link")?.kind == .link)
            #expect(try base.read("file", limit: 1000) == Self.contents)
            #expect(try directory.reencrypt("file", temporaryName: "new"))
        }
    }

    @Test func `a file with many short frames is read if half of its length is within the limit`()
        throws
    {
        let file = try directory.createFile("file")
        for number in 0..<349 { try file.write([UInt8(truncatingIfNeeded: number)]) }
        #expect(disk.file("file")?.count == 17_141)
        #expect(try directory.readIntact("file", limit: 354)?.count == 349)
        #expect(throws: IOError(.read, path: "/state/file", code: EFBIG)) {
            try directory.readIntact("file", limit: 353)
        }
    }

    @Test func `the status of a file that exceeds the maximum length shows the length on disk`()
        throws
    {
        try directory.createFile("file").write(Self.contents)
        let limit = 2 * Int(UInt32.max)
        disk.changeStatus { if $0.kind == .file { $0.size = limit } }
        #expect(try directory.status(of: "file")?.size == Self.contents.count)
        disk.changeStatus { if $0.kind == .file { $0.size = limit + 1 } }
        #expect(try directory.status(of: "file")?.size == limit + 1)
    }

    @Test func `contents must be shorter than 4 GiB`() throws {
        let base = try disk.root.createFile("file")
        let lengthCache = PlaintextLengthCache()
        let file = SealedFile(base, .sealed(FileCipher(key), isHeaderIntact: true), lengthCache)
        try file.write([1])
        lengthCache.cache(Int(UInt32.max) - 2, for: try base.status())
        try file.write([2, 3])
        let raw = disk.file("file")
        #expect(throws: IOError(.write, path: "/state/file", code: EFBIG)) { try file.write([4]) }
        #expect(disk.file("file") == raw)
    }

    @Test func `bytes that are appended during a read are not part of its result`() throws {
        try directory.createFile("file").write(Self.contents)
        let raw = try #require(disk.file("file"))
        let file = try #require(try directory.openForReading("file"))
        beforeNext(.read) { [disk] in
            disk.put(raw + [UInt8](repeating: 9, count: 100), at: "file")
        }
        #expect(try file.read(upTo: 1000) == Self.contents)
        #expect(disk.file("file")?.count == raw.count + 100)
    }
}
