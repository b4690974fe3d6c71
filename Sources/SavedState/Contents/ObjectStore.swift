import ExactText
import StateRecords

/// Newest state of an archive: the objects' newest records in a tree, the names, and the newest pass of each scene.
///
/// Records are stored as spans of bytes. Each pass is checked with ``check(_:_:)`` and then applied with
/// ``merge(_:_:segment:)``. After the last pass, ``applyPatches()`` must be called before the store is read.
struct ObjectStore: Sendable {
    /// Key that identifies an out-of-line value, consisting of an object number and the value's key in that object.
    struct ValueKey: Hashable {
        var object: UInt32
        var key: UInt32
    }

    /// Names with their numbers, in the order in which they were added.
    private(set) var numberedNames: [(number: UInt32, text: String)] = []
    /// Ends of the scenes' newest passes, keyed by scene number.
    private(set) var passEnds: [UInt32: PassEnd] = [:]
    /// Highest number that any object has ever had, or 0 if there has never been an object.
    private(set) var highestObjectNumber: UInt32 = 0
    /// Upper bound for the length of a file that contains only this store, excluding the file's header.
    private(set) var byteCount = ArchiveFormat.minimumRecordBytes + ArchiveFormat.passEndByteCount
    /// Number of keys, bytes and pieces of patched values that have been processed so far, as a measure of the cost.
    private(set) var processedItemCount = 0

    private(set) var segments = RecordSegments()
    /// Payloads of the objects' records. They contain only the keys of out-of-line values, not the values.
    private var objects = ObjectTree()
    /// Indexes into ``numberedNames``, keyed by name number.
    private var nameIndexes = NumberTable()
    /// Numbers of the scenes, keyed by name.
    private var sceneNumbersByName: [ExactString: UInt32] = [:]
    /// Whether the store may contain several scenes with the same name, for example because a file contained them. The
    /// name then refers to the first of these scenes.
    private var hasDuplicateSceneNames = false
    /// Payloads of the records that contain out-of-line values.
    private var outOfLineValues: [ValueKey: RecordSegments.Span] = [:]
    /// Values with pending patches, keyed by the indexes of their objects in the tree.
    private var patchedValues: [Int32: PatchedValues] = [:]
    /// Cached digest of the state, or `nil` if the state has changed since the digest was computed.
    private var cachedDigest: UInt64?

    // MARK: Reading

    /// Number of objects, including scenes.
    var count: Int { objects.count }

    /// Names that records refer to by number, keyed by number.
    var names: [UInt32: String] {
        Dictionary(numberedNames.lazy.map { ($0.number, $0.text) }) { first, _ in first }
    }

    /// Returns whether a name with this number exists.
    func hasName(_ number: UInt32) -> Bool { nameIndexes[number] != nil }

    /// Newest record of an object, or `nil` if the object does not exist.
    subscript(number: UInt32) -> ObjectRecord? { objects.index(of: number).map(record) }

    /// Returns whether an object with this number exists.
    func contains(_ number: UInt32) -> Bool { objects.index(of: number) != nil }

    /// Returns the number of an object's parent, or `nil` if the object does not exist.
    func parent(of number: UInt32) -> UInt32? { withFields(of: number) { $0.parent } }

    /// Returns an object's header, or `nil` if the object does not exist.
    func header(of number: UInt32) -> ObjectHeader? { withFields(of: number) { $0.header } }

    /// Calls a closure with the newest record of an object, and returns the closure's result.
    ///
    /// Returns `nil` if the object does not exist.
    func withFields<Result>(of number: UInt32, _ body: (ObjectFields) -> Result) -> Result? {
        objects.index(of: number).map { withFields(at: $0, body) }
    }

    private func withFields<Result>(at index: Int32, _ body: (ObjectFields) -> Result) -> Result {
        segments.read(objects[index]) { body(ObjectFields($0)) }
    }

    /// Returns the length of an object's values in bytes, with patches applied but excluding out-of-line values.
    ///
    /// Returns `nil` if the object does not exist.
    func valueByteCount(of number: UInt32) -> Int? {
        guard let index = objects.index(of: number) else { return nil }
        if !patchedValues.isEmpty, let values = patchedValues[index] { return values.byteCount }
        return withFields(at: index) { $0.bytes.count - $0.valuesStart }
    }

    /// Returns whether an object has an out-of-line value for a key.
    func hasOutOfLineValue(_ key: UInt32, of number: UInt32) -> Bool {
        outOfLineValues[ValueKey(object: number, key: key)] != nil
    }

    /// Returns an out-of-line value, or `nil` if the object has no value for the key.
    func outOfLineValue(_ key: UInt32, of number: UInt32) -> ArraySlice<UInt8>? {
        outOfLineValues[ValueKey(object: number, key: key)].map {
            segments[$0].dropFirst(OutOfLineValue.headerByteCount)
        }
    }

