import Encryption
import Glibc
import LinuxIO
import SimulatedDisk
import TestSupport
import Testing

@testable import SavedState

@Suite struct StateDirectoryTests {
    @Test func `directories are created with access for their owner only`() throws {
        try withScratchDirectory { path in
            let state = try StateDirectory.open("\(path)/a/state")
            #expect(state.writeError == nil)
            let archive = try state.archive(of: "org.example.Sample")
            _ = try archive.load()
            _ = try archive.append(Sample.first)
            let directory = try #require(try Directory.open("\(path)/a/state"))
            for (name, mode) in [
                ("../state", 0o700), ("Saved Application State", 0o700), (Sample.directory, 0o700),
                (Sample.file, 0o600),
            ] as [(String, UInt32)] {
                #expect(try #require(try directory.status(of: name)).mode & 0o777 == mode)
            }
            #expect(archive.path == "\(path)/a/state/\(Sample.file)")
            #expect(try directory.read("holder", limit: 100) == Array("\(getpid())\n".utf8))
            #expect(try directory.openSubdirectory(Sample.directory)?.names() == ["data.archive"])
        }
    }

    @Test func `L5: a damaged archive is quarantined and replaced by the passes before the damage`()
        throws
    {
        try withScratchDirectory { path in
            let archive = try StateDirectory.open(path).archive(of: Sample.application)
            let directory = try Directory.openOrCreate("\(path)/\(Sample.directory)")
            var bytes = Sample.log([Sample.first, Sample.second], published: 14)
            bytes[bytes.count - 20] ^= 1
            try directory.createFile("data.archive").write(bytes)
            guard case .damaged(let damage) = try archive.load() else {
                Issue.record("not damaged")
                return
            }
            #expect(damage.salvagedContents?.numbers == [1, 2, 3])
            let quarantine = try #require(try directory.openSubdirectory("quarantine"))
            #expect(damage.quarantinePath == "\(quarantine.path)/000001-data.archive")
            #expect(try quarantine.read("000001-data.archive", limit: 10_000) == bytes)
            #expect(try quarantine.status(of: ".")?.mode == S_IFDIR | 0o700)
            #expect(try directory.names() == ["data.archive", "quarantine"])
            guard case .loaded(_, tornTail: nil) = try archive.load() else {
                Issue.record("not loaded")
                return
            }
            #expect(archive.contents?.numbers == [1, 2, 3])
        }
    }

