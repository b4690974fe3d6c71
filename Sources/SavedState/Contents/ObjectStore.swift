import ExactText
import StateRecords

/// Newest record of each object, with the tree of the objects, the names, and the passes of the scenes.
///
/// Records are stored as spans of bytes. ``check(_:_:)`` and ``merge(_:_:segment:)`` apply each pass. ``joinPatches()``
/// must be called before the store is read.
struct ObjectStore: Sendable {
    /// Identifier of one out-of-line value of an object.
    struct ValueName: Hashable {
        var object: UInt32
        var key: UInt32
    }

    /// Names with their numbers, in the order in which they were added.
    private(set) var numberedNames: [(number: UInt32, text: String)] = []
    private(set) var passes: [UInt32: PassEnd] = [:]
    private(set) var highestObjectNumber: UInt32 = 0
    /// Maximum length of a file that contains only this store, without its header.
    private(set) var byteCount = ArchiveFormat.smallestRecord + ArchiveFormat.endLength
    /// Number of keys, bytes and pieces of patched values processed so far.
    private(set) var work = 0

    private(set) var segments = Segments()
    /// Payloads of the objects' records, which contain only the keys of out-of-line values.
    private var objects = ObjectTree()
    private var namePlaces = NumberTable()
    /// Numbers of the scenes, keyed by name.
    private var sceneNumbers: [ExactString: UInt32] = [:]
    /// Whether a file contained two scenes with the same name. The name then refers to the first scene.
    private var hasTwins = false
    /// Payloads of the records with out-of-line values.
    private var outOfLineValues: [ValueName: Segments.Span] = [:]
    /// Patched values of objects with large values, keyed by the objects' indexes in the tree.
    private var patched: [Int32: PatchedValues] = [:]
    /// Cached digest of the state, or `nil` if the state has changed since the digest was computed.
    private var knownDigest: UInt64?

    // MARK: Reading

    /// Number of objects, including scenes.
    var count: Int { objects.count }

    /// Names, keyed by their numbers.
    var names: [UInt32: String] {
        Dictionary(numberedNames.lazy.map { ($0.number, $0.text) }) { first, _ in first }
    }

    /// Returns whether a name with this number exists.
    func hasName(_ number: UInt32) -> Bool { namePlaces[number] != nil }

    /// Newest record of an object, or `nil` if it does not exist.
    subscript(number: UInt32) -> ObjectRecord? { objects.place(of: number).map(record) }

    /// Returns whether an object with this number exists.
    func contains(_ number: UInt32) -> Bool { objects.place(of: number) != nil }

    /// Returns the number of an object's parent, or `nil` if the object does not exist.
    func parent(of number: UInt32) -> UInt32? { fields(of: number) { $0.parent } }

    /// Returns the header of an object, or `nil` if it does not exist.
    func header(of number: UInt32) -> ObjectHeader? { fields(of: number) { $0.header } }

    /// Returns a part of the newest record of an object, or `nil` if the object does not exist.
    func fields<Result>(of number: UInt32, _ body: (ObjectFields) -> Result) -> Result? {
        objects.place(of: number).map { fields(at: $0, body) }
    }

    private func fields<Result>(at place: Int32, _ body: (ObjectFields) -> Result) -> Result {
        segments.read(objects[place]) { body(ObjectFields($0)) }
    }

    /// Returns the length of an object's values, including patches but not out-of-line values.
    ///
    /// Returns `nil` if the object does not exist.
    func valueByteCount(of number: UInt32) -> Int? {
        guard let place = objects.place(of: number) else { return nil }
        if !patched.isEmpty, let values = patched[place] { return values.byteCount }
        return fields(at: place) { $0.bytes.count - $0.valuesStart }
    }

    /// Returns whether an object has an out-of-line value for a key.
    func hasOutOfLineValue(_ key: UInt32, of number: UInt32) -> Bool {
        outOfLineValues[ValueName(object: number, key: key)] != nil
    }

    /// Returns an out-of-line value, or `nil` if the object has no value for the key.
    func outOfLineValue(_ key: UInt32, of number: UInt32) -> ArraySlice<UInt8>? {
        outOfLineValues[ValueName(object: number, key: key)].map {
            segments[$0].dropFirst(OutOfLineValue.prefix)
        }
    }

    /// Numbers of the scenes, in the order in which the scenes were first saved.
    var scenes: [UInt32] { objects.roots.map { fields(at: $0) { $0.number } } }

    /// Number of scenes. Scenes with the same name count once.
    var sceneCount: Int {
        hasTwins
            ? Set(scenes.compactMap { header(of: $0).map { ExactString($0.identifier) } }).count
            : sceneNumbers.count
    }

    /// Returns the number of the first scene with this name, or `nil` if no scene has the name.
    func scene(named name: String) -> UInt32? {
        hasTwins
            ? scenes.first { header(of: $0)?.identifier == name } : sceneNumbers[ExactString(name)]
    }

