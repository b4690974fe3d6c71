import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

@Suite struct QuarantinedSceneTests {
    private let quarantine = "\(Sample.directory)/quarantine"

    /// Returns an archive with the scenes `main` (1) and `other` (5).
    private func archive(on disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        try archive.append(Sample.second)
        return archive
    }

    @Test
    func `L2: a single scene is quarantined and stays in the archive until it is removed`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try archive(on: disk)
        let before = try #require(archive.contents)
        let name = try #require(try archive.quarantineScenes([1], reason: "It is too red."))
        #expect(name == "000001-main.archive")
        #expect(archive.contents?.objects == before.objects)
        let size = try #require(disk.file("\(quarantine)/\(name)")).count
        #expect(
            try archive.quarantinedFiles() == [
                StoredFile(
                    name: name, path: archive.quarantinePath(of: name),
                    reason: "It is too red.", byteCount: size, time: 0)
            ])

        let kept = try archive.contents(ofQuarantinedFile: name).contents
        #expect(kept.objects == before.objects.filter { [1, 2, 3, 4].contains($0.header.number) })
        #expect(kept.names == before.names)
        #expect(kept.passEnds == [1: PassEnd(scene: 1, timestamp: 2_000_000)])

        try archive.append(archive.removalTurn(ofScene: 1))
        try archive.synchronize()
        #expect(archive.isDurable)
        let left = try #require(try Sample.contents(on: disk.copy(afterPowerCut: true)))
        #expect(left.numbers == [5, 6])
        // The numbers of the quarantined objects are not assigned again.
        #expect(left.highestObjectNumber == before.highestObjectNumber)
        #expect(try archive.quarantineScenes([1], reason: "Again.") == nil)
        #expect(try archive.quarantineScenes([6], reason: "It is no scene.") == nil)
    }

    @Test(
        arguments: [
            ([1], [1, 2, 3], "main"), ([5], [5, 6], "other"), ([1, 5], [1, 2, 3, 5, 6], "data"),
            ([5, 1], [1, 2, 3, 5, 6], "data"), ([6, 5], [5, 6], "other"),
            ([9, 5], [5, 6], "other"),
        ] as [([UInt32], [UInt32], String)])
    func `L2: every scene in a list is quarantined, and objects that are not scenes are ignored`(
        scenes: [UInt32], numbers: [UInt32], suffix: String
    ) throws {
        let archive = try archive(on: SimulatedDisk())
        let name = try #require(try archive.quarantineScenes(scenes, reason: "It is too red."))
        #expect(name == "000001-\(suffix).archive")
        let contents = try archive.contents(ofQuarantinedFile: name).contents
        #expect(contents.numbers.sorted() == numbers)
        #expect(
            Set(contents.passEnds.keys)
                == Set(scenes.filter { [1, 5].contains($0) }))
    }

    @Test func `salvage is suggested only if a damaged file has intact objects`() throws {
        let disk = SimulatedDisk()
        let archive = try archive(on: disk)
        let name = try #require(try archive.quarantineScenes([1], reason: "It is too red."))
        var damaged = try #require(disk.file("\(quarantine)/\(name)"))
        damaged[damaged.count - 9] ^= 1
        disk.put(damaged, at: "\(quarantine)/\(name)")
        func reason(_ referencedNameNumbers: ((ObjectRecord) -> [UInt32]?)?) -> String? {
            do throws(StoredStateError) {
                _ = try archive.contents(ofQuarantinedFile: name, salvaging: referencedNameNumbers)
                return nil
            } catch {
                guard case .damaged(_, let reason) = error else { return "\(error)" }
                return reason
            }
        }
        #expect(reason { _ in [] } == nil)
        #expect(try #require(reason(nil)).contains("salvaging: true"))
        archive.hasControlSocket = true
        #expect(try #require(reason(nil)).contains("--salvage"))
        // No object can be salvaged.
        #expect(try !#require(reason { _ in nil }).contains("--salvage"))
    }

    @Test func `L2: a quarantined scene is durable as soon as it is quarantined`() throws {
        let disk = SimulatedDisk()
        let archive = try archive(on: disk)
        let name = try #require(try archive.quarantineScenes([1], reason: "It is too red."))
        let later = Sample.archive(on: disk.copy(afterPowerCut: true))
        _ = try later.load()
        #expect(
            try later.contents(ofQuarantinedFile: name).contents.numbers
                == [1, 2, 3, 4].filter { $0 != 4 })
        #expect(try later.quarantinedFiles().map(\.reason) == ["It is too red."])
    }

    @Test func `a quarantined scene includes changes that are not saved yet`() throws {
        let disk = SimulatedDisk()
        let archive = try archive(on: disk)
        var turn = TurnRecords()
        turn.addObject(Sample.header(2, below: 1, "nav"), values: [8, 8, 8])
        turn.endPass(PassEnd(scene: 1, timestamp: 4_000_000))
        try archive.stage(turn)
        let name = try #require(try archive.quarantineScenes([1], reason: "It is too red."))
        #expect(try archive.contents(ofQuarantinedFile: name).contents.values(2) == [8, 8, 8])
    }

    @Test func `a failure at any step leaves the archive unchanged, and a retry succeeds`() throws {
        var operation = 0
        var succeeded = false
        while !succeeded {
            operation += 1
            let disk = SimulatedDisk()
            let archive = try archive(on: disk)
            let before = archive.contents
            disk.inject(SimulatedDisk.Fault(operation: operation, code: ENOSPC))
            do throws(SaveError) {
                _ = try archive.quarantineScenes([1], reason: "It is too red.")
                succeeded = !disk.hasFaultOccurred
            } catch {}
            disk.inject(nil)
            #expect(archive.contents?.objects == before?.objects)
            let name = try #require(try archive.quarantineScenes([1], reason: "It is too red."))
            #expect(try archive.contents(ofQuarantinedFile: name).contents.numbers == [1, 2, 3])
        }
        #expect(operation > 8)
    }

    @Test func `an error identifies a quarantined file that cannot be used, and the file stays`()
        throws
    {
        let disk = SimulatedDisk()
        let archive = try archive(on: disk)
        let name = try #require(try archive.quarantineScenes([1], reason: "It is too red."))
        let path = "/state/\(quarantine)"
        func error(_ name: String) -> StoredStateError? {
            do throws(StoredStateError) {
                _ = try archive.contents(ofQuarantinedFile: name)
                return nil
            } catch {
                return error
            }
        }
        for unknown in [
            "", "x", "\(name).reason", "../data.archive", "../quarantine/\(name)", ".", "..",
            "\(name)/.", "\(name)\0",
        ] {
            #expect(error(unknown) == .unknown(name: unknown, in: "\(path)/"))
        }
        let bytes = try #require(disk.file("\(quarantine)/\(name)"))
        var damaged = bytes
        damaged[bytes.count - 9] ^= 1
        disk.put(damaged, at: "\(quarantine)/000002-main.archive")
        guard case .damaged(path: "\(path)/000002-main.archive", _) = error("000002-main.archive")
        else {
            Issue.record("\(String(describing: error("000002-main.archive")))")
            return
        }
        disk.put(
            Sample.log([Sample.first], application: "org.example.Foreign"),
            at: "\(quarantine)/000003-main.archive")
        #expect(
            error("000003-main.archive")
                == .foreign(
                    path: "\(path)/000003-main.archive", bundleIdentifier: "org.example.Foreign"))
        disk.put([], at: "\(quarantine)/000004-data.archive")
        guard case .damaged = error("000004-data.archive") else {
            Issue.record("an empty file was used")
            return
        }
        #expect(try archive.quarantinedFiles().map(\.name).count == 4)
        #expect(try archive.quarantinedFiles().map(\.reason) == ["It is too red.", nil, nil, nil])
        for name in ["000002-main.archive", "000003-main.archive"] {
            #expect(error(name)?.description.contains(name) == true)
        }
    }

    @Test(arguments: ["a/b", "..", "nul\0line\nend", String(repeating: "é", count: 127)])
    func `any scene name yields a valid file name in quarantine`(scene: String) throws {
        let disk = SimulatedDisk()
        let archive = try Sample.loaded(on: disk)
        var turn = TurnRecords()
        turn.addObject(
            ObjectHeader(number: 1, parent: 0, kind: 0, identifier: scene), values: [])
        turn.endPass(PassEnd(scene: 1, timestamp: 0))
        try archive.append(turn)
        let name = try #require(try archive.quarantineScenes([1], reason: "It is too red."))
        #expect(!name.contains("/") && name.utf8.allSatisfy { $0 >= 0x20 })
        #expect(name.utf8.count + ".reason".utf8.count <= 255)
        #expect(
            try archive.contents(ofQuarantinedFile: name).contents.objects.map(\.header.identifier)
                == [
                    scene
                ])
    }

    @Test func `a reason is truncated after 4096 bytes`() throws {
        let disk = SimulatedDisk()
        let quarantine = "\(Sample.directory)/quarantine"
        for (number, length) in [4095, 4096, 4097].enumerated() {
            let name = "\(quarantine)/00000\(number + 1)-x"
            disk.put([1], at: name)
            disk.put([UInt8](repeating: UInt8(ascii: "x"), count: length), at: "\(name).reason")
        }
        let shown = String(repeating: "x", count: 4096)
        #expect(
            try Sample.loaded(on: disk).quarantinedFiles().map(\.reason)
                == [String(shown.dropLast()), shown, "\(shown)…"])
    }
}