    /// Numbers of the scenes, in the order in which the scenes were first saved.
    var sceneNumbers: [UInt32] { objects.rootIndexes.map { withFields(at: $0) { $0.number } } }

    /// Number of scenes. Scenes with the same name count once.
    var sceneCount: Int {
        hasDuplicateSceneNames
            ? Set(sceneNumbers.compactMap { header(of: $0).map { ExactString($0.identifier) } })
                .count
            : sceneNumbersByName.count
    }

    /// Returns the number of the first scene with this name, or `nil` if no scene has the name.
    func sceneNumber(named name: String) -> UInt32? {
        hasDuplicateSceneNames
            ? sceneNumbers.first { header(of: $0)?.identifier == name }
            : sceneNumbersByName[ExactString(name)]
    }

    /// Updates the index of scene names before a record is replaced or removed.
    ///
    /// - Parameters:
    ///   - newFields: New record, or `nil` if the object is removed.
    ///   - index: Index of the object in the tree, or `nil` if the object is new.
    private mutating func updateSceneIndex(_ newFields: ObjectFields?, at index: Int32?) {
        let previousName = index.flatMap {
            withFields(at: $0) { $0.parent == 0 ? $0.identifierText : nil }
        }
        let name = newFields.flatMap { $0.parent == 0 ? $0.identifierText : nil }
        if previousName == name { return }
        if let previousName { sceneNumbersByName[ExactString(previousName)] = nil }
        if let newFields, let name,
            sceneNumbersByName.updateValue(newFields.number, forKey: ExactString(name)) != nil
        {
            hasDuplicateSceneNames = true
        }
    }

    /// Calls a closure with the payload of each record of an object and of all its descendants.
    ///
    /// Each object follows its parent and is followed by its out-of-line values.
    func forEachSpan(below root: UInt32, _ body: (RecordSegments.Span, _ isValue: Bool) -> Void) {
        objects.forEachIndex(below: root) { index in
            body(objects[index], false)
            let (number, keys) = withFields(at: index) {
                ($0.number, $0.keyCount == 0 ? [] : $0.keys)
            }
            for key in keys {
                if let value = outOfLineValues[ValueKey(object: number, key: key)] {
                    body(value, true)
                }
            }
        }
    }

    /// Returns the record at an index, including its out-of-line values.
    private func record(at index: Int32) -> ObjectRecord {
        let (header, keys, start) = withFields(at: index) {
            ($0.header, $0.keyCount == 0 ? [] : $0.keys, $0.valuesStart)
        }
        return ObjectRecord(
            header: header, values: segments[objects[index]].dropFirst(start),
            outOfLine: keys.map {
                OutOfLineValue(key: $0, bytes: outOfLineValue($0, of: header.number) ?? [])
            })
    }

    // MARK: Merging

    /// Adds a buffer whose records will be passed to ``merge(_:_:segment:)``, and returns the index of its segment.
    ///
    /// After the last record, ``endReading(_:)`` must be called.
    mutating func beginReading(_ bytes: [UInt8]) -> Int { segments.add(bytes, isPinned: true) }

    /// Finishes reading a buffer after all its records have been merged.
    mutating func endReading(_ segment: Int) {
        applyPatches()
        segments.unpin(segment)
        endMerging()
    }

    /// Applies a pass that ``check(_:_:)`` has accepted.
    ///
    /// - Parameter segment: Segment that contains the first buffer of the records, or `nil` if there is none. Records
    ///   in other buffers are copied.
    mutating func merge(_ pass: RecordList, _ end: PassEnd, segment: Int? = nil) {
        cachedDigest = nil
        for span in pass.spans { merge(span, of: pass, segment) }
        endPass(end)
        if segments.needsCompaction { compactSegments() }
    }

    /// Applies the result of ``changes(of:)``. The store shares the buffer that contains the pass's complete records.
    mutating func merge(_ changes: PassChanges, _ end: PassEnd) {
        cachedDigest = nil
        let segment = changes.records.buffers.first.map { segments.add($0) }
        var completeRecords = changes.completeRecords[...]
        for (index, span) in changes.records.spans.enumerated() {
            let isPart = completeRecords.first?.index == index
            merge(isPart ? completeRecords.removeFirst().span : span, of: changes.records, segment)
        }
        endPass(end)
        endMerging()
    }

    private mutating func endPass(_ end: PassEnd) {
        objects.linkOrphans()
        if parent(of: end.scene) == 0 { passEnds[end.scene] = end }
    }

    private mutating func endMerging() {
        segments.removeDeadSegments()
        if segments.needsCompaction { compactSegments() }
    }

