import LinuxIO

@testable import SavedState

/// Loads bytes as an application's archive. Whatever was loaded has to survive being saved.
enum ArchiveFuzzer {
    /// Whose archive it is.
    static let application = "org.example.Fuzz"
    private static let folder = "/Saved Application State/\(application).savedState"
    /// Where it lies.
    static let path = "\(folder)/data.archive"

    /// Reads it alone, then as the archive of an application that goes on with it.
    static func read(_ input: [UInt8]) {
        check(ArchiveReader.read(input, bundleIdentifier: application), input)
        let disk = FuzzDisk()
        disk.put(input, path)
        do {
            let directory = try StateDirectory(locked: disk.root, pid: 1)
            try load(directory, input, disk)
        } catch let error as LoadError {
            // Only a newer format is refused, and what is refused is not touched.
            guard case .newerFormat = error, disk.file(path) == input else {
                fatalError("\(error)")
            }
        } catch {
            fatalError("\(error)")
        }
    }

    private static func check(_ outcome: ArchiveReader.Outcome, _ input: [UInt8]) {
        switch outcome {
        case .whole(let prefix): precondition(prefix.byteCount == input.count)
        case .torn(let prefix, let tail):
            precondition(prefix.byteCount == tail.offset)
            precondition(tail.offset + tail.byteCount == input.count)
        case .damaged(let reason, let offset, let salvaged):
            precondition(!reason.isEmpty && (0...input.count).contains(offset))
            precondition(salvaged.map { $0.byteCount <= offset } ?? true)
        case .newer(let version): precondition(version > ArchiveFormat.version)
        }
    }

    private static func load(
        _ directory: StateDirectory, _ input: [UInt8], _ disk: FuzzDisk
    ) throws {
        let archive = try directory.archive(of: application)
        switch try archive.load() {
        case .none: fatalError("the file was not seen")
        case .loaded: precondition(disk.file(path) == input)
        case .damaged:
            precondition(disk.file("\(folder)/quarantine/000001-data.archive") == input)
        }
        guard let number = archive.contents.map(\.highestObjectNumber), number < .max else {
            return
        }
        var turn = TurnRecords()
        turn.addObject(
            ObjectHeader(number: number + 1, parent: 0, kind: 1, identifier: "fuzz"),
            values: [1, 2, 3])
        turn.endPass(PassEnd(scene: number + 1, timestamp: 1))
        do throws(SaveError) {
            _ = try archive.append(turn)
        } catch {
            // The sequence and the numbers may be used up.
            guard case .malformed = error else { fatalError("\(error)") }
            return
        }
        require(archive.contents, directory, isClosed: false)
        try archive.close()
        require(archive.contents, directory, isClosed: true)
    }

    /// Requires that a fresh load finds this.
    private static func require(
        _ expected: ArchiveContents?, _ directory: StateDirectory, isClosed: Bool
    ) {
        do {
            let archive = try directory.archive(of: application)
            guard case .loaded(let found, torn: nil) = try archive.load(), let expected,
                found.objects == expected.objects, found.names == expected.names,
                found.passes == expected.passes, found.closed == isClosed
            else { fatalError("what was saved does not come back") }
        } catch {
            fatalError("\(error)")
        }
    }
}
