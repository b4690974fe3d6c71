import ExactText
import StateRecords

/// The newest record of each object, as an index of spans: the tree that the objects form, the names,
/// and the scenes' passes. Each pass is taken by ``check(_:_:)``, ``merge(_:_:segment:)`` and,
/// before anything is read, ``joinPatches()``.
struct ObjectStore: Sendable {
    /// Tells one of the values apart from all others.
    struct ValueName: Hashable {
        var object: UInt32
        var key: UInt32
    }

    /// The names with their numbers, in the order in which they came.
    private(set) var numberedNames: [(number: UInt32, text: String)] = []
    private(set) var passes: [UInt32: PassEnd] = [:]
    private(set) var highestObjectNumber: UInt32 = 0
    /// How many bytes a file of this store alone has at most, but for its header.
    private(set) var byteCount = ArchiveFormat.smallestRecord + ArchiveFormat.endLength
    /// How many keys, bytes and pieces of changed values have been gone through so far.
    private(set) var work = 0

    private(set) var segments = Segments()
    /// The payloads of the objects' records, which have of the out-of-line values only the keys.
    private var objects = ObjectTree()
    private var namePlaces = NumberTable()
    /// The numbers of the scenes, by name.
    private var sceneNumbers: [ExactString: UInt32] = [:]
    /// Whether a file gave two scenes one name; the first of them has it.
    private var hasTwins = false
    /// The payloads of the out-of-line values' records.
    private var outOfLineValues: [ValueName: Segments.Span] = [:]
    /// The changed values of objects that have many, by the objects' places.
    private var patched: [Int32: PatchedValues] = [:]
    /// The digest of the state, until that changes.
    private var knownDigest: UInt64?

    // MARK: Reading

    /// How many objects there are, scenes included.
    var count: Int { objects.count }

    /// The names by their numbers.
    var names: [UInt32: String] {
        Dictionary(numberedNames.lazy.map { ($0.number, $0.text) }) { first, _ in first }
    }

    /// Whether there is a name of that number.
    func hasName(_ number: UInt32) -> Bool { namePlaces[number] != nil }

    /// The newest record of an object.
    subscript(number: UInt32) -> ObjectRecord? { objects.place(of: number).map(record) }

    /// Whether there is an object of that number.
    func contains(_ number: UInt32) -> Bool { objects.place(of: number) != nil }

    /// The number above an object; nil if there is no such object.
    func parent(of number: UInt32) -> UInt32? { fields(of: number) { $0.parent } }

    /// The header of an object; nil if there is no such object.
    func header(of number: UInt32) -> ObjectHeader? { fields(of: number) { $0.header } }

    /// Something of the newest record of an object; nil if there is no such object.
    func fields<Result>(of number: UInt32, _ body: (ObjectFields) -> Result) -> Result? {
        objects.place(of: number).map { fields(at: $0, body) }
    }

    private func fields<Result>(at place: Int32, _ body: (ObjectFields) -> Result) -> Result {
        segments.read(objects[place]) { body(ObjectFields($0)) }
    }

    /// How many bytes the values of an object have, but for those out of line, patches included.
    func valueByteCount(of number: UInt32) -> Int? {
        guard let place = objects.place(of: number) else { return nil }
        if !patched.isEmpty, let values = patched[place] { return values.byteCount }
        return fields(at: place) { $0.bytes.count - $0.valuesStart }
    }

    /// Whether an object has an out-of-line value of a key.
    func hasOutOfLineValue(_ key: UInt32, of number: UInt32) -> Bool {
        outOfLineValues[ValueName(object: number, key: key)] != nil
    }

    /// An out-of-line value; nil if the object has none of that key.
    func outOfLineValue(_ key: UInt32, of number: UInt32) -> ArraySlice<UInt8>? {
        outOfLineValues[ValueName(object: number, key: key)].map {
            segments[$0].dropFirst(OutOfLineValue.prefix)
        }
    }

    /// The scenes' numbers, in the order in which they first came.
    var scenes: [UInt32] { objects.roots.map { fields(at: $0) { $0.number } } }

    /// How many scenes there are, those of one name counted once.
    var sceneCount: Int { sceneNumbers.count }

