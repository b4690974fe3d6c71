/// Reads single records, trusting no byte of them.
struct RecordParser {
    let bytes: [UInt8]
    /// The mark of the file; nil if it is not known, as in a file with a damaged header.
    let fileMark: UInt64?

    /// A record whose checksum is right.
    struct Intact {
        var entry: ArchiveEntry
        var sequence: UInt64
        var checksum: UInt64
        /// Where the next record begins.
        var end: Int
        /// Where a pass ends, the sequence up to which the file was synced; else 0.
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
        guard let length = length(at: offset) else {
            return .broken(reason: "a record is cut off or has an impossible length")
        }
        let end = offset + length
        let sum = checksum(bytes, offset..<end - 8, seed: seed)
        guard bytes.sum(endingAt: end) == sum else {
            return .broken(reason: "the checksum of a record is wrong")
        }
        var body = LittleEndianReader(bytes, offset + 4..<end - 8)
        guard let rawType = body.next(UInt8.self), let flags = body.next(UInt8.self),
            let reserved = body.next(UInt16.self), let sequence = body.next(UInt64.self),
            let type = ArchiveFormat.RecordType(rawValue: rawType), reserved == 0,
            flags & ~ArchiveFormat.endFlag == 0
        else {
            return .illegal(reason: "a record has an unknown type or flags")
        }
        guard sequence != 0, sequence <= ArchiveFormat.highestSequence,
            expected == nil || sequence == expected
        else {
            return .illegal(reason: "the sequence numbers of its records have a gap")
        }
        var intact = Intact(
            entry: ArchiveEntry(.nothing), sequence: sequence, checksum: sum, end: end, synced: 0)
        if flags == ArchiveFormat.endFlag {
            guard let mark = body.next(UInt64.self), let synced = body.next(UInt64.self),
                let scene = body.next(UInt32.self), let timestamp = body.next(Int64.self),
                fileMark == nil || mark == fileMark, synced <= sequence
            else { return .illegal(reason: "the end of a pass is impossible") }
            intact.synced = synced
            intact.entry.end = PassEnd(scene: scene, timestamp: timestamp)
        }
        guard let record = payload(of: type, &body), body.remaining == 0 else {
            return .illegal(reason: "a record of type \(rawType) has an impossible payload")
        }
        intact.entry.record = record
        return .intact(intact)
    }

    /// Whether there is a record at an offset, legal or not, behind one with this checksum.
    func isRecord(at offset: Int, seed: UInt64) -> Bool {
        if case .broken = parse(at: offset, seed: seed, sequence: nil) { false } else { true }
    }

    /// The length of the record at an offset; nil if it is impossible.
    func length(at offset: Int) -> Int? {
        var prefix = LittleEndianReader(bytes, offset..<bytes.count)
        guard let length = prefix.next(UInt32.self), length >= ArchiveFormat.smallestRecord,
            Int(length) <= bytes.count - offset
        else { return nil }
        return Int(length)
    }

    private func payload(
        of type: ArchiveFormat.RecordType, _ body: inout LittleEndianReader
    ) -> ArchiveRecord? {
        switch type {
        case .name:
            guard let number = body.next(UInt32.self),
                let text = String(validating: body.rest(), as: UTF8.self)
            else { return nil }
            return .name(number: number, text: text)
        case .object:
            guard let (header, outOfLine) = header(&body) else { return nil }
            return .object(ObjectRecord(header: header, values: body.rest(), outOfLine: outOfLine))
        case .placement:
            guard let (header, outOfLine) = header(&body), outOfLine.isEmpty else { return nil }
            return .placement(header)
        case .value:
            guard let object = body.next(UInt32.self), let key = body.next(UInt32.self) else {
                return nil
            }
            return .value(object: object, OutOfLineValue(key: key, bytes: body.rest()))
        case .patch:
            guard let object = body.next(UInt32.self), let offset = body.next(UInt32.self),
                let removed = body.next(UInt32.self)
            else { return nil }
            return .patch(
                ValuesPatch(object: object, offset: offset, removed: removed, bytes: body.rest()))
        case .removal:
            return body.next(UInt32.self).map { .removal(number: $0) }
        case .nothing: return .nothing
        case .closed: return .closed
        case .opened: return .opened
        }
    }

    private func header(
        _ body: inout LittleEndianReader
    ) -> (header: ObjectHeader, outOfLine: [OutOfLineValue])? {
        guard let number = body.next(UInt32.self), let parent = body.next(UInt32.self),
            let classToken = body.next(UInt32.self),
            let restorationClassToken = body.next(UInt32.self),
            let storyboard = body.next(UInt32.self),
            let storyboardIdentifier = body.next(UInt32.self), let kind = body.next(UInt8.self),
            body.next(UInt8.self) == 0, let count = body.next(UInt16.self),
            let outOfLineCount = body.next(UInt16.self), let raw = body.next(byteCount: Int(count)),
            let identifier = String(validating: raw, as: UTF8.self),
            body.remaining >= 4 * Int(outOfLineCount)
        else { return nil }
        var outOfLine: [OutOfLineValue] = []
        for _ in 0..<outOfLineCount {
            guard let key = body.next(UInt32.self) else { return nil }
            outOfLine.append(OutOfLineValue(key: key, bytes: []))
        }
        let header = ObjectHeader(
            number: number, parent: parent, kind: kind, identifier: identifier,
            classToken: classToken, restorationClassToken: restorationClassToken,
            storyboard: storyboard, storyboardIdentifier: storyboardIdentifier)
        return (header, outOfLine)
    }
}
