import Encryption
import LinuxIO
import SimulatedDisk
import TestSupport
import Testing

@testable import SavedState

/// Tests of the checks of a state directory's files and names.
@Suite struct StateDirectoryCheckTests {
    private let key: EncryptionKey

    init() throws { key = try EncryptionKey(Array(1...32)) }

    @Test func `an encrypted archive is found among the archives of several applications`() throws {
        try withScratchDirectory { path in
            func save(_ application: String, keys: EncryptionKeys) throws {
                let archive = try StateDirectory.open(path, keys: keys).archive(of: application)
                _ = try archive.load()
                try archive.append(Sample.first)
            }
            for name in ["A", "B"] { try save("org.example.\(name)", keys: .none) }
            try save("org.example.C", keys: EncryptionKeys(sealing: key))
            let error = #expect(throws: StateDirectoryError.self) { try StateDirectory.open(path) }
            guard case .encrypted(let file, _, keys: []) = error else {
                Issue.record("unexpected error: \(error as Any)")
                return
            }
            #expect(
                file == "\(path)/Saved Application State/org.example.C.savedState/data.archive")
        }
    }

    @Test(arguments: ["a", "a b", "org.example.Ä", String(repeating: "x", count: 244)])
    func `a bundle identifier may contain spaces and any printable characters`(identifier: String)
        throws
    {
        let state = try StateDirectory(locked: SimulatedDisk().root, pid: 1)
        #expect(try state.archive(of: identifier).bundleIdentifier == identifier)
    }

    @Test func `all files that may become the archive are re-encrypted as archives`() throws {
        let disk = SimulatedDisk()
        let archives = ["data.archive", "data.archive.compacted", "data.archive.salvaged"]
        let others = ["history/000001.archive", "replica"]
        for name in archives + others + ["data.archive.new"] {
            disk.put([1], at: "\(Sample.directory)/\(name)")
        }
        let keys = EncryptionKeys(sealing: key)
        let files = try Reencryptor(try StateDirectory(locked: disk.root, keys: keys, pid: 1))
            .files(of: Sample.application)
        func paths(_ names: [String]) -> [String] {
            names.map { "/state/\(Sample.directory)/\($0)" }
        }
        #expect(files.map(\.path) == paths(archives + others))
        #expect(files.filter(\.isArchive).map(\.path) == paths(archives))
    }
}