    /// The number of the first scene of a name; nil if there is none.
    func scene(named name: String) -> UInt32? {
        hasTwins
            ? scenes.first { header(of: $0)?.identifier == name } : sceneNumbers[ExactString(name)]
    }

    /// What is at a place gives way to another record; nil: to none. Nil of the place: the object
    /// is new.
    private mutating func noteScene(_ new: ObjectFields?, at place: Int32?) {
        let before = place.flatMap { fields(at: $0) { $0.parent == 0 ? $0.name : nil } }
        let name = new.flatMap { $0.parent == 0 ? $0.name : nil }
        if before == name { return }
        if let before { sceneNumbers[ExactString(before)] = nil }
        if let new, let name,
            sceneNumbers.updateValue(new.number, forKey: ExactString(name)) != nil
        {
            hasTwins = true
        }
    }

    /// Goes through the payloads of an object and everything below it, each after its parent, and
    /// behind each those of its out-of-line values.
    func forEachSpan(below root: UInt32, _ body: (Segments.Span, _ isValue: Bool) -> Void) {
        objects.forEachPlace(below: root) { place in
            body(objects[place], false)
            let (number, keys) = fields(at: place) { ($0.number, $0.keyCount == 0 ? [] : $0.keys) }
            for key in keys {
                if let value = outOfLineValues[ValueName(object: number, key: key)] {
                    body(value, true)
                }
            }
        }
    }

    /// The record at a place with its out-of-line values.
    private func record(at place: Int32) -> ObjectRecord {
        let (header, keys, start) = fields(at: place) {
            ($0.header, $0.keyCount == 0 ? [] : $0.keys, $0.valuesStart)
        }
        return ObjectRecord(
            header: header, values: segments[objects[place]].dropFirst(start),
            outOfLine: keys.map {
                OutOfLineValue(key: $0, bytes: outOfLineValue($0, of: header.number) ?? [])
            })
    }

    // MARK: Merging

    /// Adds a buffer of which ``merge(_:_:segment:)`` is told, until ``endReading(_:)``.
    mutating func beginReading(_ bytes: [UInt8]) -> Int { segments.add(bytes, isHeld: true) }

    /// Everything of a buffer was merged.
    mutating func endReading(_ segment: Int) {
        joinPatches()
        segments.endHolding(segment)
        endMerging()
    }

    /// Takes a pass that ``check(_:_:)`` has accepted.
    ///
    /// - Parameter segment: the segment that is the first of the records' buffers; what lies in
    ///   others is copied.
    mutating func merge(_ pass: RecordList, _ end: PassEnd, segment: Int? = nil) {
        knownDigest = nil
        for span in pass.spans { merge(span, of: pass, segment) }
        endPass(end)
        if segments.isWorthGathering { gather() }
    }

    /// Takes what ``changes(of:)`` found. Its whole records are shared.
    mutating func merge(_ changes: PassChanges, _ end: PassEnd) {
        knownDigest = nil
        let segment = changes.records.buffers.first.map { segments.add($0) }
        var wholes = changes.wholes[...]
        for (index, span) in changes.records.spans.enumerated() {
            let isPart = wholes.first?.index == index
            merge(isPart ? wholes.removeFirst().span : span, of: changes.records, segment)
        }
        endPass(end)
        endMerging()
    }

    private mutating func endPass(_ end: PassEnd) {
        objects.linkOrphans()
        if parent(of: end.scene) == 0 { passes[end.scene] = end }
    }

    private mutating func endMerging() {
        segments.removeDead()
        if segments.isWorthGathering { gather() }
    }

    /// Puts together what patches made of large values, of which only the byte count is known
    /// before.
    mutating func joinPatches() {
        for (place, values) in patched {
            work += values.work
            replaceValues(at: place) { $0 += values.bytes }
        }
        patched = [:]
    }

    /// See ``ArchiveContents/digest``.
    mutating func digest() -> UInt64 {
        if let knownDigest { return knownDigest }
        let digest = contents(closed: false, sequence: 0).digest
        knownDigest = digest
        return digest
    }

