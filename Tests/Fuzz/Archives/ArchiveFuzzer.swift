import LinuxIO
import StateRecords

@testable import SavedState

/// Fuzzer that loads bytes as an application's archive. Everything that was loaded must survive being saved.
enum ArchiveFuzzer {
    /// Bundle identifier of the application.
    static let application = "org.example.Fuzz"
    private static let directory = "/Saved Application State/\(application).savedState"
    /// Path of the archive.
    static let path = "\(directory)/data.archive"

    /// Reads the input by itself, and then as the archive of an application that continues to use it.
    static func read(_ input: [UInt8]) {
        check(ArchiveReader.read(input, bundleIdentifier: application), input)
        inspect(input)
        let disk = FuzzDisk()
        disk.put(input, path)
        do {
            try load(input, disk)
        } catch let error as LoadError {
            // Only a newer format is refused, and the refused file does not change.
            guard case .newerFormat = error, disk.file(path)?.bytes == input else {
                fatalError("\(error)")
            }
        } catch {
            fatalError("\(error)")
        }
    }

    private static func check(_ outcome: ArchiveReader.Outcome, _ input: [UInt8]) {
        switch outcome {
        case .whole(let prefix): precondition(isReservedSpace(input[prefix.byteCount...]))
        case .torn(let prefix, let tail):
            precondition(prefix.byteCount == tail.offset)
            precondition(tail.offset + tail.byteCount == input.count)
        case .damaged(let reason, let offset, let salvaged):
            precondition(!reason.isEmpty && (0...input.count).contains(offset))
            precondition(salvaged.map { $0.byteCount <= offset } ?? true)
        case .newer(let version): precondition(version > ArchiveFormat.version)
        }
    }

    /// Returns whether the rest of a file is reserved space, which contains neither records nor damage.
    private static func isReservedSpace(_ rest: ArraySlice<UInt8>) -> Bool {
        rest.allSatisfy { $0 == 0 }
    }

    /// Inspects every byte, including the bytes after damage.
    private static func inspect(_ input: [UInt8]) {
        let inspection = ArchiveInspection(input)
        precondition((0...input.count).contains(inspection.completeByteCount))
        var end: Int?
        for piece in inspection.records {
            precondition(piece.byteCount > 0 && piece.offset == end ?? piece.offset)
            end = piece.offset + piece.byteCount
        }
        precondition(isReservedSpace(input[(end ?? input.count)...]))
    }

    private static func load(_ input: [UInt8], _ disk: FuzzDisk) throws {
        let archive = archive(on: disk)
        switch try archive.load() {
        case .none: fatalError("the file was not seen")
        case .loaded: precondition(disk.file(path)?.bytes == input)
        case .damaged:
            precondition(disk.file("\(directory)/quarantine/000001-data.archive")?.bytes == input)
        }
        guard let number = archive.contents.map(\.highestObjectNumber), number < .max else {
            return
        }
        do throws(SaveError) {
            _ = try archive.append(turn(number + 1))
        } catch {
            // The sequence numbers or object numbers may be exhausted.
            guard case .malformed = error else { fatalError("\(error)") }
            return
        }
        require(archive.contents, disk, isClosed: false)
        try compact(archive, changing: number + 1)
        require(archive.contents, disk, isClosed: false)
        try archive.close()
        require(archive.contents, disk, isClosed: true)
        precondition(
            archive.consumeIncidents().allSatisfy {
                if case .compacted = $0 { true } else { false }
            })
    }

    private static func archive(on disk: FuzzDisk) -> ApplicationArchive {
        ApplicationArchive(
            bundleIdentifier: application, below: disk.root, maximumUncompactedBytes: 0)
    }

    /// Returns a turn that adds a scene with this number and an out-of-line value.
    private static func turn(_ number: UInt32) -> TurnRecords {
        var turn = TurnRecords()
        turn.addObject(
            ObjectRecord(
                header: ObjectHeader(number: number, parent: 0, kind: 1, identifier: "fuzz"),
                values: [1, 2, 3], outOfLine: [OutOfLineValue(key: 1, bytes: [4, 5])]))
        turn.endPass(PassEnd(scene: number, timestamp: 1))
        return turn
    }

    /// Compacts the file, with an append between each two steps.
    private static func compact(
        _ archive: ApplicationArchive, changing number: UInt32
    ) throws {
        var next = archive.beginCompaction()
        while let job = next {
            let result = job.run()
            _ = try archive.append(turn(number))
            next = archive.endCompaction(job, result)
        }
        guard let job = archive.beginSync() else { return }
        try archive.endSync(job, job.run())
    }

    /// Requires that a new instance loads the expected contents.
    private static func require(
        _ expected: ArchiveContents?, _ disk: FuzzDisk, isClosed: Bool
    ) {
        do {
            let archive = archive(on: disk)
            let outcome = try archive.load()
            guard case .loaded(isClosed, tornTail: nil) = outcome else { fatalError("\(outcome)") }
            guard var expected, var found = archive.contents else { fatalError("nothing is there") }
            // The sequence number and the closing record are not part of the state.
            (expected.sequence, found.sequence, expected.isClosed) = (0, 0, isClosed)
            guard found == expected else { fatalError("\(expected) comes back as \(found)") }
        } catch {
            fatalError("\(error)")
        }
    }
}
