import Glibc
import LinuxIO
import SimulatedDisk
import StateRecords
import Testing

@testable import SavedState

/// Tests of each task's operations on the disk, their order, and the operations whose errors are not reported.
@Suite struct DiskTaskTests {
    /// Task on an archive.
    struct DiskTask: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Operations that change the disk, in order. Operations whose errors are not reported are in parentheses, even
        /// if they do not change the disk.
        let operations: [String]
        let run: @Sendable (SimulatedDisk) throws -> @Sendable () throws -> Void

        /// - Parameter prepare: Prepares the disk, and returns the task.
        init(
            _ name: String, _ operations: [String],
            prepare: @escaping @Sendable (SimulatedDisk) throws -> @Sendable () throws -> Void
        ) {
            testDescription = name
            self.operations = operations
            run = prepare
        }
    }

    /// Archive that only one thread uses at a time.
    private struct Box: @unchecked Sendable {
        let archive: ApplicationArchive
    }

    private static func task(
        _ name: String,
        on prepare: @escaping @Sendable (SimulatedDisk) throws -> ApplicationArchive,
        _ body: @escaping @Sendable (ApplicationArchive) throws -> Void, _ operations: [String]
    ) -> DiskTask {
        DiskTask(name, operations) { disk in
            let box = Box(archive: try prepare(disk))
            return { try body(box.archive) }
        }
    }

    // MARK: Archives

    @Sendable private static func unloaded(_ disk: SimulatedDisk) -> ApplicationArchive {
        Sample.archive(on: disk)
    }

    @Sendable private static func empty(_ disk: SimulatedDisk) throws -> ApplicationArchive {
        try Sample.loaded(on: disk)
    }

    @Sendable private static func saved(_ disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = try Sample.loaded(on: disk)
        try archive.append(Sample.first)
        return archive
    }

    @Sendable private static func appended(_ disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = try saved(disk)
        try archive.append(Sample.second)
        return archive
    }

    @Sendable private static func pending(_ disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = try saved(disk)
        try archive.stage(Sample.second)
        return archive
    }

    @Sendable private static func closed(_ disk: SimulatedDisk) throws -> ApplicationArchive {
        try saved(disk).close()
        return try Sample.loaded(on: disk)
    }

    @Sendable private static func inherited(_ disk: SimulatedDisk) throws -> ApplicationArchive {
        _ = try saved(disk)
        return try Sample.loaded(on: disk)
    }

    @Sendable private static func torn(_ disk: SimulatedDisk) throws -> ApplicationArchive {
        disk.put(
            Array(Sample.log([Sample.first, Sample.second], synced: 0).dropLast(3)), at: Sample.file
        )
        return Sample.archive(on: disk)
    }

    @Sendable private static func damaged(_ disk: SimulatedDisk) throws -> ApplicationArchive {
        var bytes = Sample.log([Sample.first, Sample.second], published: 11)
        bytes[bytes.count - 1] ^= 1
        disk.put(bytes, at: Sample.file)
        return Sample.archive(on: disk)
    }

    @Sendable private static func unusable(_ disk: SimulatedDisk) throws -> ApplicationArchive {
        disk.put([1, 2, 3], at: Sample.file)
        disk.put([4], at: "\(Sample.directory)/data.archive.salvaged")
        return Sample.archive(on: disk)
    }

    @Sendable private static func salvaged(_ disk: SimulatedDisk) throws -> ApplicationArchive {
        _ = try saved(disk)
        let bytes = try #require(disk.file(Sample.file))
        try disk.root.rename(Sample.file, to: "\(Sample.file).salvaged")
        disk.put(bytes, at: "\(Sample.file).salvaged")
        return Sample.archive(on: disk)
    }

    @Sendable private static func withLeftovers(_ disk: SimulatedDisk) throws -> ApplicationArchive
    {
        _ = try saved(disk)
        disk.put([1], at: "\(Sample.file).salvaged")
        disk.put([2], at: "\(Sample.file).new")
        disk.put([3], at: "\(Sample.file).compacted")
        return Sample.archive(on: disk)
    }

    @Sendable private static func toBeQuarantined(_ disk: SimulatedDisk) throws
        -> ApplicationArchive
    {
        let archive = try saved(disk)
        disk.put([1, 2, 3], at: Sample.file)
        _ = try archive.check(readingContents: true)
        archive.quarantineOnNextWrite()
        return archive
    }

    @Sendable private static func withRequiredGeneration(_ disk: SimulatedDisk) throws
        -> ApplicationArchive
    {
        let archive = try saved(disk)
        try archive.requireGeneration(because: "of a test")
        return archive
    }

    @Sendable private static func withGeneration(_ disk: SimulatedDisk) throws -> ApplicationArchive
    {
        let archive = try saved(disk)
        _ = try archive.makeGeneration(because: "of a test")
        _ = try archive.quarantineScenes([1], reason: "of a test")
        return archive
    }

    @Sendable private static func many(_ disk: SimulatedDisk) throws -> ApplicationArchive {
        let archive = try withGeneration(disk)
        try archive.append(Sample.second)
        _ = try archive.makeGeneration(because: "of a test")
        _ = try archive.quarantineScenes([5], reason: "of a test")
        return archive
    }

    private static func throwing(_ pruned: PrunedFiles) throws {
        if let failure = pruned.failure { throw failure }
    }

    // MARK: Operations that several tasks share

    /// Operations that read the devices. If the devices are unknown, no device is known to have changed.
    private static let devices = [
        "(status applications)", "(openDirectory applications)", "(status ~)",
    ]
    /// Operations that remove leftovers. The next load tries again.
    private static let removingLeftovers = [
        "(openDirectory applications)", "(openDirectory ~)", "(status ~/data.archive.salvaged)",
        "(remove ~/data.archive.new)", "(read ~/data.archive.compacted)",
    ]
    private static let path = [
        "synchronizeDirectory /state", "synchronizeDirectory applications",
        "synchronizeDirectory ~",
    ]
    private static let directories =
        ["createDirectory applications", "createDirectory ~"] + path + [
            "remove ~/data.archive.salvaged"
        ]

    private static func replacing(
        _ name: String, temporaryName: String = "data.archive.new", in directory: String = "~"
    ) -> [String] {
        ["remove", "create", "write", "synchronize"].map { "\($0) \(directory)/\(temporaryName)" }
            + [
                "rename \(directory)/\(temporaryName) → \(name)",
                "synchronizeDirectory \(directory)",
            ]
    }

    /// Operations that check whether another program has changed the archive.
    private static let check = [
        "(read ~/data.archive)", "(status ~/data.archive)", "(read ~/data.archive)",
    ]
    /// Operations that replace an archive and check it immediately before that.
    private static let checkedReplacement =
        [
            "remove ~/data.archive.new", "create ~/data.archive.new", "write ~/data.archive.new",
            "synchronize ~/data.archive.new",
        ] + check + ["rename ~/data.archive.new → data.archive", "synchronizeDirectory ~"]

    /// Operations that write the reason. A generation without a reason can still be used.
    private static func reason(of name: String, in kind: String) -> [String] {
        ["remove", "create", "write", "synchronize"].map {
            let line = "\($0) ~/\(kind)/\(name).reason"
            return kind == "history" ? "(\(line))" : line
        }
    }

    private static func kept(_ name: String, in kind: String) -> [String] {
        ["createDirectory ~/\(kind)", "synchronizeDirectory ~"] + reason(of: name, in: kind)
            + replacing(name, temporaryName: "archive.new", in: "~/\(kind)")
    }

    private static func moved(_ file: String, to name: String, in kind: String) -> [String] {
        ["createDirectory ~/\(kind)", "synchronizeDirectory ~"] + reason(of: name, in: kind) + [
            "rename ~/\(file) → \(kind)/\(name)", "synchronizeDirectory ~/\(kind)",
            "synchronizeDirectory ~",
        ]
    }

    // MARK: Tasks

    static let tasks: [DiskTask] = [
        task("load nothing", on: unloaded, { _ = try $0.load() }, []),
        task("load", on: inherited, { _ = try $0.load() }, devices + removingLeftovers),
        task(
            "load a closed archive", on: closed, { _ = try $0.load() }, devices + removingLeftovers),
        task("load a torn archive", on: torn, { _ = try $0.load() }, devices + removingLeftovers),
        task(
            "load a damaged archive", on: damaged, { _ = try $0.load() },
            path + replacing("data.archive.salvaged")
                + moved("data.archive", to: "000001-data.archive", in: "quarantine") + [
                    "rename ~/data.archive.salvaged → data.archive", "synchronizeDirectory ~",
                ] + devices),
        task(
            "load an unusable archive", on: unusable, { _ = try $0.load() },
            path + ["remove ~/data.archive.salvaged"]
                + moved("data.archive", to: "000001-data.archive", in: "quarantine")),
        task(
            "load a salvaged archive", on: salvaged, { _ = try $0.load() },
            path + ["rename ~/data.archive.salvaged → data.archive", "synchronizeDirectory ~"]
                + devices + removingLeftovers),
        task(
            "load beside leftovers", on: withLeftovers, { _ = try $0.load() },
            devices + [
                "(openDirectory applications)", "(openDirectory ~)",
                "(status ~/data.archive.salvaged)",
                "(createDirectory ~/quarantine)", "(synchronizeDirectory ~)", "(list ~/quarantine)",
                "(remove ~/quarantine/000001-data.archive.salvaged.reason)",
                "(create ~/quarantine/000001-data.archive.salvaged.reason)",
                "(write ~/quarantine/000001-data.archive.salvaged.reason)",
                "(synchronize ~/quarantine/000001-data.archive.salvaged.reason)",
                "(rename ~/data.archive.salvaged → quarantine/000001-data.archive.salvaged)",
                "(synchronizeDirectory ~/quarantine)", "(synchronizeDirectory ~)",
                "(remove ~/data.archive.new)", "(read ~/data.archive.compacted)",
                "(read ~/data.archive.compacted)", "(remove ~/data.archive.compacted)",
            ]),
        task(
            "save for the first time", on: empty, { try $0.append(Sample.first) },
            directories + replacing("data.archive") + devices),
        task("append", on: saved, { try $0.append(Sample.second) }, ["write ~/data.archive.new"]),
        task(
            "append to a closed archive", on: closed, { try $0.append(Sample.second) },
            ["write ~/data.archive"]),
        task(
            "append to an inherited archive", on: inherited, { try $0.append(Sample.second) },
            check + directories + checkedReplacement + devices),
        task(
            "append to a torn archive",
            on: {
                let archive = try torn($0)
                _ = try archive.load()
                return archive
            }, { try $0.append(Sample.third) },
            check + directories + kept("000001-data.archive", in: "quarantine") + [
                "(list ~/quarantine)", "(read ~/quarantine/000001-data.archive.reason)",
                "(read ~/quarantine/000001-data.archive.reason)",
                "(status ~/quarantine/000001-data.archive)",
            ] + checkedReplacement + devices),
        task(
            "append in place of another file", on: toBeQuarantined,
            { try $0.append(Sample.second) },
            replacing("data.archive.salvaged")
                + moved("data.archive", to: "000001-data.archive", in: "quarantine") + [
                    "rename ~/data.archive.salvaged → data.archive", "synchronizeDirectory ~",
                ] + devices),
        task(
            "append after a generation that is required", on: withRequiredGeneration,
            { try $0.append(Sample.second) },
            kept("000001.archive", in: "history") + ["write ~/data.archive.new"]),
        task("open", on: closed, { try $0.markOpened() }, ["write ~/data.archive"]),
        task(
            "close", on: appended, { try $0.close() },
            [
                "(synchronizeData ~/data.archive.new)", "write ~/data.archive.new",
                "(synchronizeData ~/data.archive.new)",
            ]),
        task(
            "close with pending changes", on: pending, { try $0.close() },
            [
                "write ~/data.archive.new", "(synchronizeData ~/data.archive.new)",
                "write ~/data.archive.new", "(synchronizeData ~/data.archive.new)",
            ]),
        task(
            "close an inherited archive", on: inherited, { try $0.close() },
            check + directories + checkedReplacement + devices),
        task(
            "synchronize", on: appended, { try $0.synchronize() },
            ["synchronizeData ~/data.archive.new"]),
        task(
            "synchronize in the background", on: appended, { try Sample.synchronize($0) },
            [
                "(openDirectory applications)", "(openDirectory ~)", "(status ~/data.archive)",
                "(status ~/data.archive)", "synchronizeData ~/data.archive.new",
            ]),
        task(
            "remove", on: appended, { try $0.remove(because: "of a test") },
            [
                "(synchronizeData ~/data.archive.new)", "(openDirectory applications)",
                "(openDirectory ~)", "(read ~/data.archive)", "(read ~/data.archive)",
                "remove ~/data.archive.salvaged",
            ] + moved("data.archive", to: "000001.archive", in: "history") + removingLeftovers),
        task(
            "remove with pending changes", on: pending, { try $0.remove(because: "of a test") },
            [
                "(openDirectory applications)", "(openDirectory ~)", "(read ~/data.archive)",
                "(read ~/data.archive)",
            ] + kept("000001.archive", in: "history") + [
                "remove ~/data.archive.salvaged", "remove ~/data.archive", "synchronizeDirectory ~",
            ] + removingLeftovers),
        task(
            "remove an inherited archive", on: inherited, { try $0.remove(because: "of a test") },
            [
                "(openDirectory applications)", "(openDirectory ~)", "(read ~/data.archive)",
                "(read ~/data.archive)",
            ] + directories + kept("000001.archive", in: "history") + [
                "remove ~/data.archive.salvaged", "remove ~/data.archive", "synchronizeDirectory ~",
            ] + removingLeftovers
        ),
        task(
            "remove in place of another file", on: toBeQuarantined,
            { try $0.remove(because: "of a test") },
            [
                "(openDirectory applications)", "(openDirectory ~)", "(read ~/data.archive)",
                "(read ~/data.archive)",
            ] + kept("000001.archive", in: "history") + ["remove ~/data.archive.salvaged"]
                + moved("data.archive", to: "000001-data.archive", in: "quarantine") + [
                    "synchronizeDirectory ~"
                ] + removingLeftovers),
        task(
            "make a generation", on: saved, { _ = try $0.makeGeneration(because: "of a test") },
            kept("000001.archive", in: "history")),
        task(
            "make the required generation", on: withRequiredGeneration,
            { try $0.makeRequiredGeneration() },
            kept("000001.archive", in: "history")),
        task(
            "defer the required generation", on: withRequiredGeneration,
            { try $0.deferRequiredGeneration() }, []),
        task(
            "quarantine the required generation", on: withRequiredGeneration,
            { _ = try $0.quarantineRequiredGeneration(because: "the disk is full") },
            kept("000001-data.archive", in: "quarantine")),
        task(
            "list generations", on: withGeneration, { _ = try $0.generations() },
            [
                "(status ~/history/000001.archive.reason)",
                "(read ~/history/000001.archive.reason)", "(read ~/history/000001.archive.reason)",
            ]),
        task(
            "list the quarantine", on: withGeneration, { _ = try $0.quarantinedFiles() },
            [
                "(status ~/quarantine/000001-main.archive.reason)",
                "(read ~/quarantine/000001-main.archive.reason)",
                "(read ~/quarantine/000001-main.archive.reason)",
            ]),
        task(
            "read a generation", on: withGeneration,
            { _ = try $0.contents(ofGeneration: "000001") }, []),
        task(
            "read a quarantined scene", on: withGeneration,
            { _ = try $0.contents(ofQuarantinedFile: "000001-main.archive") }, []),
        task(
            "delete a generation", on: withGeneration, { try $0.deleteGeneration("000001") },
            [
                "remove ~/history/000001.archive", "remove ~/history/000001.archive.reason",
                "synchronizeDirectory ~/history",
            ]),
        task(
            "delete a quarantined scene", on: withGeneration,
            { try $0.deleteQuarantinedFile("000001-main.archive") },
            [
                "remove ~/quarantine/000001-main.archive",
                "remove ~/quarantine/000001-main.archive.reason",
                "synchronizeDirectory ~/quarantine",
            ]),
        task(
            "prune generations", on: many,
            { try throwing($0.pruneGenerations(count: 1, bytes: .max)) },
            ["remove ~/history/000001.archive", "remove ~/history/000001.archive.reason"]),
        task(
            "prune the quarantine", on: many,
            { try throwing($0.pruneQuarantine(count: 1, bytes: .max)) },
            [
                "remove ~/quarantine/000001-main.archive",
                "remove ~/quarantine/000001-main.archive.reason",
            ]),
        task(
            "quarantine a scene", on: saved,
            { _ = try $0.quarantineScenes([1], reason: "of a test") },
            kept("000001-main.archive", in: "quarantine")),
        task(
            "check whether the history is gone", on: withGeneration,
            { _ = try $0.isHistoryRemoved() }, []),
        task(
            "check for changes by other programs", on: appended,
            { _ = try $0.check(readingContents: true) },
            []),
        task(
            "check for changes after a load", on: inherited,
            { _ = try $0.check(readingContents: true) },
            ["(read ~/data.archive)", "(status ~/data.archive)", "(read ~/data.archive)"]),
        task(
            "adopt a replica", on: saved, { try $0.adoptReplica(Sample.log([Sample.first])) },
            ["remove ~/replica"] + replacing("data.archive")),
        task(
            "mark a replica", on: saved,
            { try $0.writeReplicaCheckpoint(ReplicaCheckpoint(lineage: Lineage(writer: 1))) },
            replacing("replica", temporaryName: "replica.new")),
        task(
            "read the mark of a replica",
            on: {
                let archive = try saved($0)
                try archive.writeReplicaCheckpoint(ReplicaCheckpoint(lineage: Lineage(writer: 1)))
                return archive
            }, { _ = try $0.replicaCheckpoint() }, []),
        task(
            "quarantine a document", on: saved,
            { try $0.quarantineDocument([1], name: "a.txt", because: "of a test") },
            kept("000001-a.txt", in: "quarantine")),
        task(
            "load beside an incomplete salvaged file",
            on: { disk in
                disk.put([4], at: "\(Sample.file).salvaged")
                return Sample.archive(on: disk)
            }, { _ = try $0.load() }, ["remove ~/data.archive.salvaged"]),
        task(
            "load a damaged archive with a newer generation",
            on: { disk in
                let archive = try saved(disk)
                try archive.append(Sample.second)
                _ = try archive.makeGeneration(because: "of a test")
                var bytes = Sample.log([Sample.first, Sample.second], published: 11)
                bytes[bytes.count - 1] ^= 1
                disk.put(bytes, at: Sample.file)
                return Sample.archive(on: disk)
            }, { _ = try $0.load() },
            [
                "synchronizeDirectory /state", "synchronizeDirectory applications",
                "synchronizeDirectory ~/history", "synchronizeDirectory ~",
            ] + replacing("data.archive.salvaged")
                + moved("data.archive", to: "000001-data.archive", in: "quarantine") + [
                    "rename ~/data.archive.salvaged → data.archive", "synchronizeDirectory ~",
                ] + devices),
        task(
            "append to an inherited archive with history and quarantine",
            on: { disk in
                _ = try withGeneration(disk)
                return try Sample.loaded(on: disk)
            }, { try $0.append(Sample.second) },
            [
                "(read ~/data.archive)", "(status ~/data.archive)", "(read ~/data.archive)",
                "createDirectory applications", "createDirectory ~", "synchronizeDirectory /state",
                "synchronizeDirectory applications", "synchronizeDirectory ~/quarantine",
                "synchronizeDirectory ~/history", "synchronizeDirectory ~",
                "remove ~/data.archive.salvaged", "remove ~/data.archive.new",
                "create ~/data.archive.new", "write ~/data.archive.new",
                "synchronize ~/data.archive.new", "(read ~/data.archive)",
                "(status ~/data.archive)", "(read ~/data.archive)",
                "rename ~/data.archive.new → data.archive", "synchronizeDirectory ~",
            ] + devices),
        task(
            "synchronize a reopened archive",
            on: { disk in
                let archive = try closed(disk)
                try archive.append(Sample.second)
                return archive
            }, { try $0.synchronize() }, ["synchronizeData ~/data.archive"] + path),
        task(
            "remove after a generation that is required", on: withRequiredGeneration,
            { try $0.remove(because: "of a test") },
            kept("000001.archive", in: "history") + [
                "(openDirectory applications)", "(openDirectory ~)", "(read ~/data.archive)",
                "(read ~/data.archive)", "remove ~/data.archive.salvaged",
            ] + moved("data.archive", to: "000002.archive", in: "history") + removingLeftovers),
        task(
            "remove a torn archive",
            on: { disk in
                let archive = try torn(disk)
                _ = try archive.load()
                return archive
            }, { try $0.remove(because: "of a test") },
            [
                "(openDirectory applications)", "(openDirectory ~)", "(read ~/data.archive)",
                "(read ~/data.archive)",
            ] + directories + kept("000001-data.archive", in: "quarantine") + [
                "(list ~/quarantine)", "(read ~/quarantine/000001-data.archive.reason)",
                "(read ~/quarantine/000001-data.archive.reason)",
                "(status ~/quarantine/000001-data.archive)",
            ] + kept("000001.archive", in: "history") + [
                "remove ~/data.archive.salvaged", "remove ~/data.archive", "synchronizeDirectory ~",
            ] + removingLeftovers),
        task(
            "accept another archive",
            on: { disk in
                let archive = try saved(disk)
                disk.put(Sample.log([Sample.first, Sample.second]), at: Sample.file)
                return archive
            },
            { archive in
                guard case .replaced(let other) = try archive.check(readingContents: true) else {
                    throw IOError(.read, path: "of another kind", code: EIO)
                }
                try archive.requireNewFile(accepting: other)
                try archive.append(TurnRecords())
            },
            [
                "(status ~/data.archive.new)", "(read ~/data.archive)", "(status ~/data.archive)",
                "(read ~/data.archive)", "remove ~/data.archive.new", "create ~/data.archive.new",
                "write ~/data.archive.new", "synchronize ~/data.archive.new",
                "(read ~/data.archive)", "(status ~/data.archive)", "(read ~/data.archive)",
                "rename ~/data.archive.new → data.archive", "synchronizeDirectory ~",
            ] + devices),
        task(
            "make a generation of unchanged state", on: withGeneration,
            { archive in
                guard archive.unchangedGenerationPath() != nil else {
                    throw IOError(.read, path: "the history", code: EIO)
                }
            }, []),
        task(
            "load beside an archive that no compaction has made",
            on: { disk in
                _ = try saved(disk)
                disk.put(Sample.log([Sample.first]), at: "\(Sample.file).compacted")
                return Sample.archive(on: disk)
            }, { _ = try $0.load() },
            devices + removingLeftovers + ["(read ~/data.archive.compacted)"]
                + [
                    "createDirectory ~/quarantine", "synchronizeDirectory ~", "list ~/quarantine",
                    "remove ~/quarantine/000001-data.archive.reason",
                    "create ~/quarantine/000001-data.archive.reason",
                    "write ~/quarantine/000001-data.archive.reason",
                    "synchronize ~/quarantine/000001-data.archive.reason",
                    "rename ~/data.archive.compacted → quarantine/000001-data.archive",
                    "synchronizeDirectory ~/quarantine", "synchronizeDirectory ~",
                ].map { "(\($0))" }),
        task(
            "write a torn archive twice",
            on: { disk in
                let archive = try torn(disk)
                _ = try archive.load()
                try archive.append(Sample.third)
                try archive.requireNewFile()
                return archive
            }, { try $0.append(TurnRecords()) },
            [
                "(read ~/data.archive)", "(status ~/data.archive)", "(read ~/data.archive)",
                "remove ~/data.archive.new", "create ~/data.archive.new",
                "write ~/data.archive.new",
                "synchronize ~/data.archive.new", "(read ~/data.archive)",
                "(status ~/data.archive)",
                "(read ~/data.archive)", "rename ~/data.archive.new → data.archive",
                "synchronizeDirectory ~",
            ] + devices),
    ]

    @Test(arguments: tasks)
    func `each task performs the expected disk operations and reports the expected errors`(
        task: DiskTask
    ) throws {
        let disk = SimulatedDisk()
        let run = try task.run(disk)
        disk.startRecording()
        try run()
        let steps = try #require(disk.stopRecording()).steps.map(\.operation)
        var operations: [String] = []
        for (index, operation) in steps.enumerated() {
            let disk = SimulatedDisk()
            let run = try task.run(disk)
            disk.inject(SimulatedDisk.Fault(operation: index + 1, code: EIO))
            var isReported = false
            do { try run() } catch { isReported = true }
            #expect(disk.hasFaultOccurred)
            let line = Self.line(operation)
            if !isReported {
                operations.append("(\(line))")
            } else if operation.kind.changesDisk {
                operations.append(line)
            }
        }
        #expect(operations == task.operations)
    }

    private static func line(_ operation: DiskOperation) -> String {
        func short(_ path: String) -> String {
            path.replacing("/state/\(Sample.directory)", with: "~")
                .replacing("/state/Saved Application State", with: "applications")
        }
        return "\(operation.kind.rawValue) \(short(operation.path))"
            + (operation.other.isEmpty ? "" : " → \(short(operation.other))")
    }
}