    private mutating func merge(
        _ span: RecordList.Span, of pass: RecordList, _ segment: Int?
    ) {
        pass.buffers[span.buffer].withUnsafeBytes { buffer in
            let payload = UnsafeRawBufferPointer(
                rebasing: buffer[span.start..<span.start + span.count])
            merge(span, payload, segment)
        }
    }

    private mutating func merge(
        _ span: RecordList.Span, _ payload: UnsafeRawBufferPointer, _ segment: Int?
    ) {
        switch span.type {
        case .name:
            let number: UInt32 = payload.littleEndian(at: 0)
            namePlaces[number] = UInt32(numberedNames.count)
            numberedNames.append((number, String(decoding: payload.dropFirst(4), as: UTF8.self)))
            byteCount += ArchiveFormat.smallestRecord + payload.count
        case .object: put(ObjectFields(payload), keep(span, payload, segment))
        case .placement: place(ObjectFields(payload))
        case .value:
            let name = ValueName(
                object: payload.littleEndian(at: 0), key: payload.littleEndian(at: 4))
            work += 1
            let old = outOfLineValues.updateValue(keep(span, payload, segment), forKey: name)
            byteCount += payload.count - OutOfLineValue.prefix
            if let old { removeValue(old) }
        case .patch: apply(payload)
        case .removal:
            let number: UInt32 = payload.littleEndian(at: 0)
            highestObjectNumber = max(highestObjectNumber, number)
            objects.linkOrphans()
            removeTree(number)
        case .nothing, .closed, .opened: break
        }
    }

    /// The bytes of a record that counts from now on, in their segment or a copy.
    private mutating func keep(
        _ span: RecordList.Span, _ payload: UnsafeRawBufferPointer, _ segment: Int?
    ) -> Segments.Span {
        if span.buffer == 0, let segment {
            return segments.keep(segment, span.start, span.count)
        }
        return segments.append { $0 += payload }
    }

    private mutating func put(_ object: ObjectFields, _ span: Segments.Span) {
        byteCount += Self.byteCount(object)
        let number = object.number
        let keys = object.keyCount == 0 ? [] : object.keys
        guard let place = objects.place(of: number) else {
            noteScene(object, at: nil)
            nameOutOfLineValues(of: number, keys, insteadOf: [])
            highestObjectNumber = max(highestObjectNumber, number)
            return objects.add(number, span, below: object.parent)
        }
        noteScene(object, at: place)
        forgetPatches(at: place)
        let (oldParent, oldKeys, oldCount) = fields(at: place) {
            ($0.parent, $0.keyCount == 0 ? [] : $0.keys, Self.byteCount($0))
        }
        byteCount -= oldCount
        nameOutOfLineValues(of: number, keys, insteadOf: oldKeys)
        segments.release(objects[place])
        objects[place] = span
        move(place, number, from: oldParent, to: object.parent)
    }

    /// An object has got another header.
    private mutating func place(_ header: ObjectFields) {
        guard let place = objects.place(of: header.number) else { return }
        let (before, count, old) = fields(at: place) {
            ($0.parent, $0.headerCount, Array($0.bytes))
        }
        noteScene(header, at: place)
        byteCount += header.headerCount - count
        let keyCount = ObjectFields.prefix - 2..<ObjectFields.prefix
        let span = segments.append {
            $0 += header.bytes[..<keyCount.lowerBound]
            $0 += old[keyCount]
            $0 += header.bytes[keyCount.upperBound...]
            $0 += old[count...]
        }
        segments.release(objects[place])
        objects[place] = span
        move(place, header.number, from: before, to: header.parent)
    }

    /// The length of an object's records in a file but for the bytes of its out-of-line values.
    private static func byteCount(_ object: ObjectFields) -> Int {
        ArchiveFormat.smallestRecord + object.bytes.count
            + object.keyCount * (ArchiveFormat.smallestRecord + OutOfLineValue.prefix)
    }

    /// An object has out-of-line values of these keys, which keep their bytes, instead of others.
    private mutating func nameOutOfLineValues(
        of number: UInt32, _ keys: [UInt32], insteadOf old: [UInt32]
    ) {
        if old.isEmpty, keys.isEmpty { return }
        work += old.count + keys.count
        let keys = Set(keys)
        for key in old where !keys.contains(key) { removeOutOfLineValue(key, of: number) }
        for key in keys {
            let name = ValueName(object: number, key: key)
            if outOfLineValues[name] == nil { outOfLineValues[name] = .empty }
        }
    }

