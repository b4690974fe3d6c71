import SavedState
import StateRecords

/// Text output of `inspect --records`, which lists every record in an archive, including records after a damaged part.
struct InspectionRecordText {
    let archive: InspectedArchive

    func print() {
        ArchiveLines.printHeader(archive)
        Terminal.print("    offset     length    sequence  checksum  record")
        for record in archive.inspection.records { Terminal.print(Self.line(record)) }
        ArchiveLines.printFooter(archive)
    }

    private static func line(_ record: InspectedPart) -> String {
        let checksumText = record.isChecksumValid.map { $0 ? "right" : "WRONG" } ?? "-"
        let sequenceText = record.prefix.map { "\($0.sequence)" } ?? "-"
        return "\(leftPadded("\(record.offset)", 10)) \(leftPadded("\(record.byteCount)", 10)) "
            + "\(leftPadded(sequenceText, 11))  \(checksumText.padded(8))  \(record.description)"
    }

    private static func leftPadded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}

extension InspectedPart {
    /// Description of the record or of its fault.
    var description: String {
        switch finding {
        case .intact(let record, _, let end, let synced):
            guard let end, record != .closed else { return record.description }
            let sceneText = end.scene == 0 ? "no scene" : "scene \(end.scene)"
            return "\(record.description); ends a pass of \(sceneText), synced up to \(synced)"
        case .malformed(let prefix, let reason): return "\(prefix.description): \(reason)"
        case .broken(let prefix): return "\(prefix.description)"
        case .noRecord: return "no record can be found here"
        }
    }
}

extension RecordPrefix {
    fileprivate var description: String { typeName ?? "type \(type)" }
}

extension ArchiveRecord {
    fileprivate var description: String {
        switch self {
        case .name(let number, let text): "name \(number) is '\(text)'"
        case .object(let object):
            "object \(object.header.description), \(countPhrase(object.values.count, "byte")) of values"
                + (object.outOfLine.isEmpty ? "" : ", \(object.outOfLine.count) out of line")
        case .placement(let header): "placement of \(header.description)"
        case .value(let object, let value):
            "value \(value.key) of \(object), \(countPhrase(value.bytes.count, "byte"))"
        case .patch(let patch):
            "patch of \(patch.object) at \(patch.offset), \(patch.bytes.count) for "
                + "\(countPhrase(Int(patch.removedByteCount), "byte"))"
        case .removal(let number): "removal of \(number)"
        case .nothing: "nothing"
        case .closed: "closed"
        case .opened: "opened"
        }
    }
}

extension ObjectHeader {
    fileprivate var description: String {
        parent == 0
            ? "\(number) '\(identifier)', a scene" : "\(number) '\(identifier)' below \(parent)"
    }
}