    /// Updates the index of scene names when a record is replaced.
    ///
    /// - Parameters:
    ///   - new: New record, or `nil` if the object is removed.
    ///   - place: Index of the object in the tree, or `nil` if the object is new.
    private mutating func updateSceneIndex(_ new: ObjectFields?, at place: Int32?) {
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

    /// Calls a closure with the payloads of an object and of all objects below it.
    ///
    /// Each object follows its parent, and is followed by its out-of-line values.
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

    /// Returns the record at an index, including its out-of-line values.
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

    /// Adds a buffer to read. Its records are then passed to ``merge(_:_:segment:)`` until ``endReading(_:)`` is
    /// called.
    mutating func beginReading(_ bytes: [UInt8]) -> Int { segments.add(bytes, isHeld: true) }

    /// Finishes reading a buffer whose records have all been merged.
    mutating func endReading(_ segment: Int) {
        joinPatches()
        segments.endHolding(segment)
        endMerging()
    }

    /// Applies a pass that ``check(_:_:)`` has accepted.
    ///
    /// - Parameter segment: Segment of the records' first buffer. Records in other buffers are copied.
    mutating func merge(_ pass: RecordList, _ end: PassEnd, segment: Int? = nil) {
        knownDigest = nil
        for span in pass.spans { merge(span, of: pass, segment) }
        endPass(end)
        if segments.isWorthGathering { gather() }
    }

    /// Applies the result of ``changes(of:)``. Whole records share the buffer of the pass.
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

    /// Applies all pending patches of large values, whose bytes are not available before.
    mutating func joinPatches() {
        for (place, values) in patched {
            work += values.work
            replaceValues(at: place) { $0 += values.bytes }
        }
        patched = [:]
    }

    /// Returns the digest of the contents, see ``ArchiveContents/digest``.
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
        case .object: put(ObjectFields(payload), storeBytes(span, payload, segment))
        case .placement: place(ObjectFields(payload))
        case .value:
            let name = ValueName(
                object: payload.littleEndian(at: 0), key: payload.littleEndian(at: 4))
            work += 1
            let old = outOfLineValues.updateValue(storeBytes(span, payload, segment), forKey: name)
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

    /// Stores the bytes of a new record, which either remain in their segment or are copied.
    private mutating func storeBytes(
        _ span: RecordList.Span, _ payload: UnsafeRawBufferPointer, _ segment: Int?
    ) -> Segments.Span {
        if span.buffer == 0, let segment {
            return segments.markLive(segment, span.start, span.count)
        }
        return segments.append { $0 += payload }
    }

    private mutating func put(_ object: ObjectFields, _ span: Segments.Span) {
        byteCount += Self.byteCount(object)
        let number = object.number
        let keys = object.keyCount == 0 ? [] : object.keys
        guard let place = objects.place(of: number) else {
            updateSceneIndex(object, at: nil)
            nameOutOfLineValues(of: number, keys, insteadOf: [])
            highestObjectNumber = max(highestObjectNumber, number)
            return objects.add(number, span, below: object.parent)
        }
        updateSceneIndex(object, at: place)
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

    /// Replaces the header of an object.
    private mutating func place(_ header: ObjectFields) {
        guard let place = objects.place(of: header.number) else { return }
        let (before, count, old) = fields(at: place) {
            ($0.parent, $0.headerCount, Array($0.bytes))
        }
        updateSceneIndex(header, at: place)
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

    /// Returns the length of an object's records in a file, without the bytes of its out-of-line values.
    private static func byteCount(_ object: ObjectFields) -> Int {
        ArchiveFormat.smallestRecord + object.bytes.count
            + object.keyCount * (ArchiveFormat.smallestRecord + OutOfLineValue.prefix)
    }

    /// Replaces the keys of an object's out-of-line values. Values whose keys are in both lists are unchanged.
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

    /// Maximum length of values to which each patch is applied immediately.
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
                // The values are copied, because a slice would prevent the segment, which remains in use, from being
                // changed in place.
                let values = Array(segments[objects[place]].dropFirst(start))
                work += values.count
                patched[place] = PatchedValues(values[...])
            }
            patched[place]?.add(
                ValuesPatch(object: 0, offset: offset, removed: removed, bytes: Array(new)[...]))
        }
    }

    /// Replaces the values of the object at an index. The closure appends the new values.
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

    /// Moves live records out of segments that contain mostly obsolete bytes.
    private mutating func gather() {
        segments.beginGathering()
        for place in objects.places { objects[place] = segments.gather(objects[place]) }
        for (name, span) in outOfLineValues { outOfLineValues[name] = segments.gather(span) }
        segments.removeDead()
    }

    // MARK: Places

    /// Moves an object to another parent, if the parent in its header has changed.
    private mutating func move(
        _ place: Int32, _ number: UInt32, from before: UInt32, to parent: UInt32
    ) {
        if before == parent { return }
        objects.move(place, from: before, to: parent)
        if parent != 0 { passes[number] = nil }
    }

    private mutating func removeTree(_ root: UInt32) {
        guard let parent = parent(of: root) else { return }
        updateSceneIndex(nil, at: objects.place(of: root))
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
    /// Identifier of the object.
    fileprivate var name: String { String(decoding: identifier, as: UTF8.self) }
}