    @Test
    func `a second daemon is refused, and the error identifies the process that holds the lock`()
        throws
    {
        try withScratchDirectory { path in
            var first: StateDirectory? = try StateDirectory.open(path)
            let error = StateDirectoryError.locked(path: path, by: LockHolder(pid: getpid()))
            #expect(throws: error) {
                try StateDirectory.open(path)
            }
            #expect("\(error)".contains("is already in use in this process: create one object"))
            withExtendedLifetime(first) {}
            first = nil
            _ = try StateDirectory.open(path)
        }
    }

    @Test func `a process whose lock is not listed is reported to be in another PID namespace`() {
        let locks = """
            1: FLOCK  ADVISORY  WRITE 4345 fe:00:2195815 0 EOF
            2: POSIX  ADVISORY  WRITE 1 00:2a:12 0 EOF

            """
        #expect(LockHolder(pid: 1, of: 12, in: locks) == LockHolder(pid: 1))
        // The second lock has the same inode number, but another process holds it.
        for inode: UInt64 in [2, 5815, 0, 2_195_815] {
            let holder = LockHolder(pid: 1, of: inode, in: locks)
            #expect(holder == LockHolder(pid: 1, isInOtherPIDNamespace: true))
            #expect(
                "\(StateDirectoryError.locked(path: "/s", by: holder))"
                    == "The state directory '/s' is in use by process 1 of another PID namespace, such as a "
                    + "container; stop it first, or choose another state directory.")
        }
    }

    @Test(arguments: ["", "3: FLOCK", "3: FLOCK  ADVISORY  WRITE 17"])
    func `an incomplete list of locks shows no lock`(locks: String) {
        let expected = LockHolder(pid: 17, isInOtherPIDNamespace: true)
        #expect(LockHolder(pid: 17, of: 42, in: locks) == expected)
    }

    @Test func `without keys, a document can be replaced while another one is being replaced`()
        throws
    {
        let directory = try StateDirectory(locked: SimulatedDisk().root, pid: 1)
        let result = try directory.replaceDocument(of: Sample.application) {
            () throws(IOError) -> Int in
            try directory.replaceDocument(of: Sample.application) { () throws(IOError) -> Int in 7 }
        }
        #expect(result == 7)
    }

    @Test func `removing the contents of the directory does not release the lock`() throws {
        try withScratchDirectory { path in
            let first = try StateDirectory.open(path)
            let directory = try #require(try Directory.open(path))
            try directory.remove("holder")
            #expect(rmdir("\(path)/Saved Application State") == 0)
            #expect(throws: StateDirectoryError.locked(path: path, by: nil)) {
                try StateDirectory.open(path)
            }
            withExtendedLifetime(first) {}
        }
    }

    @Test func `an archive holds the lock while it exists`() throws {
        try withScratchDirectory { path in
            let archive = try StateDirectory.open(path).archive(of: "org.example.Sample")
            #expect(throws: StateDirectoryError.self) { try StateDirectory.open(path) }
            withExtendedLifetime(archive) {}
        }
    }

    @Test func `a state directory on a disk that turned read-only can still be opened`() throws {
        let disk = SimulatedDisk()
        disk.inject(nil)
        _ = try StateDirectory(locked: disk.root, pid: 1)
        disk.inject(SimulatedDisk.Fault(operation: 2, code: EROFS))
        let state = try StateDirectory(locked: disk.root, pid: 2)
        #expect(state.writeError?.code == EROFS)
        #expect(try state.archive(of: "org.example.Sample").load() == .none)
    }

    @Test func `a directory that can be neither read nor created is refused`() throws {
        let disk = SimulatedDisk()
        disk.inject(SimulatedDisk.Fault(operation: 1, code: EROFS, isPermanent: true))
        #expect(throws: IOError.self) { try StateDirectory(locked: disk.root, pid: 1) }
        try withScratchDirectory { path in
            _ = try Directory.openOrCreate(path).createFile("file")
            #expect(throws: StateDirectoryError.self) {
                try StateDirectory.open("\(path)/file/state")
            }
        }
    }

    @Test(arguments: ["", ".", "..", ".hidden", "a/b", "a\u{0}b", "a\nb", "a\u{7F}"])
    func `a bundle identifier that is not a valid directory name is refused`(identifier: String)
        throws
    {
        let state = try StateDirectory(locked: SimulatedDisk().root, pid: 1)
        #expect(throws: InvalidBundleIdentifier(identifier: identifier)) {
            try state.archive(of: identifier)
        }
    }

    @Test func `a bundle identifier has at most 244 bytes`() throws {
        try withScratchDirectory { path in
            let state = try StateDirectory.open(path)
            let archive = try state.archive(of: String(repeating: "x", count: 244))
            _ = try archive.load()
            #expect(try archive.append(Sample.first) == .durable)
            let long = String(repeating: "x", count: 245)
            #expect(throws: InvalidBundleIdentifier(identifier: long)) {
                try state.archive(of: long)
            }
        }
    }

    @Test func `a state directory with an unfinished restore opens only for a restore`() throws {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            try UnfinishedRestoreMarker.begin("/backup", in: root)
            #expect(
                throws: StateDirectoryError.unfinishedRestore(path: path, backupPath: "/backup")
            ) {
                try StateDirectory.open(path)
            }
            _ = try StateDirectory.open(path, isForRestore: true)
            try UnfinishedRestoreMarker.finish(in: root)
            _ = try StateDirectory.open(path)
        }
    }

    @Test func `a state directory with encrypted files is not opened without their key`() throws {
        let key = try EncryptionKey(Array(1...32))
        for isLedger in [false, true] {
            try withScratchDirectory { path in
                do {
                    let state = try StateDirectory.open(path, keys: EncryptionKeys(sealing: key))
                    if isLedger {
                        state.launchGuard.record(.abandoned)
                    } else {
                        let archive = try state.archive(of: Sample.application)
                        _ = try archive.load()
                        try archive.append(Sample.first)
                    }
                }
                let error = #expect(throws: StateDirectoryError.self) {
                    try StateDirectory.open(path)
                }
                guard case .encrypted(let file, _, keys: []) = error else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(file == (isLedger ? "\(path)/launches" : "\(path)/\(Sample.file)"))
                _ = try StateDirectory.open(path, keys: EncryptionKeys(sealing: key))
            }
        }
    }

    @Test func `a marker of an unfinished restore that cannot be removed is an error`() throws {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            #expect(UnfinishedRestoreMarker.backupPath(in: root) == nil)
            try UnfinishedRestoreMarker.begin("/a/backup", in: root)
            #expect(UnfinishedRestoreMarker.backupPath(in: root) == "/a/backup")
            try UnfinishedRestoreMarker.finish(in: root)
            #expect(UnfinishedRestoreMarker.backupPath(in: root) == nil)
            _ = try root.openOrCreateSubdirectory(UnfinishedRestoreMarker.fileName)
            #expect(UnfinishedRestoreMarker.backupPath(in: root) == "")
            #expect(throws: IOError.self) { try UnfinishedRestoreMarker.finish(in: root) }
            #expect(throws: IOError.self) { try UnfinishedRestoreMarker.begin("/b", in: root) }
        }
    }

    @Test func `the marker of an earlier restore remains if it cannot be replaced`() throws {
        try withScratchDirectory { path in
            let root = try Directory.openOrCreate(path)
            // The new marker cannot be written, because a directory has its temporary name.
            let temporaryName = "\(UnfinishedRestoreMarker.fileName).new"
            _ = try root.openOrCreateSubdirectory(temporaryName)
            #expect(throws: IOError.self) { try UnfinishedRestoreMarker.begin("/a", in: root) }
            #expect(UnfinishedRestoreMarker.backupPath(in: root) == nil)
            #expect(rmdir("\(path)/\(temporaryName)") == 0)
            try UnfinishedRestoreMarker.begin("/a", in: root)
            _ = try root.openOrCreateSubdirectory(temporaryName)
            #expect(throws: IOError.self) { try UnfinishedRestoreMarker.begin("/a", in: root) }
            #expect(UnfinishedRestoreMarker.backupPath(in: root) == "/a")
        }
    }
}
