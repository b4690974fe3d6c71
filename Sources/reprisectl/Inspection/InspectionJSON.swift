import SavedState
import StateRecords
import Varlink

/// JSON output of `inspect`, for programs.
struct InspectionJSON {
    let archive: InspectedArchive

    /// Prints one JSON object with the summary and the scenes.
    func print() throws {
        var summary = InspectionSummary(archive)
        summary.scenes = archive.inspection.contents.map { SceneInspection($0).scenes() } ?? []
        Terminal.write(json: try Self.encoded(summary))
    }

    /// Prints one JSON object with the summary and the records. Each record is printed separately, because there may be
    /// many.
    func printRecords() throws {
        let summary = try Self.encoded(InspectionSummary(archive))
        Terminal.write(json: "\(summary.dropLast()),\"records\":[")
        var separator = ""
        for record in archive.inspection.records {
            Terminal.write(json: separator + (try Self.encoded(RecordDescription(record))))
            separator = ","
        }
        Terminal.write(json: "]}")
    }

    private static func encoded(_ value: some Encodable) throws -> String {
        String(decoding: try JSONText.encode(value), as: UTF8.self)
    }
}

/// Output of `inspect --json` for an archive.
struct InspectionSummary: Encodable {
    var file: String
    var condition: String
    var formatVersion: Int
    var bundleIdentifier: String?
    var closed: Bool
    var byteCount: Int
    var completeByteCount: Int
    var recordCount: Int
    var passCount: Int
    var sequence: UInt64?
    /// Description of the problem, its location and its consequences, or `nil` if the archive is intact.
    var problem: String?
    /// Offset at which the damage or the torn tail begins, or `nil` if the archive is intact.
    var problemOffset: Int?
    var scenes: [InspectedObject]?

    init(_ archive: InspectedArchive) {
        let inspection = archive.inspection
        file = archive.path
        formatVersion = Int(ArchiveFormat.version)
        bundleIdentifier = inspection.header?.bundleIdentifier
        closed = archive.isClosed
        byteCount = inspection.byteCount
        completeByteCount = inspection.completeByteCount
        recordCount = archive.totals.recordCount
        passCount = archive.totals.passCount
        sequence = inspection.contents?.sequence
        problem = archive.problem
        switch inspection.condition {
        case .whole: condition = "whole"
        case .torn(let tail):
            condition = "torn"
            problemOffset = tail.offset
        case .damaged(_, let offset):
            condition = "damaged"
            problemOffset = offset
        case .newer(let version):
            condition = "newer"
            formatVersion = Int(version)
        }
    }
}

/// Output of `inspect --records --json` for a record.
private struct RecordDescription: Encodable {
    var offset: Int
    var byteCount: Int
    var type: String?
    var sequence: UInt64?
    /// Whether the checksum is correct, or `nil` if the bytes are not a record.
    var checksumIsRight: Bool?
    /// Pass that the record ends, or `nil` if it ends no pass.
    ///
    /// `scene` is 0 for a pass without a scene. `synced` is the sequence number up to which the file was durable.
    /// `time` is in microseconds since 1970.
    var end: PassEndDescription?
    /// Description of the record or of its fault.
    var text: String

    struct PassEndDescription: Encodable {
        var scene: UInt32
        var synced: UInt64
        var time: Int64
    }

    init(_ record: InspectedRecord) {
        offset = record.offset
        byteCount = record.byteCount
        type = record.prefix.map { $0.typeName ?? "\($0.type)" }
        sequence = record.prefix?.sequence
        checksumIsRight = record.isChecksumValid
        text = record.description
        if case .intact(_, _, let passEnd?, let synced) = record.finding {
            end = PassEndDescription(scene: passEnd.scene, synced: synced, time: passEnd.timestamp)
        }
    }
}