    /// Applies all pending patches to their values.
    ///
    /// The new bytes of patched values can be read only after this method has been called.
    mutating func applyPatches() {
        for (index, values) in patchedValues {
            processedItemCount += values.processedItemCount
            replaceValues(at: index) { $0 += values.bytes }
        }
        patchedValues = [:]
    }

    /// Returns the digest of the contents (see ``ArchiveContents/digest``).
    mutating func digest() -> UInt64 {
        if let cachedDigest { return cachedDigest }
        let digest = contents(isClosed: false, sequence: 0).digest
        cachedDigest = digest
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
            nameIndexes[number] = UInt32(numberedNames.count)
            numberedNames.append((number, String(decoding: payload.dropFirst(4), as: UTF8.self)))
            byteCount += ArchiveFormat.minimumRecordBytes + payload.count
        case .object: setObject(ObjectFields(payload), storeBytes(span, payload, segment))
        case .placement: replaceHeader(ObjectFields(payload))
        case .value:
            let valueKey = ValueKey(
                object: payload.littleEndian(at: 0), key: payload.littleEndian(at: 4))
            processedItemCount += 1
            let oldSpan = outOfLineValues.updateValue(
                storeBytes(span, payload, segment), forKey: valueKey)
            byteCount += payload.count - OutOfLineValue.headerByteCount
            if let oldSpan { removeValue(oldSpan) }
        case .patch: apply(payload)
        case .removal:
            let number: UInt32 = payload.littleEndian(at: 0)
            highestObjectNumber = max(highestObjectNumber, number)
            objects.linkOrphans()
            removeTree(number)
        case .nothing, .closed, .opened: break
        }
    }

    /// Stores the bytes of a new record. The bytes remain in their segment if they have one, and are copied otherwise.
    private mutating func storeBytes(
        _ span: RecordList.Span, _ payload: UnsafeRawBufferPointer, _ segment: Int?
    ) -> RecordSegments.Span {
        if span.buffer == 0, let segment {
            return segments.markLive(segment, span.start, span.count)
        }
        return segments.append { $0 += payload }
    }

    private mutating func setObject(_ object: ObjectFields, _ span: RecordSegments.Span) {
        byteCount += Self.byteCount(object)
        let number = object.number
        let keys = object.keyCount == 0 ? [] : object.keys
        guard let index = objects.index(of: number) else {
            updateSceneIndex(object, at: nil)
            updateOutOfLineKeys(of: number, keys, replacing: [])
            highestObjectNumber = max(highestObjectNumber, number)
            return objects.add(number, span, below: object.parent)
        }
        updateSceneIndex(object, at: index)
        discardPatches(at: index)
        let (oldParent, oldKeys, oldCount) = withFields(at: index) {
            ($0.parent, $0.keyCount == 0 ? [] : $0.keys, Self.byteCount($0))
        }
        byteCount -= oldCount
        updateOutOfLineKeys(of: number, keys, replacing: oldKeys)
        segments.release(objects[index])
        objects[index] = span
        move(index, number, from: oldParent, to: object.parent)
    }

    /// Replaces an object's header.
    private mutating func replaceHeader(_ header: ObjectFields) {
        guard let index = objects.index(of: header.number) else { return }
        let (previousParent, previousHeaderByteCount, previousBytes) = withFields(at: index) {
            ($0.parent, $0.headerByteCount, Array($0.bytes))
        }
        updateSceneIndex(header, at: index)
        byteCount += header.headerByteCount - previousHeaderByteCount
        let keyCount = ObjectFields.fixedFieldsByteCount - 2..<ObjectFields.fixedFieldsByteCount
        let span = segments.append {
            $0 += header.bytes[..<keyCount.lowerBound]
            $0 += previousBytes[keyCount]
            $0 += header.bytes[keyCount.upperBound...]
            $0 += previousBytes[previousHeaderByteCount...]
        }
        segments.release(objects[index])
        objects[index] = span
        move(index, header.number, from: previousParent, to: header.parent)
    }

    /// Returns the total length of an object's records in a file, excluding the bytes of its out-of-line values.
    private static func byteCount(_ object: ObjectFields) -> Int {
        ArchiveFormat.minimumRecordBytes + object.bytes.count
            + object.keyCount * (ArchiveFormat.minimumRecordBytes + OutOfLineValue.headerByteCount)
    }

    /// Replaces the keys of an object's out-of-line values. A value does not change if its key is in both lists.
    private mutating func updateOutOfLineKeys(
        of number: UInt32, _ keys: [UInt32], replacing oldKeys: [UInt32]
    ) {
        if oldKeys.isEmpty, keys.isEmpty { return }
        processedItemCount += oldKeys.count + keys.count
        let keys = Set(keys)
        for key in oldKeys where !keys.contains(key) { removeOutOfLineValue(key, of: number) }
        for key in keys {
            let valueKey = ValueKey(object: number, key: key)
            if outOfLineValues[valueKey] == nil { outOfLineValues[valueKey] = .empty }
        }
    }

    private mutating func removeOutOfLineValue(_ key: UInt32, of number: UInt32) {
        if let value = outOfLineValues.removeValue(forKey: ValueKey(object: number, key: key)) {
            removeValue(value)
        }
    }

    private mutating func removeValue(_ span: RecordSegments.Span) {
        byteCount -= max(0, Int(span.count) - OutOfLineValue.headerByteCount)
        segments.release(span)
    }

    // MARK: Patches

    /// Maximum length, in bytes, of values to which patches are applied immediately.
    private static let maximumImmediatePatchBytes = 4096

    private mutating func apply(_ payload: UnsafeRawBufferPointer) {
        guard let index = objects.index(of: payload.littleEndian(at: 0)) else { return }
        let offset: UInt32 = payload.littleEndian(at: 4)
        let removedByteCount: UInt32 = payload.littleEndian(at: 8)
        let newBytes = payload.dropFirst(ArchiveFormat.patchPrefixByteCount)
        byteCount += newBytes.count - Int(removedByteCount)
        let (start, count) = withFields(at: index) { ($0.valuesStart, $0.bytes.count) }
        if patchedValues[index] == nil, count - start <= Self.maximumImmediatePatchBytes {
            let oldValues = Array(segments[objects[index]].dropFirst(start))
            processedItemCount += oldValues.count - Int(removedByteCount) + newBytes.count
            replaceValues(at: index) {
                $0 += oldValues.prefix(Int(offset))
                $0 += newBytes
                $0 += oldValues.dropFirst(Int(offset) + Int(removedByteCount))
            }
        } else {
            if patchedValues[index] == nil {
                // The values are copied, because a slice would share the segment's storage, and the next change to the
                // segment would copy all of it.
                let values = Array(segments[objects[index]].dropFirst(start))
                processedItemCount += values.count
                patchedValues[index] = PatchedValues(values[...])
            }
            patchedValues[index]?.add(
                ValuesPatch(
                    object: 0, offset: offset, removedByteCount: removedByteCount,
                    bytes: Array(newBytes)[...]))
        }
    }

    /// Replaces the values of the object at an index. The closure appends the new values to the record.
    private mutating func replaceValues(at index: Int32, _ body: (inout [UInt8]) -> Void) {
        let oldSpan = objects[index]
        let unchangedPrefix = withFields(at: index) { Array($0.bytes[..<$0.valuesStart]) }
        objects[index] = segments.append {
            $0 += unchangedPrefix
            body(&$0)
        }
        segments.release(oldSpan)
    }

    private mutating func discardPatches(at index: Int32) {
        guard !patchedValues.isEmpty, let values = patchedValues.removeValue(forKey: index) else {
            return
        }
        processedItemCount += values.processedItemCount
        byteCount -= values.byteCount - withFields(at: index) { $0.bytes.count - $0.valuesStart }
    }

    /// Moves all live records to a new segment, except records in pinned segments.
    private mutating func compactSegments() {
        segments.beginCompaction()
        for index in objects.indexes { objects[index] = segments.relocate(objects[index]) }
        for (valueKey, span) in outOfLineValues {
            outOfLineValues[valueKey] = segments.relocate(span)
        }
        segments.removeDeadSegments()
    }

    // MARK: Moving and removing

    /// Moves an object to a different parent if the parent in its header has changed.
    private mutating func move(
        _ index: Int32, _ number: UInt32, from previousParent: UInt32, to parent: UInt32
    ) {
        if previousParent == parent { return }
        objects.move(index, from: previousParent, to: parent)
        if parent != 0 { passEnds[number] = nil }
    }

    private mutating func removeTree(_ root: UInt32) {
        guard let parent = parent(of: root) else { return }
        updateSceneIndex(nil, at: objects.index(of: root))
        var removedIndexes: [Int32] = []
        objects.forEachIndex(below: root) { removedIndexes.append($0) }
        objects.unlink(removedIndexes[0], from: parent)
        for index in removedIndexes {
            discardPatches(at: index)
            let (number, keys, count) = withFields(at: index) {
                ($0.number, $0.keyCount == 0 ? [] : $0.keys, Self.byteCount($0))
            }
            byteCount -= count
            for key in keys { removeOutOfLineValue(key, of: number) }
            segments.release(objects[index])
            objects.remove(number)
        }
        passEnds[root] = nil
    }
}

extension ObjectFields {
    /// Identifier of the object.
    fileprivate var identifierText: String { String(decoding: identifier, as: UTF8.self) }
}
