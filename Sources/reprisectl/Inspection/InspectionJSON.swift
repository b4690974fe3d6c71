import RepriseControl
import SavedState
import StateRecords
import Varlink

/// JSON output of `inspect`, for programs.
struct InspectionJSON {
    let archive: InspectedArchive

    /// Prints one JSON object with the summary and the scenes.
    func print() throws {
        let scenes = archive.inspection.contents.map { SceneInspection($0).scenes() } ?? []
        var members = summary
        members["scenes"] = .array(scenes.map(\.json))
        try Terminal.write(asJSON: members)
    }

    /// Prints one JSON object with the summary and the records. Each record is printed separately, because there may be
    /// many records.
    func printRecords() throws {
        let summary = String(decoding: try JSONText.write(summary), as: UTF8.self)
        Terminal.write(json: "\(summary.dropLast()),\"records\":[")
        var separator = ""
        for record in archive.inspection.records {
            let json = String(decoding: try JSONText.write(record.json), as: UTF8.self)
            Terminal.write(json: separator + json)
            separator = ","
        }
        Terminal.write(json: "]}")
    }

    /// Members that describe the archive as a whole.
    ///
    /// `problem` describes the problem, its location and its consequences, and `problemOffset` is the offset at which
    /// the damage or the torn tail begins. Both are absent if the archive is intact.
    private var summary: [String: StateJSON] {
        let inspection = archive.inspection
        var members: [String: StateJSON] = [
            "file": .string(archive.path), "formatVersion": .init(ArchiveFormat.version),
            "closed": .bool(archive.isClosed), "byteCount": .init(inspection.byteCount),
            "completeByteCount": .init(inspection.completeByteCount),
            "recordCount": .init(archive.totals.recordCount),
            "passCount": .init(archive.totals.passCount),
        ]
        members["bundleIdentifier"] = (inspection.header?.bundleIdentifier).map(StateJSON.string)
        members["sequence"] = (inspection.contents?.sequence).map { StateJSON($0) }
        members["problem"] = archive.problem.map(StateJSON.string)
        members["condition"] = .string(inspection.condition.name)
        switch inspection.condition {
        case .whole: break
        case .torn(let tail): members["problemOffset"] = .init(tail.offset)
        case .damaged(_, let offset): members["problemOffset"] = .init(offset)
        case .newer(let version): members["formatVersion"] = .init(version)
        }
        return members
    }
}

extension InspectedPart {
    /// The record as JSON.
    ///
    /// `checksumIsRight` is absent if the bytes are not a record, and `end` is absent if the record does not end a
    /// pass. In `end`, `scene` is 0 for a pass without a scene, `synced` is the sequence number up to which the file
    /// was durable, and `time` is in microseconds since 1970.
    fileprivate var json: StateJSON {
        var members: [String: StateJSON] = [
            "offset": .init(offset), "byteCount": .init(byteCount), "text": .string(description),
        ]
        members["type"] = prefix.map { .string($0.typeName ?? "\($0.type)") }
        members["sequence"] = prefix.map { StateJSON($0.sequence) }
        members["checksumIsRight"] = isChecksumValid.map(StateJSON.bool)
        if case .intact(_, _, let passEnd?, let synced) = finding {
            members["end"] = .object([
                "scene": .init(passEnd.scene), "synced": .init(synced),
                "time": .init(passEnd.timestamp),
            ])
        }
        return .object(members)
    }
}

extension InspectedObject {
    /// The object as JSON, without the members that are `nil`.
    fileprivate var json: StateJSON {
        let texts = [
            "path": path, "name": name, "lastPass": lastPassTime, "class": `class`,
            "restorationClass": restorationClass, "storyboard": storyboard,
            "storyboardIdentifier": storyboardIdentifier, "problem": problem,
        ]
        var members = texts.compactMapValues { $0.map(StateJSON.string) }
        members["objects"] = objects.map { .array($0.map(\.json)) }
        members["values"] = .object(values)
        return .object(members)
    }
}

extension StateJSON {
    /// Creates an integer, or a string if the number is not in the range of `Int64`.
    fileprivate init(_ number: some BinaryInteger) {
        self = Int64(exactly: number).map(Self.integer) ?? .string("\(number)")
    }
}