    private mutating func removeOutOfLineValue(_ key: UInt32, of number: UInt32) {
        if let value = outOfLineValues.removeValue(forKey: ValueName(object: number, key: key)) {
            removeValue(value)
        }
    }

    private mutating func removeValue(_ span: Segments.Span) {
        byteCount -= max(0, Int(span.count) - OutOfLineValue.prefix)
        segments.release(span)
    }

    // MARK: Patches

    /// Values of so many bytes or fewer are copied for each patch.
    private static let fewBytes = 4096

    private mutating func apply(_ payload: UnsafeRawBufferPointer) {
        guard let place = objects.place(of: payload.littleEndian(at: 0)) else { return }
        let offset: UInt32 = payload.littleEndian(at: 4)
        let removed: UInt32 = payload.littleEndian(at: 8)
        let new = payload.dropFirst(ArchiveFormat.patchPrefix)
        byteCount += new.count - Int(removed)
        let (start, count) = fields(at: place) { ($0.valuesStart, $0.bytes.count) }
        if patched[place] == nil, count - start <= Self.fewBytes {
            let old = Array(segments[objects[place]].dropFirst(start))
            work += old.count - Int(removed) + new.count
            replaceValues(at: place) {
                $0 += old.prefix(Int(offset))
                $0 += new
                $0 += old.dropFirst(Int(offset) + Int(removed))
            }
        } else {
            if patched[place] == nil {
                // A copy: a slice would keep the segment, which goes on, from being written in place.
                let values = Array(segments[objects[place]].dropFirst(start))
                work += values.count
                patched[place] = PatchedValues(values[...])
            }
            patched[place]?.add(
                ValuesPatch(object: 0, offset: offset, removed: removed, bytes: Array(new)[...]))
        }
    }

    /// Gives the object at a place other values, which the body appends.
    private mutating func replaceValues(at place: Int32, _ body: (inout [UInt8]) -> Void) {
        let old = objects[place]
        let beginning = fields(at: place) { Array($0.bytes[..<$0.valuesStart]) }
        objects[place] = segments.append {
            $0 += beginning
            body(&$0)
        }
        segments.release(old)
    }

    private mutating func forgetPatches(at place: Int32) {
        guard !patched.isEmpty, let values = patched.removeValue(forKey: place) else { return }
        work += values.work
        byteCount -= values.byteCount - fields(at: place) { $0.bytes.count - $0.valuesStart }
    }

    /// Moves what counts out of segments of which most is dead.
    private mutating func gather() {
        segments.beginGathering()
        for place in objects.places { objects[place] = segments.gather(objects[place]) }
        for (name, span) in outOfLineValues { outOfLineValues[name] = segments.gather(span) }
        segments.removeDead()
    }

    // MARK: Places

    /// An object has got another header, and with it perhaps another parent.
    private mutating func move(
        _ place: Int32, _ number: UInt32, from before: UInt32, to parent: UInt32
    ) {
        if before == parent { return }
        objects.move(place, from: before, to: parent)
        if parent != 0 { passes[number] = nil }
    }

    private mutating func removeTree(_ root: UInt32) {
        guard let parent = parent(of: root) else { return }
        noteScene(nil, at: objects.place(of: root))
        var gone: [Int32] = []
        objects.forEachPlace(below: root) { gone.append($0) }
        objects.unlink(gone[0], from: parent)
        for place in gone {
            forgetPatches(at: place)
            let (number, keys, count) = fields(at: place) {
                ($0.number, $0.keyCount == 0 ? [] : $0.keys, Self.byteCount($0))
            }
            byteCount -= count
            for key in keys { removeOutOfLineValue(key, of: number) }
            segments.release(objects[place])
            objects.remove(number)
        }
        passes[root] = nil
    }
}

extension ObjectFields {
    /// The identifier.
    fileprivate var name: String { String(decoding: identifier, as: UTF8.self) }
}
