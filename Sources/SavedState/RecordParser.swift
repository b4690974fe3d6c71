/// Reads single records, trusting no byte of them.
struct RecordParser {
    let bytes: [UInt8]
    let fileMark: UInt64

    /// A record whose checksum is right.
    struct Intact {
        var record: ArchiveRecord
        var sequence: UInt64
        var checksum: UInt64
        /// Where the next record begins.
        var end: Int
        /// For the end of a pass: the sequence up to which the file was synced; else 0.
        var synced: UInt64
    }

    enum Parsed {
        case intact(Intact)
        /// The bytes are not those that were written.
        case broken(reason: String)
        /// They are, but no program of this version would write them.
        case illegal(reason: String)
    }

    /// Reads the record at an offset.
    ///
    /// - Parameters:
    ///   - seed: the checksum of the record before it.
    ///   - sequence: the number it must have; `nil` if any but 0 will do.
    func parse(at offset: Int, seed: UInt64, sequence expected: UInt64?) -> Parsed {
        var prefix = LittleEndianReader(bytes, offset..<bytes.count)
        guard let length = prefix.next(UInt32.self), length >= ArchiveFormat.smallestRecord,
            Int(length) <= bytes.count - offset
        else {
            return .broken(reason: "a record is cut off or has an impossible length")
        }
        let end = offset + Int(length)
        var trailer = LittleEndianReader(bytes, end - 8..<end)
        let sum = checksum(bytes, offset..<end - 8, seed: seed)
        guard trailer.next(UInt64.self) == sum else {
            return .broken(reason: "the checksum of a record is wrong")
        }
        var body = LittleEndianReader(bytes, prefix.offset..<end - 8)
        guard let rawType = body.next(UInt8.self), let flags = body.next(UInt8.self),
            let reserved = body.next(UInt16.self), let sequence = body.next(UInt64.self),
            let type = ArchiveFormat.RecordType(rawValue: rawType), reserved == 0,
            flags == (type == .passEnd ? ArchiveFormat.endFlag : 0)
        else {
            return .illegal(reason: "a record has an unknown type or flags")
        }
        guard sequence != 0, sequence <= ArchiveFormat.highestSequence,
            expected == nil || sequence == expected
        else {
            return .illegal(reason: "the sequence numbers of its records have a gap")
        }
        var synced: UInt64 = 0
        guard let record = payload(of: type, &body, at: sequence, synced: &synced),
            body.remaining == 0
        else {
            return .illegal(reason: "a record of type \(rawType) has an impossible payload")
        }
        return .intact(
            Intact(record: record, sequence: sequence, checksum: sum, end: end, synced: synced))
    }

    private func payload(
        of type: ArchiveFormat.RecordType, _ body: inout LittleEndianReader, at sequence: UInt64,
        synced: inout UInt64
    ) -> ArchiveRecord? {
        switch type {
        case .name:
            guard let number = body.next(UInt32.self),
                let text = String(validating: body.rest(), as: UTF8.self)
            else { return nil }
            return .name(number: number, text: text)
        case .object:
            return header(&body).map { .object(ObjectRecord(header: $0, values: body.rest())) }
        case .placement:
            return header(&body).map(ArchiveRecord.placement)
        case .removal:
            return body.next(UInt32.self).map { .removal(number: $0) }
        case .passEnd:
            guard let scene = body.next(UInt32.self), body.next(UInt32.self) == 0,
                let timestamp = body.next(Int64.self), let value = body.next(UInt64.self),
                body.next(UInt64.self) == fileMark, value <= sequence
            else { return nil }
            synced = value
            return .passEnd(PassEnd(scene: scene, timestamp: timestamp))
        case .closed:
            return .closed
        case .opened:
            return .opened
        }
    }

    private func header(_ body: inout LittleEndianReader) -> ObjectHeader? {
        guard let number = body.next(UInt32.self), let parent = body.next(UInt32.self),
            let classToken = body.next(UInt32.self),
            let restorationClassToken = body.next(UInt32.self),
            let storyboard = body.next(UInt32.self),
            let storyboardIdentifier = body.next(UInt32.self), let kind = body.next(UInt8.self),
            body.next(UInt8.self) == 0, let count = body.next(UInt16.self),
            let raw = body.next(byteCount: Int(count)),
            let identifier = String(validating: raw, as: UTF8.self)
        else { return nil }
        return ObjectHeader(
            number: number, parent: parent, kind: kind, identifier: identifier,
            classToken: classToken, restorationClassToken: restorationClassToken,
            storyboard: storyboard, storyboardIdentifier: storyboardIdentifier)
    }
}
